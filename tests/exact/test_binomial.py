"""Bounds on a probability from counted draws, against sums over every count."""

import math
from fractions import Fraction

import pytest
from scipy.stats import beta

from noisewright.errors import ParameterError
from noisewright.exact import share_ceiling, share_floor
from noisewright.exact.binomial import _log_factorial

ERRORS = [Fraction(1, 2), Fraction(1, 20), Fraction(1, 1000), Fraction(1, 10**9)]


def binomial(draws: int, p: Fraction) -> list[Fraction]:
    return [math.comb(draws, k) * p**k * (1 - p) ** (draws - k) for k in range(draws + 1)]


@pytest.mark.parametrize("draws", [1, 2, 7, 40])
@pytest.mark.parametrize("error", ERRORS)
def test_a_bound_fails_as_seldom_as_it_says_whatever_the_probability(
    draws: int, error: Fraction
) -> None:
    floors = [share_floor(hits, draws, error=error) for hits in range(draws + 1)]
    ceilings = [share_ceiling(hits, draws, error=error) for hits in range(draws + 1)]
    assert floors == sorted(floors)
    assert ceilings == sorted(ceilings)
    assert all(low <= high for low, high in zip(floors, ceilings, strict=True) if error <= 0.5)
    # A bound fails most often just below a floor or above a ceiling.
    tiny = Fraction(1, 10**12)
    shares = {share - tiny for share in floors} | {share + tiny for share in ceilings}
    for p in [share for share in shares if 0 <= share <= 1] + [Fraction(k, 8) for k in range(9)]:
        masses = binomial(draws, p)
        assert sum(mass for mass, low in zip(masses, floors, strict=True) if low > p) <= error
        assert sum(mass for mass, high in zip(masses, ceilings, strict=True) if high < p) <= error


@pytest.mark.parametrize("draws", [1, 5, 31, 32, 33, 1000, 20_000, 1_000_000])
@pytest.mark.parametrize("error", ERRORS)
def test_it_is_the_bound_of_clopper_and_pearson(draws: int, error: Fraction) -> None:
    for hits in sorted({0, 1, draws // 100, draws // 2, draws - draws // 10, draws - 1, draws}):
        low, high = share_floor(hits, draws, error=error), share_ceiling(hits, draws, error=error)
        expected = float(beta.ppf(float(error), hits, draws - hits + 1)) if hits else 0.0
        assert float(low) == pytest.approx(expected, rel=1e-8)
        expected = float(beta.isf(float(error), hits + 1, draws - hits)) if hits < draws else 1.0
        assert float(high) == pytest.approx(expected, rel=1e-8)


def test_what_never_happened_may_still_happen() -> None:
    assert share_floor(0, 100, error=Fraction(1, 10)) == 0
    assert share_ceiling(100, 100, error=Fraction(1, 10)) == 1
    assert 0 < share_ceiling(0, 10**12, error=Fraction(1, 10)) < Fraction(3, 10**12)


@pytest.mark.parametrize("m", [*range(40), 1000, 5000])
def test_logarithms_of_factorials_are_enclosed(m: int) -> None:
    from noisewright.exact import log_bounds

    low, high = _log_factorial(m)
    true_low, true_high = log_bounds(Fraction(math.factorial(m)), 96)
    assert low <= true_high
    assert true_low <= high
    assert high - low < 1 << (96 - 44)


@pytest.mark.parametrize(
    ("hits", "draws", "error", "words"),
    [
        (3, 2, Fraction(1, 2), "hits is 3; it must be at most 2"),
        (-1, 2, Fraction(1, 2), "hits is -1"),
        (0, 0, Fraction(1, 2), "draws is 0"),
        (1, 2, Fraction(0), "error is 0; it must lie between 0 and 1"),
        (1, 2, Fraction(1), "error is 1"),
    ],
)
def test_what_is_refused(hits: int, draws: int, error: Fraction, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        share_floor(hits, draws, error=error)
