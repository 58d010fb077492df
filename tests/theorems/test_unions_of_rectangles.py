"""Holohan–Leith–Mason 2015, Theorem 2 and Lemmas 1 and 2.

Disjoint unions of rectangles decide the privacy of a product. A union of rectangles can be written
with second sides that are disjoint, or with first sides that are.
"""

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from tests.theorems.strategies import RATIOS, distributions

Cells = frozenset[tuple[int, int]]
Side = frozenset[int]

SIDES = st.frozensets(st.integers(0, 4), min_size=1)


def elementary(left: int, right: int) -> set[Cells]:
    """Return all unions of disjoint rectangles."""
    firsts, seconds = (
        [frozenset(c) for k in range(1, size + 1) for c in combinations(range(size), k)]
        for size in (left, right)
    )
    rectangles = [frozenset(product(a, b)) for a in firsts for b in seconds]
    found: set[Cells] = {frozenset(), *rectangles}
    while new := {a | b for a in found for b in rectangles if not a & b} - found:
        found |= new
    return found


ELEMENTARY = elementary(3, 2)


def test_elementary_sets_are_all_sets_of_a_finite_product() -> None:
    assert len(ELEMENTARY) == 2**6


@settings(max_examples=30)
@given(
    st.lists(distributions(3), min_size=2, max_size=2),
    st.lists(distributions(2), min_size=2, max_size=2),
    RATIOS,
)
def test_elementary_sets_decide_a_product(
    first: list[list[Fraction]], second: list[list[Fraction]], ratio: Fraction
) -> None:
    space = nw.Categories(["x", "y"])
    both = nw.combine.product(
        a=nw.from_matrix(space, first, outputs=range(3)),
        b=nw.from_matrix(space, second, outputs=range(2)),
    )
    least = Fraction(0)
    for x, y in product(product(range(2), repeat=2), repeat=2):
        for event in ELEMENTARY:
            p = sum((first[x[0]][a] * second[x[1]][b] for a, b in event), Fraction(0))
            q = sum((first[y[0]][a] * second[y[1]][b] for a, b in event), Fraction(0))
            least = max(least, p - ratio * q)
    found = nw.tight_delta(both, epsilon=nw.accounting.Epsilon.log(ratio))
    assert found == pytest.approx(float(least), abs=1e-15)


@given(st.lists(st.tuples(SIDES, SIDES), min_size=1, max_size=4))
def test_sides_can_be_made_disjoint(rectangles: list[tuple[Side, Side]]) -> None:
    union = {cell for a, b in rectangles for cell in product(a, b)}
    for one, other in ((0, 1), (1, 0)):
        rebuilt: set[tuple[int, int]] = set()
        parts: list[Side] = []
        places = range(len(rectangles))
        for chosen in (set(c) for k in range(len(rectangles) + 1) for c in combinations(places, k)):
            wide: set[int] = set().union(*(rectangles[i][one] for i in chosen))
            narrow = frozenset(
                y for y in range(5) if {i for i in places if y in rectangles[i][other]} == chosen
            )
            parts.append(narrow)
            rebuilt |= {(x, y) if one == 0 else (y, x) for x in wide for y in narrow}
        assert rebuilt == union
        assert all(not a & b for a, b in combinations(parts, 2))
