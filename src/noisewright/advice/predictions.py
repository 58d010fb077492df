"""The errors of each tool, by the formulas of its own room; none of them reads a row.

An error is the root of the mean square over the answers to one question, about the people in the
table. Numbers are taken to be spread evenly over what is declared: how far a median is off depends
on how many people are near it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from noisewright.advice.questions import AdvisedQuestion
from noisewright.advice.result import root_mean_square
from noisewright.errors import InputError, TooLargeError
from noisewright.estimation import expected_error, typical_median_error
from noisewright.mechanisms import Mechanism, marginal, product
from noisewright.plans import USELESS, Column, Part, Plan, mechanism_error
from noisewright.releases import expected_synthesis
from noisewright.spaces import MOST_POINTS, Counts, Interval
from noisewright.synthetic import RunBudget, SplitColumns
from noisewright.tables import Field

Errors = Mapping[AdvisedQuestion, float | None]
"""By question; None where the tool has no answer."""

_FEW, _MOST_FOR_MEDIANS = 100, 250
"""Points of a grid that stands for finer ones, and of the finest that stands for itself."""


def errors_of_copy(plan: Plan, questions: Sequence[AdvisedQuestion], rows: int) -> Errors:
    """Return the errors of estimates from so many rows that are randomized as a plan says."""
    part_of = {name: part for part in plan.parts for name in part.columns}
    return {one: _copy_error(part_of, one, rows) for one in questions}


def _copy_error(part_of: Mapping[str, Part], question: AdvisedQuestion, rows: int) -> float | None:
    mechanisms = [_column_mechanism(part_of[name], name) for name in question.columns]
    if question.kind == "median":
        (name,) = question.columns
        return _copy_median(part_of[name], name, question.range, rows)
    if question.kind != "pairs":
        return mechanism_error(mechanisms[0], question.kind, rows=rows)
    first, second = (part_of[name] for name in question.columns)
    if first is second:
        joint = marginal(first.mechanism, list(question.columns))
        return mechanism_error(joint, "shares", rows=rows)
    both = product(dict(zip(question.columns, mechanisms, strict=True)))
    try:
        found = expected_error(both, people=rows, of=question.columns, about="people")
    except (InputError, TooLargeError):
        return None
    return math.sqrt(float(np.square(found.standard_errors).mean()))


def _copy_median(part: Part, name: str, width: float, rows: int) -> float | None:
    """Return the error of a median; on a fine grid as on one of few points with the same budget."""
    mechanism, column = _column_mechanism(part, name), part.treatments[part.columns.index(name)]
    mean = mechanism_error(mechanism, "mean", rows=rows)
    if mean is not None and mean >= USELESS * width:
        # A median found in nothing but noise is near the middle, and so by luck near the truth.
        return mean
    if column.space.size <= _MOST_FOR_MEDIANS or part.is_joint:
        return typical_median_error(mechanism, people=rows)
    if isinstance(column.mechanism, Mechanism) or column.space.size > MOST_POINTS:
        return None
    few = Counts(_FEW) if isinstance(column.space, Counts) else Interval(0, _FEW, step=1)
    alike = Column(few, mechanism=column.mechanism, **dict(column.options))
    claim = part.guarantee
    coarse = alike.build(claim.epsilon.rational, claim.delta)
    error = typical_median_error(coarse, people=rows)
    return None if error is None else error * width / _FEW


def _column_mechanism(part: Part, name: str) -> Any:
    return marginal(part.mechanism, name) if part.is_joint else part.mechanism


def errors_of_synthesis(
    fields: Mapping[str, Field],
    questions: Sequence[AdvisedQuestion],
    budget: RunBudget,
    rows: int,
) -> tuple[Errors, str]:
    """Return the errors of a synthetic table with these columns, by "mst", and a note on them.

    A set of items is a column of truth values for each item, as in `synthesize`.
    """
    split = SplitColumns(fields)
    fit, task = expected_synthesis(split.domain, budget, rows)
    widths, made = dict(task.grid.widths), fit.synthesizer

    def error(question: AdvisedQuestion) -> float | None:
        if not set(question.columns) <= set(fields):
            return None
        if question.kind == "pairs":
            return fit.share_of_pair(*question.columns)
        (name,) = question.columns
        if question.kind == "items":
            return root_mean_square([fit.share(item) for item in split.parts[name].columns])
        if question.kind == "shares":
            return fit.share(name)
        cells, width = made.sizes[name], widths.get(name, 1)
        places = (np.arange(cells) + 0.5) * width * question.range / (fields[name].space.size - 1)
        if question.kind == "mean":
            return fit.sum_of_shares(name, places)
        below = (places < question.range / 2).astype(np.float64)
        return question.range * fit.sum_of_shares(name, below)

    note = ""
    if len(fit.pairs) < len(made.pairs) and any(one.kind == "pairs" for one in questions):
        note = (
            f"A synthetic table measures only those {len(fit.pairs):,} of "
            f"{len(made.pairs):,} pairs of columns that seem most strongly related; another "
            "pair can be off by more than shown."
        )
    return {question: error(question) for question in questions}, note
