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

import math
from collections.abc import Sequence
from dataclasses import dataclass

from noisewright.privacy.composition.convolution import convolve
from noisewright.privacy.composition.exact_products import Factor
from noisewright.privacy.composition.loss_grid import Grid, within
from noisewright.privacy.composition.pairs import Pair
from noisewright.privacy.composition.upper_products import LONGEST, Vertices, accuracy, shift


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
        start, stop = 0, len(self.p)
        above = below = 0
        while stop > start and above + self.p[stop - 1] <= self.tail:
            stop -= 1
            above += self.p[stop]
        while start < stop and below + self.p[start] <= self.tail:
            below += self.p[start]
            start += 1
        first, p, q = self.first + start, self.p[start:stop], self.q[start:stop]
        return Dominated(self.grid, self.bits, self.tail, first, p, q, self.exponent, self.kept)

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

    def power(self, times: int) -> Dominated:
        """Return the product of `times` ≥ 1 copies."""
        result = self
        for bit in bin(times)[3:]:
            result = result.times(result)
            if bit == "1":
                result = result.times(self)
        return result

    def vertices(self) -> tuple[Vertices, int]:
        """Return points (Q, P) on or below the curve of the pair, and the total."""
        count = len(self.p)
        last = self.first + count - 1
        extra = min(max(math.ceil(last * self.grid.step * 1.4427), 0) + 32, LONGEST)
        total = 1 << (self.bits + extra)
        powers = self.grid.powers(self.first, last) if count else None
        sum_p, sum_q = max((1 << self.bits) - self.kept, 0) << extra, 0
        points = [(0, sum_p)]
        for index in range(count - 1, -1, -1):
            if powers is None or not (self.p[index] or self.q[index]):
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
    bits, tail = accuracy(factors)
    result: Dominated | None = None
    for pair, times in factors:
        if times:
            power = Dominated.of(pair, grid, bits=bits, tail=tail).power(times)
            result = power if result is None else result.times(power)
    return ([(0, 0), (1, 1)], 1) if result is None else result.vertices()
