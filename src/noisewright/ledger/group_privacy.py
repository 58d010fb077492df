"""What is promised for several steps, when something is promised for one."""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Epsilon
from noisewright.mechanisms import Guarantee

_BITS = 192
_EXACT_ROWS = 1 << 10
"""For more rows of a person the sum of powers is bounded by its largest term."""


def group_privacy(one: Guarantee, rows: int, *, adds_up: bool) -> Guarantee:
    """Return what holds for so many steps, such as replaced rows, when `one` holds for each.

    Ensures: rounded up where it is rounded; δ = 1 says that nothing is promised.
    """
    if rows == 1:
        return one
    factor = Fraction(rows) if adds_up else delta_factor(one.epsilon, rows, one.delta)
    return Guarantee(one.epsilon.times(rows), min(Fraction(1), one.delta * factor))


def delta_factor(epsilon: Epsilon, rows: int, delta: Fraction) -> Fraction:
    """Return Σ e^iε over i < rows, or a little more; at least 1/δ where it is larger than that."""
    enough = 1 / delta
    low = epsilon.bounds(_BITS)[0] / 2**_BITS
    # The sum is at least `rows`, and more than 2^(rows − 1)ε: no large power is worked out.
    if rows >= enough or (rows - 1) * low > enough.numerator.bit_length():
        return enough
    above = Fraction(epsilon.ratio_bounds(_BITS)[1], 1 << _BITS)
    if rows > _EXACT_ROWS:
        last = epsilon.times(rows - 1)
        return rows * Fraction(last.ratio_bounds(_BITS)[1], 1 << _BITS)
    return Fraction(rows) if above == 1 else (above**rows - 1) / (above - 1)
