"""The room where ε is chosen: predictions by `advise` at stops along a slider, made ahead.

A prediction for a wide table takes seconds, and a slider must not: so that it shows each stop at
once, all of them are predicted in another process, nearest first, and kept in a file. They depend
on the declared columns and on the number of rows alone, and on no value.
"""

from __future__ import annotations

import hashlib
import json
import math
import multiprocessing
import os
import threading
import tomllib
from collections.abc import Iterable
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

from noisewright import advice, plans
from noisewright.errors import NoisewrightError
from noisewright.exact import exactly
from noisewright.files import read_whole, write_whole
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.studio.failures import sentence_of
from noisewright.version import __version__

STOPS = ("0.05", "0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", "4", "6", "8")
"""The values of ε along the slider."""

_MOST_STUDIES = 8


@final
@dataclass(frozen=True)
class Study:
    """One table to choose ε for: the plan's text, the number of rows, δ and the questions."""

    plan: str
    rows: int
    delta: str
    questions: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """A name for all that a prediction depends on, apart from ε."""
        settings = tomllib.loads(self.plan)
        columns = settings.get("columns", {}).values()
        if not any(isinstance(one, dict) and "epsilon" in one for one in columns):
            # Predictions are for the ε of a stop; that of the plan only divides among columns.
            settings.pop("epsilon", None)
        parts = [__version__, repr(settings), self.rows, self.delta, self.questions]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@final
@dataclass
class _Open:
    study: Study
    place: Path
    stops: tuple[str, ...] = STOPS
    ready: dict[str, Any] = field(default_factory=dict[str, Any])
    pending: dict[str, Future[dict[str, Any]]] = field(
        default_factory=dict[str, "Future[dict[str, Any]]"]
    )


@final
class AdviceDesk:
    """Predicts in a process of its own, and remembers; safe to call from several threads."""

    def __init__(self, state: Path) -> None:
        self._place = state / "advice"
        self._place.mkdir(mode=0o700, exist_ok=True)
        self._lock = threading.RLock()
        self._open: dict[str, _Open] = {}
        self._pool: ProcessPoolExecutor | None = None

    def open(self, study: Study, *, epsilon: str) -> dict[str, Any]:
        """Begin to predict, nearest to this ε first; return what is known so far."""
        with self._lock:
            for other in self._open.values():
                _cancel(other)
            opened = self._open.pop(study.key, None) or self._load(study)
            self._open[study.key] = opened
            while len(self._open) > _MOST_STUDIES:
                self._open.pop(next(iter(self._open)))
            return self.look(study.key, epsilon=epsilon)

    def look(self, key: str, *, epsilon: str | None = None) -> dict[str, Any]:
        """Return what is known; with an ε, that one is predicted next."""
        with self._lock:
            opened = self._open.get(key)
            if opened is None:
                return {"key": key, "known": False}
            if epsilon is not None:
                self._hurry(opened, epsilon)
            return {
                "key": key,
                "known": True,
                "stops": list(opened.stops),
                "ready": opened.ready,
                "working": sum(not one.done() for one in opened.pending.values()),
            }

    def close(self) -> None:
        """End the process."""
        with self._lock:
            if self._pool is not None:
                self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None

    def _hurry(self, opened: _Open, epsilon: str) -> None:
        near = float(exactly(epsilon, name="epsilon"))
        if not near > 0:
            return
        if epsilon not in opened.stops:
            opened.stops = tuple(
                sorted({*opened.stops, epsilon}, key=lambda one: float(exactly(one)))
            )
        _cancel(opened)
        open_stops = [s for s in opened.stops if s not in opened.ready and s not in opened.pending]
        for stop in sorted(open_stops, key=lambda one: abs(math.log(float(exactly(one)) / near))):
            made = self._process().submit(predict_stop, opened.study, stop)
            opened.pending[stop] = made
            made.add_done_callback(lambda done, stop=stop: self._keep(opened, stop, done))

    def _process(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # A child by fork would hold our sockets and locks.
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, mp_context=context, initializer=_be_nice)
        return self._pool

    def _keep(self, opened: _Open, stop: str, done: Future[dict[str, Any]]) -> None:
        with self._lock:
            opened.pending.pop(stop, None)
            try:
                opened.ready[stop] = done.result()
            except CancelledError:
                return
            except Exception as problem:
                if self._pool is not None:
                    opened.ready[stop] = {"error": sentence_of(problem)}
                return
            with suppress(OSError):
                write_whole(opened.place, json.dumps(opened.ready).encode())

    def _load(self, study: Study) -> _Open:
        opened = _Open(study, self._place / f"{study.key}.json")
        with suppress(OSError, ValueError, NoisewrightError):
            found = json.loads(read_whole(opened.place))
            opened.ready |= {stop: made for stop, made in found.items() if "error" not in made}
            opened.stops = tuple(sorted({*STOPS, *opened.ready}, key=lambda s: float(exactly(s))))
        return opened


def _be_nice() -> None:
    with suppress(OSError):
        os.nice(10)


def _cancel(opened: _Open) -> None:
    """Forget what has not begun; its callback takes it out of the list."""
    for one in list(opened.pending.values()):
        one.cancel()


def predict_stop(study: Study, epsilon: str) -> dict[str, Any]:
    """Return what `advise` says at one ε, as plain values; runs in another process."""
    plan = plans.Plan.from_toml(study.plan)
    made = advice.advise(
        plan,
        epsilon=epsilon,
        delta=study.delta,
        rows=study.rows,
        questions=list(study.questions) or None,
    )
    return {
        "epsilon": epsilon,
        "promise": made.promise,
        "tools": {tool: advice.TOOLS[tool] for tool in made.errors},
        "errors": made.table.to_pylist(),
        "lines": made.lines(),
        "recommended": made.recommended,
        "verdict": made.verdict,
        "notes": list(made.notes),
    }


def attacker(epsilon: str, delta: str) -> dict[str, Any]:
    """Return what somebody who knows everybody else may believe of one person, before and after."""
    value = plans.read_epsilon(exactly(epsilon, name="epsilon"))
    assert value is not None
    guarantee = Guarantee(value, read_delta(exactly(delta, name="delta")))
    return {
        "before": "0.5",
        "after": plans.guess_words(guarantee),
        "factor": plans.factor_text(guarantee),
        "guarantee": plans.amounts(guarantee),
    }


def beliefs(stops: Iterable[str], delta: str) -> dict[str, Any]:
    """Return the same for each stop."""
    return {stop: attacker(stop, delta) for stop in stops}
