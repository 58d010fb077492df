"""Upper bounds on products of pairs: each atom is split onto a grid of losses.

An atom (p, q) whose ratio lies between two grid points, b^j ≤ p/q ≤ b^(j+1), is split into
atoms on those two points with the same p in all and no more than q in all; what is left of
q becomes an atom (0, r). Merging the parts gives (p, q) back, so the split pair dominates
the given one, and so do their products. The mean loss is kept, so the bound is off by the
square of the grid's step only ("connect the dots", Doroshenko–Ghazi–Kamath–Kumar–Manurangsi
2022; here with integers, and with every rounding on the safe side).

On the grid only P is stored: Q is p · b^-j. Masses are integers over 2^bits, rounded down
after each convolution; what rounding and the far upper tail take away moves to `away`, the
mass of an output that Q never has, and an atom (0, r) again makes up for it in Q. The far
lower tail moves up to the lowest point kept: its q becomes smaller, once more a split.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from noisewright.privacy.composition.convolution import convolve
from noisewright.privacy.composition.exact_products import Factor
from noisewright.privacy.composition.loss_grid import (
    NO_VERTICES,
    Grid,
    Vertices,
    powers_of_labels,
    product_on_grid,
    shift,
    within,
    without_tails,
)
from noisewright.privacy.composition.pairs import Pair


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
