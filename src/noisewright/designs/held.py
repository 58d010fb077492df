"""Which of the properties that were asked for a table has, decided on its integers.

For outputs that are the inputs the seven of the paper are those of `nw.properties`. For other
outputs they read the same with the output that is the truth in place of the diagonal, positions in
place of codes, and 1 / number of outputs as the chance of a guess.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from noisewright.designs.names import PAPER
from noisewright.designs.numbers import numbers
from noisewright.designs.problem import Problem
from noisewright.mechanisms import Table, properties

Rows = list[list[int]]


def holds_all(problem: Problem, table: Table) -> bool:
    """Tell whether a table has every property that the problem asks for."""
    asked = problem.properties
    rows: Rows = table.weights.tolist()
    if "OD" in asked and not _is_output_private(problem, rows):
        return False
    if "U" in asked and not _is_unbiased(problem, rows, table.total):
        return False
    paper = asked & set(PAPER)
    if problem.outputs == problem.space:
        return not paper or paper <= properties(table)
    return all(_has(code, problem, rows, table.total) for code in sorted(paper))


def _is_output_private(problem: Problem, rows: Rows) -> bool:
    sign = problem.guarantee.epsilon.sign
    return all(
        sign(one, other) <= 0 and sign(other, one) <= 0
        for row in rows
        for one, other in pairwise(row)
    )


def _is_unbiased(problem: Problem, rows: Rows, total: int) -> bool:
    outputs = numbers(problem.outputs)
    return all(
        sum((w * y for w, y in zip(row, outputs, strict=True)), Fraction(0)) == x * total
        for x, row in zip(numbers(problem.space), rows, strict=True)
    )


def _has(code: str, problem: Problem, rows: Rows, total: int) -> bool:
    places = problem.places
    columns = [list(column) for column in zip(*rows, strict=True)]
    if code == "S":
        return rows == [row[::-1] for row in rows[::-1]]
    if code in ("RM", "CM"):
        inputs, outputs = places.inputs, places.outputs
        assert inputs is not None
        assert outputs is not None
        if code == "RM":
            return all(_falls(c, inputs, peak) for c, peak in zip(columns, outputs, strict=True))
        return all(_falls(row, outputs, peak) for row, peak in zip(rows, inputs, strict=True))
    assert places.truth is not None
    truths = [row[y] for row, y in zip(rows, places.truth, strict=True)]
    match code:
        case "RH":
            pairs = zip(places.truth, truths, strict=True)
            return all(max(columns[y]) == weight for y, weight in pairs)
        case "CH":
            return all(max(row) == weight for row, weight in zip(rows, truths, strict=True))
        case "F":
            return len(set(truths)) == 1
        case _:
            return all(weight * len(columns) >= total for weight in truths)


def _falls(values: list[int], along: tuple[Fraction, ...], peak: Fraction) -> bool:
    """Tell whether values fall (weakly) with the distance from the peak, on both sides."""
    steps = zip(pairwise(values), pairwise(along), strict=True)
    return all(
        (one <= other if after <= peak else one >= other)
        for (one, other), (before, after) in steps
        if not before < peak < after
    )
