"""Many powers of e at once: each at most the truth, and within two units of it."""

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from noisewright.exact import even_powers, many_powers
from tests.exact.decimals import SLACK, scaled_exp

EXPONENTS = st.one_of(
    st.floats(0, 600).map(Fraction),
    st.integers(0, 1 << 20).map(lambda i: Fraction(i, 1 << 16)),
    st.floats(0, 1e-12).map(Fraction),
    st.fractions(0, 50),
)


@given(st.lists(EXPONENTS, max_size=8), st.integers(0, 700))
def test_each_is_rounded_down_by_less_than_two_units(exponents: list[Fraction], bits: int) -> None:
    found = many_powers(exponents, bits)
    assert len(found) == len(exponents)
    for x, power in zip(exponents, found, strict=True):
        truth = scaled_exp(-x, bits)
        assert truth - 2 < power <= truth + SLACK


@pytest.mark.parametrize("exponent", [10**9, Fraction(10**400)])
def test_what_is_too_small_to_see_is_nothing(exponent: Fraction) -> None:
    assert many_powers([Fraction(exponent), Fraction(0)], 64)[0] == 0


def test_errors_do_not_pile_up_over_thousands_of_steps() -> None:
    exponents = [Fraction(i, 7) for i in range(0, 2400, 13)]
    for x, power in zip(exponents, many_powers(exponents, 400), strict=True):
        assert scaled_exp(-x, 400) - 2 < power <= scaled_exp(-x, 400) + SLACK


@given(st.fractions(0, 3), st.integers(1, 60), st.integers(0, 300))
def test_even_steps(step: Fraction, count: int, bits: int) -> None:
    found = even_powers(step, count, bits)
    assert len(found) == count
    for k, power in enumerate(found):
        truth = scaled_exp(-k * step, bits)
        assert truth - 2 < power <= truth + SLACK


def test_ten_thousand_even_steps() -> None:
    found = even_powers(Fraction(1, 100), 10_000, 100)
    for k in (0, 1, 5_000, 6_900, 9_999):
        truth = scaled_exp(Fraction(-k, 100), 100)
        assert truth - 2 < found[k] <= truth + SLACK


@pytest.mark.parametrize("step", [10**9, Fraction(10**400)])
def test_steps_beyond_all_bits(step: Fraction) -> None:
    assert even_powers(Fraction(step), 3, 100) == [1 << 100, 0, 0]
