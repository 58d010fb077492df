"""Use all of the budget: the largest factor at which a mechanism is still private.

The usual factor ε / (2Δ) assumes the worst about a quality that nobody knows. Where all possible
qualities are known, what a factor really costs can be worked out, and the factor raised until
it costs ε. `largest_factor` does that: doubles propose, and the table is then proven in integers.

Where only a range is stated, the worst case has a closed form. Let k candidates have qualities
anywhere in [low, high], each of which one person moves by at most Δ ≤ high − low. The ratio
P(y|x')/P(y|x) = e^(f d_y) / Σ_z P(z|x) e^(f d_z) is largest when y rises from low by Δ while all
others fall from high by Δ (they stay, if the quality is monotonic):

    ratio = a / (p a + 1 − p),   a = e^(2fΔ), or e^(fΔ) if monotonic,
    p = 1 / (1 + (k−1) e^(f(high−low))),

since it falls with p and p is the least probability that there is; it grows with f. Such datasets
exist, so no larger factor is private for all of them. With a base measure k is the sum of the
weights over the least one, rounded up. Permute-and-flip has nothing to gain from a range of 2Δ or
more: if y is at the bottom and all others at the top, its ratio is a.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Epsilon, exp_bounds, halve
from noisewright.selection.certificate import LARGEST, QualitySensitivity, rational_below

_HALVINGS = 52
"""A factor is found to a relative 2^-52."""

_ROOM = 1 - Fraction(1, 1 << 56)
"""What a factor may cost of ε: the rest is for rounded weights (`mechanisms/quality/powers.py`)."""

_BITS = 192

_FAR = 64
"""ExponentialLaw further apart than e^64 are compared by their exponents."""


def factor_for_range(epsilon: Epsilon, known: QualitySensitivity, *, candidates: int) -> Fraction:
    """Return the largest factor, to a relative 2^-52, for qualities in a range of known width.

    Requires: at least two candidates; a width and a change above 0.
    Ensures: the exponential mechanism with the factor is ε-private for all datasets and neighbors
    with qualities in the range (the formula above, bounded in exact arithmetic), with some room
    left; at least the usual factor, whose cost is linear in it, and which is all there is where
    exponents are beyond what the checker of certificates works out.
    """
    assert known.width is not None
    width = known.width
    both = min(known.spread, width if known.one_way else 2 * width)
    least = min(width, both)
    others = candidates - 1
    whole = rational_below(epsilon)
    rational = whole * _ROOM

    def within(factor: Fraction) -> bool:
        # With u = e^(-f width) / (k−1) the ratio is (1 + u) / (u + 1/a); both sides of
        # ratio ≤ e^ε are multiplied by e^(-f least), so that no power is too small to see.
        if factor * (width + both) + whole > LARGEST:
            return False  # the checker of certificates goes no further
        room = rational - factor * least
        if abs(room) > _FAR + others.bit_length():
            return room > 0
        above = 1 + _power(-factor * width)[1] / others
        below = _power(factor * (least - width))[0] / others + _power(factor * (least - both))[0]
        return _power(room)[0] * below >= above

    low = rational / both
    high = 2 * low
    while within(high):
        low, high = high, 2 * high
    return max(halve(low, high, within, times=_HALVINGS)[0], whole / both)


def _power(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Return rationals between which e^exponent lies."""
    if exponent < -_BITS:
        return Fraction(0), Fraction(1, 1 << _BITS)
    low, high = exp_bounds(exponent, _BITS)
    return Fraction(low, 1 << _BITS), Fraction(high, 1 << _BITS)
