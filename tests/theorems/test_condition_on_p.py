"""Holohan–Leith–Mason 2016, Theorem 8.

Randomized response that lies with probability p for each other point is (ε, δ)-private iff
p ≥ (1 − δ) / (e^ε + m).
"""

from fractions import Fraction

from hypothesis import assume, given, strategies as st

import noisewright as nw
from tests.theorems.strategies import DELTAS, RATIOS


@given(st.integers(1, 6), st.integers(1, 63), RATIOS, DELTAS)
def test_private_exactly_when_p_is_large_enough(
    m: int, lie: int, ratio: Fraction, delta: Fraction
) -> None:
    p = Fraction(lie, 64)
    assume(p <= Fraction(1, m + 1))
    rows = [[1 - m * p if x == y else p for y in range(m + 1)] for x in range(m + 1)]
    mechanism = nw.from_matrix(nw.Categories(range(m + 1)), rows)
    verdict = nw.verify(mechanism, epsilon=nw.accounting.Epsilon.log(ratio), delta=delta)
    assert verdict.holds == (p >= (1 - delta) / (ratio + m))
    if not verdict.holds:
        assert verdict.witness is not None
        assert verdict.witness.p > ratio * verdict.witness.q + delta
