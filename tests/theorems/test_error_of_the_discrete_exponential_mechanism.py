"""Holohan–Leith–Mason 2016, Theorem 5 (which bounds 𝓔/n; the print has ε/n).

The mean number of changed rows is 𝓔 = n / (1 + e^k/m), and when the mechanism is (ε, δ)-private,
(1 − δ) / (1 + e^ε/m) ≤ 𝓔/n ≤ m / (m + 1).
"""

from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from tests.theorems.databases import databases, discrete_exponential, hamming, needed, neighbors
from tests.theorems.strategies import RATIOS


@pytest.mark.parametrize(("m", "rows"), [(1, 1), (1, 3), (2, 2), (3, 2)])
@settings(max_examples=15)
@given(power=st.fractions(1, 20, max_denominator=30), ratio=RATIOS)
def test_the_mean_number_of_changed_rows(
    m: int, rows: int, power: Fraction, ratio: Fraction
) -> None:
    points = databases(m + 1, rows)
    mechanism = discrete_exponential(points, 1 / power)
    errors = [
        sum(p * hamming(points[d], other) for p, other in zip(mechanism[d], points, strict=True))
        for d in range(len(points))
    ]
    assert set(errors) == {rows / (1 + power / m)}
    delta = max(needed(mechanism[a], mechanism[b], ratio) for a, b in neighbors(points))
    assert (1 - delta) / (1 + ratio / m) <= errors[0] / rows <= Fraction(m, m + 1)
