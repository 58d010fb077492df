"""The privacy of mechanisms on sets, from their formula: any number of items."""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Epsilon, ceiling_float
from noisewright.mechanisms import SetMechanism

_FIRST_BITS = 192


def sets_tight_epsilon(mechanism: SetMechanism, delta: Fraction) -> float:
    """Return the least ε at δ, rounded up."""
    if delta:
        return _with_delta(mechanism, delta)
    bits = _FIRST_BITS
    while True:
        low, high = mechanism.tight_bounds(bits)
        below = ceiling_float(Fraction(low, 1 << bits))
        if below == ceiling_float(Fraction(high, 1 << bits)):
            return below
        bits *= 2


def _with_delta(mechanism: SetMechanism, delta: Fraction) -> float:
    """An event with P > δ needs e^ε ≥ (P − δ)/Q; the largest of these is enough for all."""
    bits = _FIRST_BITS
    while True:
        least = most = Fraction(1)
        spare = delta * (1 << bits)
        for first_low, first_high, second_low, second_high in mechanism.tails(bits):
            if first_low > spare:
                least = max(least, (first_low - spare) / second_high)
            if first_high > spare:
                # Not known to be possible on the second set: more bits will tell.
                most = max(most, (first_high - spare) / max(second_low, Fraction(1, 1 << bits)))
        below, above = Epsilon.log(least).ceiling(), Epsilon.log(most).ceiling()
        if below == above:
            return above
        bits *= 2


def sets_tight_delta(mechanism: SetMechanism, epsilon: Epsilon) -> float:
    """Return the least δ at ε, rounded up."""
    bits = _FIRST_BITS
    while True:
        needed = mechanism.delta_bounds(epsilon, bits)
        if ceiling_float(needed.low) == ceiling_float(needed.high):
            return ceiling_float(needed.high)
        # What is far below any double that matters is rounded up to one that still is.
        if needed.low == 0 and sets_within(mechanism, epsilon):
            return 0.0
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
