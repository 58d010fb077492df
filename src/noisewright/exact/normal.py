"""π and the normal distribution, bounded from both sides with integers.

    Φ(x)   = 1/2 + φ(x) · Σ_n x^(2n+1) / (1 · 3 · … · (2n+1)), all terms positive for x > 0
    R(x)   = Φ(−x) / φ(x) = 1/(x + 1/(x + 2/(x + 3/(x + …)))), the Mills ratio (Laplace)

Fixed-point arithmetic on Python integers, rounded outwards, as in `bounds.py`.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from noisewright.errors import ParameterError
from noisewright.exact.bounds import Bounds, exp_bounds, fixed_point, sqrt_bounds

_LARGEST = 1 << 10
"""Φ is refused beyond this |x|: e^(-x²/2) would need more than 700,000 bits."""

_MILLS_LEVELS = 24
"""Even, so that cutting the fraction off there bounds it from below, one level up from above."""


@lru_cache(maxsize=32)
def pi_bounds(bits: int) -> Bounds:
    """Return integers with low ≤ π · 2^bits ≤ high and high − low ≤ 1 (Machin's formula)."""
    guard = 16
    while True:
        work = max(bits, 0) + guard
        five, large = _arctan_of_inverse(5, work), _arctan_of_inverse(239, work)
        low = (16 * five[0] - 4 * large[1]) >> (work - bits)
        high = -((4 * large[0] - 16 * five[1]) >> (work - bits))
        if high - low <= 1:
            return low, high
        guard *= 2


def _arctan_of_inverse(k: int, work: int) -> Bounds:
    """Bound arctan(1/k) by its alternating series."""
    power = (1 << work) // k
    total, index, steps = 0, 0, 0
    while power:
        term = power // (2 * index + 1)
        total += -term if index % 2 else term
        power //= k * k
        index += 1
        steps += 1
    # Each step rounds the power by less than one unit and the term by less than another.
    return total - 2 * steps - 1, total + 2 * steps + 1


def normal_density_bounds(x: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ φ(x) · 2^bits ≤ high."""
    work = max(bits, 0) + 16
    top = exp_bounds(-x * x / 2, work)
    pi = pi_bounds(work)
    below = sqrt_bounds(Fraction(2 * pi[0], 1 << work), work)[0]
    above = sqrt_bounds(Fraction(2 * pi[1], 1 << work), work)[1]
    low, high = (top[0] << work) // above, -(-(top[1] << work) // below)
    return low >> (work - bits), -(-high >> (work - bits))


@lru_cache(maxsize=512)
def normal_bounds(x: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ Φ(x) · 2^bits ≤ high, high − low ≤ 4, for |x| ≤ 1,024."""
    size = abs(x)
    if size > _LARGEST:
        raise ParameterError(f"the normal distribution was asked for |x| > {_LARGEST:,}.")
    # φ is small where the series is large, so both need as many extra bits as e^(x²/2) has.
    work = max(bits, 0) + int(size * size * 3 / 4) + 32
    series = _series(size, work)
    density = normal_density_bounds(size, work)
    half = 1 << (work - 1)
    low = half + (series[0] * density[0] >> work)
    high = half - (-series[1] * density[1] >> work)
    if x < 0:
        low, high = (1 << work) - high, (1 << work) - low
    low, high = max(low, 0), min(high, 1 << work)
    return low >> (work - bits), -(-high >> (work - bits))


def _series(x: Fraction, work: int) -> Bounds:
    """Bound Σ_n x^(2n+1) / (2n+1)!! for x ≥ 0."""
    x_low, x_high = fixed_point(x, work)
    square_low, square_high = fixed_point(x * x, work)
    low, high = x_low, x_high
    term_low, term_high, odd = x_low, x_high, 1
    # Once x² < odd/2, terms at least halve, so that what is left is at most the last one.
    while term_high > 1 or 2 * square_high > odd << work:
        odd += 2
        term_low = (term_low * square_low >> work) // odd
        term_high = -((-term_high * square_high >> work) // odd)
        low += term_low
        high += term_high
    return low, high + term_high + 1


def mills_bounds(x: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ R(x) · 2^bits ≤ high, for x > 0; tight for large x.

    Cut off after an even number of levels the continued fraction is below R, after an odd number
    above it (all its parts are positive).
    """
    if x <= 0:
        raise ParameterError("the Mills ratio is bounded here for x > 0.")
    return fixed_point(_cut_off(x, _MILLS_LEVELS), bits)[0], fixed_point(
        _cut_off(x, _MILLS_LEVELS - 1), bits
    )[1]


def _cut_off(x: Fraction, levels: int) -> Fraction:
    value = x
    for numerator in range(levels - 1, 0, -1):
        value = x + numerator / value
    return 1 / value
