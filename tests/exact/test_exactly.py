"""A number means exactly what was given; everything else is refused with a reason."""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import as_text, ceiling_float, exactly, floor_float, show, shown_up


@pytest.mark.parametrize(
    ("given_value", "meant"),
    [
        (3, Fraction(3)),
        (0.1, Fraction(3602879701896397, 36028797018963968)),
        ("0.1", Fraction(1, 10)),
        (" 1/3 ", Fraction(1, 3)),
        ("1e-3", Fraction(1, 1000)),
        ("-2.5E+2", Fraction(-250)),
        ("1_000", Fraction(1000)),
        (Fraction(2, 7), Fraction(2, 7)),
        (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(0.1)),
        (np.float32(0.1), Fraction(13421773, 134217728)),
        (np.float16(0.5), Fraction(1, 2)),
        (np.longdouble(0.25), Fraction(1, 4)),
        (np.int64(7), Fraction(7)),
        (np.uint8(200), Fraction(200)),
        (np.array(5), Fraction(5)),
        (5e-324, Fraction(1, 2**1074)),
    ],
)
def test_numbers_are_taken_at_their_word(given_value: Any, meant: Fraction) -> None:
    assert exactly(given_value) == meant


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_double_is_kept(value: float) -> None:
    assert float(exactly(value)) == value
    assert exactly(np.float64(value)) == exactly(value)


@given(st.fractions())
def test_texts_come_back(value: Fraction) -> None:
    assert exactly(as_text(value)) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, Decimal("NaN"), Decimal("sNaN")])
def test_what_is_not_finite(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"epsilon is .*; it must be finite"):
        exactly(value, name="epsilon")


@pytest.mark.parametrize("value", [np.float32("nan"), np.float32("inf"), np.float16("-inf")])
def test_what_is_not_finite_in_numpy(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"epsilon is .*; it must be finite"):
        exactly(value, name="epsilon")


@pytest.mark.parametrize("value", ["", "abc", "1/0", "0x10", "nan", "inf", "1e", "--1", "1e+-5"])
def test_texts_that_are_no_numbers(value: str) -> None:
    with pytest.raises(ParameterError, match=r"the number is .*such as '0\.1' or '1/3'"):
        exactly(value)


@pytest.mark.parametrize("value", [True, False])
def test_a_bool_is_a_slip(value: bool) -> None:
    with pytest.raises(ParameterError, match=f"delta is {value}; it must be a float"):
        exactly(value, name="delta")


@pytest.mark.parametrize("value", [None, [1], {}, 1j, b"1", np.bool_(True), np.array([1.0, 2.0])])
def test_other_types_are_named(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"of type .*; it must be a float"):
        exactly(value)


@pytest.mark.parametrize(
    "value", ["1e-999999999", "1e999_999_999", "1E+5000", Decimal("1e-99999999")]
)
def test_an_exponent_that_would_fill_the_memory_is_refused_at_once(value: Any) -> None:
    with pytest.raises(ParameterError, match=r"decimal exponent .*at most ±4,000"):
        exactly(value)


def test_a_long_text_is_not_repeated() -> None:
    with pytest.raises(ParameterError, match="a text of 5000 characters"):
        exactly("1" * 5000)


RATIONALS = st.one_of(
    st.fractions(),
    st.floats(allow_nan=False, allow_infinity=False).map(Fraction),
    st.builds(lambda n, k: n * Fraction(2) ** k, st.integers(-9, 9), st.integers(-1200, 1100)),
)


@given(RATIONALS)
def test_doubles_above_and_below_are_the_tightest(value: Fraction) -> None:
    above, below = ceiling_float(value), floor_float(value)
    if math.isfinite(above):
        assert Fraction(above) >= value
    if math.isfinite(below):
        assert Fraction(below) <= value
    for inner in (math.nextafter(above, -math.inf),):
        assert not math.isfinite(inner) or Fraction(inner) < value
    for inner in (math.nextafter(below, math.inf),):
        assert not math.isfinite(inner) or Fraction(inner) > value


def test_doubles_beyond_the_range() -> None:
    huge = Fraction(10**400)
    largest = math.nextafter(math.inf, 0)
    assert (ceiling_float(huge), floor_float(huge)) == (math.inf, largest)
    assert (ceiling_float(-huge), floor_float(-huge)) == (-largest, -math.inf)
    assert ceiling_float(1 / huge) == 5e-324
    assert floor_float(1 / huge) == 0.0
    assert str(floor_float(Fraction(0))) == "0.0"  # Pages would show -0.


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(5), "5"),
        (Fraction(1, 3), "0.333333"),
        (Fraction(10**400), "about 2^1328"),
        (Fraction(-(10**400)), "about -2^1328"),
        (Fraction(1, 10**400), "about 2^-1328"),
    ],
)
def test_short_texts(value: Fraction, text: str) -> None:
    assert show(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1e-9), "1e-9"),
        (Fraction("1.0000001e-9"), "1.01e-9"),
        (Fraction(0.1), "0.1"),
        (Fraction(1, 3), "0.334"),
        (Fraction(10_001, 10), "1,010"),
    ],
)
def test_texts_that_are_rounded_up_write_a_double_as_it_was_given(
    value: Fraction, text: str
) -> None:
    assert shown_up(value, 3) == text
