"""Rows of integers in proportion to e^exponent, rounded so that privacy stays proven.

Two ways, for two uses. `rounded_rows` rounds all rows of a table to one total, and the table is
proven afterwards by looking through its neighbors. At the usual factor ε/(2Δ) the shrunken
exponents leave room for the rounding; a calibrated factor costs all of ε, so there the room is
what the calibration leaves of it (a relative 2^-46 of the factor, or more), and if the proof says
that this is too little, the calibration takes a smaller factor. `mixed_weights` rounds the row of
one dataset, whose neighbors nobody lists, so it is private by construction:

    N    how many candidates there are, the same for all datasets
    p    the ideal probability of a candidate: e^(f'q) / Σ e^(f'q), f' = f (1 − 2^-57)
    w    F + R p, up to two units either way; F = 2^s, R = N F 2^128 or more

Between neighbors p changes by a factor of at most e^(ε − ε 2^-57): at the usual factor because
its cost is linear in f; a factor for a range of qualities is chosen to cost no more than
ε − ε 2^-56 (`selection/calibration.py`), and a smaller one costs less. So F + R p does (mixing with
what does not depend on the data brings ratios closer to 1). Two units of w, and of the sum of
all w relative to N, change a ratio by at most (1 + 2/F)² / (1 − 2/F)² < e^(9/F), which is at most
e^(ε 2^-57) by the choice of s. The floor F costs a probability of 2^-128.

`enclosed_shares` has running sums of these weights in doubles, with a bound on their errors:

    m    a power e^-x, x = f' (best − q), f' as in `mixed_weights`; Z = Σ m is at least 1
    d    the double that stands for x: off by a relative 2^-51 (`Doubles.depths`)
    g    the double that stands for e^-d: off by a relative 2^-49, or 0 for d > 256

g is off by m (x 2^-50 + 2^-49), or by less than e^-255. The sum of m x / Z over all candidates is
at most ln N: it is H(m/Z) − ln Z, with an entropy H ≤ ln N. For N < 2^32 all sums of g / Z are
therefore within 2^-45 of those of m / Z. Adding up in rows of ⌈√N⌉, and then the rows, takes at
most 2 ⌈√N⌉ additions on the way to a sum, each with a relative rounding of 2^-53. So running sums
of g / Z are within

    η = 2^-44 + (2 ⌈√N⌉ + 4) 2^-53

of those of m / Z. The last one is, too, so dividing by it leaves 2η / (1 − η), and 2^-53 for the
division. The weights w = F + R p ± 2 have running sums within 2^-126 of those of p = m / Z,
relative to their total, since 2 N (F + 2) / R is less. All of it is less than 3η.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Doubles, even_powers, exp_bounds, falling_powers, many_powers
from noisewright.mechanisms.decay import bits_below_one

_ROOM = 57
"""The exponent is smaller than asked for by a relative 2^-57, to make room for rounding."""

SHRINK = 1 - Fraction(1, 1 << _ROOM)
"""What a factor is multiplied by before rows are rounded."""

_DEEPEST = 160
_FLOOR = 128

_DENSE = 8
"""At this many steps for each level a walk through all steps is quicker than a power each."""

_MOST_IN_DOUBLES = 1 << 32

Masses = Callable[[Sequence[Fraction], int], list[int]]
"""From exponents of at most 0 (one of them 0) and a precision to unnormalized masses."""


def powers(exponents: Sequence[Fraction], precision: int) -> list[int]:
    """Return e^exponent · 2^precision, rounded down, for exponents of at most 0."""
    # e^-t < 2^-t: what is too small to see at this precision is not worked out.
    return [exp_bounds(e, precision)[0] if -e <= precision else 0 for e in exponents]


def rounded_powers(exponents: list[list[Fraction]], epsilon: Fraction) -> tuple[Any, int]:
    """Round rows ∝ e^exponent, shrunk, to integers with one total; see `rounded_rows`."""
    return rounded_rows([[e * SHRINK for e in row] for row in exponents], epsilon, powers)


def rounded_rows(
    exponents: list[list[Fraction]],
    epsilon: Fraction,
    masses: Masses,
    *,
    more: Fraction = Fraction(0),
    copies: Sequence[int] | None = None,
) -> tuple[Any, int]:
    """Round rows of masses to integers with one total, each weight to a relative 2^-s.

    Requires: exponents that are shrunk by a relative 2^-57, so that ideal ratios stay below
    e^(ε(1 − 2^-57)); a mass is at least e^(exponent − best − more) / columns of its row. `copies`
    counts how often each column is there, which multiplies its mass.
    Ensures: s is large enough that two roundings cost less than the room. Rows much deeper than
    2^-160 are mixed with a floor of about 2^-128, which only brings ratios closer to 1.
    """
    weight_bits = _ROOM + 8 + bits_below_one(epsilon)
    each = [1] * len(exponents[0]) if copies is None else copies
    columns = sum(each)
    spread = max(max(row) - min(row) for row in exponents) + more
    depth = int(spread * 3 / 2) + 2
    floor = 0
    if depth > _DEEPEST:
        floor, depth = 1 << weight_bits, _FLOOR
    bits = weight_bits + depth + 2 * columns.bit_length()
    room = (1 << bits) - columns * floor
    weights = np.empty((len(exponents), len(each)), dtype=object)
    for x, row in enumerate(exponents):
        top = max(row)
        ideal = masses([e - top for e in row], bits + 32)
        norm = sum(times * mass for times, mass in zip(each, ideal, strict=True))
        whole = [
            times * (floor + room * mass // norm) for times, mass in zip(each, ideal, strict=True)
        ]
        whole[row.index(top)] += (1 << bits) - sum(whole)
        weights[x] = whole
    return weights, bits


def mixed_weights(
    levels: Sequence[Fraction], sizes: Sequence[int], *, factor: Fraction, epsilon: Fraction
) -> list[int]:
    """Return the integer weight of one candidate on each level of quality.

    Requires: `sizes[l]` candidates have the quality `levels[l]`; their number N does not depend
    on the data; with weights e^(factor · quality) exactly, ε would hold.
    Ensures: with P(candidate) = weight / Σ sizes · weights, ε holds (see above); probabilities
    differ from the ideal ones by a relative 2^-56 of the exponent and at most 2^-128.
    """
    count = sum(sizes)
    floor_bits = _ROOM + 4 + bits_below_one(epsilon)
    room_bits = floor_bits + _FLOOR + count.bit_length()
    precision = room_bits + 2 * count.bit_length() + 8
    ideal = _fallen(levels, factor * SHRINK, precision)
    norm = sum(size * mass for size, mass in zip(sizes, ideal, strict=True))
    return [(1 << floor_bits) + (mass << room_bits) // norm for mass in ideal]


def _fallen(levels: Sequence[Fraction], factor: Fraction, precision: int) -> list[int]:
    """Return e^(factor (level − best)) · 2^precision for each level, rounded down by at most 2."""
    top, most = max(levels), _DENSE * len(levels)
    unit = _unit(levels, most)
    if unit is None or (top - min(levels)) * unit > most:
        return many_powers(((top - level) * factor for level in levels), precision)
    # Ranks and counts: one product for each whole number of units.
    known = even_powers(factor / unit, int((top - min(levels)) * unit) + 1, precision)
    end = int(top * unit)
    return [known[end - level.numerator * (unit // level.denominator)] for level in levels]


def _unit(levels: Sequence[Fraction], most: int) -> int | None:
    """Return the least number that makes all levels whole, if it is at most this."""
    unit = 1
    for denominator in {level.denominator for level in levels}:
        unit = lcm(unit, denominator)
        if unit > most:
            return None
    return unit


def enclosed_shares(
    qualities: Doubles, factor: Fraction
) -> tuple[NDArray[np.float64], float] | None:
    """Return running sums of P(candidate) and how far off they can be; None for extreme factors.

    Requires: factor > 0, as for `mixed_weights`.
    Ensures: each is within the error of the exact one, of `mixed_weights` in this order.
    """
    depths = qualities.depths(factor * SHRINK)
    count = len(qualities)
    if depths is None or count >= _MOST_IN_DOUBLES:
        return None
    length = isqrt(count - 1) + 1
    rows = np.zeros((length, length))
    rows.reshape(-1)[:count] = falling_powers(depths)
    within = np.cumsum(rows, axis=1)
    before = np.cumsum(within[:, -1])
    within[1:] += before[:-1, None]
    sums = within.reshape(-1)[:count]
    error = 2.0**-44 + (2 * length + 4) * 2.0**-53
    return np.minimum(sums / sums[-1], 1.0), 3 * error
