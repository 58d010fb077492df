"""The exact (ε, δ) of normal noise."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from dp_accounting.pld import privacy_loss_mechanism
from scipy import integrate, stats

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.privacy.formulas.gaussian import gaussian_delta, gaussian_ratio

CASES = [(0.1, 0), (0.5, 1), (1, 0), (1, 1), (3, 2), (0.01, 0.001), (6, 50), (40, 1000), (20, 0)]


@pytest.mark.parametrize(("ratio", "epsilon"), CASES)
def test_it_is_the_integral_of_the_excess(ratio: float, epsilon: float) -> None:
    """δ = ∫ max(0, p − e^ε q) for two normal densities that are `ratio` apart."""

    def excess(x: float) -> float:
        # p(x) − e^ε q(x) = p(x) (1 − e^(ε − log p/q)), without overflow.
        loss = ratio * x + ratio**2 / 2
        return max(0.0, -math.expm1(min(0.0, epsilon - loss))) * float(stats.norm.pdf(x))

    start = epsilon / ratio - ratio / 2
    points = [start + step * 0.5 for step in range(90)]
    truth = sum(integrate.quad(excess, a, b, epsabs=1e-16)[0] for a, b in pairwise(points))
    found = gaussian_delta(ratio=ratio, epsilon=epsilon, bits=400)
    assert found.width < Fraction(1, 1 << 125)
    # For x beyond −45 nothing is left; what lies before the first point has no excess.
    assert float(found.high) == pytest.approx(truth, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(("ratio", "epsilon"), [(0.5, 1), (1, 1), (2, 0.5)])
def test_dp_accounting_agrees(ratio: float, epsilon: float) -> None:
    theirs = privacy_loss_mechanism.GaussianPrivacyLoss(standard_deviation=1 / ratio)
    ours = gaussian_delta(ratio=ratio, epsilon=epsilon)
    assert float(ours.high) == pytest.approx(theirs.get_delta_for_epsilon(epsilon), rel=1e-9)


CLAIMS = [(1, 1e-5), (0, 1e-3), (1e-12, 1e-6), (50, 1e-9), (1000, 1e-9), (1e6, 1e-6), (3, 0.999)]


@pytest.mark.parametrize(("epsilon", "delta"), CLAIMS)
def test_the_ratio_holds_and_a_larger_one_does_not(epsilon: float, delta: float) -> None:
    exact, wanted = Epsilon.of(epsilon), Fraction(delta)
    ratio = gaussian_ratio(exact, wanted)
    bits = 300
    assert gaussian_delta(ratio=ratio, epsilon=exact, bits=bits).high <= wanted
    larger = ratio * (1 + Fraction(1, 1 << 46))
    assert gaussian_delta(ratio=larger, epsilon=exact, bits=bits).low > wanted


def test_an_epsilon_that_is_a_logarithm() -> None:
    ratio = gaussian_ratio(Epsilon.of(alpha="1/2"), Fraction("1e-6"))
    near = gaussian_ratio(Epsilon.of(math.log(2)), Fraction("1e-6"))
    assert float(ratio) == pytest.approx(float(near), rel=1e-12)


def test_it_needs_less_noise_than_the_classical_rule() -> None:
    """√(2 ln(1.25/δ))/ε (Dwork–Roth 2014, Theorem A.1) at ε = 1, δ = 1e-6."""
    ours = 1 / float(gaussian_ratio(Epsilon.of(1), Fraction("1e-6")))
    assert ours < 0.85 * math.sqrt(2 * math.log(1.25e6))


@pytest.mark.parametrize("delta", [0, 1, Fraction(3, 2), -1])
def test_delta_lies_strictly_between_zero_and_one(delta: Fraction | int) -> None:
    with pytest.raises(ParameterError, match="0 < delta < 1"):
        gaussian_ratio(Epsilon.of(1), Fraction(delta))


def test_a_ratio_is_not_negative() -> None:
    assert gaussian_delta(ratio=0, epsilon=1).high == 0
    with pytest.raises(ParameterError, match="at least 0"):
        gaussian_delta(ratio=-1, epsilon=1)
