"""Plan many tables of counts together: `plan_tables` returns the strategy.

    ρ   contrasts of each part of the tables, with normal noise, at the best precisions
        (`contrast_cost.py`, `best_precisions.py`)
    ε   tables of counts with geometric noise, at good shares (`table_shares.py`)

An ordered attribute of which prefixes or ranges are asked is divided into a tree; of one tree for
each number of levels, the flat one among them, the one with the least error is taken.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from noisewright.errors import ParameterError
from noisewright.exact import show
from noisewright.given import one_of
from noisewright.queries.noise import CellNoise
from noisewright.queries.planning.attribute import MOST_CELLS, Attribute, trees
from noisewright.queries.planning.best_precisions import Goal, best_precisions
from noisewright.queries.planning.contrast_cost import Neighbors, contrast_cost, row_cost
from noisewright.queries.planning.measurements import ContrastMeasurement, CountMeasurement
from noisewright.queries.planning.question_parts import QuestionParts, TableQuestion
from noisewright.queries.planning.strategy import Measurements, Strategy, count_change
from noisewright.queries.planning.table_shares import BALANCED_CELLS, Shares, best_shares

Unit = Literal["epsilon", "rho"]

_BITS = 48
_LARGEST_VARIANCE = 2**71
"""Of a contrast: deviations up to 2^36 are drawn in whole arrays."""
_LEAST_BUDGET = Fraction(1, 10**200)
"""Variances still are doubles."""

_WORTH_IT = 0.999
"""A tree is taken where it is better than the flat division by more than this factor."""


def plan_tables(
    sizes: Mapping[str, int],
    questions: Sequence[TableQuestion],
    *,
    budget: Fraction,
    unit: Unit,
    neighbors: Neighbors,
    goal: Goal = "total",
) -> Strategy:
    """Return what to measure so that all questions are answered best together.

    `goal` is the least sum of the weighted variances of all answers ("total"), or the least maximum
    over questions of their mean weighted variance ("worst").

    Requires: the number of cells of each attribute; questions about the same rows.
    Ensures: `strategy.cost` ≤ budget, exactly; no larger a sum of variances than that of separate
    questions with even shares.
    """
    one_of(unit, ("epsilon", "rho"), name="unit")
    one_of(goal, ("total", "worst"), name="goal")
    if budget < _LEAST_BUDGET:
        raise ParameterError(
            f"the budget is {show(budget)}; it must be above 0, and a larger budget than 1e-200."
        )
    names = {name for question in questions for name in question.attributes}
    flat = tuple(Attribute(name, cells) for name, cells in sizes.items() if name in names)
    given = tuple(questions)
    best = _plan(QuestionParts(flat, given), budget, unit, neighbors, goal)
    grown = tuple(_grow(axis, given, unit, neighbors) for axis in flat)
    if grown != flat and _fits(grown, given):
        other = _plan(QuestionParts(grown, given), budget, unit, neighbors, goal)
        best = min(best, other, key=lambda each: _loss(each, goal))
    return best


def _plan(
    asked: QuestionParts, budget: Fraction, unit: Unit, neighbors: Neighbors, goal: Goal
) -> Strategy:
    """Plan all questions together, and each alone with an even share, to compare with."""
    share = budget / len(asked.questions)
    planned: dict[Any, tuple[float, Shares]] = {}
    losses: list[float] = []
    separate: Shares = {}
    for question in asked.questions:
        axes = asked.axes_of(question.attributes)
        same = tuple((axis.cells, axis.branching) for axis in axes), question.kinds
        if same not in planned:
            planned[same] = _plan_alone(QuestionParts(axes, (question,)), share, unit, neighbors)
        loss, shares = planned[same]
        losses.append(loss)
        for levels, each in shares.items():
            level = dict(zip(question.attributes, levels, strict=True))
            table = tuple(level.get(axis.name, 0) for axis in asked.axes)
            separate[table] = separate.get(table, 0.0) + each / len(asked.questions)
    together = _plan_parts(asked, budget, unit, neighbors, goal, separate)
    return replace(together, alone=tuple(losses))


def _plan_alone(
    asked: QuestionParts, budget: Fraction, unit: Unit, neighbors: Neighbors
) -> tuple[float, Shares]:
    """Return the sum of variances of one question, and under ε the shares of the tables counted.

    Counts of cells have independent noise each; other questions are planned.
    """
    if asked.questions[0].kinds.count("cells") < len(asked.axes):
        planned = _plan_parts(asked, budget, unit, neighbors, "total", {})
        shares = {planned.part_of(m): float(m.share) for m in planned.measurements}
        return float(planned.question_losses[0]), shares
    finest = tuple(axis.height for axis in asked.axes)
    if neighbors.total_is_public and not any(finest):
        return 0.0, {}
    if unit == "epsilon":
        noise = _counts(asked, budget, neighbors, {finest: 1.0})[0].noise
        return float(asked.answers[0] * noise.variance), {finest: 1.0}
    # One row changes one count, or two, each by 1.
    rows = 2 if neighbors.change == "replace" and any(finest) else 1
    change = neighbors.rows**2 * rows
    return float(asked.answers[0] * (change / (2 * budget) + Fraction(1, 12))), {}


def _plan_parts(
    asked: QuestionParts,
    budget: Fraction,
    unit: Unit,
    neighbors: Neighbors,
    goal: Goal,
    separate: Shares,
) -> Strategy:
    def strategy(measurements: Measurements) -> Strategy:
        return Strategy(asked, neighbors, unit, budget, measurements, ())

    if unit == "rho":
        return strategy(_contrasts(asked, budget, neighbors, goal))
    if neighbors.total_is_public and not any(map(any, asked.parts)):
        return strategy(())
    shares = best_shares(
        asked,
        neighbors,
        goal,
        [separate] if separate else [],
        lambda found: _loss(strategy(_counts(asked, budget, neighbors, found)), goal),
    )
    return strategy(_counts(asked, budget, neighbors, shares))


def _contrasts(
    asked: QuestionParts, budget: Fraction, neighbors: Neighbors, goal: Goal
) -> tuple[ContrastMeasurement, ...]:
    proposed = best_precisions(asked, neighbors, goal)
    exact = {
        part: Fraction(p)
        for part, p in zip(asked.parts, proposed.tolist(), strict=True)
        if p < math.inf
    }
    if not exact:
        return ()
    # Costs rise with precisions, so that what is rounded down stays within the budget.
    scale = budget / contrast_cost(asked.axes, exact, neighbors)
    rounded = {part: _round_down(p * scale) for part, p in exact.items()}
    whole = sum((p * row_cost(asked.axes, part) for part, p in rounded.items()), Fraction(0))
    found: list[ContrastMeasurement] = []
    for part, p in rounded.items():
        axes = tuple(axis for axis, level in zip(asked.axes, part, strict=True) if level)
        levels = tuple(filter(None, part))
        share = p * row_cost(asked.axes, part) / whole
        found.append(ContrastMeasurement(axes, levels, share, p))
        branches = [axis.branching[lv - 1] for axis, lv in zip(axes, levels, strict=True)]
        if math.prod(b * (b - 1) for b in branches) > p * _LARGEST_VARIANCE:
            raise ParameterError(
                f"a budget of {float(budget):.3g} for {len(asked.questions)} questions takes noise "
                "beyond 2^36 on some numbers, which tells nothing. Use a larger budget."
            )
    return tuple(found)


def _round_down(value: Fraction) -> Fraction:
    """Return a number of 48 bits or so, at most as large."""
    shift = _BITS - value.numerator.bit_length() + value.denominator.bit_length()
    scale = Fraction(2) ** shift
    return math.floor(value * scale) / scale


def _counts(
    asked: QuestionParts, budget: Fraction, neighbors: Neighbors, shares: Shares
) -> tuple[CountMeasurement, ...]:
    parts = {table: math.floor(share * 2**_BITS) for table, share in shares.items()}
    parts = {table: part for table, part in parts.items() if part}
    whole = sum(parts.values())
    found: list[CountMeasurement] = []
    for table, part in parts.items():
        axes = tuple(axis for axis, level in zip(asked.axes, table, strict=True) if level)
        levels = tuple(filter(None, table))
        share = Fraction(part, whole)
        decay = budget * share / count_change(levels, neighbors)
        measured = CountMeasurement(axes, levels, share, CellNoise("epsilon", decay))
        if cells := _balanced_cells(measured, neighbors):
            noise = CellNoise("epsilon", decay, cells)
            measured = CountMeasurement(axes, levels, share, noise)
        found.append(measured)
    return tuple(found)


def _balanced_cells(measured: CountMeasurement, neighbors: Neighbors) -> int | None:
    """Return over how many cells noise may add up to 0: those of the table, or one more.

    The noise of the last one, for rows in no cell, is not shown.
    """
    if neighbors.total_is_public and neighbors.rows == 1:
        return measured.cells if measured.cells <= BALANCED_CELLS else None
    is_replaced = neighbors.each_row and neighbors.change == "replace" and measured.axes
    is_full = all(axis.cells == axis.widths[-1] for axis in measured.cut_axes)
    return (
        measured.cells + 1 if is_replaced and is_full and measured.cells < BALANCED_CELLS else None
    )


def _loss(strategy: Strategy, goal: Goal) -> float:
    weighted = strategy.question_losses * strategy.asked.weights
    if goal == "worst":
        return float((weighted / strategy.asked.answers).max())
    return float(weighted.sum())


def _grow(
    axis: Attribute, questions: Sequence[TableQuestion], unit: Unit, neighbors: Neighbors
) -> Attribute:
    """Return the attribute as the tree that is best for what is asked along it alone."""
    along = tuple(
        TableQuestion((axis.name,), question.weight, (kind,))
        for question in questions
        for name, kind in zip(question.attributes, question.kinds, strict=True)
        if name == axis.name
    )
    if all(question.kinds == ("cells",) for question in along):
        return axis
    grown = [Attribute(axis.name, axis.cells, branching) for branching in trees(axis.cells)]
    grown = [tree for tree in grown if tree.widths[-1] <= MOST_CELLS]

    def loss(tree: Attribute) -> float:
        asked = QuestionParts((tree,), along)
        return _loss(_plan_parts(asked, Fraction(1), unit, neighbors, "total", {}), "total")

    best = min(grown, key=loss)
    return best if loss(best) < _WORTH_IT * loss(axis) else axis


def _fits(axes: Sequence[Attribute], questions: Sequence[TableQuestion]) -> bool:
    widths = {axis.name: axis.widths[-1] for axis in axes}
    tables = (math.prod(widths[name] for name in question.attributes) for question in questions)
    return max(tables) <= MOST_CELLS
