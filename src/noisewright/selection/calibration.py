"""Use all of the budget: the largest factor at which a mechanism is still private.

The usual factor ε / (2Δ) assumes the worst about a quality that nobody knows. Where all possible
qualities are known, what a factor really costs can be worked out, and the factor raised until
it costs ε. Doubles propose the factor; the table is then proven in integers.

Where only a range is stated, the worst case has a closed form. Let k candidates have qualities
anywhere in [low, high], each of which one person moves by at most Δ ≤ high − low. The ratio
P(y|x')/P(y|x) = e^(f d_y) / Σ_z P(z|x) e^(f d_z) is largest when y rises from low by Δ while all
others fall from high by Δ (they stay, if the quality is monotonic):

    ratio = a / (p a + 1 − p),   a = e^(2fΔ), or e^(fΔ) if monotonic,
    p = 1 / (1 + (k−1) e^(f(high−low))),

since it falls with p and p is the least probability that there is; it grows with f.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import NotPrivateError, ParameterError
from noisewright.exact import Epsilon, exp_bounds
from noisewright.spaces import Space

_HALVINGS = 52
"""A factor is found to a relative 2^-52, then proven."""

_AT_ONCE = 1 << 20
"""Entries of pairs that are compared together, in doubles."""

_BITS = 192

Logs = Callable[[float], NDArray[np.float64]]


def proven_factor(
    logs: Logs,
    space: Space,
    epsilon: float,
    *,
    start: float,
    table_at: Callable[[Fraction], Any],
    holds: Callable[[Any], bool],
) -> Any:
    """Return the proven table of the largest factor found; `start` is known to be private.

    Ensures: no larger factor up to a relative 2^-24 was found by bisection. Costs need not grow
    with the factor everywhere, so another interval of private factors may lie above.
    """
    factor = _bisected(logs, space, epsilon, start)
    # Doubles proposed; a hair less leaves room for their rounding and for that of the table.
    for shrink in (46, 40, 32, 24):
        table = table_at(Fraction(factor) * (1 - Fraction(1, 1 << shrink)))
        if holds(table):
            return table
    raise NotPrivateError(
        "no factor of this quality could be proven beyond the usual one. Leave calibrated out."
    )


def _bisected(logs: Logs, space: Space, epsilon: float, start: float) -> float:
    pairs = space.neighbor_codes()
    allowed = np.array([epsilon * float(space.neighbor_distance(a, b)) for a, b in pairs.tolist()])
    low, high = start, 2 * start
    while _seems_private(logs(high), pairs, allowed):
        low, high = high, 2 * high
        if high > start * 1e6:
            raise ParameterError(
                "every factor seems to be private, so there is no largest one: neighbors choose "
                "alike. Leave calibrated out."
            )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if _seems_private(logs(middle), pairs, allowed):
            low = middle
        else:
            high = middle
    return low


def _seems_private(
    logs: NDArray[np.float64], pairs: NDArray[np.intp], allowed: NDArray[np.float64]
) -> bool:
    step = max(1, _AT_ONCE // logs.shape[1])
    for start in range(0, len(pairs), step):
        part = pairs[start : start + step]
        apart = np.abs(logs[part[:, 0]] - logs[part[:, 1]]).max(axis=1)
        if (apart > allowed[start : start + step]).any():
            return False
    return True


def factor_for_range(
    epsilon: Epsilon,
    *,
    candidates: int,
    width: Fraction,
    sensitivity: Fraction,
    monotonic: bool,
) -> Fraction:
    """Return the largest factor, to a relative 2^-52, for qualities in a range of this width.

    Requires: at least two candidates; width ≥ 0; sensitivity > 0.
    Ensures: the exponential mechanism with the factor is ε-private for all datasets and neighbors
    with qualities in the range (the formula above, bounded in exact arithmetic).
    """
    change = min(sensitivity, width)
    if change == 0:
        raise ParameterError("the range of the quality is empty, so there is nothing to choose.")
    both = change if monotonic else 2 * change

    def within(factor: Fraction) -> bool:
        odds = (candidates - 1) * Fraction(exp_bounds(factor * width, _BITS)[1], 1 << _BITS)
        least = 1 / (1 + odds)
        ratio = 1 / (
            least + (1 - least) * Fraction(exp_bounds(-factor * both, _BITS)[0], 1 << _BITS)
        )
        # `least` is a bound from below and e^-x too, so this ratio is one from above.
        return epsilon.sign(ratio.numerator, ratio.denominator) <= 0

    rational = Fraction(epsilon.bounds(_BITS)[0], 1 << _BITS)
    low = rational / both
    high = 2 * low
    while within(high):
        low, high = high, 2 * high
        if high * change > 1 << 20:
            raise ParameterError(
                "every factor is private, so there is no largest one: the range is too narrow for "
                "anything to be at stake."
            )
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low
