"""What adding a normal vector guarantees, exactly.

    μ      sensitivity / deviation: how many deviations apart two neighbors are
    δ(ε)   = Φ(μ/2 − ε/μ) − e^ε · Φ(−μ/2 − ε/μ)

This is not a bound: it is the least δ at ε for two normal distributions whose means are μ
deviations apart, in any number of dimensions and, by Cameron–Martin, for Gaussian processes
whose means are μ apart in the norm of the process's reproducing kernel Hilbert space
(Balle–Wang 2018, Theorem 8; Hall–Rinaldo–Wasserman 2013 for processes, who use the
larger √(2 ln(2/δ))/ε). It rises with μ and falls with ε, so claims are rounded by rounding μ
up and ε down.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from noisewright.errors import ParameterError
from noisewright.exact import (
    Enclosure,
    Epsilon,
    Number,
    exactly,
    exp_bounds,
    halve,
    mills_bounds,
    normal_bounds,
    normal_density_bounds,
    show,
)

_FAR = 24
"""Beyond this |x| the continued fraction is quicker than the series, and as good."""

_EPSILON_BITS = 192
_STEPS = 50


def gaussian_delta(*, ratio: Number, epsilon: Number | Epsilon, bits: int = 128) -> Enclosure:
    """Enclose the least δ at ε for a normal vector with sensitivity / deviation = ratio.

    Requires: ratio ≥ 0.
    Ensures: the true δ lies inside; the width is about 2^-bits, or 2^-130 if that is more.
    Source: Balle–Wang 2018, Theorem 8.
    """
    mu = exactly(ratio, name="ratio")
    if mu < 0:
        raise ParameterError(f"ratio is {show(mu)}; sensitivity / deviation is at least 0.")
    if mu == 0:
        return Enclosure.point(0)
    exact = Epsilon.of(epsilon)
    below, above = exact.bounds(_EPSILON_BITS)
    one = 1 << _EPSILON_BITS
    high = _at(mu, Fraction(below, one), bits)[1]
    low = _at(mu, Fraction(above, one), bits)[0]
    return Enclosure(max(low, Fraction(0)), min(max(high, Fraction(0)), Fraction(1)))


def _at(mu: Fraction, epsilon: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    """Bound δ for rational μ and ε."""
    first = mu / 2 - epsilon / mu
    second = mu / 2 + epsilon / mu
    unit = Fraction(1, 1 << bits)
    low, high = _normal(first, bits)
    taken = _scaled_tail(first, second, epsilon, bits)
    return (low - taken[1]) * unit, (high - taken[0]) * unit


def _normal(x: Fraction, bits: int) -> tuple[int, int]:
    """Bound Φ(x) · 2^bits for any x."""
    if abs(x) <= _FAR:
        return normal_bounds(x, bits)
    # Φ(−x) < φ(x), and φ(x) < 2^(−x²·7/10).
    if x * x * 7 / 10 > bits:
        return (0, 1) if x < 0 else ((1 << bits) - 1, 1 << bits)
    density, mills = normal_density_bounds(x, bits + 8), mills_bounds(abs(x), bits + 8)
    by = bits + 16
    low, high = density[0] * mills[0] >> by, -(-density[1] * mills[1] >> by)
    return (low, high) if x < 0 else ((1 << bits) - high, (1 << bits) - low)


def _scaled_tail(
    first: Fraction, second: Fraction, epsilon: Fraction, bits: int
) -> tuple[int, int]:
    """Bound e^ε · Φ(−second) · 2^bits, where second² = first² + 2ε."""
    if second <= _FAR:
        more = bits + math.ceil(epsilon * 3 / 2) + 8
        tail, power = normal_bounds(-second, more), exp_bounds(epsilon, 32 + bits)
        by = more + 32
        return tail[0] * power[0] >> by, -(-tail[1] * power[1] >> by)
    if first * first * 7 / 10 > bits:
        return 0, 1
    # e^ε φ(second) = φ(first), so that no number here is long.
    density, mills = normal_density_bounds(first, bits + 8), mills_bounds(second, bits + 8)
    by = bits + 16
    return density[0] * mills[0] >> by, -(-density[1] * mills[1] >> by)


@lru_cache(maxsize=256)
def gaussian_ratio(epsilon: Epsilon, delta: Fraction) -> Fraction:
    """Return a μ for which (ε, δ) is proven: the deviation to use is sensitivity / μ.

    Requires: 0 < δ < 1. Ensures: δ(ε) at μ is at most δ, proven by enclosures; the largest such
    μ is less than 2^-48 of itself away (Balle–Wang 2018, Theorem 8, solved for μ).
    """
    if not 0 < delta < 1:
        raise ParameterError(
            f"delta is {show(delta)}; normal noise needs 0 < delta < 1. For delta=0 use Laplace "
            "noise."
        )
    bits = 96 + (delta.denominator // delta.numerator).bit_length()

    def holds(mu: Fraction) -> bool:
        return gaussian_delta(ratio=mu, epsilon=epsilon, bits=bits).high <= delta

    low = Fraction(1)
    while not holds(low):
        low /= 2
    while holds(2 * low):
        low *= 2
    return halve(low, 2 * low, holds, times=_STEPS)[0]
