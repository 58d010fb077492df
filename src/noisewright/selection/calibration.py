"""Use all of the budget: the largest factor at which a choice is still private.

The usual factor ε / (2Δ) assumes the worst about a quality that nobody knows. Where all possible
qualities are known, what a factor really costs can be worked out, and the factor raised until
it costs ε: doubles propose, and the table is then proven in integers.

What a factor f costs is the largest |ln P(y|x)/P(y|x')| over neighbors x, x' and candidates y. It
need not grow with f: when many middling candidates get worse together, the best gains on one side
before it does on the other. So private factors may lie above factors that are not, and the search
comes from above. All laws here have the form

    ln P(y|x) = c(f) − f · depth,    −ln(candidates) ≤ c ≤ 0,    c grows with f,

where depth is how far y lies behind the best. For the exponential mechanism c = −ln Σ e^(−f depth),
and with a base measure ln n_y − ln Σ n e^(−f depth), where `candidates` is Σ n over the least n;
for permute-and-flip e^c is the chance of y once its coin is up, and coins of others get rarer. Two
facts follow. Beyond (ε + ln(candidates)) / (difference of depths) no factor is private. And
between two factors c lies between its values there, which bounds the cost from below on all of the
interval: it can be left out if that is above ε, else it is halved. For noisy max that c grows is
what experiments say; if it did not, a smaller factor might be found, and nothing worse, since what
is found is proven on the integers of its table.

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

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import log, sqrt
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import NotPrivateError
from noisewright.exact import Epsilon, exp_bounds, halve
from noisewright.selection.choice_job import LARGEST, QualitySensitivity, rational_below
from noisewright.spaces import Space

_NARROW = 1 + 2.0**-12
"""An interval of private factors that is narrower than this may be missed, if others follow it."""

_MOST_SPLITS = 400
_HALVINGS = 52
_AT_ONCE = 1 << 20
"""Entries of pairs that are compared together, in doubles."""

Doubles = NDArray[np.float64]

"""A factor is found to a relative 2^-52."""

_ROOM = 1 - Fraction(1, 1 << 56)
"""What a factor may cost of ε: the rest is for rounded weights (`mechanisms/quality/powers.py`)."""

_BITS = 192

_FAR = 64
"""ExponentialLaw further apart than e^64 are compared by their exponents."""


@final
@dataclass(frozen=True, eq=False)
class Costs:
    """What factors cost: rows of doubles for each different input, and which are neighbors.

    `logs(f)` has the logarithms of probabilities, `depths` how far each candidate lies behind;
    input `left[i]` is a neighbor of `right[i]`, and they may differ by `allowed[i]`. Of equally
    good candidates, the rarest has a probability of 1/`candidates` or more.
    """

    logs: Callable[[float], Doubles]
    depths: Doubles
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    allowed: Doubles
    candidates: int

    @staticmethod
    def between(
        space: Space,
        epsilon: float,
        *,
        place: NDArray[np.intp],
        logs: Callable[[float], Doubles],
        depths: Doubles,
        candidates: int,
    ) -> Costs:
        """Return the costs for the neighbors of a space, of which `place` says the row of each."""
        codes = space.neighbor_codes()
        distance = np.ones(len(codes))
        if space.by_distance:
            near = [float(space.neighbor_distance(a, b)) for a, b in codes.tolist()]
            distance = np.array(near)
        rows = np.sort(place[codes], axis=1)
        # Many inputs have the same qualities: databases, for one, in all orders of their rows.
        apart = rows[:, 0] != rows[:, 1]
        listed = np.column_stack([rows[apart].astype(np.float64), distance[apart]])
        pairs = np.unique(listed, axis=0)
        left, right = pairs[:, 0].astype(np.intp), pairs[:, 1].astype(np.intp)
        return Costs(logs, depths, left, right, epsilon * pairs[:, 2], candidates)

    def limit(self) -> float:
        """Return a factor beyond which none is private."""
        least = np.inf
        for part in self._parts():
            apart = np.abs(self.depths[self.left[part]] - self.depths[self.right[part]]).max(axis=1)
            room = self.allowed[part] + log(self.candidates)
            moved = apart > 0
            least = min(least, float((room[moved] / apart[moved]).min(initial=np.inf)))
        return least

    def hold(self, at: Doubles) -> bool:
        """Tell whether no neighbors differ by more than they may, with these logarithms."""
        for part in self._parts():
            apart = np.abs(at[self.left[part]] - at[self.right[part]]).max(axis=1)
            if (apart > self.allowed[part]).any():
                return False
        return True

    def fail_between(self, low: float, high: float, at_low: Doubles, at_high: Doubles) -> bool:
        """Tell whether no factor between these two is private."""
        for part in self._parts():
            left, right = self.left[part], self.right[part]
            behind = self.depths[left] - self.depths[right]
            # c at the ends, for both inputs.
            left_low = at_low[left] + low * self.depths[left]
            left_high = at_high[left] + high * self.depths[left]
            right_low = at_low[right] + low * self.depths[right]
            right_high = at_high[right] + high * self.depths[right]
            least = left_low - right_high - np.maximum(low * behind, high * behind)
            most = left_high - right_low - np.minimum(low * behind, high * behind)
            if (np.maximum(least, -most).max(axis=1) > self.allowed[part]).any():
                return True
        return False

    def _parts(self) -> list[slice]:
        step = max(1, _AT_ONCE // self.depths.shape[1])
        return [slice(start, start + step) for start in range(0, len(self.left), step)]


def proven_factor(
    costs: Costs,
    *,
    usual: Fraction,
    table_at: Callable[[Fraction], Any],
    holds: Callable[[Any], bool],
) -> Any:
    """Return the proven table of the largest private factor, at least the usual one.

    Requires: the usual factor is private.
    Ensures: proven. Above the factor by a relative 2^-24 or more no factor is private, except in
    intervals that are narrower than a relative 2^-12 (see above), and except where doubles cannot
    tell what changes: for an ε of 1e-9 and less, or qualities with more than 15 digits.
    """
    factor = _largest(costs, float(usual) * (1 - 2.0**-40))
    # Doubles proposed; slightly less leaves slack for their rounding and for that of the table.
    for shrink in (46, 40, 32, 24, 12, 8):
        smaller = Fraction(factor) * (1 - Fraction(1, 1 << shrink))
        if smaller > usual and holds(table := table_at(smaller)):
            return table
    table = table_at(usual)
    if not holds(table):
        raise NotPrivateError("the table at the usual factor failed its proof; please report this.")
    return table


def _largest(costs: Costs, start: float) -> float:
    limit = costs.limit() * (1 + 2.0**-20)
    if limit == np.inf:
        # Doubles see no difference between any neighbors.
        return start
    low, high = _bracket(costs, start, max(limit, start * _NARROW))
    return halve(low, high, lambda factor: costs.hold(costs.logs(factor)), times=_HALVINGS)[0]


def _bracket(costs: Costs, start: float, limit: float) -> tuple[float, float]:
    """Return a private factor, and a slightly larger one above which none was found."""
    waiting = [(start, costs.logs(start), limit, costs.logs(limit))]
    splits = 0
    while waiting:
        low, at_low, high, at_high = waiting.pop()
        if costs.fail_between(low, high, at_low, at_high):
            continue
        if high <= low * _NARROW or splits >= _MOST_SPLITS:
            if costs.hold(at_low):
                return low, high
            continue
        splits += 1
        middle = sqrt(low * high)
        at_middle = costs.logs(middle)
        # The upper half is looked at first.
        waiting.append((low, at_low, middle, at_middle))
        waiting.append((middle, at_middle, high, at_high))
    return start, start * _NARROW


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
