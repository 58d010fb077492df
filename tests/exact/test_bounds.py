"""e^x, ln and the logistic function are enclosed by neighboring integers, at any precision."""

from fractions import Fraction

import pytest
from hypothesis import example, given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import Exp, Known, Logistic, exp_bounds, fixed_point, log_bounds
from tests.exact.decimals import SLACK, scaled_exp, scaled_log

BITS = st.integers(-80, 700)
EXPONENTS = st.one_of(
    st.fractions(-120, 120),
    st.fractions(-120, 120, max_denominator=50),
    st.floats(-60, 60).map(Fraction),
    st.builds(lambda n, k: Fraction(n, 10**k), st.integers(-9, 9), st.integers(0, 60)),
)
RATIOS = st.one_of(
    st.fractions(Fraction(1, 10**9), 10**9),
    st.floats(1e-300, 1e300, allow_nan=False).map(Fraction),
    st.builds(lambda n, k: 1 + Fraction(n, 2**k), st.integers(-1, 3), st.integers(1, 300)),
).filter(lambda r: r > 0)


@given(EXPONENTS, BITS)
@example(Fraction(1), 0)
@example(Fraction(-1), -5)
@example(Fraction(1, 10**60), 64)
@example(Fraction(-1, 10**60), 64)
@example(Fraction(100), -80)
@example(Fraction(1, 3), 5000)
def test_exp_lies_between_neighboring_integers(x: Fraction, bits: int) -> None:
    low, high = exp_bounds(x, bits)
    truth = scaled_exp(x, bits)
    assert low - SLACK <= truth <= high + SLACK
    assert high - low == (x != 0 or bits < 0)


@pytest.mark.parametrize("bits", [0, 1, 64, 1000])
def test_exp_of_zero_is_exactly_one(bits: int) -> None:
    assert exp_bounds(Fraction(0), bits) == (1 << bits, 1 << bits)
    assert exp_bounds(Fraction(0), -bits) == ((1, 1) if bits == 0 else (0, 1))


@given(RATIOS, BITS)
@example(Fraction(2), 0)
@example(Fraction(1, 2), 300)
@example(Fraction(2) ** 5000, 10)
@example(1 + Fraction(1, 2**1000), 64)
@example(1 - Fraction(1, 2**1000), 1100)
@example(Fraction(10, 9), 5000)
def test_log_lies_between_neighboring_integers(r: Fraction, bits: int) -> None:
    low, high = log_bounds(r, bits)
    truth = scaled_log(r, bits)
    assert low - SLACK <= truth <= high + SLACK
    assert high - low == (r != 1)


@given(EXPONENTS, BITS)
def test_the_logistic_function_is_bounded(x: Fraction, bits: int) -> None:
    low, high = Logistic(x).bounds(bits)
    truth = Fraction(2) ** bits / (1 + scaled_exp(x, 0, digits=120 + abs(bits) + int(abs(x))))
    assert low - SLACK <= truth <= high + SLACK
    assert high - low <= 2


@given(st.fractions(), st.integers(-50, 200))
def test_rationals_are_bounded_as_tightly_as_integers_allow(value: Fraction, bits: int) -> None:
    low, high = fixed_point(value, bits)
    scaled = value * Fraction(2) ** bits
    assert low <= scaled <= high
    assert high - low == (scaled.denominator != 1)
    assert Known(value).bounds(bits) == (low, high)


@given(EXPONENTS, st.integers(0, 200))
def test_more_bits_never_contradict_fewer(x: Fraction, bits: int) -> None:
    low, high = Exp(x).bounds(bits)
    finer_low, finer_high = Exp(x).bounds(bits + 7)
    assert low << 7 <= finer_high
    assert finer_low <= high << 7


@pytest.mark.parametrize("r", [Fraction(0), Fraction(-1)])
def test_the_log_of_what_is_not_positive_is_refused(r: Fraction) -> None:
    with pytest.raises(ParameterError, match="needs a positive number"):
        log_bounds(r, 10)


@pytest.mark.parametrize(("x", "bits"), [(20_000, 10), (10**8, 10), (-20_000, 20_001)])
def test_an_exponent_that_would_take_long_is_refused(x: int, bits: int) -> None:
    with pytest.raises(ParameterError, match=r"at most 16,384. .* promises nothing"):
        exp_bounds(Fraction(x), bits)


def test_a_power_below_all_bits_is_known_at_once() -> None:
    assert exp_bounds(Fraction(-(10**100)), 1000) == (0, 1)


def test_high_precision() -> None:
    for bounds, x in ((exp_bounds, Fraction(1, 7)), (log_bounds, Fraction(7, 3))):
        (low, high), (below, above) = bounds(x, 10_000), bounds(x, 64)
        assert high - low <= 2
        assert below <= high >> 9_936
        assert low >> 9_936 <= above
    assert exp_bounds(Fraction(-(10**7)), 64)[0] == 0
