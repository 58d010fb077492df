"""How much a shuffled table gives away at least: one pair of tables, and one way to look at them.

All rows but one hold the same record x. Then `laws` is an equality, with B = P(· | x), and what the
observer may do is post-processing: outputs are grouped into a few classes, by the sign of their
privacy loss. So the sums of a law of few atoms are bounded from below, by steps that can only lower
E[max(0, S)]: masses are rounded down, tails are dropped, and atoms are fused in their mean or moved
down (a smaller law in the increasing convex order).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from noisewright.exact import exp_bounds
from noisewright.privacy.composition.grid_products import convolve
from noisewright.privacy.shuffling.laws import Atom, RowLaw, gains
from noisewright.privacy.shuffling.proposal import in_doubles, roughly_epsilon
from noisewright.privacy.shuffling.sums import Law

_BITS = 128
_MOST_POINTS = 1024
_MOST_ATOMS = 256
_SLACKS = (0.9995, 0.998, 0.995, 0.991, 0.985, 0.975, 0.96, 0.94, 0.91, 0.87, 0.82, 0.75, 0.65, 0.5)
"""What is tried of a rough value, from the largest on."""
_FINEST = 24
"""So many points of the grid lie between the likeliest gain and the largest, at first."""


@dataclass(frozen=True)
class SumsBelow:
    """A law of sums: masses[i] over 2^bits at copies · base + (first + i) · step."""

    base: Fraction
    copies: int
    step: Fraction
    bits: int
    first: int
    masses: list[int]

    @classmethod
    def of(cls, law: Law, bits: int) -> SumsBelow:
        """Fuse each atom with the likeliest one, until it lies on a grid around that one."""
        base, _ = max(law, key=lambda atom: atom[1])
        widest = max((value for value, _ in law if value > base), default=base + 1)
        lowest = min(value for value, _ in law)
        step = max((widest - base) / _FINEST, (base - lowest) / 512)
        points: dict[int, Fraction] = {}
        for value, mass in law:
            place = int((value - base) / step)  # towards the likeliest
            if place == 0:
                place = 0 if value >= base else -1
                points[place] = points.get(place, Fraction(0)) + mass
                continue
            grown = mass * (value - base) / (place * step)
            points[place] = points.get(place, Fraction(0)) + grown
            points[0] = points.get(0, Fraction(0)) - (grown - mass)
        if points.get(0, Fraction(0)) < 0:  # too little to fuse with: move down instead
            points = {}
            for value, mass in law:
                place = math.floor((value - base) / step)
                points[place] = points.get(place, Fraction(0)) + mass
        first = min(points)
        masses = [_down(points.get(at, Fraction(0)), bits) for at in range(first, max(points) + 1)]
        return cls(base, 1, step, bits, first, masses)

    def times(self, other: SumsBelow, tail: int) -> SumsBelow:
        """Return the law of the sum of two independent ones; `tail` may be cut at each end."""
        raw = convolve(self.masses, self.masses if other is self else other.masses)
        masses = [value >> self.bits for value in raw]
        start, low = 0, masses[0]
        while start + 1 < len(masses) and low <= tail:
            start += 1
            low += masses[start]
        stop, high = len(masses), masses[-1]
        while stop - 1 > start and high <= tail:
            stop -= 1
            high += masses[stop - 1]
        summed = replace(
            self,
            copies=self.copies + other.copies,
            first=self.first + other.first + start,
            masses=masses[start:stop],
        )
        while len(summed.masses) > _MOST_POINTS:
            summed = summed.coarsen()
        return summed

    def coarsen(self) -> SumsBelow:
        """Double the step: points in between move towards each other, in pairs, by one step.

        The left one of a pair moves up and the right one down, so the mean stays. What finds no
        partner moves down.
        """
        first = self.first // 2
        masses = [0] * (len(self.masses) // 2 + 2)
        waiting: list[tuple[int, int]] = []
        for at, mass in enumerate(self.masses, self.first):
            if not at % 2:
                masses[at // 2 - first] += mass
                continue
            left = mass
            while left and waiting:
                place, other = waiting.pop()
                moved = min(left, other)
                masses[place // 2 + 1 - first] += moved
                masses[at // 2 - first] += moved
                left -= moved
                if other > moved:
                    waiting.append((place, other - moved))
            if left:
                waiting.append((at, left))
        for place, mass in waiting:
            masses[place // 2 - first] += mass
        return replace(self, step=2 * self.step, first=first, masses=masses)

    def mean_below(self) -> Fraction:
        """Return a lower bound on the mean of the sum's positive part."""
        base = self.copies * self.base
        # base + at · step is positive beyond this point.
        start = max(math.floor(-base / self.step) + 1, self.first)
        kept = list(enumerate(self.masses[start - self.first :], start))
        mass = sum(m for _, m in kept)
        moment = sum(at * m for at, m in kept)
        return (base * mass + self.step * moment) / (1 << self.bits)


def mean_gain_below(law: Law, rows: int, aim: Fraction) -> Fraction:
    """Bound (1/n) E[max(0, G₁ + … + Gₙ)] from below, for gains with this law of mass 1."""
    bits = 48 + 2 * rows.bit_length() + max(math.ceil(1 / aim).bit_length(), 8)
    one = SumsBelow.of(law, bits)
    power, copies = one, 1
    budget = Fraction(1 << bits) * aim / (1 << 14)
    for bit in bin(rows)[3:]:
        copies *= 2
        power = power.times(power, int(budget * copies / rows))
        if bit == "1":
            copies += 1
            while one.step < power.step:
                one = one.coarsen()
            power = power.times(one, int(budget * copies / rows))
    return power.mean_below() / rows


def lower_epsilon(law: RowLaw, rows: int, delta: Fraction, upper: float, *, known: bool) -> float:
    """Return an ε at which δ is not met, as large as is found; 0 if there is none.

    If the mechanism is not `known`, for some mechanism with this ε.
    """
    laws = list(_attacks(law, known=known))
    if not laws or not upper:
        return 0.0
    doubles = in_doubles(laws)
    target = math.log(delta)
    found = [roughly_epsilon([one], rows, target, upper) for one in doubles]
    atoms = laws[found.index(max(found))]
    best, left, right = 0.0, 0, len(_SLACKS)
    while left < right:  # what passes at one ε passes at all smaller ones
        middle = (left + right) // 2
        epsilon = shorten(max(found) * _SLACKS[middle])
        power = Fraction(exp_bounds(Fraction(repr(epsilon)), _BITS)[1], 1 << _BITS)
        if epsilon and mean_gain_below(gains(atoms, power), rows, delta) > delta:
            best, right = epsilon, middle
        else:
            left = middle + 1
    return best


def _attacks(law: RowLaw, *, known: bool) -> Iterator[list[Atom]]:
    """Return laws of pairs of tables that differ in one row, each grouped into three classes."""
    if law.table:
        yield from _worst_of(law.table)
        return
    if law.blocks:
        # All other rows have the second record; what lies in both blocks, or in none, is alike.
        for r, apart, *_ in law.blocks if known else ():
            one, rest = Fraction(1), 1 - apart * (r + 1)
            fewer = [(1 / r, one, r * apart), (one, one, rest)]
            # Where the grid of `SumsBelow` does not tell these apart, the observer need not either.
            yield [(r, one, apart), *(fewer if r < _FINEST else [_merge(fewer)])]
        return
    responses = list(law.responses)
    if not known and not responses and not law.rest.is_zero:
        p = Fraction(law.rest.ratio_bounds(_BITS)[0], 1 << _BITS)
        yield from ([_response_attack(p, 2), _response_attack(p, 3)] if p > 1 else [])
        return
    if not responses:
        return
    one = Fraction(1)
    atoms: list[Atom] = [(one, one, one)]
    for p, labels in responses:
        column = _response_attack(p, labels)
        joint = [(u * x, v * y, m * n) for u, v, m in atoms for x, y, n in column]
        atoms = joint if len(joint) <= _MOST_ATOMS else _merge_by_loss(joint)
    yield _group(atoms)


def _merge_by_loss(atoms: Sequence[Atom]) -> list[Atom]:
    """Merge outputs of about the same privacy loss: less is seen then."""
    losses = [math.log(u / v) for u, v, _ in atoms]
    width = (max(losses) - min(losses)) / _MOST_ATOMS * 4 or 1.0
    groups: dict[int, list[Atom]] = {}
    for atom, loss in zip(atoms, losses, strict=True):
        groups.setdefault(round(loss / width), []).append(atom)
    return [_merge(group) for group in groups.values()]


def _response_attack(p: Fraction, labels: int) -> list[Atom]:
    """Return the law of a k-ary response, all other rows with a third label if there is one."""
    one, unit = Fraction(1), 1 / (p + labels - 1)
    if labels == 2:
        return [(p, one, unit), (1 / p, one, p * unit)]
    rest = [(one, one, (labels - 3) * unit)] if labels > 3 else []
    return [(p, one, unit), (one, p, unit), (1 / p, 1 / p, p * unit), *rest]


def _worst_of(rows: Sequence[Sequence[int]]) -> Iterator[list[Atom]]:
    """Return the laws of a table that look worst, by their variances."""
    total = sum(rows[0])
    keyed = [
        (sum((x - y) ** 2 / z for x, y, z in zip(a, b, c, strict=True) if z), i, j, k)
        for i, a in enumerate(rows)
        for j, b in enumerate(rows)
        for k, c in enumerate(rows)
        if i != j
    ]
    for _, i, j, k in sorted(keyed, reverse=True)[:4]:
        columns = zip(rows[i], rows[j], rows[k], strict=True)
        atoms = [(Fraction(x, z), Fraction(y, z), Fraction(z, total)) for x, y, z in columns if z]
        yield _group(atoms)


def _group(atoms: Sequence[Atom]) -> list[Atom]:
    """Group outputs into three: likelier on one side, on the other, and about equally likely."""
    widest = max((max(u / v, v / u) for u, v, _ in atoms), default=Fraction(1))
    found: list[tuple[float, list[Atom]]] = []
    for power in (0.0, 0.1, 0.25, 0.5, 0.75):
        border = Fraction(float(widest) ** power)
        groups = [
            [atom for atom in atoms if atom[0] > border * atom[1]],
            [atom for atom in atoms if atom[1] > border * atom[0]],
            [a for a in atoms if a[0] <= border * a[1] and a[1] <= border * a[0]],
        ]
        merged = [_merge(group) for group in groups if group]
        found.append((float(sum((u - v) ** 2 * m for u, v, m in merged)), merged))
    return max(found, key=lambda item: item[0])[1]


def _merge(atoms: Sequence[Atom]) -> Atom:
    mass = sum((m for _, _, m in atoms), Fraction(0))
    u, v = (sum((a[side] * a[2] for a in atoms), Fraction(0)) / mass for side in (0, 1))
    return u, v, mass


def _down(value: Fraction, bits: int) -> int:
    return (value.numerator << bits) // value.denominator


def shorten(value: float) -> float:
    """Return a double of five digits that is hardly above the value."""
    if not value > 0:
        return 0.0
    digits = 4 - math.floor(math.log10(value))
    return float(f"{math.floor(value * 10**digits) / 10**digits:.{max(digits, 0)}f}")
