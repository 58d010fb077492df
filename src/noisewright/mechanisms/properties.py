"""Nine structural properties of a mechanism, decided on its integers.

Seven are from Cormode–Kulkarni–Srivastava 2018, Section 4, with i the output and j the input. The
paper prints matrices with one column per input; here rows are inputs, so its "row" properties
compare the entries of one of our columns. The names are kept because its readers know them.

    RH  row honesty       P(i|i) ≥ P(i|j)
    RM  row monotone      P(i|j) falls as j moves away from i
    CH  column honesty    P(j|j) ≥ P(i|j)
    CM  column monotone   P(i|j) falls as i moves away from j
    F   fairness          P(i|i) is the same for all i
    WH  weak honesty      P(i|i) ≥ 1 / number of outputs
    S   symmetry          P(i|j) = P(n−i | n−j)

Two are ours; the paper names the first as future work (its Section 8):

    OD  output privacy    P(i|j) ≤ e^ε P(i'|j) for outputs i, i' next to each other
    U   unbiased          the expected output is the input

RM, CM, S and OD need an order of the points, and U needs points that are numbers. For outputs that
are not the inputs, the others read the same with the output that is the truth in place of the
diagonal, and positions in place of codes.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from operator import ge, le, mul

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.mechanisms.mechanism import Mechanism
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Places, numbers

PAPER = ("RH", "RM", "CH", "CM", "F", "WH", "S")
CODES = (*PAPER, "OD", "U")


@public
def properties(
    mechanism: Mechanism, *, epsilon: Number | Epsilon | None = None, alpha: Number | None = None
) -> frozenset[str]:
    """Return the codes of the properties that the mechanism has, decided on its integers.

    OD is asked at the given ε, or else at the one that the mechanism claims; without either it is
    not reported.
    Source: Cormode–Kulkarni–Srivastava 2018, Section 4; OD and U are ours.
    """
    table = mechanism.table()
    if epsilon is not None or alpha is not None:
        factor = Epsilon.of(epsilon, alpha=alpha)
    else:
        factor = None if table.claim is None else table.claim.epsilon
    places = Places.of(table.space, table.outputs)
    held = _of_the_truth(table, places) | _of_the_order(table, places, factor)
    return frozenset(held | ({"U"} if _is_unbiased(table) else set()))


def _of_the_truth(table: Table, places: Places) -> set[str]:
    """Return those of RH, CH, F and WH that hold."""
    if places.truth is None:
        return set()
    rows, columns = table.weights.tolist(), table.weights.T.tolist()
    truths = [row[own] for row, own in zip(rows, places.truth, strict=True)]
    likeliest = [max(columns[own]) for own in places.truth]
    held = {
        "RH": truths == likeliest,
        "CH": truths == [max(row) for row in rows],
        "F": len(set(truths)) == 1,
        "WH": min(truths) * len(columns) >= table.total,
    }
    return {code for code, holds in held.items() if holds}


def _of_the_order(table: Table, places: Places, epsilon: Epsilon | None) -> set[str]:
    """Return those of RM, CM, S and OD that hold."""
    inputs, outputs = places.inputs, places.outputs
    if not (table.space.ordered and places.is_line) or inputs is None or outputs is None:
        return set()
    weights = table.weights
    rows, columns = weights.tolist(), weights.T.tolist()
    held: set[str] = set()
    if all(_falls(c, inputs, peak) for c, peak in zip(columns, outputs, strict=True)):
        held.add("RM")
    if all(_falls(row, outputs, peak) for row, peak in zip(rows, inputs, strict=True)):
        held.add("CM")
    if places.is_mirrored and bool((weights == weights[::-1, ::-1]).all()):
        held.add("S")
    if epsilon is not None and all(_is_gentle(row, epsilon) for row in rows):
        held.add("OD")
    return held


def _falls(values: list[int], along: Sequence[Fraction], peak: Fraction) -> bool:
    """Tell whether values fall (weakly) with the distance from the peak, on both sides."""
    before = values[: bisect_right(along, peak)]
    after = values[bisect_left(along, peak) :]
    return all(map(le, before, before[1:])) and all(map(ge, after, after[1:]))


def _is_gentle(row: list[int], epsilon: Epsilon) -> bool:
    """Tell whether weights next to each other are within a factor of e^ε."""
    return all(epsilon.sign(max(pair), min(pair)) <= 0 for pair in pairwise(row))


def _is_unbiased(table: Table) -> bool:
    try:
        inputs, outputs = numbers(table.space), numbers(table.outputs)
    except ParameterError:
        return False
    return all(
        sum(map(mul, row, outputs), Fraction(0)) == x * table.total
        for x, row in zip(inputs, table.weights.tolist(), strict=True)
    )
