"""Arithmetic on enclosures never loses the true value."""

from collections.abc import Callable
from fractions import Fraction
from operator import add, mul, sub, truediv
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import Enclosure, Exp

NUMBERS = st.fractions(-100, 100, max_denominator=1000)
WIDTHS = st.fractions(0, 5, max_denominator=100)


@given(NUMBERS, WIDTHS, WIDTHS, NUMBERS, WIDTHS, WIDTHS, st.sampled_from([add, sub, mul, truediv]))
def test_the_result_holds_the_result(
    a: Fraction,
    a_down: Fraction,
    a_up: Fraction,
    b: Fraction,
    b_down: Fraction,
    b_up: Fraction,
    operation: Callable[[Any, Any], Any],
) -> None:
    left, right = Enclosure(a - a_down, a + a_up), Enclosure(b - b_down, b + b_up)
    assume(operation is not truediv or not right.low <= 0 <= right.high)
    result = operation(left, right)
    for x in (left.low, a, left.high):
        for y in (right.low, b, right.high):
            assert operation(x, y) in result
    assert operation(left, Enclosure.point(right.high)) == operation(left, right.high)
    rounded = result.round_outward(20)
    assert rounded.low <= result.low <= result.high <= rounded.high
    assert rounded.width - result.width <= Fraction(2, 2**20)
    low, high = result.floats()
    assert Fraction(low) <= result.low
    assert result.high <= Fraction(high)
    negative = -left
    assert -negative == left


def test_bad_enclosures() -> None:
    with pytest.raises(ParameterError, match="low ≤ high"):
        Enclosure(Fraction(1), Fraction(0))
    with pytest.raises(ParameterError, match="contains zero"):
        truediv(Enclosure.point(1), Enclosure(Fraction(-1), Fraction(1)))


def test_enclosing_a_computable_number() -> None:
    enclosed = Enclosure.of(Exp(Fraction(1)), 60)
    assert enclosed.width == Fraction(1, 2**60)
    assert 2.718281828459045 in Enclosure.of(Exp(Fraction(1)), 50)
