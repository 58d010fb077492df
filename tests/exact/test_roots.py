"""Square roots, bounded from both sides."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import sqrt_bounds


@given(st.fractions(0, 10**30), st.integers(-20, 200))
def test_the_root_lies_between_its_bounds(value: Fraction, bits: int) -> None:
    low, high = sqrt_bounds(value, bits)
    scale = Fraction(2) ** bits
    assert (low / scale) ** 2 <= value <= (high / scale) ** 2
    assert high - low <= 1
    assert (low == high) == ((low / scale) ** 2 == value)


def test_there_is_no_root_of_a_negative_number() -> None:
    with pytest.raises(ParameterError, match="at least 0"):
        sqrt_bounds(Fraction(-1), 8)
