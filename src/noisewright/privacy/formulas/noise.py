"""The privacy of noise added to numbers, from its closed form; see `mechanisms/noise`.

The geometric mechanism on counts is such noise: outputs of adjacent counts have the ratio 1/α or α,
so with one step it is as private as binary randomized response with the same ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import InputError
from noisewright.exact import Enclosure, Epsilon, refined_ceiling, refined_excess
from noisewright.mechanisms import Additive, Geometric, Guarantee, Laplace, Staircase
from noisewright.privacy.composition.pairs import Pair
from noisewright.spaces import Interval, Pairs

_ALPHA_BITS = 80


def noise_needs_more(mechanism: Additive, guarantee: Guarantee) -> bool:
    """Tell exactly whether added noise breaks a guarantee.

    The refinement ends: a tie would be a linear relation with rational coefficients between
    powers of e with different rational exponents (Lindemann–Weierstrass).
    """
    if mechanism.pure_epsilon(mechanism.reach) <= guarantee.epsilon:
        return False
    _require_curve(mechanism)
    return refined_excess(
        lambda bits: mechanism.delta_enclosure(guarantee.epsilon, bits), guarantee.delta
    )


def _require_curve(mechanism: Additive) -> None:
    """Refuse stairs that are not as wide as neighbors are apart: their least ε is not known."""
    if isinstance(mechanism, Staircase) and not mechanism.is_tight:
        raise InputError(
            f"this cannot be decided for {mechanism!r}: its stairs are {mechanism.width} steps "
            f"wide and neighbors up to {mechanism.reach} apart. Proven is {mechanism.claim} "
            f"{mechanism.space.unit}."
        )


def as_noise(mechanism: Geometric | Additive) -> Additive:
    """Return noise on numbers; the geometric mechanism is Laplace noise, truncated."""
    if isinstance(mechanism, Additive):
        return mechanism
    counts = Interval(0, mechanism.space.n, step=1, neighbors=mechanism.space.neighbors)
    if mechanism.epsilon.ratio is not None and mechanism.reach > 1:
        raise InputError(
            f"with a delta this cannot be decided for {mechanism!r}: its epsilon for each step is "
            "the logarithm of a rational. Ask at delta=0, or ask its .table()."
        )
    return Laplace(counts, mechanism.epsilon, "truncated")


def noise_tight_delta(mechanism: Additive, epsilon: Epsilon) -> float:
    """Return the least δ at ε, rounded up."""
    _require_curve(mechanism)
    return refined_ceiling(lambda bits: mechanism.delta_enclosure(epsilon, bits))


def noise_tight_epsilon(mechanism: Additive, delta: Fraction) -> float:
    """Return the least ε at δ, rounded up."""
    _require_curve(mechanism)
    if delta == 0:
        return mechanism.pure_epsilon(mechanism.reach).ceiling()
    if isinstance(mechanism, Laplace) and mechanism.decay.ratio is not None:
        # One step with a rational α has the rational e^ε = (1 − δ)/α − δ, and may tie with 1.
        power = mechanism.decay.ratio * (1 - delta) - delta
        return Epsilon.log(max(power, Fraction(1))).ceiling()

    def enclose(bits: int) -> Enclosure | None:
        epsilon = mechanism.epsilon_enclosure(delta, bits)
        return None if epsilon is None else epsilon.or_more(0)

    return refined_ceiling(enclose)


@dataclass(frozen=True)
class HalfLine:
    """All outputs up to a number: the events that tell two numbers with noise apart best."""

    upto: float

    def __contains__(self, output: Any) -> bool:
        return output <= self.upto

    def __repr__(self) -> str:
        return f"everything up to {self.upto:g}"


def telling_half_line(
    mechanism: Additive, epsilon: Epsilon
) -> tuple[int, int, HalfLine, Fraction, Fraction]:
    """Return two neighboring codes, the event that tells them apart best, and its probabilities.

    These are rounded to 2^-128.
    """
    reach, space = mechanism.reach, mechanism.space
    first = 0
    if isinstance(space.neighbors, Pairs):
        first = next(a for a, b in space.neighbors.pairs if b - a == reach)
    above = mechanism.half_line(epsilon)
    p, q = mechanism.cumulative(above, 160), mechanism.cumulative(above - reach, 160)
    upto = mechanism.outputs.point(first + above)
    return first, first + reach, HalfLine(upto), _middle(p), _middle(q)


def _middle(value: Enclosure) -> Fraction:
    return Fraction(math.floor((value.low + value.high) / 2 * (1 << 128)), 1 << 128)


def laplace_pairs(decay: Epsilon, reach: int) -> tuple[Pair, Pair]:
    """Return pairs just below and just above that of two inputs `reach` steps apart.

    Outputs up to the lower input have one ratio and so do those from the upper one on, so the
    pair is that of noise clamped to the steps between. With a larger α it is dominated, with a
    smaller one it dominates (more noise is post-processing); both α are short rationals.
    """
    low, high = decay.alpha_bounds(_ALPHA_BITS)
    one = 1 << _ALPHA_BITS
    return _clamped_pair(high, one, reach), _clamped_pair(low, one, reach)


def _clamped_pair(alpha: int, one: int, reach: int) -> Pair:
    """Return the masses (1−α)α^i inside and α^i at the ends, over 1 + α; α = alpha/one."""
    powers = [alpha**i * one ** (reach - i) for i in range(reach + 1)]
    ahead = [one * powers[0], *((one - alpha) * p for p in powers[1:reach]), one * powers[reach]]
    masses = list(zip(ahead, reversed(ahead), strict=True))
    return Pair.of(masses, (one + alpha) * one**reach)


def staircase_pairs(mechanism: Staircase) -> tuple[Pair, Pair]:
    """Return pairs just below and just above that of two neighbors under staircase noise.

    Three ratios: e^ε with mass A under the first input, e^-ε, and 1. The pair grows in A and in
    e^ε, so rationals on either side give one that is dominated and one that dominates.
    """
    told = mechanism.cumulative(mechanism.stairs.half_line, _ALPHA_BITS)
    told = told.round_outward(_ALPHA_BITS)
    drop = mechanism.stairs.drop(_ALPHA_BITS)
    return _three_ratios(told.low, drop.high), _three_ratios(told.high, drop.low)


def _three_ratios(told: Fraction, drop: Fraction) -> Pair:
    more, less = told, told * drop
    if more + less > 1:
        more, less = 1 / (1 + drop), drop / (1 + drop)
    rest = 1 - more - less
    total = math.lcm(more.denominator, less.denominator, rest.denominator)
    masses = [(more, less), (rest, rest), (less, more)]
    return Pair.of([(int(p * total), int(q * total)) for p, q in masses], total)
