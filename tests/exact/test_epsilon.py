"""Epsilon is an exact number: signs, order and doubles are decided, never rounded."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, example, given, strategies as st

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from tests.exact.decimals import SLACK, scaled_exp, scaled_log

RATIONAL = st.one_of(
    st.fractions(0, 40), st.floats(0, 40).map(Fraction), st.floats(0, 1e-9).map(Fraction)
).map(lambda value: Epsilon.of(epsilon=value))
LOGARITHM = st.one_of(
    st.fractions(Fraction(1, 10**12), 1), st.floats(1e-17, 1.0).map(Fraction)
).map(lambda value: Epsilon.of(alpha=value))
ANY = st.one_of(RATIONAL, LOGARITHM)
WHOLE = st.one_of(st.integers(-50, 50), st.integers(-(10**60), 10**60))


def ratio(epsilon: Epsilon) -> Fraction:
    """Return e^ε, exact or with some 200 digits."""
    if epsilon.ratio is not None:
        return epsilon.ratio
    return scaled_exp(epsilon.rational, 0, digits=200)


@given(ANY, WHOLE, WHOLE)
def test_the_sign_is_that_of_the_difference(epsilon: Epsilon, p: int, q: int) -> None:
    difference = p - ratio(epsilon) * q
    near = Fraction(abs(q) + 1, 10**150)
    if epsilon.ratio is None and not epsilon.is_zero:
        assume(abs(difference) > near or p == q == 0)
    assert epsilon.sign(p, q) == (difference > 0) - (difference < 0)


@given(st.fractions(1, 1000).filter(lambda r: r > 1), st.integers(-(10**30), 10**30))
@example(Fraction(11, 10), 10**400)
def test_a_tie_of_a_logarithm_is_a_tie(r: Fraction, scale: int) -> None:
    epsilon = Epsilon.log(r)
    p, q = r.numerator * scale, r.denominator * scale
    assert epsilon.sign(p, q) == 0
    assert epsilon.sign(p + 1, q) == 1
    assert epsilon.sign(p - 1, q) == -1


@given(RATIONAL.filter(lambda e: not e.is_zero), st.integers(1, 10**40))
def test_a_rational_epsilon_never_ties(epsilon: Epsilon, q: int) -> None:
    low, _ = epsilon.ratio_bounds(400)
    nearest = (low * q) >> 400
    assert epsilon.sign(nearest, q) == -1
    assert epsilon.sign(nearest + 1, q) == 1


@pytest.mark.parametrize("text", ["1e-300", "1e-2000"])
def test_one_unit_is_told_apart_at_any_size(text: str) -> None:
    epsilon = Epsilon.of(text)
    q = 10 ** (int(text[3:]) + 30)
    over = q + q * epsilon.rational
    assert epsilon.sign(math.floor(over), q) == -1
    assert epsilon.sign(math.floor(over) + 1, q) == 1


@given(ANY, ANY)
def test_the_order_is_that_of_the_ratios(a: Epsilon, b: Epsilon) -> None:
    rationals = a.ratio is None and b.ratio is None
    difference = a.rational - b.rational if rationals else ratio(a) - ratio(b)
    expected = (difference > 0) - (difference < 0)
    mixed = (a.ratio is None) != (b.ratio is None)
    assume(not mixed or abs(difference) > Fraction(1, 10**150))
    assert a.compare(b) == expected
    assert b.compare(a) == -expected
    assert (a <= b) == (expected <= 0)
    assert (a < b) == (expected < 0)
    assert (a > b) == (expected > 0)


@given(ANY, st.integers(0, 300), st.integers(1, 5))
def test_bounds_of_epsilon_and_of_both_powers(epsilon: Epsilon, bits: int, times: int) -> None:
    if epsilon.ratio is None:
        itself = epsilon.rational * 2**bits
    else:
        itself = scaled_log(epsilon.ratio, bits)
    up = ratio(epsilon)
    for (low, high), truth in (
        (epsilon.bounds(bits), itself),
        (epsilon.ratio_bounds(bits), up * 2**bits),
        (epsilon.alpha_bounds(bits, times=times), 2**bits / up**times),
    ):
        assert low - SLACK <= truth <= high + SLACK
        assert high - low <= 1


@given(ANY)
def test_ceiling_and_floor_are_the_tightest_doubles(epsilon: Epsilon) -> None:
    above, below = epsilon.ceiling(), epsilon.floor()
    assert Epsilon.of(above) >= epsilon
    assert Epsilon.of(below) <= epsilon
    if above:
        assert Epsilon.of(math.nextafter(above, 0)) < epsilon
    assert Epsilon.of(math.nextafter(below, math.inf)) > epsilon
    assert above in (below, math.nextafter(below, math.inf))
    assert float(epsilon) == above


@given(ANY, st.integers(1, 10**7))
@example(Epsilon.of(alpha="10/11"), 10**9)
def test_multiples_are_exact_or_just_above(epsilon: Epsilon, count: int) -> None:
    product = epsilon.times(count)
    if epsilon.ratio is None:
        assert product.rational == epsilon.rational * count
        return
    low, high = epsilon.bounds(400)
    product_low, product_high = product.bounds(400)
    assert product_high >= low * count
    assert product_low - high * count <= 2**400 >> 150


def test_a_long_ratio_is_rounded_up_to_a_short_number() -> None:
    long = Epsilon.log(Fraction(3**9000, 2**9000))
    assert long.brief() >= long
    assert long.brief().rational - Fraction(long.bounds(600)[0], 2**600) < Fraction(1, 2**190)
    short = Epsilon.log(Fraction(3, 2))
    assert short.brief() is short


def test_what_it_says() -> None:
    assert str(Epsilon.of(0.1)) == "0.1"
    assert str(Epsilon.of(alpha="10/11")) == "ln(11/10)"
    long = Epsilon.log(Fraction(10**40 + 1, 10**40))
    assert str(long) == "1.00001e-40"
    assert Fraction(str(long)) >= Fraction(long.ceiling()), "six digits, rounded up"
    assert str(Epsilon.of("1/3")) == "1/3"
    assert str(Epsilon.of(1 / 3)) == "0.333334"
    assert Epsilon.of("1/3").in_digits() == "0.3334"
    assert Epsilon.of(0.1).in_digits() == "0.1"
    assert Epsilon.of(alpha=1) == Epsilon.of(0) == Epsilon(ratio=Fraction(1))
    assert Epsilon.of(0).is_zero
    assert Epsilon.of(Epsilon.of("1/3")) == Epsilon.of(Fraction(1, 3))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "give epsilon= or alpha= .* neither was given"),
        ({"epsilon": 1, "alpha": 0.5}, "both were given"),
        ({"epsilon": -0.5}, r"epsilon is -0\.5; it must be at least 0.*0\.1 to 3 is common"),
        ({"epsilon": -(10**5000)}, "epsilon is a whole number of 16,610 bits; at most"),
        ({"alpha": 0}, r"alpha is 0; .* must lie in \(0, 1\]"),
        ({"alpha": 1.5}, r"alpha is 1\.5; .* must lie in \(0, 1\]"),
        ({"alpha": -1}, r"alpha is -1; .* must lie in \(0, 1\]"),
        ({"epsilon": float("nan")}, "epsilon is nan; it must be finite"),
        ({"epsilon": "much"}, "epsilon is 'much'; it must be a float"),
    ],
)
def test_bad_parameters_say_what_to_do(arguments: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Epsilon.of(**arguments)


def test_bad_parts_are_refused() -> None:
    with pytest.raises(ParameterError, match="either rational or the log"):
        Epsilon(Fraction(1), Fraction(2))
    with pytest.raises(ParameterError, match="negative"):
        Epsilon(Fraction(-1))
    with pytest.raises(ParameterError, match="negative"):
        Epsilon(ratio=Fraction(1, 2))
    with pytest.raises(ParameterError, match="not the log of a rational"):
        Epsilon.of(alpha="1/2").alpha_bounds(10, times=Fraction(1, 2))
