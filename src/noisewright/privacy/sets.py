"""The privacy of mechanisms on sets, from their formula: any number of items, at δ = 0."""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Epsilon, ceiling_float
from noisewright.mechanisms import SetMechanism

_FIRST_BITS = 192


def sets_tight_epsilon(mechanism: SetMechanism) -> float:
    """Return the least ε at δ = 0, rounded up."""
    bits = _FIRST_BITS
    while True:
        low, high = mechanism.tight_bounds(bits)
        below = ceiling_float(Fraction(low, 1 << bits))
        if below == ceiling_float(Fraction(high, 1 << bits)):
            return below
        bits *= 2


def sets_within(mechanism: SetMechanism, epsilon: Epsilon) -> bool:
    """Tell exactly whether the mechanism is ε-private.

    Its least ε is the logarithm of a rational, so it never equals a rational ε but 0, and bounds
    settle it; another logarithm is compared as a rational.
    """
    if epsilon.ratio is not None or epsilon.is_zero:
        return mechanism.tight_ratio() <= (epsilon.ratio or 1)
    bits = _FIRST_BITS
    while True:
        low, high = mechanism.tight_bounds(bits)
        least, most = epsilon.bounds(bits)
        if high <= least:
            return True
        if low > most:
            return False
        bits *= 2
