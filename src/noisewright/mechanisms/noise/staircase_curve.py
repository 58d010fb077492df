"""The staircase distribution on integers: masses, errors and the best width of its first stair.

    b      e^-ε
    Δ      the sensitivity in steps, the width of a stair
    r      how many steps of the first Δ are on the upper stair, 1 ≤ r ≤ Δ
    L(m)   ⌊(m + Δ − r)/Δ⌋, the stair of the distance m; P(Z = z) = a b^L(|z|)
    S      r + b(Δ − r), the mass of the first Δ distances over a
    a      (1 − b) / (2S − (1 − b))

L(m + Δ) = L(m) + 1, so inputs at most Δ apart differ by a factor of e^ε at most, and by exactly
that beyond both. Between two inputs Δ apart each output's ratio is e^ε, 1 or e^-ε. It is e^ε
up to min(r − 1, Δ − r) above the lower input, so δ(ε') = A (1 − e^(ε' − ε)) with
A = P(Z ≤ min(r − 1, Δ − r)); inputs closer together have a smaller A.
Geng and Viswanath 2016, "The optimal noise-adding mechanism in differential privacy": on
integers no ε-private noise that is added to a number errs less, for the best r.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from noisewright.exact import Enclosure, Epsilon
from noisewright.mechanisms.noise.laplace_curve import power_of_alpha

_MOST_TRIED = 1 << 16


@dataclass(frozen=True)
class Stairs:
    """One staircase distribution; `bits` is the precision of its enclosures."""

    epsilon: Epsilon
    width: int
    upper: int

    def drop(self, bits: int) -> Enclosure:
        """Enclose b."""
        return power_of_alpha(self.epsilon, 1, bits)

    def first(self, bits: int) -> Enclosure:
        """Enclose S."""
        return self.drop(bits) * (self.width - self.upper) + self.upper

    def top(self, bits: int) -> Enclosure:
        """Enclose a = P(Z = 0)."""
        rest = -self.drop(bits) + 1
        return rest / (self.first(bits) * 2 - rest)

    def level(self, distance: int) -> int:
        """Return the stair of a distance."""
        return (distance + self.width - self.upper) // self.width

    def tail(self, distance: int, bits: int) -> Enclosure:
        """Enclose P(Z ≥ distance), for a distance of at least 1."""
        blocks, place = divmod(distance, self.width)
        drop = self.drop(bits)
        high, low = max(self.upper - place, 0), self.width - max(self.upper, place)
        rest = drop * low + high + drop * self.first(bits) / (-drop + 1)
        return self.top(bits) * power_of_alpha(self.epsilon, blocks, bits) * rest

    @property
    def half_line(self) -> int:
        """The last output above the lower of two inputs whose ratio is e^ε."""
        return min(self.upper - 1, self.width - self.upper)

    def moment(self, power: int, bits: int) -> Enclosure:
        """Enclose E|Z|^power, for power 1 or 2."""
        drop = self.drop(bits)
        rest = -drop + 1
        first, line = self.first(bits), self._inner(1, bits)
        if power == 1:
            each = first * self.width * drop / (rest * rest) + line / rest
        else:
            each = (
                first * self.width**2 * drop * (drop + 1) / (rest * rest * rest)
                + line * (2 * self.width) * drop / (rest * rest)
                + self._inner(2, bits) / rest
            )
        return self.top(bits) * each * 2

    def _inner(self, power: int, bits: int) -> Enclosure:
        """Enclose Σ i^power over the first Δ distances, those from r on times b."""
        high = _power_sum(self.upper - 1, power)
        return self.drop(bits) * (_power_sum(self.width - 1, power) - high) + high

    def clamped_moment(self, room: int, power: int, bits: int) -> Enclosure:
        """Enclose E min(Z⁺, room)^power, the error towards one side, by stairs."""
        total = Enclosure.point(0)
        start = 1
        level = self.level(1)
        while start <= room and not self._is_negligible(level, room, power, bits):
            stop = min(room, (level + 1) * self.width - self.width + self.upper - 1)
            weight = _power_sum(stop, power) - _power_sum(start - 1, power)
            total = total + power_of_alpha(self.epsilon, level, bits) * weight
            start, level = stop + 1, level + 1
        rest = self.tail(start, bits) * room**power
        if start <= room:
            # What is left lies between nothing and all of it at the end of the room.
            rest = Enclosure(Fraction(0), rest.high)
        return self.top(bits) * total + rest

    def _is_negligible(self, level: int, room: int, power: int, bits: int) -> bool:
        reached = self.epsilon.bounds(8)[0] * level >> 8
        return reached > bits + power * room.bit_length()


def _power_sum(last: int, power: int) -> int:
    """Return 1^power + … + last^power."""
    return last * (last + 1) // 2 if power == 1 else last * (last + 1) * (2 * last + 1) // 6


def best_upper(epsilon: Epsilon, width: int, power: int) -> int:
    """Propose the r with the least E|Z|^power; any r is private, so doubles may choose."""
    tried = np.unique(np.linspace(1, width, min(width, _MOST_TRIED)).round())
    best = int(tried[np.argmin(_errors(float(epsilon), width, tried, power))])
    gap = -(-width // _MOST_TRIED) + 1
    near = np.arange(max(1, best - gap), min(width, best + gap) + 1, dtype=float)
    return int(near[np.argmin(_errors(float(epsilon), width, near, power))])


def _errors(epsilon: float, width: int, upper: np.ndarray, power: int) -> np.ndarray:
    """About E|Z|^power for many r at once, over constants."""
    b = np.exp(-epsilon)
    first = upper + b * (width - upper)
    top = -np.expm1(-epsilon) / (2 * first + np.expm1(-epsilon))
    rest = -np.expm1(-epsilon)

    def inner(sums: np.ndarray, whole: float) -> np.ndarray:
        return sums + b * (whole - sums)

    line = inner(upper * (upper - 1) / 2, width * (width - 1) / 2)
    if power == 1:
        return top * (width * first * b / rest + line)
    whole = (width - 1) * width * (2 * width - 1) / 6
    square = inner((upper - 1) * upper * (2 * upper - 1) / 6, whole)
    return top * (width**2 * first * b * (1 + b) / rest**2 + 2 * width * line * b / rest + square)
