"""The exact privacy curve of discrete Laplace noise, and the scale that a budget allows.

    λ      the decay per step; α = e^-λ, so P(Z = z) = (1 − α)/(1 + α) · α^|z|
    t      how many steps apart two inputs are
    i      the half line of all outputs up to i steps above the lower input

With the inputs j and j + t the loss of an output falls from tλ to −tλ as the output grows, so
half lines decide: P = 1 − α^(i+1)/(1+α) and Q = α^(t−i)/(1+α) for 0 ≤ i < t, and

    δ(ε) = max over i of 1 − (α^(i+1) + e^ε α^(t−i))/(1+α)      (0 if tλ ≤ ε).

The sum of two exponentials is convex in i, so the best whole i is next to the best real one,
(t − 1 − ε/λ)/2. Solved for ε at a given δ, with x = α^i,

    e^ε = max over i of α^-t ((1−δ)(1+α) x − α x²):

concave in x, so again the best i is next to the best real one. δ grows with t (Q shrinks), and
falls as α grows (noise of a larger α is noise of a smaller one plus more noise). As the step
goes to 0 this becomes δ = 1 − e^((ε − diam/b)/2), so b = diam/(ε − 2 ln(1−δ)) is exact;
Holohan–Leith–Mason 2015, Example 5 has the sufficient b = diam/(ε − ln(1−δ)).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from noisewright.errors import ParameterError
from noisewright.exact import (
    Enclosure,
    Epsilon,
    Number,
    ceiling_float,
    exactly,
    halve,
    log_bounds,
    refined_ceiling,
)
from noisewright.given import one_of
from noisewright.mechanisms.guarantee import Guarantee, read_delta, require_dependence
from noisewright.public import public

Rule = Literal["exact", "paper"]
_RULES = ("exact", "paper")

_BITS = 192
_PRECISION = 60
"""The largest decay is found to a relative 2^-60, and always from below."""


def power_of_alpha(decay: Epsilon, times: int, bits: int) -> Enclosure:
    """Enclose α^times."""
    if decay.ratio is not None or times == 0:
        return Enclosure.point(1 / (decay.ratio or Fraction(1)) ** times)
    if decay.rational * times >= bits:
        # e^-x < 2^-x: too small to see at this precision.
        return Enclosure(Fraction(0), Fraction(1, 1 << bits))
    return Enclosure.over(decay.alpha_bounds(bits, times=times), bits)


def laplace_delta(decay: Epsilon, reach: int, epsilon: Epsilon, bits: int) -> Enclosure:
    """Enclose the least δ at ε for inputs `reach` steps apart."""
    if decay.times(reach) <= epsilon:
        return Enclosure.point(0)
    alpha = power_of_alpha(decay, 1, bits)
    ratio = epsilon.power_enclosure(bits)
    best = Enclosure.point(0)
    for i in _best_half_lines(decay, reach, epsilon, bits):
        delta = Enclosure.point(1) - _missing_mass(decay, reach, i, ratio, bits) / (alpha + 1)
        best = Enclosure(max(best.low, delta.low), max(best.high, delta.high))
    return best


def _missing_mass(decay: Epsilon, reach: int, i: int, ratio: Enclosure, bits: int) -> Enclosure:
    """Enclose α^(i+1) + e^ε α^(t−i)."""
    near = power_of_alpha(decay, i + 1, bits)
    return near + ratio * power_of_alpha(decay, reach - i, bits)


def best_half_line(decay: Epsilon, reach: int, epsilon: Epsilon) -> int:
    """Return the i whose half line has the largest δ at ε (of two that tie, either)."""
    ratio = epsilon.power_enclosure(_BITS)
    lines = _best_half_lines(decay, reach, epsilon, _BITS)
    return min(lines, key=lambda i: _missing_mass(decay, reach, i, ratio, _BITS).low)


def _best_half_lines(decay: Epsilon, reach: int, epsilon: Epsilon, bits: int) -> range:
    """Return the whole numbers next to (t − 1 − ε/λ)/2, kept within 0..t−1."""
    share = _enclose(epsilon, bits) / _enclose(decay, bits)
    lowest = math.floor((reach - 1 - share.high) / 2)
    highest = math.ceil((reach - 1 - share.low) / 2)
    return _kept_range(lowest, highest, reach)


def _enclose(number: Epsilon, bits: int) -> Enclosure:
    if number.ratio is None:
        return Enclosure.point(number.rational)
    return Enclosure.of(number, bits)


def enclose_log(value: Enclosure, bits: int) -> Enclosure:
    """Enclose the logarithm of a positive number."""
    low, high = log_bounds(value.low, bits)[0], log_bounds(value.high, bits)[1]
    return Enclosure.over((low, high), bits)


def _kept_range(lowest: int, highest: int, reach: int) -> range:
    return range(min(max(lowest, 0), reach - 1), min(max(highest, 0), reach - 1) + 1)


def laplace_epsilon(decay: Epsilon, reach: int, delta: Fraction, bits: int) -> Enclosure | None:
    """Enclose the least ε at δ for inputs `reach` steps apart; None if the bits are too few."""
    if delta == 0:
        return _enclose(decay.times(reach), bits)
    if delta == 1:
        return Enclosure.point(0)
    alpha = power_of_alpha(decay, 1, bits)
    if alpha.low <= 0:
        return None
    spread = (alpha + 1) * (1 - delta)
    peak = spread / (alpha * 2)
    if peak.low >= 1:
        candidates = range(1)
    else:
        place = -enclose_log(peak, bits) / _enclose(decay, bits)
        candidates = _kept_range(math.floor(place.low), math.ceil(place.high), reach)
    best = Enclosure.point(0)
    for i in candidates:
        rest = spread - power_of_alpha(decay, i + 1, bits)
        if rest.high <= 0:
            continue
        if rest.low <= 0:
            return None
        epsilon = _enclose(decay, bits) * (reach - i) + enclose_log(rest, bits)
        best = Enclosure(max(best.low, epsilon.low), max(best.high, epsilon.high))
    return best


def laplace_decay(guarantee: Guarantee, reach: int, rule: Rule) -> Epsilon:
    """Return the largest decay (the smallest scale) that a budget allows over `reach` steps.

    Ensures: the budget holds, proven by outward rounding; under the rule "exact" no decay
    larger by more than a relative 2^-56 keeps it. "paper": λ = (ε − ln(1−δ))/t.
    """
    epsilon, delta = guarantee.epsilon, guarantee.delta
    one_of(rule, _RULES, name="scale")
    require_dependence(guarantee, most=True)
    if delta == 0 and (epsilon.ratio is None or reach == 1):
        return epsilon if reach == 1 else Epsilon(rational=epsilon.rational / reach)
    low = Fraction(epsilon.bounds(_BITS)[0] - log_bounds(1 - delta, _BITS)[1], 1 << _BITS)
    start = _short(low / reach)
    if delta == 0 or rule == "paper":
        return Epsilon(rational=start)
    return Epsilon(rational=_largest(guarantee, reach, start))


def _largest(guarantee: Guarantee, reach: int, start: Fraction) -> Fraction:
    """Search between a decay that holds and one that does not."""
    holds, breaks = start, start * 2
    while _holds(guarantee, reach, breaks):
        holds, breaks = breaks, breaks * 2
    kept = halve(holds, breaks, lambda decay: _holds(guarantee, reach, decay), times=_PRECISION)
    return _short(kept[0])


def _holds(guarantee: Guarantee, reach: int, decay: Fraction) -> bool:
    needed = laplace_delta(Epsilon(rational=decay), reach, guarantee.epsilon, _BITS)
    return needed.high <= guarantee.delta


def _short(value: Fraction) -> Fraction:
    """Round down to 64 significant bits, so that certificates stay short."""
    shift = value.denominator.bit_length() - value.numerator.bit_length() + 64
    scale = Fraction(2) ** shift
    return Fraction(math.floor(value * scale)) / scale


@public
def laplace_scale(
    diameter: Number,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    rule: Rule = "exact",
) -> float:
    """Return the scale b of continuous Laplace noise on a set of this diameter.

    Ensures: rule="exact": b = diam/(ε − 2 ln(1−δ)), the smallest that is (ε, δ)-private;
    rule="paper": b = diam/(ε − ln(1−δ)), which is sufficient and has in truth the smaller
    δ' = 1 − √(1−δ). Rounded up. It is for comparison: `laplace` draws discrete noise.
    Source: Holohan–Leith–Mason 2015, Example 5 (the paper's), sharpened.
    """
    width = exactly(diameter, name="diameter")
    if width <= 0:
        raise ParameterError(f"diameter is {diameter}; it must be positive.")
    one_of(rule, _RULES, name="rule")
    read, spare = Epsilon.of(epsilon, alpha=alpha), read_delta(delta)
    if spare == 1:
        return 0.0
    if read.is_zero and spare == 0:
        return math.inf
    if read.ratio is None and spare == 0:
        # The only case in which b is rational, and may be a double: no bounds would ever agree.
        return ceiling_float(width / read.rational)
    factor = 2 if rule == "exact" else 1

    def enclose(bits: int) -> Enclosure | None:
        parts = Enclosure.of(read, bits) - enclose_log(Enclosure.point(1 - spare), bits) * factor
        return Enclosure.point(width) / parts if parts.low > 0 else None

    return refined_ceiling(enclose)
