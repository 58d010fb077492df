"""Holohan–Leith–Mason 2016, Example 2, done right.

D = {0, 1, 2}, two rows, u = −‖·‖₁. Of the 36 ordered pairs of neighbors, 24 need 7 subsets and 12
need 63: 924 checks. The print says 21, 15 and 1,092, which rounding in doubles produces.
"""

from collections import Counter
from fractions import Fraction

import pytest

import noisewright as nw
from tests.theorems.databases import databases, discrete_exponential, likelier, neighbors


def l1(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum(abs(x - y) for x, y in zip(a, b, strict=True))


POINTS = databases(3, 2)


@pytest.mark.parametrize("decay", ["1/2", "2/5", "367879441171/1000000000000"])
def test_924_checks(decay: str) -> None:
    rows = discrete_exponential(POINTS, Fraction(decay), l1)
    space = nw.Counts(2, neighbors="replace") ** 2
    assert list(space.points) == POINTS
    mechanism = nw.from_matrix(space, rows)
    counts = Counter(
        nw.sufficient_sets(mechanism, POINTS[a], POINTS[b]).subset_count
        for a, b in neighbors(POINTS)
    )
    assert counts == {7: 24, 63: 12}
    assert sum(count * often for count, often in counts.items()) == 924
    assert counts == Counter(2 ** len(likelier(rows[a], rows[b])) - 1 for a, b in neighbors(POINTS))


def test_the_printed_pairs() -> None:
    rows = discrete_exponential(POINTS, Fraction(1, 3), l1)
    space = nw.Counts(2, neighbors="replace") ** 2
    mechanism = nw.from_matrix(space, rows)
    found = nw.sufficient_sets(mechanism, (0, 1), (2, 1))
    assert sorted(found.worst_outputs) == [(0, 0), (0, 1), (0, 2)]
    found = nw.sufficient_sets(mechanism, (1, 1), (2, 1))
    assert sorted(found.worst_outputs) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
