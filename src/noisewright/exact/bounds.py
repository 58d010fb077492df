"""The exponential and the logarithm of a rational, bounded from both sides with integers.

Everything here is fixed-point arithmetic on Python integers: a real r is known through
integers (low, high) with low ≤ r · 2^bits ≤ high. Nothing is rounded the unsafe way, so a
comparison that these bounds decide is decided for the real numbers themselves.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from noisewright.errors import ParameterError
from noisewright.exact.rationals import show

Bounds = tuple[int, int]

_LARGEST_EXPONENT = 1 << 14
"""e^x is refused beyond this |x|: it has 23,637 bits before the point, every number that is made
of it has as many, and no epsilon that promises anything is near."""


def fixed_point(value: Fraction, bits: int) -> Bounds:
    """Return the tightest integers (low, high) with low ≤ value · 2^bits ≤ high."""
    if bits >= 0:
        numerator, denominator = value.numerator << bits, value.denominator
    else:
        numerator, denominator = value.numerator, value.denominator << -bits
    low, rest = divmod(numerator, denominator)
    return low, low + (rest != 0)


def fixed_floor(value: Fraction | float, bits: int) -> int:
    """Return value · 2^bits, rounded down, for bits ≥ 0."""
    numerator, denominator = value.as_integer_ratio()
    return (numerator << bits) // denominator


def fixed_powers(base: int, count: int, bits: int, *, up: bool) -> list[int]:
    """Return b^0, …, b^count over 2^bits for b = base / 2^bits ≥ 0, each rounded up or down.

    Ensures: none is below b^k if `up`, and none above it otherwise.
    """
    powers = [1 << bits]
    for _ in range(count):
        powers.append(-(-powers[-1] * base >> bits) if up else powers[-1] * base >> bits)
    return powers


@lru_cache(maxsize=256)
def exp_bounds(x: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ e^x · 2^bits ≤ high and high − low ≤ 1.

    They are equal only for x = 0: e^x of any other rational is irrational (Lindemann), so a
    precision at which two neighboring integers enclose it always exists and is found.
    """
    if x == 0:
        return fixed_point(Fraction(1), bits)
    if -x >= max(bits, 0):
        # e^x < 2^x ≤ 2^-bits: nothing of it is seen at this precision.
        return 0, 1
    if abs(x) > _LARGEST_EXPONENT:
        raise ParameterError(
            f"epsilon, or epsilon times a distance or a difference of qualities, is "
            f"{show(abs(x))}; it must be at most {_LARGEST_EXPONENT:,}. An epsilon that large "
            "promises nothing; use a smaller one (0.1 to 10 is common). If the sensitivity is that "
            "small compared to the differences between qualities, check that it is right."
        )
    guard = 16
    while True:
        low, high, precision = _exp_raw(x, bits + guard)
        low, high = _shift(low, high, bits - precision)
        if high - low <= 1:
            return low, high
        guard *= 2


def _shift(low: int, high: int, by: int) -> Bounds:
    """Multiply bounds by 2^by, outwards."""
    if by >= 0:
        return low << by, high << by
    return low >> -by, -((-high) >> -by)


def _exp_raw(x: Fraction, bits: int) -> tuple[int, int, int]:
    """Bound e^x at about `bits` fractional bits; also return the precision used."""
    # e^x = (e^(x/2^s))^(2^s) with |x|/2^s ≤ 2^-8: few terms, and each squaring loses one bit.
    # About as many squarings as terms, the square root of the bits, is quickest for both.
    size = max(0, abs(x.numerator).bit_length() - x.denominator.bit_length() + 1)
    squarings = size + 8 + isqrt(max(bits, 1))
    growth = int(abs(x) * 3 / 2) + 2 if x > 0 else 2
    work = max(bits, 1) + 2 * squarings + growth + 16
    small_low, small_high = fixed_point(x / (1 << squarings), work)
    low, high = _taylor(small_low, work)[0], _taylor(small_high, work)[1]
    for _ in range(squarings):
        low = (low * low) >> work
        high = -((-high * high) >> work)
    return low, high, work


def _taylor(t: int, work: int) -> Bounds:
    """Bound e^(t/2^work) for |t| ≤ 2^(work−8) by its series with an explicit remainder."""
    one = 1 << work
    low = high = one
    term_low = term_high = one
    index = 0
    while term_low or term_high:
        index += 1
        products = (term_low * t, term_high * t)
        # Shifting first rounds the same way and is far quicker than dividing by a long number.
        term_low = (min(products) >> work) // index
        term_high = -((-max(products) >> work) // index)
        low += term_low
        high += term_high
        if term_low >= -1 and term_high <= 1:
            break
    # What was left out is smaller than the last term's unit, since terms shrink by 2^-8.
    return low - 1, high + 1


@lru_cache(maxsize=256)
def log_bounds(r: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ ln(r) · 2^bits ≤ high and high − low ≤ 1, for r > 0."""
    if r <= 0:
        raise ParameterError("the logarithm needs a positive number.")
    if r == 1:
        return 0, 0
    guard = 16
    while True:
        work = max(bits, 0) + guard
        low, high = _log_raw(r, work)
        low, high = _shift(low, high, bits - work)
        if high - low <= 1:
            return low, high
        guard *= 2


def _log_raw(r: Fraction, work: int) -> Bounds:
    shift = r.numerator.bit_length() - r.denominator.bit_length()
    reduced = r / Fraction(2) ** shift
    inner = work + abs(shift).bit_length() + 8
    low, high = _atanh_series((reduced - 1) / (reduced + 1), inner)
    two_low, two_high = _atanh_series(Fraction(1, 3), inner)
    if shift >= 0:
        low, high = low + shift * two_low, high + shift * two_high
    else:
        low, high = low + shift * two_high, high + shift * two_low
    return _shift(low, high, work - inner)


def _atanh_series(z: Fraction, work: int) -> Bounds:
    """Bound 2·atanh(z) = ln((1+z)/(1−z)) for |z| ≤ 1/3 at `work` bits."""
    # z stays a fixed-point number: a fraction with a long denominator would grow at each power.
    z_low, z_high = fixed_point(abs(z), work)
    low = high = 0
    power_low, power_high, index = z_low, z_high, 1
    square_low = (z_low * z_low) >> work
    square_high = -((-z_high * z_high) >> work)
    while power_high > 1:
        low += power_low // index
        high += -(-power_high // index)
        power_low = (power_low * square_low) >> work
        power_high = -((-power_high * square_high) >> work)
        index += 2
    # The rest is below Σ 9^-i of the last power, itself at most one unit: two units cover it.
    low, high = 2 * low, 2 * (high + 2)
    return (low, high) if z >= 0 else (-high, -low)


def sqrt_bounds(value: Fraction, bits: int) -> Bounds:
    """Return integers with low ≤ √value · 2^bits ≤ high and high − low ≤ 1, for value ≥ 0.

    They are equal exactly when √value is a multiple of 2^-bits.
    """
    if value < 0:
        raise ParameterError("the square root needs a number of at least 0.")
    numerator, denominator = value.numerator, value.denominator
    if bits >= 0:
        numerator <<= 2 * bits
    else:
        denominator <<= -2 * bits
    # The floor of a root is the floor of the root of the floor.
    low = isqrt(numerator // denominator)
    return low, low + (low * low * denominator != numerator)
