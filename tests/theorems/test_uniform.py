"""Cormode–Kulkarni–Srivastava 2018, Definition 5: the uniform mechanism has all properties."""

from fractions import Fraction

import pytest

import noisewright as nw
from noisewright.exact import ceiling_float

ALL = {"RH", "RM", "CH", "CM", "F", "WH", "S"}


@pytest.mark.parametrize("n", range(1, 13))
def test_it_is_uniform_and_has_all_seven(n: int) -> None:
    table = nw.uniform(nw.Counts(n))
    assert {table.probability(j, i) for j in range(n + 1) for i in range(n + 1)} == {
        Fraction(1, n + 1)
    }
    assert nw.properties(table) >= ALL
    assert nw.tight_epsilon(table) == 0
    assert nw.loss(table, "L0") == ceiling_float(Fraction(n, n + 1))
