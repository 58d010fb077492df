"""Bounds on products of pairs that are too large to expand, on a grid of losses.

Upper bounds: each atom is split onto the grid. An atom (p, q) whose ratio lies between two grid
points, b^j ≤ p/q ≤ b^(j+1), is split into atoms on those two points with the same p in all and no
more than q in all; what is left of q becomes an atom (0, r). Merging the parts gives (p, q) back,
so the split pair dominates the given one, and so do their products. The mean loss is kept, so the
bound is off by the square of the grid's step only ("connect the dots",
Doroshenko–Ghazi–Kamath–Kumar–Manurangsi 2022; here with integers, and with every rounding on the
safe side).

On the grid only P is stored: Q is p · b^-j. Masses are integers over 2^bits, rounded down after
each convolution; what rounding and the far upper tail take away moves to `away`, the mass of an
output that Q never has, and an atom (0, r) again makes up for it in Q. The far lower tail moves up
to the lowest point kept: its q becomes smaller, once more a split.

Lower bounds: outputs are grouped by the sum of rounded losses. Each atom gets the whole number
nearest to its loss over the grid's step as a label, and an output of the product is reported only
through the sum of its labels. That is post-processing, so the grouped pair is dominated by the true
one whatever the labels are. Both P and Q of a label are convolutions, and since labels are rounded
to the nearest, what is lost is of the order of the square of the step.

Q is stored multiplied by b^label, which makes it as large as P: far tails keep their relative
precision. Labels that are off in the mean make it drift by a factor that grows with the number of
factors, so it carries a binary exponent. Masses are integers over 2^bits; P is rounded down and Q
up, and far tails are dropped, each of which only lowers max(0, p − E q).

Products of polynomials with large integer coefficients take quasi-linear time: Kronecker
substitution writes a polynomial as one long number, coefficient after coefficient in slots wide
enough that no carry crosses a border. The numbers are written in base ten because Python's
`decimal` multiplies with a number-theoretic transform where `int` uses Karatsuba: the same exact
result, six times sooner at 16,000 coefficients.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, Inexact
from functools import partial
from typing import TypeVar

from noisewright.privacy.composition.exact_products import Factor
from noisewright.privacy.composition.loss_grid import Grid, GridPowers, within, without_tails
from noisewright.privacy.composition.pairs import Pair

_LONGEST = 4096
"""Most bits that are added to a total so that far tails keep their relative precision."""

Vertices = list[tuple[int, int]]
NO_VERTICES: tuple[Vertices, int] = ([(0, 0), (1, 1)], 1)
"""The curve of releasing nothing."""

_EXACTLY = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])


@dataclass(frozen=True)
class Dominating:
    """P on a grid: masses[i] at b^(first + i), `away` where Q has nothing; sum 2^bits."""

    grid: Grid
    bits: int
    tail: int
    first: int
    masses: list[int]
    away: int

    @classmethod
    def of(cls, pair: Pair, grid: Grid, *, bits: int, tail: int) -> Dominating:
        """Split a pair onto the grid; `tail` of its mass, of 2^bits, may go `away`."""
        core = within(pair, max((1 << bits) // max(tail, 1), 1))
        if not core:
            return cls(grid, bits, tail, 0, [], 1 << bits)
        bottom, top = math.floor(grid.place(core[-1])) - 1, math.ceil(grid.place(core[0])) + 2
        powers, scale = grid.powers(bottom, top).as_fixed_point()
        masses = [0] * (top - bottom + 1)
        for p, q in pair.finite[pair.finite.index(core[0]) :]:
            mass = (p << bits) // pair.total
            available = (q << (bits + scale)) // pair.total
            at = max(math.floor(grid.place((p, q))) - 1 - bottom, 0)
            while at + 1 < len(masses) and mass * powers[at + 1] > available:
                at += 1
            if at + 1 == len(masses):
                continue
            # (mass − up) · b^-j + up · b^-(j+1) ≤ available, solved for the smallest `up`.
            short = mass * powers[at] - available
            up = -(-short // (powers[at] - powers[at + 1])) if short > 0 else 0
            masses[at] += mass - up
            masses[at + 1] += up
        return cls(grid, bits, tail, bottom, masses, (1 << bits) - sum(masses)).trim()

    def trim(self) -> Dominating:
        """Move the far upper tail away and the far lower tail up."""
        start, stop = without_tails(self.masses, self.tail)
        # Something must be left that the lower tail can move up to.
        start = min(start, max(stop - 1, 0))
        masses = self.masses[start:stop]
        if masses:
            masses[0] += sum(self.masses[:start])
        away = self.away + sum(self.masses[stop:])
        return replace(self, first=self.first + start, masses=masses, away=away)

    def times(self, other: Dominating) -> Dominating:
        """Return the product."""
        raw = convolve(self.masses, other.masses)
        masses = [value >> self.bits for value in raw]
        away = (1 << self.bits) - sum(masses)
        return replace(self, first=self.first + other.first, masses=masses, away=away).trim()

    def vertices(self) -> tuple[Vertices, int]:
        """Return points (Q, P) on or above the curve of the pair, and the total."""
        powers, extra = powers_of_labels(self.grid, self.first, len(self.masses))
        total = 1 << (self.bits + extra)
        sum_p, sum_q = self.away << extra, 0
        points = [(0, sum_p)]
        for index in range(len(self.masses) - 1, -1, -1):
            mass = self.masses[index]
            if mass:
                sum_p += mass << extra
                sum_q += shift(mass * powers.low[index], extra + powers.exponents[index])
                points.append((sum_q, sum_p))
        points.append((total, total))
        return points, total


def upper_product(factors: Sequence[Factor], grid: Grid) -> tuple[Vertices, int]:
    """Bound the curve of a product of powers of pairs from above by points of a hull."""
    product = product_on_grid(factors, partial(Dominating.of, grid=grid))
    return NO_VERTICES if product is None else product.vertices()


@dataclass(frozen=True)
class Dominated:
    """P and b^label · Q · 2^-exponent by label, from label `first` on.

    `kept` is at least P's mass of finite loss.
    """

    grid: Grid
    bits: int
    tail: int
    first: int
    p: list[int]
    q: list[int]
    exponent: int
    kept: int

    @classmethod
    def of(cls, pair: Pair, grid: Grid, *, bits: int, tail: int) -> Dominated:
        """Group a pair by labels; `tail` of its mass, of 2^bits, may be dropped at each end."""
        kept = -((-(pair.total - pair.certain) << bits) // pair.total)
        core = within(pair, max((1 << bits) // max(tail, 1), 1))
        if not core:
            return cls(grid, bits, tail, 0, [], [], 0, kept)
        labels = [round(grid.place(atom)) for atom in core]
        first, last = min(labels), max(labels)
        powers, scale = grid.powers(-last, -first).as_fixed_point()
        sum_p, sum_q = [0] * (last - first + 1), [0] * (last - first + 1)
        for label, (p, q) in zip(labels, core, strict=True):
            sum_p[label - first] += (p << bits) // pair.total
            tilted = q * powers[last - label]
            sum_q[label - first] -= (-tilted << bits) // (pair.total << scale)
        return cls(grid, bits, tail, first, sum_p, sum_q, 0, kept).trim()

    def trim(self) -> Dominated:
        """Drop the labels at both ends that hold next to nothing of P."""
        start, stop = without_tails(self.p, self.tail)
        p, q = self.p[start:stop], self.q[start:stop]
        return replace(self, first=self.first + start, p=p, q=q)

    def times(self, other: Dominated) -> Dominated:
        """Return the product."""
        same = other is self
        p = [v >> self.bits for v in convolve(self.p, self.p if same else other.p)]
        raw = convolve(self.q, self.q if same else other.q)
        shift = max(max(raw, default=0).bit_length() - self.bits, 0)
        q = [-(-v >> shift) for v in raw]
        exponent = self.exponent + other.exponent + shift - self.bits
        kept = -((-self.kept * other.kept) >> self.bits)
        first = self.first + other.first
        return Dominated(self.grid, self.bits, self.tail, first, p, q, exponent, kept).trim()

    def vertices(self) -> tuple[Vertices, int]:
        """Return points (Q, P) on or below the curve of the pair, and the total."""
        powers, extra = powers_of_labels(self.grid, self.first, len(self.p))
        total = 1 << (self.bits + extra)
        sum_p, sum_q = max((1 << self.bits) - self.kept, 0) << extra, 0
        points = [(0, sum_p)]
        for index in range(len(self.p) - 1, -1, -1):
            if not (self.p[index] or self.q[index]):
                continue
            sum_p += self.p[index] << extra
            by = extra + self.exponent + powers.exponents[index]
            sum_q -= shift(-self.q[index] * powers.high[index], by)
            if sum_q >= total:
                break
            points.append((sum_q, sum_p))
        points.append((total, total))
        return points, total


def lower_product(factors: Sequence[Factor], grid: Grid) -> tuple[Vertices, int]:
    """Bound the curve of a product of powers of pairs from below by points under it."""
    product = product_on_grid(factors, partial(Dominated.of, grid=grid))
    return NO_VERTICES if product is None else product.vertices()


Kept = TypeVar("Kept", Dominating, Dominated)


def product_on_grid(factors: Sequence[Factor], put: Callable[..., Kept]) -> Kept | None:
    """Put each pair on a grid and multiply their powers; None when there is nothing to multiply.

    What is given up at a step is multiplied by how often the step's result is used, so the bits
    of a mass grow with the number of factors; about 2^-80 is lost in all.
    """
    bits = 104 + sum(times for _, times in factors).bit_length()
    product: Kept | None = None
    for pair, times in factors:
        if times:
            power = one = put(pair, bits=bits, tail=1 << 16)
            for bit in bin(times)[3:]:
                power = power.times(power)
                if bit == "1":
                    power = power.times(one)
            product = power if product is None else product.times(power)
    return product


def powers_of_labels(grid: Grid, first: int, count: int) -> tuple[GridPowers, int]:
    """Bound b^-j for `count` labels; also say how many bits far tails need for their precision."""
    last = first + count - 1
    extra = min(max(math.ceil(last * grid.step * 1.4427), 0) + 32, _LONGEST)
    return (grid.powers(first, last) if count else GridPowers([], [], [])), extra


def shift(value: int, by: int) -> int:
    """Return value · 2^by, rounded down."""
    return value << by if by >= 0 else value >> -by


def convolve(left: Sequence[int], right: Sequence[int]) -> list[int]:
    """Return the coefficients Σ left[i] · right[n − i].

    Requires: coefficients ≥ 0. Ensures: exact; length len(left) + len(right) − 1.
    """
    if not left or not right:
        return []
    if min(len(left), len(right)) < 8:
        return _schoolbook(left, right)
    largest = max(left) * max(right) * min(len(left), len(right))
    if largest == 0:
        return [0] * (len(left) + len(right) - 1)
    # 0.30103 is just above log10(2), so no coefficient of the product overflows its slot.
    width = largest.bit_length() * 30103 // 100000 + 2
    first = _pack(left, width)
    product = _EXACTLY.multiply(first, first if right is left else _pack(right, width))
    return _unpack(product, width, len(left) + len(right) - 1)


def _schoolbook(left: Sequence[int], right: Sequence[int]) -> list[int]:
    result = [0] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        if a:
            for j, b in enumerate(right):
                result[i + j] += a * b
    return result


def _pack(coefficients: Sequence[int], width: int) -> Decimal:
    digits = f"%0{width}d"
    return Decimal("".join([digits % c for c in reversed(coefficients)]))


def _unpack(product: Decimal, width: int, length: int) -> list[int]:
    digits = str(product).zfill(width * length)
    return [int(digits[at : at + width]) for at in range(width * (length - 1), -1, -width)]
