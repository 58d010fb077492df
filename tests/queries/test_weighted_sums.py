"""Quantiles of weighted sums of noise, against all sums one by one."""

from collections import defaultdict
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.queries.answers.equal_sums import half_width_of_sum
from noisewright.queries.answers.weighted_sums import quantile_of_sum
from noisewright.queries.noise import CellNoise

WEIGHTS = [(1, 0, 0), (1, 1, 1), (3, -2, 1), (10, -9, 1), (7, 0, -5)]


def tail(noise: CellNoise, weights: tuple[int, ...], t: float) -> float:
    """P(sum > t) for whole weights, by convolution of laws with gaps."""
    law = np.ones(1)
    for weight in weights:
        wide = np.zeros((len(noise.chances) - 1) * abs(weight) + 1)
        wide[:: abs(weight) or 1] += noise.chances if weight else noise.chances.sum()
        law = np.convolve(law, wide)
    return float(law[np.arange(-(len(law) // 2), len(law) // 2 + 1) > t + 1e-9].sum())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("decay", [Fraction(1, 12), Fraction(1, 4), Fraction(1), Fraction(4)])
def test_no_sum_exceeds_its_quantile_more_often(decay: Fraction, weights: Any) -> None:
    noise = CellNoise("epsilon", decay)
    for beyond in (0.025, 0.1):
        t = float(quantile_of_sum(noise, np.array(weights, dtype=float), beyond))
        # Below a decay of 0.7 noise is taken as continuous: to half of its own steps.
        step = max(map(abs, weights)) / 2 if decay < 0.7 else 0
        assert tail(noise, weights, t + step) <= beyond * (1 + 1e-6)
        assert tail(noise, weights, max(t - step - max(map(abs, weights)), -1)) > beyond


def test_two_draws_of_narrow_noise_with_weights_that_have_no_common_measure() -> None:
    noise = CellNoise("epsilon", Fraction(1))
    weights = np.array([1, -(2**0.5) / 3])
    t = float(quantile_of_sum(noise, weights, 0.025))
    reach = len(noise.chances) // 2
    sums: dict[bool, float] = defaultdict(float)
    for (i, p), (j, q) in product(enumerate(noise.chances), repeat=2):
        sums[weights[0] * (i - reach) + weights[1] * (j - reach) > t] += p * q
    assert 0.02 < sums[True] <= 0.025


@pytest.mark.parametrize("draws", [1, 2, 3, 4])
@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_sums_of_equal_draws(unit: Any, draws: int) -> None:
    """By convolution; and with Laplace or normal noise, as wide noise is taken, to 1%."""
    for scale in (Fraction(1, 10), Fraction(1), Fraction(6)):
        noise = CellNoise(unit, scale)
        t = half_width_of_sum(noise, draws, 0.95)
        assert tail(noise, (1,) * draws, t) <= 0.025
        assert t == 0 or tail(noise, (1,) * draws, t - 1) > 0.025
    wide, less = (
        CellNoise(unit, Fraction(1, size) if unit == "epsilon" else Fraction(size))
        for size in (100_000, 100)
    )
    found = half_width_of_sum(wide, draws, 0.95) / 1_000
    assert found == pytest.approx(half_width_of_sum(less, draws, 0.95), rel=0.01)
    if draws <= 3:
        same = quantile_of_sum(wide, np.ones(draws), 0.025) / 1_000
        assert found == pytest.approx(float(same), rel=1e-3)


def test_normal_noise() -> None:
    wide = CellNoise("rho", Fraction(30))
    t = float(quantile_of_sum(wide, np.array([3.0, 4.0]), 0.025))
    assert t == pytest.approx(1.96 * 150, rel=1e-3)
    narrow = CellNoise("rho", Fraction(1, 2))
    t = float(quantile_of_sum(narrow, np.array([1.0, 1.0]), 0.025))
    assert tail(narrow, (1, 1), t) <= 0.025 < tail(narrow, (1, 1), t - 1)


def test_noise_that_adds_up_to_zero_is_refused() -> None:
    with pytest.raises(ParameterError, match="another law"):
        quantile_of_sum(CellNoise("epsilon", Fraction(1), 4), np.ones(2), 0.025)
