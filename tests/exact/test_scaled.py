"""ε times a distance: compared exactly, whether e^(ε·d) is rational or not."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, scale_epsilon
from tests.oracles.brute_force import e_to_the

DISTANCES = st.fractions(min_value=Fraction(1, 12), max_value=6, max_denominator=12)


@given(st.fractions(0, 4, max_denominator=50), DISTANCES, st.integers(1, 99), st.integers(1, 99))
def test_a_rational_epsilon_against_the_decimal_module(
    epsilon: Fraction, distance: Fraction, p: int, q: int
) -> None:
    low, high = e_to_the(epsilon * distance, 60)
    sign = scale_epsilon(Epsilon.of(epsilon), distance).sign(p, q)
    if p > high * q:
        assert sign == 1
    elif p < low * q:
        assert sign == -1
    else:
        assert epsilon == 0
        assert sign == (p > q) - (p < q)


@given(st.fractions(1, 9, max_denominator=9), DISTANCES, st.integers(-99, 99), st.integers(-99, 99))
def test_the_log_of_a_rational_against_whole_powers(
    ratio: Fraction, distance: Fraction, p: int, q: int
) -> None:
    """The sign of p − r^(a/b) q is that of p^b − r^a q^b, with care for the signs of p and q."""
    a, b = distance.numerator, distance.denominator
    left, right = Fraction(p), Fraction(q)

    def power(value: Fraction) -> Fraction:
        return abs(value) ** b * (-1 if value < 0 else 1)

    one, other = power(left), ratio**a * power(right)
    assert scale_epsilon(Epsilon.log(ratio), distance).sign(p, q) == (one > other) - (one < other)


def test_roots_that_are_rational_are_found() -> None:
    eight = Epsilon.log(Fraction(27, 8))
    assert scale_epsilon(eight, Fraction(2, 3)).ratio == Fraction(9, 4)
    assert scale_epsilon(eight, Fraction(2, 3)).sign(9, 4) == 0
    assert scale_epsilon(eight, Fraction(1, 2)).ratio is None
    assert scale_epsilon(Epsilon(), 3).ratio == 1


def test_a_distance_with_a_long_denominator_is_compared_too() -> None:
    tenth = Fraction(0.1)
    root = scale_epsilon(Epsilon.log(Fraction(2)), tenth)
    assert root.ratio is None
    assert root.sign(107177, 100000) == -1
    assert root.sign(107178, 100000) == 1


@given(st.fractions(1, 9, max_denominator=9), DISTANCES, st.integers(0, 200))
def test_bounds_enclose(ratio: Fraction, distance: Fraction, bits: int) -> None:
    root = scale_epsilon(Epsilon.log(ratio), distance)
    low, high = root.ratio_bounds(bits)
    a, b = distance.numerator, distance.denominator
    assert Fraction(low, 1 << bits) ** b <= ratio**a <= Fraction(high, 1 << bits) ** b
    assert high - low <= 4
    assert root.below() <= Epsilon(rational=Fraction(root.bounds(256)[1], 1 << 256))


def test_a_distance_is_positive() -> None:
    with pytest.raises(ParameterError, match="must be positive"):
        scale_epsilon(Epsilon.of(1), 0)
