"""Holohan–Leith–Mason 2015, Theorem 3, where everything is finite.

(5) on a generating algebra is (5) everywhere. (5) on the algebra of a coarser partition of the
outputs is privacy of the query that tells its parts apart, and no more.
"""

from collections.abc import Iterable
from fractions import Fraction

import pytest
from hypothesis import example, given, settings, strategies as st

import noisewright as nw
from noisewright.exact import ceiling_float
from tests.theorems.databases import mass
from tests.theorems.strategies import RATIOS, distributions

Set = frozenset[int]


def algebra(family: Iterable[Set], whole: Set) -> set[Set]:
    """Return the smallest algebra that holds the family."""
    found = {frozenset[int](), whole, *family}
    while new := ({whole - a for a in found} | {a | b for a in found for b in found}) - found:
        found |= new
    return found


@settings(max_examples=60)
@example(
    [[Fraction(k, 16) for k in row] for row in ((1, 2, 3, 4, 6), (6, 5, 3, 1, 1))],
    Fraction(2),
    [0, 1, 2, 3, 4],
)
@example(
    [[Fraction(k, 64) for k in row] for row in ((0, 0, 0, 1, 63), (0, 0, 0, 2, 62))],
    Fraction(4, 3),
    [0, 1, 2, 3, 4],
)
@given(
    st.lists(distributions(5), min_size=2, max_size=2),
    RATIOS,
    st.lists(st.integers(0, 4), min_size=5, max_size=5),
)
def test_the_algebra_of_a_partition_is_privacy_of_that_query(
    rows: list[list[Fraction]], ratio: Fraction, parts: list[int]
) -> None:
    mechanism = nw.from_matrix(nw.Categories(["x", "y"]), rows, outputs=range(5))
    blocks = [frozenset(y for y in range(5) if parts[y] == part) for part in set(parts)]
    events = [tuple(sorted(e)) for e in algebra(blocks, frozenset(range(5)))]
    needed = max(
        mass(p, event) - ratio * mass(q, event)
        for p, q in (rows, reversed(rows))
        for event in events
    )
    epsilon = nw.accounting.Epsilon.log(ratio)
    query = mechanism.then(lambda y: parts[y])
    assert nw.tight_delta(query, epsilon=epsilon) == pytest.approx(float(needed), abs=1e-15)
    assert nw.verify(query, epsilon=epsilon, delta=needed)
    everything = nw.tight_delta(mechanism, epsilon=epsilon)
    assert needed <= Fraction(everything)
    # One block for each output generates all events, and then nothing is lost.
    if len(blocks) == 5:
        assert ceiling_float(needed) == everything
