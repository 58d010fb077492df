"""Holohan–Leith–Mason 2016, Theorem 9.

A product of (ε, δ)-private randomized responses changes 𝓔 = n·m·p rows on average, and
(1 − δ) / (1 + e^ε/m) ≤ 𝓔/n ≤ m / (m + 1). The library's choice attains the lower bound.
"""

import math
from fractions import Fraction

import pytest

import noisewright as nw
from tests.theorems.databases import databases, hamming


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.5, 0), (1, "1/10"), (3, 0.01), (0, 0.2)])
def test_the_mean_number_of_changed_rows(
    m: int, rows: int, epsilon: float, delta: float | str
) -> None:
    parent = nw.randomized_response(nw.Categories(range(m + 1)), epsilon=epsilon, delta=delta)
    table = (parent**rows).table()
    points = databases(m + 1, rows)
    p = Fraction(parent.weights[0, 1], parent.total)
    for d, weights in zip(points, table.weights.tolist(), strict=True):
        changed = sum(w * hamming(d, other) for w, other in zip(weights, points, strict=True))
        assert Fraction(changed, table.total) == rows * m * p
    least = (1 - float(Fraction(delta))) / (1 + math.exp(epsilon) / m)
    assert float(m * p) == pytest.approx(least, rel=1e-14)
    assert m * p <= Fraction(m, m + 1)
