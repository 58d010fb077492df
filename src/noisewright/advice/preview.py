"""Advice at any ε and δ at once: predictions at a few budgets, and curves through them.

A prediction for a wide table takes seconds. What it depends on is one number for each tool, so a
few of them, made ahead, tell about all others:

    copy        errors of a private copy, by the ε of one row: in kept order and shuffled
    central     the ε of shuffled rows at some δ, by the ε of one row, in doubles
    synthetic   errors of a synthetic table, by ε, for one δ
    asked       errors of asked counts, by ε, for one δ
    shuffled    errors of a shuffled copy at one ε and δ, whose row ε is proven
    kept        errors of a copy in kept order by ε, where the plan has a δ for its columns

A prediction that was made for the very budget is shown as it is. Any other is an estimate: a
monotone curve in logarithms (Fritsch and Butland 1984) through the predictions around it. An
estimate decides nothing: whatever is released is planned and proven for its own budget.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import zip_longest
from typing import Any, Literal, final

import numpy as np

from noisewright.advice.advise import Declaration, compose_advice, tool_errors
from noisewright.advice.knots import (
    BUDGETS,
    DELTAS,
    ROWS,
    Curve,
    Knot,
    PreviewTask,
    curve_through,
    errors_between,
    in_halves,
)
from noisewright.advice.questions import AdvisedQuestion, read_advised
from noisewright.advice.result import TOOLS, Advice, Tool, name_of, score
from noisewright.exact import exactly
from noisewright.mechanisms import Guarantee
from noisewright.releases import IMPOSSIBLE
from noisewright.synthetic import RunBudget

Source = Literal["predicted", "estimated", "pending", "none"]

_NEAR = 0.998
"""A proven row ε is about so much below what doubles propose."""

_LESS = 0.99
"""Errors that are smaller by this factor are those of another kind of noise."""

_MOST = 80
"""Predictions that are remembered for one curve."""


@final
@dataclass(frozen=True)
class Glimpse:
    """What is known of all tools at one budget so far, and how: predicted, estimated, pending."""

    advice: Advice
    sources: Mapping[Tool, Source]

    @property
    def is_whole(self) -> bool:
        """Whether no tool is pending: only then is one of them recommended."""
        return "pending" not in self.sources.values()


@final
@dataclass(frozen=True, eq=False)
class Preview:
    """Errors of all tools for one table at any budget; knows declared columns and their rows only.

    Requires: the number of rows is public.
    Ensures: no value is read, and nothing is drawn from private data, written or spent.
    """

    declared: Declaration
    questions: tuple[AdvisedQuestion, ...]
    rows: int
    knots: dict[tuple[Curve, Fraction], dict[Fraction, Knot]] = field(
        default_factory=dict[tuple[Curve, Fraction], dict[Fraction, Knot]]
    )

    @classmethod
    def of(
        cls, declared: Declaration, *, rows: int, questions: Sequence[str] = (), knots: Any = ()
    ) -> Preview:
        """Begin with predictions as `plain` wrote them; the usual questions if none are given."""
        asked = read_advised(list(questions) or None, declared.fields)
        made = cls(declared, asked, rows)
        for curve, delta, at, plain in knots:
            made.add(PreviewTask(curve, exactly(delta), exactly(at)), Knot.read(plain))
        return made

    def plain(self) -> list[Any]:
        """Return all predictions as JSON has them."""
        return [
            [curve, str(delta), str(at), knot.plain()]
            for (curve, delta), known in self.knots.items()
            for at, knot in known.items()
        ]

    # Predictions

    def predict(self, task: PreviewTask) -> Knot:
        """Make one prediction; takes up to seconds."""
        per_person = self.declared.rows_per_person
        if task.curve == "central":
            return self._central(task.at)
        budget = Guarantee(task.at, task.delta)
        tool: Tool = "kept"
        if task.curve == "copy":
            budget = Guarantee(task.at * per_person, 0)
        else:
            tool = task.curve
        errors, notes = tool_errors(self.declared, self.questions, budget, self.rows, tool)
        rho = None
        if task.curve in ("synthetic", "asked") and task.delta:
            rho = _rho(budget)
        return Knot(errors, notes, rho)

    def _central(self, at: Fraction) -> Knot:
        from noisewright.privacy import roughly_shuffled_epsilon, row_law

        try:
            plan = self.declared.copy_plan(
                Guarantee(1, Fraction(1, 10**9)), "shuffled", self.rows, row_epsilon=at
            )
        except IMPOSSIBLE as problem:
            return Knot(None, (f"No prediction for {name_of('shuffled')}: {problem}",))
        law, count, several = row_law(plan.mechanism), plan.rows, plan.rows_per_person
        assert count is not None
        if count <= several:
            return Knot(tuple(float(at * several) for _ in DELTAS))
        return Knot(
            tuple(
                roughly_shuffled_epsilon(law, rows=count, delta=delta, rows_per_person=several)
                for delta in DELTAS
            )
        )

    def add(self, task: PreviewTask, knot: Knot) -> None:
        """Remember a prediction."""
        known = self.knots.setdefault((task.curve, task.delta), {})
        known[task.at] = knot
        spare = [at for at in known if at not in BUDGETS and at not in self._row_budgets]
        for at in spare[: max(len(known) - _MOST, 0)]:
            del known[at]

    @property
    def _row_budgets(self) -> tuple[Fraction, ...]:
        """Where copies are predicted: from the least that a row has of a person's budget."""
        return (Fraction(ROWS[0], self.declared.rows_per_person), *ROWS[1:])

    def tasks(self, guarantee: Guarantee) -> Iterator[PreviewTask]:
        """Give what is to be predicted, the most useful first: here, around here, everywhere."""
        for task in self._ordered_tasks(guarantee):
            if task.at not in self.knots.get((task.curve, task.delta), {}):
                yield task

    def _ordered_tasks(self, guarantee: Guarantee) -> Iterator[PreviewTask]:
        epsilon, delta, none = guarantee.epsilon.rational, guarantee.delta, Fraction(0)
        rows, serves = self._row_budgets, self.declared.serves
        if serves("synthetic"):
            yield PreviewTask("synthetic", delta, epsilon)
        if self._has_own_delta:
            yield PreviewTask("kept", delta, epsilon)
        else:
            yield PreviewTask("copy", none, epsilon / self.declared.rows_per_person)
        if serves("asked"):
            yield PreviewTask("asked", delta, epsilon)
        is_shuffled = bool(delta) and not self._is_impossible("central", none)
        if is_shuffled:
            around = self._around(guarantee)
            yield from (PreviewTask("central", none, at) for at in around)
            yield from (PreviewTask("copy", none, at) for at in around)
        if serves("synthetic") and not self._is_impossible("synthetic", delta):
            yield from (PreviewTask("synthetic", delta, at) for at in in_halves(BUDGETS))
        lists = [[PreviewTask("copy", none, at) for at in in_halves(rows)]]
        if self._has_own_delta:
            lists.append([PreviewTask("kept", delta, at) for at in in_halves(BUDGETS)])
        if is_shuffled:
            lists.append([PreviewTask("central", none, at) for at in in_halves(rows)])
        if serves("asked") and not self._is_impossible("asked", delta):
            lists.append([PreviewTask("asked", delta, at) for at in in_halves(BUDGETS)])
        yield from (task for each in zip_longest(*lists) for task in each if task is not None)
        if is_shuffled:
            yield PreviewTask("shuffled", delta, epsilon)
        # With these, other values of δ can be told about at once.
        for curve in ("synthetic", "asked"):
            if serves(curve) and delta and not self._is_impossible(curve, none):
                yield from (PreviewTask(curve, none, at) for at in in_halves(BUDGETS))

    def _around(self, guarantee: Guarantee) -> list[Fraction]:
        """Return the row budgets next to the one that shuffling allows, as far as that is known."""
        rows = self._row_budgets
        log_delta, wanted = math.log(guarantee.delta), math.log(guarantee.epsilon.rational)
        known = {
            rows.index(at): np.interp(log_delta, np.log(DELTAS), np.log(knot.numbers))
            for at, knot in self.knots.get(("central", Fraction(0)), {}).items()
            if knot.values is not None and at in rows and knot.numbers.min() > 0
        }
        below = max((place for place, found in known.items() if found < wanted), default=None)
        above = min((place for place, found in known.items() if found >= wanted), default=None)
        if below is None and above is None:
            # ε is about 8 √(e^ε₀ / n) for any mechanism, and less for those of several columns.
            guess = 3 * math.log(max(math.exp(wanted) * math.sqrt(self.rows) / 8, 1.1))
            return [min(rows, key=lambda at: abs(float(at) - guess))]
        if below is None or above is None:
            place = above - 1 if below is None and above is not None else (below or 0) + 1
            return [rows[place]] if 0 <= place < len(rows) else []
        return [rows[(below + above) // 2]] if above > below + 1 else [rows[below], rows[above]]

    def _is_impossible(self, curve: Curve, delta: Fraction) -> bool:
        return any(knot.values is None for knot in self.knots.get((curve, delta), {}).values())

    # Estimates

    def at(self, guarantee: Guarantee) -> Glimpse:
        """Return what is known at a budget: in milliseconds."""
        found: dict[Tool, tuple[float | None, ...]] = {}
        sources: dict[Tool, Source] = {}
        notes: list[str] = []
        for tool in TOOLS:
            if not self.declared.serves(tool):
                continue
            if tool == "shuffled" and not guarantee.delta:
                notes.append("Without a delta, shuffling promises no more than keeping the order.")
                continue
            knot, source = self._look(tool, guarantee)
            sources[tool] = source
            if knot is not None:
                notes.extend(knot.notes)
                if knot.values is not None:
                    found[tool] = knot.values
        known = compose_advice(
            self.declared, self.questions, guarantee, self.rows, found, tuple(notes)
        )
        return Glimpse(known, sources)

    def _look(self, tool: Tool, guarantee: Guarantee) -> tuple[Knot | None, Source]:
        epsilon, delta = guarantee.epsilon.rational, guarantee.delta
        curve, at = _curve_of(tool), epsilon
        if tool == "kept" and not self._has_own_delta:
            curve, delta, at = "copy", Fraction(0), epsilon / self.declared.rows_per_person
        key = (curve, delta)
        made = self.knots.get(key, {}).get(at)
        if made is not None:
            return made, "predicted" if made.values is not None else "none"
        if tool == "shuffled":
            made = self._shuffled(guarantee)
        elif key in self.knots:
            made = errors_between(self.knots[key], float(at))
        if made is None and tool in ("synthetic", "asked") and delta:
            made = self._at_other_delta(tool, guarantee)
        if made is None:
            return None, "pending"
        return made, "estimated" if made.values is not None else "none"

    @property
    def _has_own_delta(self) -> bool:
        settings = self.declared.settings
        return bool(settings.get("delta")) and settings.get("order", "kept") == "kept"

    def _shuffled(self, guarantee: Guarantee) -> Knot | None:
        none = Fraction(0)
        central, copies = (self.knots.get((c, none), {}) for c in ("central", "copy"))
        failed = next((knot for knot in central.values() if knot.values is None), None)
        if failed is not None:
            return failed
        places = sorted(central)
        log_delta = math.log(guarantee.delta)
        if not places or not math.log(DELTAS[0]) <= log_delta <= math.log(DELTAS[-1]):
            return None
        table = np.array([central[at].numbers for at in places])
        logs = np.log(np.maximum(table, 1e-12))
        ends = np.array([np.interp(log_delta, np.log(DELTAS), line) for line in logs])
        wanted = math.log(guarantee.epsilon.rational)
        above = int(np.searchsorted(ends, wanted))
        if not 0 < above < len(places):
            return None
        x = np.log([float(at) for at in places])
        grows = np.concatenate([[True], np.diff(np.maximum.accumulate(ends)) > 1e-9])
        row = _NEAR * math.exp(curve_through(ends[grows], x[grows][:, None], wanted)[0])
        least = float(guarantee.epsilon.rational) / self.declared.rows_per_person
        return errors_between(copies, max(row, least))

    def _at_other_delta(self, tool: Tool, guarantee: Guarantee) -> Knot | None:
        """Return errors from the predictions with another δ, the nearest, and without one.

        Tools take the better of two kinds of noise: one whose errors follow ρ, and one that has
        no use for δ. Where it is not known which is better, this is the second, which is no less
        private and no better than what the tool takes.
        """
        curve, aim = _curve_of(tool), math.log(guarantee.delta)
        pure = self.knots.get((curve, Fraction(0)), {})
        alone = errors_between(pure, float(guarantee.epsilon.rational))
        others = [delta for other, delta in self.knots if other == curve and delta]
        if alone is None or alone.values is None or not others:
            return alone
        nearest = min(others, key=lambda one: abs(math.log(one) - aim))
        known = {at: knot for at, knot in self.knots[curve, nearest].items() if knot.rho}
        try:
            log_rho = math.log(_rho(guarantee))
        except IMPOSSIBLE:
            return alone
        logs = np.log(sorted((knot.rho or 1.0, float(at)) for at, knot in known.items()))
        if len(logs) < 2 or not logs[0, 0] <= log_rho <= logs[-1, 0]:
            return alone
        epsilon = math.exp(curve_through(logs[:, 0], logs[:, 1:], log_rho)[0])
        with_rho, without = errors_between(known, epsilon), errors_between(pure, epsilon)
        if with_rho is None or with_rho.values is None or without is None or without.values is None:
            return alone
        here, best, there = (
            score(self.questions, k.values or ()) for k in (alone, with_rho, without)
        )
        return with_rho if best < _LESS * there and best < here else alone


def _curve_of(tool: Tool) -> Curve:
    """Return the curve of the same name."""
    return tool


def _rho(guarantee: Guarantee) -> float:
    return _rho_of(guarantee.epsilon.rational, guarantee.delta)


@lru_cache(maxsize=256)
def _rho_of(epsilon: Fraction, delta: Fraction) -> float:
    return float(RunBudget.of(epsilon, delta).total)
