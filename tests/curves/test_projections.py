"""Guarantees seen through finitely many positions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats

import noisewright as nw
from noisewright.curves.projections import project, widest_pair
from noisewright.errors import InputError

SPACE = nw.Curves(range(12), low=0, high=10)
NESTED = [(3.0,), (3.0, 7.5), (3.0, 7.5, 10.0), (0.0, 3.0, 5.0, 7.5, 10.0, 11.0)]

NORMAL = {
    "values": nw.curves.curve_noise(SPACE, epsilon=1, delta=1e-4),
    "fourier": nw.curves.curve_noise(SPACE, epsilon=1, delta=1e-4, basis="fourier", coefficients=5),
    "process": nw.gaussian_process(SPACE, epsilon=1, delta=1e-4, coefficients=5),
}


def normal_delta(apart: np.ndarray, covariance: np.ndarray, epsilon: float) -> float:
    mu = float(np.sqrt(apart @ np.linalg.pinv(covariance, rcond=1e-9) @ apart))
    first, second = mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu
    return float(stats.norm.cdf(first) - np.exp(epsilon) * stats.norm.cdf(second))


@pytest.mark.parametrize("name", NORMAL)
def test_it_is_the_delta_of_the_normal_vector_at_the_positions(name: str) -> None:
    """Against covariances and pseudoinverses in floating point."""
    mechanism = NORMAL[name]
    curves = np.linspace(1, 9, 12), np.full(12, 2.0)
    quiet = [np.asarray(mechanism.exact(SPACE.read(c))[0], dtype=float) for c in curves]
    scale = float(SPACE.step) / 2**mechanism.coordinates.log2_scale
    for seen in nw.curves.verify_projections(mechanism, NESTED, inputs=curves, epsilon=0.02)[:-1]:
        assert seen.positions is not None
        drawn = mechanism.coordinates.functions.at(np.array(seen.positions))
        apart = drawn @ (quiet[0] - quiet[1]) * scale
        covariance = float(mechanism.scale) ** 2 * drawn @ drawn.T
        wanted = normal_delta(apart, covariance, 0.02)
        assert seen.delta == pytest.approx(wanted, rel=1e-4, abs=1e-12)
        assert seen.is_exact


@pytest.mark.parametrize("name", NORMAL)
def test_more_positions_never_have_less_and_enough_have_all(name: str) -> None:
    mechanism = NORMAL[name]
    seen = nw.curves.verify_projections(mechanism, [*NESTED, SPACE.positions.tolist()])
    deltas = [one.guarantee.delta for one in seen]
    assert deltas == sorted(deltas)
    assert deltas[-2] == deltas[-1] <= mechanism.claim.delta
    assert seen[-1].positions is None
    # The widest pair that is found uses nearly all of the claim, in an orthonormal basis.
    if name != "process":
        assert seen[-1].delta > 0.999e-4


def test_laplace_noise_in_the_values_gives_each_position_its_share() -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=3)
    curves = np.array([10.0] + [5.0] * 11), np.zeros(12)
    seen = nw.curves.verify_projections(mechanism, [[0], [1], [0, 1], range(12)], inputs=curves)
    shares = [float(one.epsilon) for one in seen]
    assert shares == pytest.approx([0.25, 0.125, 0.375, 13 / 8, 13 / 8])
    assert all(one.is_exact and one.delta == 0 for one in seen)


def test_laplace_noise_in_a_basis_is_bounded() -> None:
    mechanism = nw.curves.curve_noise(SPACE, epsilon=3, basis="bspline", coefficients=5)
    seen = nw.curves.verify_projections(mechanism, NESTED)
    epsilons = [one.epsilon for one in seen]
    assert epsilons == sorted(epsilons)
    assert epsilons[0] < 3
    assert epsilons[-1] == pytest.approx(3, rel=1e-4)
    assert [one.is_exact for one in seen] == [False, False, False, True, True]


def test_a_density_is_seen_too() -> None:
    mechanism = nw.curves.kernel_density(
        nw.Interval(0, 10, step=0.5), bandwidth=3, epsilon=1, delta=1e-4
    )
    seen = nw.curves.verify_projections(mechanism, [(0,), (0, 10), (0, 2, 5, 8, 10)])
    deltas = [one.guarantee.delta for one in seen]
    assert deltas == sorted(deltas)
    assert 0.99e-4 < deltas[-1] <= mechanism.claim.delta
    assert widest_pair(mechanism) == (0.0, 10.0)


def test_projections_are_exact() -> None:
    rows = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 1.0, 0.0]])
    shadow, rank = project(rows, [Fraction(1, 3), Fraction(2), Fraction(5)])
    assert (shadow, rank) == ([Fraction(1, 3), 2, 0], 2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"positions": [[]]}, "at least one position"),
        ({"positions": [[99]]}, "between 0 and 11"),
        ({"positions": [[1]], "inputs": ([[0.0] * 12] * 2, [[0.0] * 12])}, "two curves"),
    ],
)
def test_what_cannot_be_used_is_said(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        nw.curves.verify_projections(NORMAL["fourier"], **arguments)
