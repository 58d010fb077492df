"""Holohan–Leith–Mason 2016, Theorem 7.

Randomized response on each row and the discrete exponential mechanism with u = −k · Hamming are the
same when e^k = 1/p − m.
"""

from fractions import Fraction

import pytest

import noisewright as nw
from tests.theorems.databases import databases, discrete_exponential


@pytest.mark.parametrize("m", [1, 2, 3])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("p", [Fraction(1, 8), Fraction(3, 16), Fraction(1, 4)])
def test_the_two_have_the_same_probabilities(m: int, rows: int, p: Fraction) -> None:
    parent = [[1 - m * p if x == y else p for y in range(m + 1)] for x in range(m + 1)]
    product = nw.from_matrix(nw.Categories(range(m + 1)), parent) ** rows
    table = product.table()
    ideal = discrete_exponential(databases(m + 1, rows), 1 / (1 / p - m))
    for weights, wanted in zip(table.weights.tolist(), ideal, strict=True):
        assert [Fraction(weight, table.total) for weight in weights] == wanted
    assert list(product.space.points) == databases(m + 1, rows)
