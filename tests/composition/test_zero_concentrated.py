"""zCDP: ρ adds up; its (ε, δ) holds for the Gaussian; mixtures with other parts."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st
from scipy.stats import norm

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.mechanisms import Guarantee, geometric
from noisewright.privacy.composition.compose import compose
from noisewright.privacy.composition.concentrated import ZeroConcentrated, gaussian_rho
from noisewright.privacy.composition.rho_bounds import enclosing
from noisewright.spaces import Counts

rhos = st.floats(1e-4, 20)


def gaussian_delta(rho: float, epsilon: float) -> float:
    """The exact δ of a Gaussian with this ρ (Balle–Wang 2018, Theorem 8)."""
    mu = math.sqrt(2 * rho)
    upper = norm.logcdf(mu / 2 - epsilon / mu)
    return math.exp(upper) - math.exp(epsilon + norm.logcdf(-mu / 2 - epsilon / mu))


def bound_at(rho: float, epsilon: float, a: float) -> float:
    exponent = (a - 1) * (a * rho - epsilon + math.log1p(-1 / a)) - math.log(a)
    return math.exp(min(exponent, 0.0))


@given(rhos, st.floats(0, 30))
def test_delta_holds_for_the_gaussian_and_is_the_best_order(rho: float, epsilon: float) -> None:
    found = ZeroConcentrated(rho).delta(epsilon)
    assert found >= gaussian_delta(rho, epsilon) - 1e-12
    orders = [1 + math.exp(-9 + n / 50) for n in range(1000)]
    assert found <= min(bound_at(rho, epsilon, a) for a in orders) * (1 + 1e-9) + 1e-300


@given(rhos, st.sampled_from([1e-12, 1e-6, 0.01, 0.5]))
def test_epsilon_and_delta_are_inverse(rho: float, delta: float) -> None:
    found = ZeroConcentrated(rho).epsilon(delta)
    assert ZeroConcentrated(rho).delta(found) <= delta * (1 + 1e-9)
    if found > 1e-6:
        assert ZeroConcentrated(rho).delta(found * (1 - 1e-6)) >= delta * (1 - 1e-3)
    # Bun–Steinke 2016, Prop 1.3: the better-known, weaker conversion.
    assert found <= rho + 2 * math.sqrt(rho * math.log(1 / delta)) + 1e-12


def test_a_gaussian_by_its_variance() -> None:
    assert gaussian_rho(sensitivity=1, variance=1) == Fraction(1, 2)
    assert gaussian_rho(sensitivity="0.5", variance="2") == Fraction(1, 16)


def test_rho_adds_up() -> None:
    found = compose([ZeroConcentrated("0.1"), ZeroConcentrated("0.2")], times=5)
    assert found.epsilon(1e-6) == ZeroConcentrated("1.5").epsilon(1e-6)
    assert found.delta(3) == ZeroConcentrated("1.5").delta(3)
    assert not found.exact
    assert found.delta_bounds(3)[0] == 0.0
    assert "upper bound" in found.route
    assert ZeroConcentrated("0.1") + ZeroConcentrated("0.2") == ZeroConcentrated("0.3")


def test_no_rho_is_no_loss() -> None:
    assert ZeroConcentrated(0).delta(0) == 0.0
    assert ZeroConcentrated(0).epsilon(0) == 0.0
    assert compose(ZeroConcentrated(0), times=9).epsilon() == 0.0


def test_pure_privacy_is_out_of_reach() -> None:
    assert ZeroConcentrated(1).epsilon(0) == math.inf
    assert compose(ZeroConcentrated(1)).epsilon_bounds() == (0.0, math.inf)
    assert ZeroConcentrated(1).epsilon(1) == 0.0


@pytest.mark.parametrize("epsilon", [0.2, 1, 4])
def test_the_curve_lies_above_the_bound_and_close(epsilon: float) -> None:
    found = compose(ZeroConcentrated("0.05"))
    assert found.upper.delta(epsilon) >= found.delta(epsilon)
    assert found.upper.delta(epsilon) <= found.delta(epsilon) * 1.3 + 1e-12


def test_mixed_with_pure_parts_the_better_bound_wins() -> None:
    count = geometric(Counts(8), epsilon="0.1")
    found = compose([ZeroConcentrated("0.01"), count], times=4)
    as_rho = ZeroConcentrated(Fraction("0.04") + 4 * Fraction("0.1") ** 2 / 2)
    as_sum = ZeroConcentrated("0.04").epsilon(1e-6) + 0.4
    assert found.epsilon(1e-6) <= min(as_rho.epsilon(1e-6), as_sum) + 1e-9
    low, high = found.epsilon_bounds(1e-6)
    assert compose(count, times=4).epsilon_bounds(1e-6)[0] == low < high


def test_mixed_with_a_failure_probability() -> None:
    """Some δ is spent by the guarantee; less than that cannot be promised."""
    found = compose([ZeroConcentrated("0.01"), Guarantee("0.2", "1e-7")])
    assert found.epsilon(1e-6) <= 0.2 + ZeroConcentrated("0.01").epsilon(0.5e-6)
    assert found.epsilon(1e-8) == math.inf
    assert found.delta(5) >= 1e-7
    assert math.isfinite(found.upper.epsilon(1e-6))


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 1)), min_size=1, max_size=6))
def test_an_enclosing_curve_touches_its_lines(given_lines: list[tuple[float, float]]) -> None:
    lines = sorted(given_lines)
    epsilons = [Fraction(epsilon) for epsilon, _ in lines]
    found = enclosing(epsilons, [delta for _, delta in lines])
    for index, epsilon in enumerate(epsilons):
        # δ falls with ε, so each bound holds from its ε on.
        least = min(delta for _, delta in lines[: index + 1])
        assert found.delta(Epsilon(rational=epsilon)) <= least + 1e-12


@pytest.mark.parametrize("rho", [-1, math.inf, math.nan, "x"])
def test_rho_must_be_a_number(rho: object) -> None:
    with pytest.raises(ParameterError, match="rho is"):
        ZeroConcentrated(rho)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("sensitivity", "variance"), [(-1, 1), (1, 0), (1, -2)])
def test_a_gaussian_needs_a_variance(sensitivity: int, variance: int) -> None:
    with pytest.raises(ParameterError, match="variance"):
        gaussian_rho(sensitivity=sensitivity, variance=variance)


def test_the_smallest_doubles_are_rounded_up_too() -> None:
    """Between e^-745 and e^-744 lie two doubles: the answer must be the one above the bound."""
    orders = [1 + math.exp(-9 + n / 500) for n in range(10_000)]

    def logarithm(epsilon: float) -> float:
        return min((a - 1) * (a - epsilon + math.log1p(-1 / a)) - math.log(a) for a in orders)

    low, high = 40.0, 80.0
    for _ in range(30):
        middle = (low + high) / 2
        low, high = (middle, high) if logarithm(middle) > -744.2 else (low, middle)
    assert -744.3 < logarithm(high) < -744.1
    assert ZeroConcentrated(1).delta(high) == 2 * math.ulp(0.0)


@pytest.mark.parametrize(("rho", "epsilon"), [("1/100", 1), ("2", 0), ("1/3", 9)])
def test_the_order_is_the_one_that_delta_uses(rho: str, epsilon: int) -> None:
    part = ZeroConcentrated(rho)
    a = float(part.order(epsilon))
    assert bound_at(float(part.rho), epsilon, a) == pytest.approx(part.delta(epsilon), rel=1e-9)
    with pytest.raises(ParameterError, match="no order"):
        ZeroConcentrated(0).order(epsilon)
