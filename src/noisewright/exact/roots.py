"""The square root of a rational, bounded from both sides."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from noisewright.errors import ParameterError
from noisewright.exact.bounds import Bounds


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
