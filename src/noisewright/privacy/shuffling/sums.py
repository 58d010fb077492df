"""Sums of many independent gains, bounded from above on a grid of whole multiples of a step.

What a shuffled table gives away is (1/n) E[max(0, G₁ + … + Gₙ)] for independent gains G with a
known law (see `laws`). Replacing that law by a larger one in the increasing convex order can only
raise it, and so can each of these, which is all that is done here:

* an atom between two points of the grid is split onto them with the same mean;
* masses are rounded up, and the far lower tail moves up to the lowest point that is kept;
* the far upper tail is taken out, and counted with the largest sum there can be (`core_of` does
  this for single gains).

So the bound is off by the square of the grid's step only, and never below the truth. The step
doubles as the sums spread, so that a billion rows need no more than some thousands of points.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate

from noisewright.privacy.composition.grid_products import convolve

Law = Sequence[tuple[Fraction, Fraction]]
"""Values and their masses; what the masses lack of 1 lies at the value 0."""

_MOST_POINTS = 1024
"""A distribution of sums that needs more points gets a wider step."""

_SLACK = 1 << 12
"""What is given up in tails is at most this part of δ at each of fewer than 64 steps."""


@dataclass(frozen=True)
class Sums:
    """A law of sums: masses[i] over 2^bits at (first + i) · step, and `away` at up to `top`."""

    step: Fraction
    bits: int
    first: int
    masses: list[int]
    away: int
    top: Fraction

    @classmethod
    def of(cls, law: Law, step: Fraction, bits: int) -> Sums:
        """Split a law of single gains onto the grid."""
        rest = max(1 - sum((mass for _, mass in law), Fraction(0)), Fraction(0))
        places = [(value // step, value % step / step, mass) for value, mass in law]
        first = min([0, *(place for place, _, _ in places)])
        masses = [0] * (max([0, *(place for place, _, _ in places)]) + 2 - first)
        for place, part, mass in [*places, (0, Fraction(0), rest)]:
            masses[place - first] += _up(mass * (1 - part), bits)
            masses[place - first + 1] += _up(mass * part, bits)
        return cls(step, bits, first, masses, 0, step * (first + len(masses) - 1))

    def times(self, other: Sums, tail: int) -> Sums:
        """Return the law of the sum of two independent ones; `tail` may be cut at each end."""
        raw = convolve(self.masses, self.masses if other is self else other.masses)
        masses = [-(-value >> self.bits) for value in raw]
        away = self.away * (sum(other.masses) + other.away) + other.away * sum(self.masses)
        away = -(-away >> self.bits)
        summed = Sums(
            self.step, self.bits, self.first + other.first, masses, away, self.top + other.top
        )
        summed = summed._trim(tail)
        while len(summed.masses) > _MOST_POINTS:
            summed = summed.coarsen()
        return summed

    def _trim(self, tail: int) -> Sums:
        start, low = 0, self.masses[0]
        while start + 1 < len(self.masses) and low <= tail:
            start += 1
            low += self.masses[start]
        stop, high = len(self.masses), 0
        while stop - 1 > start and high + self.masses[stop - 1] <= tail:
            stop -= 1
            high += self.masses[stop]
        masses = self.masses[start:stop]
        masses[0] = low
        return replace(self, first=self.first + start, masses=masses, away=self.away + high)

    def coarsen(self) -> Sums:
        """Double the step: every other point is split onto its two neighbors."""
        first = self.first // 2
        last = -(-(self.first + len(self.masses) - 1) // 2)
        masses = [0] * (last - first + 1)
        for at, mass in enumerate(self.masses, self.first):
            if at % 2:
                half = -(-mass // 2)
                masses[at // 2 - first] += half
                masses[at // 2 + 1 - first] += half
            else:
                masses[at // 2 - first] += mass
        top = self.top + self.step
        return replace(self, step=2 * self.step, first=first, masses=masses, top=top)

    def mean_above(self) -> Fraction:
        """Return a bound on the mean of the sum's positive part."""
        start = max(1 - self.first, 0)
        total = sum(
            at * mass for at, mass in enumerate(self.masses[start:], max(self.first, 1)) if mass
        )
        return (total * self.step + self.away * self.top) / (1 << self.bits)


def natural_step(laws: Sequence[Law], rows: int, aim: Fraction) -> Fraction:
    """Return a step, a power of two, at which single gains are hardly moved; any step is sound."""
    cores = [core_of(law, rows, aim)[0] for law in laws]
    widest = float(_widest(cores))
    spread = max(sum(float(m) * float(v) ** 2 for v, m in law) for law in cores) ** 0.5
    power = math.floor(math.log2(max(spread / 16, widest / 4096)))
    return Fraction(2) ** min(power, math.floor(math.log2(widest / 512)))


def mean_gain(laws: Sequence[Law], rows: int, aim: Fraction, step: Fraction) -> Fraction:
    """Bound (1/n) E[max(0, G₁ + … + Gₙ)] from above, for the worst of several laws of one mean.

    The bound holds even if each gain has a law of its own among them. `aim` says how small a
    result matters: what is far below it may be lost.
    """
    cores = [core_of(law, rows, aim) for law in laws]
    laws, extra = [core for core, _ in cores], max(more for _, more in cores)
    bits = 48 + rows.bit_length() + max(math.ceil(1 / aim).bit_length(), 8)
    bits += math.ceil(_widest(laws)).bit_length()
    one = envelope([Sums.of(law, step, bits) for law in laws])
    power, copies = one, 1
    # What is cut at a step counts as often as the step's result is used.
    budget = Fraction(1 << bits) * aim / (_SLACK * max(one.top, Fraction(1)))
    for bit in bin(rows)[3:]:
        copies *= 2
        power = power.times(power, int(budget * copies / (2 * rows)))
        if bit == "1":
            copies += 1
            while one.step < power.step:
                one = one.coarsen()
            power = power.times(one, int(budget * copies / (2 * rows)))
    return power.mean_above() / rows + extra


def core_of(law: Law, rows: int, aim: Fraction) -> tuple[Law, Fraction]:
    """Return a law without its rarest gains, and what these can add to the result.

    Large gains with the mass m in all and the mean g are left out: where one of the n gains is one
    of them, the sum is at most that of all positive gains, which adds no more than
    g + n m E[max(0, G)]. Low gains move up to the lowest that is kept, by little in the mean.
    """
    ordered = sorted(law)
    gain = sum((value * mass for value, mass in ordered if value > 0), Fraction(0))
    extra = Fraction(0)
    while ordered and ordered[-1][0] > 0:
        value, mass = ordered[-1]
        more = extra + mass * (value + rows * gain)
        if more > aim / _SLACK:
            break
        extra = more
        ordered.pop()
    drift = abs(sum((value * mass for value, mass in law), Fraction(0))) / (1 << 14)
    low, moved, start = Fraction(0), Fraction(0), 0
    for value, mass in ordered[:-1]:
        moved -= value * mass
        if value >= 0 or moved > drift:
            break
        low, start = low + mass, start + 1
    kept = ordered[start:]
    return ([(kept[0][0], kept[0][1] + low), *kept[1:]] if kept else kept), extra


def _widest(laws: Sequence[Law]) -> Fraction:
    found = max((abs(value) for law in laws for value, _ in law), default=Fraction(0))
    return max(found, Fraction(1, 1 << 20))


def envelope(laws: Sequence[Sums]) -> Sums:
    """Return a law that is not below any of several on one grid, in the increasing convex order.

    E[max(0, G − t)] is convex in t for each law; so is the largest of them, and its bends are the
    masses of a law.
    """
    if len(laws) == 1:
        return laws[0]
    first = min(law.first for law in laws) - 1
    last = max(law.first + len(law.masses) for law in laws)
    highest = [0] * (last - first + 1)
    for law in laws:
        padded = [0] * (law.first - first) + law.masses
        padded += [0] * (len(highest) - len(padded))
        # E[max(0, G − t)] at t, in steps, is the sum of the masses beyond t, summed again.
        beyond = list(accumulate(reversed(padded)))
        losses = [0, *accumulate(beyond)][: len(padded)]
        highest = [max(a, b) for a, b in zip(highest, reversed(losses), strict=True)]
    masses = [
        highest[at - 1] - 2 * highest[at] + highest[at + 1] for at in range(1, len(highest) - 1)
    ]
    masses[0] += max(max(sum(law.masses) for law in laws) - sum(masses), 0)
    top = max(law.top for law in laws)
    return Sums(laws[0].step, laws[0].bits, first + 1, masses, 0, top)


def _up(value: Fraction, bits: int) -> int:
    return -(-(value.numerator << bits) // value.denominator)
