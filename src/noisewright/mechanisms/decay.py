"""Powers of α = e^-ε as integers, with a little room so that rounding stays private.

Where α is rational, as with alpha="10/11", its powers are too, and no table needs rounding unless
it would get too long. Otherwise a table is rounded from an ideal one whose decay α' is
larger than e^-ε (less private noise would be a smaller decay) by a rounding slack: a relative 2^-56
of ε, below what a double can show. The total has enough bits that rounding moves no ratio further
than the slack. The constructors then check the result in exact arithmetic anyway.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import NoisewrightError, ParameterError
from noisewright.exact import Epsilon, Number, scale_epsilon
from noisewright.spaces import Space

_ROOM = 57
"""The decay is larger than e^-ε by the relative amount ε · 2^-57."""

_DEEPEST = 160
"""Tables deeper than 2^-160 are lifted to a floor of about 2^-128, below the first step."""

_FLOOR = 128

_SMALLEST = 1000
"""An ε below 2^-1000, about 1e-301, cannot be told from 0, and its inverse is no double."""


_LONGEST_EXACT = 1 << 12
_LARGEST_EXACT = 1 << 30
"""Bits of the total, and of all weights together, up to which a table keeps rational
probabilities exactly. Rounded totals have some 300 bits, so the largest tables take no more room
exactly than rounded."""


@dataclass(frozen=True)
class Decay:
    """How to round a table whose entries fall like α^t.

    `powers[t] / 2^scale` is about α'^t for t = 0..length, α' slightly above e^-ε. A row of the
    table sums to `total`, a power of two, and holds at least `floor` in each entry.
    """

    powers: tuple[int, ...]
    scale: int
    total: int
    floor: int

    @property
    def one(self) -> int:
        """What stands for 1 among the powers."""
        return 1 << self.scale


def positive_epsilon(
    epsilon: Number | Epsilon | None, alpha: Number | None, *, instead: str, bits: int = _SMALLEST
) -> Epsilon:
    """Read ε ≥ 2^-bits for a mechanism that has no meaning at ε = 0."""
    read = Epsilon.of(epsilon, alpha=alpha)
    if read.is_zero:
        raise ParameterError(f"epsilon is 0, so outputs may not depend on inputs at all. {instead}")
    if read.bounds(bits)[0] == 0:
        raise ParameterError(
            f"epsilon is below 2^-{bits}, so outputs hardly depend on inputs at all. {instead}"
        )
    return read


def stays_short(bits: int, *, entries: int) -> bool:
    """Tell whether a table whose total has so many bits may be kept exactly."""
    return bits <= _LONGEST_EXACT and bits * entries <= _LARGEST_EXACT


def rational_alpha(epsilon: Epsilon, *, power: int, entries: int) -> tuple[int, int] | None:
    """Return α = e^-ε as (a, b) in lowest terms; None if it is irrational or b^power too long."""
    if epsilon.ratio is None or power < 1:
        return None
    a, b = epsilon.ratio.denominator, epsilon.ratio.numerator
    return (a, b) if stays_short((b - 1).bit_length() * power, entries=entries) else None


def decay_for(epsilon: Epsilon, *, length: int, outputs: int) -> Decay:
    """Plan the rounding of a table with entries c · α^t, t ≤ length, and c ≥ (1 − α)/2.

    Ensures: −ln α' lies in [ε(1 − 2^-56), ε), and the smallest weight has so many bits that
    rounding each weight, and even sums of them, to whole numbers keeps all ratios below e^ε.
    """
    log2_inverse = bits_below_one(least(epsilon))
    depth = _log2_depth(epsilon, length) + log2_inverse + 2
    # A weight may be the sum of as many roundings as there are outputs.
    weight_bits = _ROOM + 6 + log2_inverse + outputs.bit_length()
    if depth > _DEEPEST + log2_inverse:
        lifted = _FLOOR + _log2_depth(epsilon, 1) + log2_inverse + outputs.bit_length()
        log2_total = weight_bits + lifted
        floor = 1 << weight_bits
    else:
        log2_total = weight_bits + depth + outputs.bit_length()
        floor = 0
    scale = log2_total + 32 + length.bit_length()
    alpha = _relaxed_alpha(epsilon, scale)
    powers = [1 << scale]
    for _ in range(length):
        powers.append((powers[-1] * alpha) >> scale)
    return Decay(tuple(powers), scale, 1 << log2_total, floor)


def least(epsilon: Epsilon) -> Fraction:
    """Return a rational of at most ε and, if ε ≤ 1, at least ε/2: all that planning needs."""
    # 1 − 1/r ≤ ln r
    return epsilon.rational if epsilon.ratio is None else 1 - 1 / epsilon.ratio


def bits_below_one(value: Fraction) -> int:
    """Return at least log2(1/value), rounded up, for value > 0."""
    return max(0, value.denominator.bit_length() - value.numerator.bit_length() + 1)


def _log2_depth(epsilon: Epsilon, length: int) -> int:
    """Return at least log2 of α^-length."""
    _, high = epsilon.bounds(16)
    return int(Fraction(high, 1 << 16) * length * 3 / 2) + 1


def _relaxed_alpha(epsilon: Epsilon, scale: int) -> int:
    """Return α' · 2^scale with α < α' ≤ α (1 + ε 2^-57) up to the last bits."""
    _, high = epsilon.alpha_bounds(scale)
    low_epsilon, _ = epsilon.bounds(scale)
    return high + ((high * low_epsilon) >> (scale + _ROOM))


def self_proof_failed(what: str, epsilon: Epsilon) -> NoisewrightError:
    """Return the error for a table that its own maker cannot prove."""
    return NoisewrightError(
        f"the rounded table failed its own proof {what}; please report this with epsilon={epsilon}."
    )


def require_ratios(weights: NDArray[Any], space: Space, epsilon: Epsilon) -> None:
    """Check exactly that neighboring rows of a table are within a factor of e^ε everywhere."""
    if space.neighbors == "replace":
        # Every two rows are neighbors: in each column the largest and the least decide.
        pairs = [(max(column), min(column)) for column in weights.T.tolist()]
    elif space.by_distance:
        _require_scaled_ratios(weights, space, epsilon)
        return
    else:
        codes = space.neighbor_codes()
        over = np.maximum(weights[codes[:, 0]], weights[codes[:, 1]])
        under = np.minimum(weights[codes[:, 0]], weights[codes[:, 1]])
        pairs = list(zip(over.flat, under.flat, strict=True))
    if any(epsilon.sign(p, q) > 0 for p, q in pairs):
        raise self_proof_failed("between neighbors", epsilon)


def _require_scaled_ratios(weights: NDArray[Any], space: Space, epsilon: Epsilon) -> None:
    rows = weights.tolist()
    for a, b in space.neighbor_codes().tolist():
        allowed = scale_epsilon(epsilon, space.neighbor_distance(a, b))
        for p, q in zip(rows[a], rows[b], strict=True):
            if allowed.sign(max(p, q), min(p, q)) > 0:
                raise self_proof_failed("between neighbors", epsilon)


def require_gentle(levels: list[int], epsilon: Epsilon) -> None:
    """Check exactly that each level is at most e^ε times the next, and not below it."""
    for t, (level, following) in enumerate(pairwise(levels)):
        if level < following or epsilon.sign(level, following) > 0:
            raise self_proof_failed(f"at step {t}", epsilon)
