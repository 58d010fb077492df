"""rounded_normal: P(i) = Φ((i + 1/2)/s) − Φ((i − 1/2)/s)."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from noisewright.errors import ParameterError
from noisewright.exact import exp_bounds
from noisewright.sampling import rounded_normal, rounded_normals
from noisewright.sampling.gaussian import exp_minus
from noisewright.sampling.normal import MARGIN, HalfNormals, settled_coin, settled_floor
from tests.distributions.alarm import Alarm
from tests.sampling.scripted import Scripted, word

SIZES = (0.3, 0.7, 1, 1.5, 2, 3)


def thresholds(s: float) -> list[int]:
    return sorted({max(1, round(size * s)) for size in SIZES})


def law(s: float, at: list[int]) -> list[float]:
    """Tails on both sides, the left side, and odd numbers."""
    tails = [2 * stats.norm.sf((z - 0.5) / s) for z in at]
    near = np.arange(-40 * math.ceil(s) - 41, 40 * math.ceil(s) + 41, 2) if s < 1e4 else None
    odd = 0.5
    if near is not None:
        odd = float((stats.norm.cdf((near + 0.5) / s) - stats.norm.cdf((near - 0.5) / s)).sum())
    return [*map(float, tails), float(stats.norm.sf(0.5 / s)), odd]


def events(z: NDArray[Any], at: list[int]) -> list[int]:
    tails = [abs(z) >= limit for limit in at]
    return [int(event.sum()) for event in (*tails, z < 0, z % 2 == 1)]


@pytest.mark.parametrize("deviation", ["2/5", "1e9"])
def test_a_one_percent_change_of_scale_is_rejected(alarm: Alarm, deviation: str) -> None:
    s = float(Fraction(deviation))
    at = thresholds(s)
    alarm.judge(
        lambda n: events(rounded_normal(deviation, n), at),
        law(s, at),
        [law(s * 1.01, at), law(s / 1.01, at)],
    )


@pytest.mark.parametrize("place", [0, 1, 2])
def test_each_draw_has_its_own_deviation(alarm: Alarm, place: int) -> None:
    """Draws of three deviations in turn: a change of 1% in one of them is rejected."""
    deviations = np.array([0.4, 3.0, 1e6])
    s = float(deviations[place])
    at = thresholds(s)
    alarm.judge(
        lambda n: events(rounded_normals(np.tile(deviations, (n, 1)))[:, place], at),
        law(s, at),
        [law(s * 1.01, at), law(s / 1.01, at)],
    )


def test_the_exact_way_has_the_same_law(alarm: Alarm) -> None:
    """Above 2^36 every draw is settled by itself; a change of a tenth is rejected."""
    s = 3.0 * 2**40
    at = thresholds(s)
    alarm.judge(
        lambda n: events(rounded_normal(3 << 40, n), at),
        law(s, at),
        [law(s * 1.1, at), law(s / 1.1, at)],
    )


@pytest.mark.parametrize("k", [0, 1, 2, 5, 9, 63])
def test_the_filter_is_within_its_margin(k: int) -> None:
    first = np.unique(np.linspace(0, 2**53 - 1, 400).astype(np.int64))
    x = first * 2.0**-53
    near = exp_minus(np.minimum(x * (2 * k + x) / 2, 44.0))
    for bits, value in zip(first.tolist(), near.tolist(), strict=True):
        for exact in (Fraction(bits, 1 << 53), Fraction(bits + 1, 1 << 53)):
            g = min(exact * (2 * k + exact) / 2, Fraction(200))
            truth = Fraction(exp_bounds(-g, 128)[0], 1 << 128)
            assert abs(Fraction(value) - truth) < Fraction(MARGIN)


def test_a_coin_on_the_edge_draws_more_bits_of_both() -> None:
    """U and e^-g agree in their first 32 bits; the next 64 of x and of U decide."""
    k, x = 1, 1 << 52
    # x = 1/2 exactly, if its next bits are zero: g = 5/8.
    low = exp_bounds(Fraction(-5, 8), 96)[0]
    first, rest = low >> 64, low & (2**64 - 1)
    for step, expected in ((-(2**40), True), (2**40, False)):
        source = Scripted([word(0), word(rest + step)])
        kept, drawn, bits = settled_coin(k, x, first, source)
        source.assert_used_up()
        assert (kept, drawn, bits) == (expected, x << 64, 117)


def test_a_number_on_the_edge_draws_more_bits() -> None:
    """s · (k + x) + 1/2 is a whole number up to the bits not drawn yet."""
    assert settled_floor(Fraction(1), 0, 1 << 52, 53, Scripted([])) == 1
    # The first 53 bits of x are those of 1/3; 3 · x + 1/2 is 3/2 minus or plus a little.
    third = (1 << 53) // 3
    after = (1 << 117) // 3 & (2**64 - 1)
    for step, expected in ((-1, 10), (2, 11)):
        source = Scripted([word(after + step)])
        scale = Fraction(63, 2)
        assert settled_floor(scale, 0, third, 53, source) == expected
        source.assert_used_up()


def test_bits_drawn_for_the_coin_decide_the_rounding_too() -> None:
    third = (1 << 53) // 3
    longer = {0: ((1 << 117) // 3 + 2, 117)}
    halves = HalfNormals(np.array([0]), np.array([third]), longer)
    assert halves.round_scaled(Fraction(63, 2), Scripted([])).tolist() == [11]
    longer = {0: ((1 << 117) // 3 - 1, 117)}
    halves = HalfNormals(np.array([0]), np.array([third]), longer)
    assert halves.round_scaled(Fraction(63, 2), Scripted([])).tolist() == [10]


def test_both_routes_round_alike() -> None:
    k = np.repeat(np.arange(4), 50)
    first = np.unique(np.linspace(0, 2**53 - 1, 50).astype(np.int64))[np.tile(np.arange(50), 4)]
    halves = HalfNormals(k, first, {})
    more = [word(0)] * k.size
    fast = halves.round_scaled(Fraction(1000, 7), Scripted(more))
    slow = [
        settled_floor(Fraction(1000, 7), int(a), int(b), 53, Scripted(more))
        for a, b in zip(k, first, strict=True)
    ]
    assert fast.tolist() == slow


def test_deviations_in_turn_round_like_one() -> None:
    k, bits = np.array([0, 1, 2]), np.array([1 << 52, 5, (1 << 53) // 3])
    halves = HalfNormals(k, bits, {})
    scales = np.array([1.0, 7.5, 31.5])
    together = halves.round_scaled(scales, Scripted([word(1)] * 3))
    for place, scale in enumerate(scales):
        alone = halves.round_scaled(Fraction(scale), Scripted([word(1)] * 3))
        assert together[place] == alone[place]


@pytest.mark.parametrize("deviation", [0.0, -1.0, math.nan, math.inf, 2.0**37])
def test_deviations_in_turn_are_positive_and_not_too_large(deviation: float) -> None:
    with pytest.raises(ParameterError, match="positive"):
        rounded_normals(np.array([1.0, deviation]))
    assert rounded_normals(np.ones((2, 0))).shape == (2, 0)
    assert rounded_normals(np.array(5.0)).shape == ()


@pytest.mark.parametrize("deviation", [0, -1, "-1/2"])
def test_a_deviation_is_positive(deviation: Any) -> None:
    with pytest.raises(ParameterError, match="must be positive"):
        rounded_normal(deviation, 1)


def test_sizes_and_types() -> None:
    assert rounded_normal(1, 0).dtype == np.int64
    assert rounded_normal("1e20", 0).dtype == object
    assert rounded_normal("1/1000000", 5).tolist() == [0] * 5
    assert rounded_normal("1e300", 3).shape == (3,)
