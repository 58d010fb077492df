"""Holohan–Leith–Mason 2016, Theorem 4.

The discrete exponential mechanism with u = −k · Hamming is (ε, δ)-private iff
e^k ≤ (e^ε + mδ) / (1 − δ); its exact δ(ε) is max(0, (e^k − e^ε) / (e^k + m)).
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from tests.theorems.databases import databases, discrete_exponential, needed, neighbors
from tests.theorems.strategies import DELTAS, RATIOS


@pytest.mark.parametrize(("m", "rows"), [(1, 1), (1, 3), (2, 2), (4, 1)])
@settings(max_examples=15)
@given(power=st.fractions(1, 20, max_denominator=30), ratio=RATIOS, delta=DELTAS)
def test_private_exactly_when_k_is_small_enough(
    m: int, rows: int, power: Fraction, ratio: Fraction, delta: Fraction
) -> None:
    points = databases(m + 1, rows)
    mechanism = discrete_exponential(points, 1 / power)
    truth = max(needed(mechanism[a], mechanism[b], ratio) for a, b in neighbors(points))
    assert truth == max(Fraction(0), (power - ratio) / (power + m))
    if delta < 1:
        assert (truth <= delta) == (power <= (ratio + m * delta) / (1 - delta))


@pytest.mark.parametrize("delta", [0, "1/10", 0.5])
@pytest.mark.parametrize("m", [1, 2, 6])
def test_the_library_finds_the_same_threshold(m: int, delta: float | str) -> None:
    spare = Fraction(delta)
    power = (3 + m * spare) / (1 - spare)
    rows = discrete_exponential(databases(m + 1, 1), 1 / power)
    mechanism = nw.from_matrix(nw.Categories(range(m + 1)), rows)
    slack = Fraction(1, 10**20)
    assert nw.verify(mechanism, alpha=1 / (3 + slack), delta=min(spare + slack, Fraction(1)))
    assert not nw.verify(mechanism, alpha=1 / (3 - slack), delta=max(spare - slack, Fraction(0)))
