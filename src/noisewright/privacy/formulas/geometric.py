"""The privacy curve of the geometric mechanism from its formula, for any n.

For counts j and j + 1 every output up to j has the ratio 1/α and every other the ratio α, and
P(output ≤ j | j) = 1/(1+α). So δ(ε') = max(0, (1 − e^ε' α)/(1 + α)) whatever j and n are:
the mechanism is as private as binary randomized response with the same ε.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.exact import Enclosure, Epsilon, ceiling_float, log_bounds
from noisewright.mechanisms import Guarantee


def _ratio(epsilon: Epsilon, bits: int) -> Enclosure:
    """Enclose e^ε; a rational is its own enclosure, or ties with it could never be settled."""
    if epsilon.ratio is not None or epsilon.is_zero:
        return Enclosure.point(epsilon.ratio or 1)
    low, high = epsilon.ratio_bounds(bits)
    return Enclosure(Fraction(low, 1 << bits), Fraction(high, 1 << bits))


def _alpha(epsilon: Epsilon, bits: int) -> Enclosure:
    """Enclose e^-ε."""
    if epsilon.ratio is not None or epsilon.is_zero:
        return Enclosure.point(1 / (epsilon.ratio or Fraction(1)))
    low, high = epsilon.alpha_bounds(bits)
    return Enclosure(Fraction(low, 1 << bits), Fraction(high, 1 << bits))


def geometric_delta(parameter: Epsilon, epsilon: Epsilon, bits: int) -> Enclosure:
    """Enclose the least δ at ε of the geometric mechanism with this parameter."""
    if parameter <= epsilon:
        return Enclosure.point(0)
    alpha = _alpha(parameter, bits)
    ratio = _ratio(epsilon, bits)
    delta = (Enclosure.point(1) - ratio * alpha) / (alpha + 1)
    return Enclosure(max(Fraction(0), delta.low), max(Fraction(0), delta.high))


def geometric_needs_more(parameter: Epsilon, guarantee: Guarantee) -> bool:
    """Tell exactly whether the geometric mechanism breaks a guarantee.

    The refinement ends: 1, e^-parameter and e^(ε−parameter) are linearly independent over the
    rationals (Lindemann–Weierstrass) unless the numbers are rational, and then they are exact.
    """
    bits = 192
    while True:
        delta = geometric_delta(parameter, guarantee.epsilon, bits)
        if delta.high <= guarantee.delta:
            return False
        if delta.low > guarantee.delta:
            return True
        bits *= 2


def geometric_tight_delta(parameter: Epsilon, epsilon: Epsilon) -> float:
    """Return the least δ at ε, rounded up."""
    bits = 192
    while True:
        delta = geometric_delta(parameter, epsilon, bits)
        if ceiling_float(delta.low) == ceiling_float(delta.high):
            return ceiling_float(delta.high)
        bits *= 2


def geometric_tight_epsilon(parameter: Epsilon, delta: Fraction) -> float:
    """Return the least ε at δ: e^ε = (1 − δ)/α − δ, rounded up."""
    if delta == 0:
        return parameter.ceiling()
    bits = 192
    while True:
        ratio = _ratio(parameter, bits) * (1 - delta) - delta
        if ratio.high <= 1:
            return 0.0
        if ratio.low >= 1:
            low, high = log_bounds(ratio.low, bits), log_bounds(ratio.high, bits)
            below = ceiling_float(Fraction(low[0], 1 << bits))
            above = ceiling_float(Fraction(high[1], 1 << bits))
            if below == above:
                return above
        bits *= 2
