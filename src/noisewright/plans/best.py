"""shares="best": the division of a budget with the least error of the wanted estimates.

An estimate's error is compared with its scale: 1 for shares, the width of the bounds for means and
curves. What is minimized is the weighted sum of the squares of these. Errors are those that
estimation plans at even shares of the inputs; data are never looked at.

The joint table of independent parts needs no more than the parts: what a row contributes to a cell
is the product of what its columns contribute, and at even shares the mean square of a product is
the product of the mean squares.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.errors import ParameterError
from noisewright.mechanisms import geometric
from noisewright.plans.best_shares import UNITS, Objective, Term, best_shares
from noisewright.plans.budget import BudgetRequest, divide
from noisewright.plans.column import Column
from noisewright.plans.error_curves import ErrorCurve, kept_by_response, response_error
from noisewright.plans.outlook import mechanism_error
from noisewright.plans.wanted import Wanted, usual_question
from noisewright.spaces import Counts, Curves, Interval

_UNNAMED = Fraction(1, 100)
"""The weight of a column that no wanted estimate names: little, but it is not lost."""

_FORMULA_SAMPLES, _BUILT_SAMPLES = 129, 9


@dataclass(frozen=True)
class _Asked:
    """One factor of an estimate: some columns of one part, and what is asked about them."""

    part: int
    columns: tuple[str, ...]
    question: str


def with_best_shares(
    columns: Mapping[str, Column],
    requests: Sequence[BudgetRequest],
    wanted: Sequence[Wanted],
    *,
    epsilon: Fraction | None,
    delta: Fraction,
) -> dict[str, Column]:
    """Return the columns with the best shares, for a budget of one row.

    Columns that have shares already keep them, if all of them do: that is how a plan remembers
    what was found. The budgets that are fixed stay as they are.
    """
    open_parts = [i for i, request in enumerate(requests) if request.epsilon is None]
    said = [name for i in open_parts for name in requests[i].names if columns[name].share]
    if not open_parts or len(said) == sum(len(requests[i].names) for i in open_parts):
        return dict(columns)
    if said:
        raise ParameterError(
            f"shares is 'best', and {said[0]!r} has a share while others have none. Leave out all "
            "shares to have them found, or keep all that were found."
        )
    budgets = divide(requests, epsilon, delta, "given")
    left = sum((budgets[i][0] for i in open_parts), Fraction(0))
    errors = _Errors(columns, requests, [float(d) for _, d in budgets])
    estimates = _estimates(columns, requests, wanted)

    def objective(curve: Callable[[_Asked], ErrorCurve]) -> Objective:
        terms: list[Term] = []
        for weight, factors in estimates:
            fixed = [f for f in factors if f.part not in open_parts]
            scale = math.prod(errors.at(f, float(budgets[f.part][0])) for f in fixed)
            free = tuple((open_parts.index(f.part), curve(f)) for f in factors if f not in fixed)
            if free:
                terms.append(Term(weight * scale, free))
        return Objective(len(open_parts), float(left), tuple(terms))

    curves: dict[_Asked, ErrorCurve] = {}

    def cached_curve(factor: _Asked) -> ErrorCurve:
        if factor not in curves:
            curves[factor] = errors.curve(factor, float(left))
        return curves[factor]

    found = best_shares(objective(cached_curve))
    # What is promised is checked by the planned errors themselves; curves between are estimates.
    each = [len(requests[i].names) for i in open_parts]
    equal = tuple(Fraction(count, sum(each)) for count in each)
    if not _is_better(found, equal, estimates, errors, budgets, open_parts, left):
        found = equal
    return dict(columns) | {
        name: columns[name].with_share(share / len(requests[i].names))
        for i, share in zip(open_parts, found, strict=True)
        for name in requests[i].names
    }


def _is_better(
    found: Sequence[Fraction],
    equal: Sequence[Fraction],
    estimates: Sequence[tuple[float, tuple[_Asked, ...]]],
    errors: _Errors,
    budgets: Sequence[tuple[Fraction, Fraction]],
    open_parts: Sequence[int],
    left: Fraction,
) -> bool:
    """Tell whether shares beat equal ones by the planned errors themselves."""

    def total(shares: Sequence[Fraction]) -> float:
        epsilons = [float(epsilon) for epsilon, _ in budgets]
        for i, share in zip(open_parts, shares, strict=True):
            epsilons[i] = float(left * share)
        return sum(
            weight * math.prod(errors.at(f, epsilons[f.part]) for f in factors)
            for weight, factors in estimates
        )

    return total(found) < total(equal)


def _estimates(
    columns: Mapping[str, Column], requests: Sequence[BudgetRequest], wanted: Sequence[Wanted]
) -> list[tuple[float, tuple[_Asked, ...]]]:
    """Return the weight and the factors of each wanted estimate, and of columns not named."""
    named = {name for one in wanted for name in one.of}
    rest = [name for name in columns if name not in named]
    weight = _UNNAMED * min((one.weight for one in wanted), default=1 / _UNNAMED)
    everything = [*wanted, *(Wanted(name, weight=weight) for name in rest)]
    found: list[tuple[float, tuple[_Asked, ...]]] = []
    for one in everything:
        question = one.question or usual_question(one.of, columns)
        factors: list[_Asked] = []
        for i, request in enumerate(requests):
            inside = tuple(name for name in request.names if name in one.of)
            if inside:
                factors.append(_Asked(i, inside, question))
        found.append((float(one.weight), tuple(factors)))
    return found


@dataclass(frozen=True)
class _Errors:
    """M of each factor at any ε: what one row adds to the squared error, over its scale."""

    columns: Mapping[str, Column]
    requests: Sequence[BudgetRequest]
    deltas: Sequence[float]

    def _is_response(self, asked: _Asked) -> bool:
        first, *others = self.requests[asked.part].names
        return bool(others) or self.columns[first].mechanism == "response"

    def at(self, asked: _Asked, epsilon: float) -> float:
        """Return M at an ε."""
        delta = self.deltas[asked.part]
        members = [self.columns[name] for name in asked.columns]
        if self._is_response(asked):
            sizes = [self.columns[name].space.size for name in self.requests[asked.part].names]
            kept = kept_by_response(math.prod(sizes), epsilon, delta)
            if asked.question == "mean":
                return _spread(members[0]) * (1 / kept**2 - 1)
            return response_error(math.prod(m.space.size for m in members), kept)
        # Close enough for planning, and short enough to build a mechanism from.
        exact = Fraction(epsilon).limit_denominator(10**9) or Fraction(epsilon)
        mechanism = _build(members[0], exact, Fraction(delta))
        error = mechanism_error(mechanism, asked.question, rows=1)
        if error is None:
            raise ParameterError(
                f"the error of {asked.question} of {asked.columns[0]!r} cannot be planned, so "
                "shares='best' cannot weigh it. Give that column an epsilon of its own."
            )
        if asked.question == "shares":
            return error**2 + 1 / members[0].space.size
        return (error / _width(members[0])) ** 2

    def curve(self, asked: _Asked, epsilon: float) -> ErrorCurve:
        """Sample M over the shares that a part may get."""
        formula = self._is_response(asked)
        return ErrorCurve.from_samples(
            lambda e: self.at(asked, e),
            low=epsilon / (UNITS if formula else 300),
            high=epsilon,
            samples=_FORMULA_SAMPLES if formula else _BUILT_SAMPLES,
        )


def _build(column: Column, epsilon: Fraction, delta: Fraction) -> Any:
    space = column.space
    if column.mechanism == "geometric" and isinstance(space, Counts):
        # The same mechanism by its formula, whose errors are known without a table.
        return geometric(Counts(space.n), epsilon=epsilon / space.n, table=False)
    return column.build(epsilon, delta)


def _width(column: Column) -> float:
    space = column.space
    if isinstance(space, (Interval, Curves)):
        return float(space.high - space.low)
    return float(space.size - 1) if space.ordered else 1.0


def _spread(column: Column) -> float:
    """Return the variance of a number that is uniform over the column's points, over width²."""
    size = column.space.size
    return float(np.var(np.arange(size) / (size - 1))) if size <= 1 << 16 else 1 / 12
