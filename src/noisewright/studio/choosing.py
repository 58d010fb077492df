"""The room where ε is chosen: what `advise` says at any ε and δ, at once.

Predictions at a few budgets are made in another process, nearest first, and kept in a file; what
they say about any other budget is worked out here, in milliseconds. They depend on the declared
columns and on the number of rows alone, and on no value.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import os
import threading
import time
import tomllib
from concurrent.futures import BrokenExecutor, Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from noisewright import advice, plans
from noisewright.advice import Knot, Preview, PreviewTask
from noisewright.exact import exactly, show
from noisewright.files import read_whole, write_whole
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.studio.failures import RefusalError, sentence_of
from noisewright.version import __version__

_MOST_STUDIES = 8
_LOOKED_AT = 60.0
"""Seconds after which a study that nobody looks at is left."""
_LEAST, _MOST = Fraction(1, 10**6), Fraction(1000)
_LEAST_DELTA = Fraction(1, 10**100)


@final
@dataclass(frozen=True)
class Study:
    """One table to choose a budget for: the plan's text, the number of rows and the questions."""

    plan: str
    rows: int
    questions: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A name for all that predictions depend on, apart from the budget."""
        settings = tomllib.loads(self.plan)
        columns = settings.get("columns", {}).values()
        if not any(isinstance(one, dict) and "epsilon" in one for one in columns):
            # Predictions are for the ε of the slider; that of the plan only divides among columns.
            settings.pop("epsilon", None)
        if settings.get("order") == "shuffled":
            settings.pop("delta", None)
        parts = [__version__, repr(settings), self.rows, self.questions]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    def preview(self, knots: Any = ()) -> Preview:
        """Return what is known so far: the given predictions."""
        declared = advice.Declaration.from_toml(self.plan)
        return Preview.of(declared, rows=self.rows, questions=self.questions, knots=knots)


@final
@dataclass
class _Open:
    study: Study
    preview: Preview
    place: Path
    wanted: Guarantee | None = None
    running: Future[Knot] | None = None
    problem: str = ""
    steps: tuple[int, int] = field(default=(0, 0))
    seen: float = 0.0


@final
class AdviceDesk:
    """Predicts in a process of its own, and remembers; safe to call from several threads."""

    def __init__(self, state: Path) -> None:
        self._place = state / "advice"
        self._place.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.RLock()
        self._open: dict[str, _Open] = {}
        self._pool: ProcessPoolExecutor | None = None
        self._is_closed = False

    def warm_up(self) -> None:
        """Start the process, so that the first prediction does not wait for it."""
        with self._lock:
            if self._pool is None and not self._is_closed:
                self._process().submit(_be_ready)
                threading.Thread(target=_be_ready, daemon=True).start()

    def open(self, study: Study, *, epsilon: str, delta: str) -> dict[str, Any]:
        """Begin to predict, nearest to this budget first; return what is known so far."""
        budget = _budget(epsilon, delta)
        with self._lock:
            opened = self._open.pop(study.key, None) or self._load(study)
            # The latest is the one that is worked on.
            self._open[study.key] = opened
            while len(self._open) > _MOST_STUDIES:
                self._open.pop(next(iter(self._open)))
            opened.wanted, opened.problem = budget, ""
            self._advance()
        return self.look(study.key, epsilon=epsilon, delta=delta) or {}

    def look(
        self, key: str, *, epsilon: str, delta: str, settle: bool = False
    ) -> dict[str, Any] | None:
        """Return what is known at a budget; None if the study is not open.

        With `settle`, predictions for this very budget are next.
        """
        budget = _budget(epsilon, delta)
        with self._lock:
            opened = self._open.get(key)
            if opened is None:
                return None
            opened.seen = time.monotonic()
            if settle:
                # Another browser may have opened another study since.
                self._open[key] = self._open.pop(key)
                opened.wanted, opened.problem = budget, ""
                self._advance()
            shown = picture(opened.preview, budget)
            done, left = opened.steps
            return {
                "key": key,
                "epsilon": epsilon,
                "delta": delta,
                "rows": opened.study.rows,
                **shown,
                "problem": opened.problem,
                "working": opened.running is not None,
                "done": done,
                "left": left,
            }

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._is_closed = True
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _advance(self) -> None:
        """Let the process make the next prediction, if it is idle."""
        if self._is_closed or any(one.running for one in self._open.values()):
            return
        # The latest first; once all is known of it, others that a browser still looks at.
        latest, *others = reversed(self._open.values()) if self._open else [None]
        since = time.monotonic() - _LOOKED_AT
        for opened in (latest, *(one for one in others if one and one.seen > since)):
            if opened is None or opened.wanted is None or opened.problem:
                continue
            tasks = list(opened.preview.tasks(opened.wanted))
            known = sum(len(each) for each in opened.preview.knots.values())
            opened.steps = known, len(tasks)
            if tasks:
                self._submit(opened, tasks[0])
                return

    def _submit(self, opened: _Open, task: PreviewTask) -> None:
        opened.running = self._process().submit(predict_knot, opened.study, task)
        opened.running.add_done_callback(lambda done: self._keep(opened, task, done))

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # A child by fork would hold our sockets and locks.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_be_nice)
        return self._pool

    def _keep(self, opened: _Open, task: PreviewTask, done: Future[Knot]) -> None:
        with self._lock:
            opened.running = None
            if self._is_closed or done.cancelled():
                return
            try:
                opened.preview.add(task, done.result())
            except BrokenExecutor:
                # It was killed, for want of memory perhaps; the next budget starts another.
                self._pool = None
                opened.problem = (
                    "The process that makes predictions ended. Move the slider to start it again."
                )
                return
            except Exception as problem:
                opened.problem = sentence_of(problem)
                self._advance()
                return
            with suppress(OSError):
                write_whole(opened.place, json.dumps(opened.preview.plain()).encode())
            self._advance()

    def _load(self, study: Study) -> _Open:
        place = self._place / f"{study.key}.json"
        try:
            preview = study.preview(json.loads(read_whole(place)))
        except (OSError, ValueError, TypeError, KeyError):
            preview = study.preview()
        return _Open(study, preview, place)


def _be_nice() -> None:
    with suppress(OSError):
        os.nice(10)


def _be_ready() -> None:
    """Load what predictions need."""
    for name in ("noisewright.advice.asking", "noisewright.privacy.shuffling.shuffled", "pyarrow"):
        importlib.import_module(name)


def _budget(epsilon: str, delta: str) -> Guarantee:
    value = plans.read_epsilon(exactly(epsilon, name="epsilon"))
    assert value is not None
    if not _LEAST <= value <= _MOST:
        raise RefusalError(
            f"epsilon is {show(value)}; give a value from {show(_LEAST)} to {show(_MOST)}."
        )
    spare = read_delta(exactly(delta, name="delta"))
    if spare and not _LEAST_DELTA <= spare < 1:
        raise RefusalError(
            f"delta is {show(spare)}; give 0, or a number from 1e-100 to below 1, such as 1e-9."
        )
    return Guarantee(value, spare)


def predict_knot(study: Study, task: PreviewTask) -> Knot:
    """Make one prediction; runs in another process."""
    return study.preview().predict(task)


def picture(preview: Preview, budget: Guarantee) -> dict[str, Any]:
    """Return what is known at a budget as plain values; tells what is an estimate."""
    glimpse = preview.at(budget)
    made = glimpse.advice
    return {
        "promise": made.promise,
        "tools": {tool: advice.TOOLS[tool] for tool in made.errors},
        "pending": [advice.TOOLS[t] for t, how in glimpse.sources.items() if how == "pending"],
        "estimated": [tool for tool, how in glimpse.sources.items() if how == "estimated"],
        "errors": advice.error_rows(made),
        "lines": made.lines(),
        "differences": advice.difference_rows(made),
        "difference_lines": made.difference_lines(),
        "recommended": made.recommended if glimpse.is_whole else None,
        "verdict": made.verdict if glimpse.is_whole else "",
        "notes": list(made.notes),
        "attacker": attacker(budget, rows_per_person=made.rows_per_person),
    }


def attacker(budget: Guarantee, *, rows_per_person: int = 1) -> dict[str, Any]:
    """Return what somebody who knows everybody else may believe of one person, before and after."""
    after = plans.guess_words(budget)
    whose = "row" if rows_per_person == 1 else f"rows (at most {rows_per_person:,})"
    return {
        "before": 0.5,
        "after": after,
        "factor": plans.factor_text(budget),
        "guarantee": plans.amounts(budget),
        "words": (
            "Imagine someone who knows the data of everyone else, and is undecided between two "
            f"possibilities for the {whose} of one person, with even odds. Before anything is "
            "published, 50 of 100 such guesses are right. After it, even the best method is right "
            f"with probability at most {after}."
        ),
    }
