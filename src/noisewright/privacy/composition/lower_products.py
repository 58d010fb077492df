"""Lower bounds on products of pairs: outputs are grouped by the sum of rounded losses.

Each atom gets the whole number nearest to its loss over the grid's step as a label, and an
output of the product is reported only through the sum of its labels. That is
post-processing, so the grouped pair is dominated by the true one whatever the labels are.
Both P and Q of a label are convolutions, and since labels are rounded to the nearest, what
is lost is of the order of the square of the step.

Q is stored multiplied by b^label, which makes it as large as P: far tails keep their
relative precision. Labels that are off in the mean make it drift by a factor that grows with
the number of factors, so it carries a binary exponent. Masses are integers over 2^bits; P is
rounded down and Q up, and far tails are dropped, each of which only lowers max(0, p − E q).
"""

from __future__ import annotations

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
