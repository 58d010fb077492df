"""Published formulas: Kairouz–Oh–Viswanath, Dwork–Rothblum–Vadhan, basic; and `compose`."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings, strategies as st

from noisewright.errors import ParameterError, TooLargeError
from noisewright.exact import Epsilon
from noisewright.mechanisms import Guarantee
from noisewright.privacy.composition.by_guarantee import (
    advanced_composition,
    basic_composition,
    optimal_composition,
)
from noisewright.privacy.composition.compose import compose


def published(k: int, ratio: Fraction, delta: Fraction, i: int) -> Fraction:
    """Kairouz–Oh–Viswanath 2015, Theorem 3.3, as printed, for a rational e^ε."""
    missed = sum(
        (
            math.comb(k, n) * (ratio ** (k - n) - ratio ** (k - 2 * i + n)) / (1 + ratio) ** k
            for n in range(i)
        ),
        Fraction(0),
    )
    return 1 - (1 - delta) ** k * (1 - missed)


@given(
    st.integers(0, 12),
    st.fractions(1, 5, max_denominator=50),
    st.fractions(0, 1, max_denominator=100),
)
@settings(max_examples=60)
def test_the_published_theorem(k: int, ratio: Fraction, delta: Fraction) -> None:
    guarantee = Guarantee(Epsilon.log(ratio), delta)
    listed = optimal_composition(guarantee, times=k)
    assert len(listed) == k // 2 + 1
    found = compose(guarantee, times=k)
    assert found.exact
    for i, row in enumerate(listed):
        truth = published(k, ratio, delta, i)
        assert truth <= row.delta <= truth + Fraction(1, 2**100)
        low, high = found.delta_bounds(Epsilon.log(ratio ** (k - 2 * i)))
        assert Fraction(low) <= truth <= Fraction(high)
        assert high - low <= 1e-15


@pytest.mark.parametrize(("epsilon", "delta", "k"), [("0.1", "0", 100), ("1", "1e-5", 7)])
def test_irrational_ratios_agree_with_the_formula(epsilon: str, delta: str, k: int) -> None:
    guarantee = Guarantee(epsilon, delta)
    found = compose(guarantee, times=k)
    for row in optimal_composition(guarantee, times=k):
        low, high = found.delta_bounds(row.epsilon)
        assert low <= row.delta
        assert float(row.delta) == pytest.approx(high, abs=1e-15)


def test_optimal_composition_is_attained_by_randomized_response() -> None:
    """k answers of binary randomized response are exactly as private as the theorem says."""
    found = compose(Guarantee(alpha="1/3"), times=9)
    for i, row in enumerate(optimal_composition(Guarantee(alpha="1/3"), times=9)):
        atoms = [(math.comb(9, n) * 3**n, math.comb(9, n) * 3 ** (9 - n)) for n in range(10)]
        ratio = Fraction(3) ** (9 - 2 * i)
        truth = sum(max(p - ratio * q, Fraction(0)) for p, q in atoms) / 4**9
        assert row.delta >= truth
        assert found.delta(row.epsilon) == pytest.approx(float(truth), abs=1e-16)


def test_basic_composition_adds_up() -> None:
    total = basic_composition([Guarantee("0.1", "1/10"), Guarantee("0.2"), Guarantee(1, "1/5")])
    assert total == Guarantee("1.3", "3/10")
    assert basic_composition([]) == Guarantee(0)
    assert basic_composition([Guarantee(1, 1), Guarantee(1, 1)]).delta == 1


@given(st.floats(1e-3, 1), st.integers(1, 200), st.sampled_from([1e-9, 1e-5, 0.1]))
@settings(max_examples=40)
def test_advanced_composition_is_its_formula_and_holds(
    epsilon: float, k: int, slack: float
) -> None:
    found = advanced_composition(Guarantee(epsilon), times=k, slack=slack)
    formula = epsilon * math.sqrt(2 * k * math.log(1 / slack)) + k * epsilon * math.expm1(epsilon)
    assert float(found.epsilon) == pytest.approx(formula, rel=1e-12)
    assert found.delta == Fraction(slack)
    assert compose(Guarantee(epsilon), times=k).delta_bounds(found.epsilon)[0] <= slack


def test_compose_is_never_worse_than_the_formulas() -> None:
    guarantee, k = Guarantee("0.3", "1e-7"), 40
    found = compose(guarantee, times=k)
    advanced = advanced_composition(guarantee, times=k, slack="1e-6")
    assert found.epsilon(advanced.delta) <= float(advanced.epsilon)
    basic = basic_composition([guarantee] * k)
    assert found.epsilon(basic.delta) <= float(basic.epsilon)


def test_mixed_guarantees_stay_below_basic_composition() -> None:
    parts = [Guarantee("0.3", "1e-7"), Guarantee(1), Guarantee(alpha="0.5"), Guarantee(0, "0.01")]
    found = compose(parts, times=2)
    basic = basic_composition(parts * 2)
    assert found.delta(basic.epsilon) <= float(basic.delta)


@pytest.mark.parametrize("slack", [0, 1, -1, 2])
def test_slack_must_be_a_probability(slack: int) -> None:
    with pytest.raises(ParameterError, match="slack is"):
        advanced_composition(Guarantee(1), times=2, slack=slack)


@pytest.mark.parametrize("times", [-1, 1.5, True])
def test_times_must_be_whole(times: object) -> None:
    with pytest.raises(ParameterError, match="times is"):
        optimal_composition(Guarantee(1), times=times)  # pyright: ignore[reportArgumentType]


def test_too_long_a_formula_points_to_compose() -> None:
    with pytest.raises(TooLargeError, match="compose"):
        optimal_composition(Guarantee(1), times=10**6)
