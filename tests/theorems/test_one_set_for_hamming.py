"""Holohan–Leith–Mason 2016, Corollary 2.

With the Hamming distance, S is one cell: if (5) holds on S, it holds on every event, for any δ.
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from tests.theorems.databases import (
    cells,
    databases,
    discrete_exponential,
    holds,
    likelier,
    needed,
    neighbors,
)
from tests.theorems.strategies import DELTAS, RATIOS


@pytest.mark.parametrize(("values", "rows"), [(2, 1), (2, 3), (3, 2), (4, 2), (5, 1)])
@settings(max_examples=15)
@given(decay=st.fractions(Fraction(1, 20), Fraction(19, 20)), ratio=RATIOS, delta=DELTAS)
def test_the_likelier_outputs_alone_decide(
    values: int, rows: int, decay: Fraction, ratio: Fraction, delta: Fraction
) -> None:
    points = databases(values, rows)
    mechanism = discrete_exponential(points, decay)
    for a, b in neighbors(points)[::3]:
        p, q = mechanism[a], mechanism[b]
        assert cells(p, q) == [likelier(p, q)]
        assert holds(p, q, likelier(p, q), ratio, delta) == (needed(p, q, ratio) <= delta)
