"""The privacy of mechanisms on sets, from their formula: any number of items."""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Enclosure, Epsilon, refine, refined_ceiling
from noisewright.mechanisms import SetMechanism


def sets_tight_epsilon(mechanism: SetMechanism, delta: Fraction) -> float:
    """Return the least ε at δ, rounded up."""
    if delta:
        return _with_delta(mechanism, delta)
    return refined_ceiling(lambda bits: Enclosure.over(mechanism.tight_bounds(bits), bits))


def _with_delta(mechanism: SetMechanism, delta: Fraction) -> float:
    """An event with P > δ needs e^ε ≥ (P − δ)/Q; the largest of these is enough for all."""

    def settle(bits: int) -> float | None:
        least = most = Fraction(1)
        spare = delta * (1 << bits)
        for first_low, first_high, second_low, second_high in mechanism.tails(bits):
            if first_low > spare:
                least = max(least, (first_low - spare) / second_high)
            if first_high > spare:
                # Not known to be possible on the second set: more bits will tell.
                most = max(most, (first_high - spare) / max(second_low, Fraction(1, 1 << bits)))
        below, above = Epsilon.log(least).ceiling(), Epsilon.log(most).ceiling()
        return above if below == above else None

    return refine(settle)


def sets_tight_delta(mechanism: SetMechanism, epsilon: Epsilon) -> float:
    """Return the least δ at ε, rounded up."""

    def enclose(bits: int) -> Enclosure:
        needed = mechanism.delta_bounds(epsilon, bits)
        is_nothing = needed.low == 0 < needed.high and sets_within(mechanism, epsilon)
        return Enclosure.point(0) if is_nothing else needed

    return refined_ceiling(enclose)


def sets_within(mechanism: SetMechanism, epsilon: Epsilon) -> bool:
    """Tell exactly whether the mechanism is ε-private.

    Its least ε is the logarithm of a rational, so it never equals a rational ε but 0, and bounds
    settle it; another logarithm is compared as a rational.
    """
    if epsilon.power is not None:
        return mechanism.tight_ratio() <= epsilon.power

    def settle(bits: int) -> bool | None:
        low, high = mechanism.tight_bounds(bits)
        least, most = epsilon.bounds(bits)
        if high <= least:
            return True
        return False if low > most else None

    return refine(settle)
