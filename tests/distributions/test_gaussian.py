"""discrete_gaussian: P(z) proportional to e^(−z² / (2v))."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from noisewright.exact import exp_bounds
from noisewright.sampling import SystemSource, discrete_gaussian
from noisewright.sampling.gaussian import MARGIN, Acceptance
from tests.distributions.alarm import Alarm
from tests.sampling.scripted import Scripted

SIZES = (0.3, 0.7, 1, 1.5, 2, 3)


def thresholds(sigma: float) -> list[int]:
    return sorted({max(1, round(size * sigma)) for size in SIZES} | {1, 2})


def law(variance: float, sigma: float) -> list[float]:
    """Tails on both sides, the left side, and odd numbers."""
    if variance > 1e6:
        # The sum over integers is the integral between halves, up to 1/(24 v) of a density.
        tails = [2 * stats.norm.sf((z - 0.5) / math.sqrt(variance)) for z in thresholds(sigma)]
        return [*map(float, tails), float(stats.norm.sf(0.5 / math.sqrt(variance))), 0.5]
    z = np.arange(-60 * math.ceil(sigma) - 60, 60 * math.ceil(sigma) + 61)
    p = np.exp(-(z**2) / (2 * variance))
    p /= p.sum()
    tails = [p[abs(z) >= limit].sum() for limit in thresholds(sigma)]
    return [*tails, p[z < 0].sum(), p[z % 2 == 1].sum()]


def events(z: NDArray[Any], sigma: float) -> list[int]:
    tails = [abs(z) >= limit for limit in thresholds(sigma)]
    return [int(event.sum()) for event in (*tails, z < 0, z % 2 == 1)]


@pytest.mark.parametrize("variance", ["1/10", "2/7", "1", "9", "10.5", "12345", "1e9", "1e14"])
def test_a_one_percent_change_of_sigma_is_rejected(alarm: Alarm, variance: str) -> None:
    value = float(Fraction(variance))
    sigma = math.sqrt(value)
    alarm.judge(
        lambda n: events(discrete_gaussian(variance, n), sigma),
        law(value, sigma),
        [law(value * 1.01**2, sigma), law(value * 0.99**2, sigma)],
    )


@pytest.mark.parametrize("variance", ["1/1000000", "1/3", "1", "999/1000", "1e3", "1e12", "7e28"])
def test_the_filter_is_within_its_margin(variance: str) -> None:
    exact = Fraction(variance)
    kept = Acceptance(exact, math.isqrt(int(exact)) + 1)
    reach = 10 * kept.scale
    z = np.unique(np.linspace(-reach, reach, 2001).astype(np.int64))
    for proposal, near in zip(z.tolist(), kept.acceptance(z).tolist(), strict=True):
        exponent = min(kept.exponent(proposal), Fraction(200))
        truth = Fraction(exp_bounds(-exponent, 128)[0], 1 << 128)
        assert abs(Fraction(near) - truth) < Fraction(MARGIN) / 4


@pytest.mark.parametrize("variance", ["1/3", "100", "1e9", "1e40", "1e-70"])
def test_a_word_on_the_edge_is_settled_exactly(variance: str) -> None:
    """The first 32 bits of U equal those of e^-g; the next 64 decide."""
    exact = Fraction(variance)
    kept = Acceptance(exact, math.isqrt(int(exact)) + 1)
    proposal = 3 * kept.scale // 2 + 1
    exponent = kept.exponent(proposal)
    low = 0 if exponent > 96 else exp_bounds(-exponent, 96)[0]
    first = np.array([low >> 32 >> 32], dtype=np.uint32)
    last = low & (2**64 - 1)
    y = np.array([proposal], dtype=np.int64 if proposal < 2**62 else object)
    steps = ((last - 1, True), (last + 1, False)) if low else ((1, False),)
    for word, expected in steps:
        source = Scripted([first, np.array([word], dtype=np.uint64)])
        assert kept.flip(y, source)[0] == expected
        source.assert_used_up()


def test_both_routes_agree() -> None:
    """Filtered and exact decisions are the same for the same bits."""
    kept = Acceptance(Fraction(50), 8)
    proposal = np.arange(-40, 41).repeat(20)
    words = SystemSource().u32(proposal.size)
    more = [np.zeros(1, dtype=np.uint64)] * proposal.size
    fast = kept.flip(proposal, Scripted([words, *more]))
    slow = kept.flip(proposal.astype(object), Scripted([words, *more]))
    assert fast.tolist() == slow.tolist()
