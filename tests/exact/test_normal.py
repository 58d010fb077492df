"""π, Φ, φ and the Mills ratio, bounded from both sides."""

import math
from fractions import Fraction

import pytest
from scipy import stats

from noisewright.errors import ParameterError
from noisewright.exact.normal import (
    mills_bounds,
    normal_bounds,
    normal_density_bounds,
    pi_bounds,
)

# 50 digits of π, and of Φ(-10) from its asymptotic series at 60 digits.
PI = Fraction("3.14159265358979323846264338327950288419716939937510")
POINTS = [Fraction(x) for x in ("-38", "-10", "-3.5", "-1", "-1/7", "0", "1/1000", "2", "6", "30")]


def test_pi() -> None:
    low, high = pi_bounds(150)
    assert Fraction(low, 1 << 150) < PI + Fraction(1, 10**49)
    assert Fraction(high, 1 << 150) > PI - Fraction(1, 10**49)
    assert high - low <= 1
    assert pi_bounds(-1) == (1, 2)


@pytest.mark.parametrize("x", POINTS, ids=str)
def test_doubles_agree(x: Fraction) -> None:
    low, high = normal_bounds(x, 1200)
    assert 0 <= low <= high <= low + 4
    assert float(Fraction(low, 1 << 1200)) == pytest.approx(stats.norm.cdf(float(x)), rel=1e-11)
    density = normal_density_bounds(x, 1200)
    assert 0 <= density[1] - density[0] <= 4
    assert float(Fraction(density[0], 1 << 1200)) == pytest.approx(
        stats.norm.pdf(float(x)), rel=1e-11
    )


@pytest.mark.parametrize("x", POINTS, ids=str)
def test_both_sides_add_up_to_one(x: Fraction) -> None:
    below, above = normal_bounds(x, 200), normal_bounds(-x, 200)
    assert below[0] + above[0] <= 1 << 200 <= below[1] + above[1]


@pytest.mark.parametrize("bits", [0, 8, 64, 500])
def test_more_bits_stay_inside_of_fewer(bits: int) -> None:
    for x in POINTS:
        low, high = normal_bounds(x, bits)
        finer = normal_bounds(x, bits + 100)
        assert low << 100 <= finer[1]
        assert finer[0] <= high << 100


@pytest.mark.parametrize("x", [Fraction(3), Fraction(17, 2), Fraction(30)], ids=str)
def test_the_mills_ratio_is_the_tail_over_the_density(x: Fraction) -> None:
    bits = 1500
    tail, density, mills = (
        normal_bounds(-x, bits),
        normal_density_bounds(x, bits),
        mills_bounds(x, 200),
    )
    assert mills[0] * density[0] <= tail[1] << 200
    assert mills[1] * density[1] >= tail[0] << 200
    assert mills[1] - mills[0] < mills[0] >> 20


def test_what_is_too_large_is_refused() -> None:
    with pytest.raises(ParameterError, match="1,024"):
        normal_bounds(Fraction(2000), 10)
    with pytest.raises(ParameterError, match="x > 0"):
        mills_bounds(Fraction(0), 10)
    assert math.isfinite(normal_bounds(Fraction(-60), 10)[0])
