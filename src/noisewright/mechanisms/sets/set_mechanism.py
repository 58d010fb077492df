"""Mechanisms on sets of items that are known by a formula: any number of items, no table.

How well two sets can be told apart when each item has its own coin:

    a, b   items that only the first set has, and that only the second has
    p, q   P(released | in the set), P(released | not in the set)
    u      of the a items those that were released, and of the b items those that were not

Every factor that speaks for the first set against the second comes from one unit of u: the
likelihood ratio is c · (p(1−q) / (q(1−p)))^u, so the events that tell best are u ≥ t. On the first
set u is a sum of binomials with a trials of p and b of 1 − q, on the second a of q and b of 1 − p.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.exact import Bounds, Enclosure, Epsilon, log_bounds, refined_excess
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured
from noisewright.spaces import Subsets, positions
from noisewright.tables import ItemSets, read_sets

Tail = tuple[int, int, int, int]
"""low, high of P(event | first set) and of P(event | second set), as integers over 2^bits."""


class SetMechanism(Structured):
    """A random set for each set; all items are treated alike.

    `present` and `absent` are what estimates need: the exact probabilities that an item is
    released when it is in the set, and when it is not.
    """

    space: Subsets  # pyright: ignore[reportIncompatibleVariableOverride]
    outputs: Subsets  # pyright: ignore[reportIncompatibleVariableOverride]
    present: Fraction
    absent: Fraction
    _sampler: sampling.SetSampler

    @abstractmethod
    def tight_ratio(self) -> Fraction:
        """Return e^ε of the least ε at δ = 0, exactly; long for many items."""

    def tight_bounds(self, bits: int) -> Bounds:
        """Bound the least ε at δ = 0: low ≤ ε · 2^bits ≤ high."""
        return log_bounds(self.tight_ratio(), bits)

    @abstractmethod
    def tails(self, bits: int) -> Iterator[Tail]:
        """Bound the events that may tell two sets apart best at some ε, on both sets.

        Ensures: δ(ε) is the largest P(event | x) − e^ε P(event | x') over them, if not below 0.
        """

    def delta_bounds(self, epsilon: Epsilon, bits: int) -> Enclosure:
        """Enclose the least δ at ε, at a precision."""
        one, ratio = 1 << bits, epsilon.power_enclosure(bits)
        least = most = Fraction(0)
        for first_low, first_high, second_low, second_high in self.tails(bits):
            least = max(least, first_low - ratio.high * second_high)
            most = max(most, first_high - ratio.low * second_low)
        return Enclosure(least / one, most / one)

    def within(self, guarantee: Guarantee) -> bool:
        """Tell exactly whether the mechanism keeps a promise with δ > 0.

        Ends: with enough bits the tails are exact, and then so is all but e^ε of a rational,
        which is irrational.
        """
        epsilon = guarantee.epsilon
        return not refined_excess(lambda bits: self.delta_bounds(epsilon, bits), guarantee.delta)

    @abstractmethod
    def worst_case(self) -> tuple[int, int, int]:
        """Return masks (x, x', y): no output tells two sets apart better than y does x from x'."""

    @abstractmethod
    def probability(self, mask: int, output: int) -> Fraction:
        """Return P(output | set) exactly, both given by their masks."""

    def _prepare(self, sets: ItemSets, source: sampling.Source | None) -> ItemSets:
        """Return the sets to draw for; they are as given unless a mechanism says otherwise."""
        del source
        return sets

    def sample(self, inputs: Any, *, source: sampling.Source | None = None) -> Any:
        """Draw one set for each set, in the form in which the sets came.

        Accepts one Python set, a list of sets or lists, an Arrow array of lists (plain or
        dictionary), a pair of arrays (indices, offsets) with positions of items, or a matrix of
        booleans with a column for each item.
        """
        sets, restore = read_sets(self.space, inputs)
        sets = self._prepare(sets, source)
        return restore(ItemSets(*self._sampler.draw(sets.indices, sets.offsets, source)))

    def sample_bits(
        self, inputs: Any, *, source: sampling.Source | None = None
    ) -> NDArray[np.uint8]:
        """Draw one set for each set as bits: item i is bit i mod 8 of byte i // 8 of its row.

        With many items this takes the least memory: an eighth of a byte for each item.
        """
        sets, _ = read_sets(self.space, inputs)
        sets = self._prepare(sets, source)
        return self._sampler.draw_bits(sets.indices, sets.offsets, source)

    def draw(self, codes: NDArray[Any], source: sampling.Source | None = None) -> NDArray[Any]:
        """Draw one output code for each input code."""
        rows = [positions(self.space.mask(code)) for code in codes.tolist()]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        indices = np.array([place for row in rows for place in row], dtype=np.int32)
        items, ends = self._sampler.draw(indices, offsets, source)
        drawn = np.empty(len(rows), dtype=object)
        for row in range(len(rows)):
            drawn[row] = sum(1 << place for place in items[ends[row] : ends[row + 1]].tolist())
        return drawn if self.outputs.size >> 62 else drawn.astype(np.intp)


def tails(a: int, b: int, p: Fraction, q: Fraction, bits: int) -> Iterator[Tail]:
    """Bound the probabilities of u ≥ t for every t, on both sets."""
    first = _sum_of_two(a, p, b, 1 - q, bits)
    second = _sum_of_two(a, q, b, 1 - p, bits)
    bounds = [list(accumulate(reversed(side))) for pair in (first, second) for side in pair]
    yield from zip(*bounds, strict=True)


def _sum_of_two(a: int, p: Fraction, b: int, q: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Bound the distribution of the sum of two binomials."""
    # Rounding costs at most one unit for each pair of terms.
    work = bits + 2 * (a + b + 2).bit_length()
    low, high = (
        _product(one, two)
        for one, two in zip(_binomial(a, p, work), _binomial(b, q, work), strict=True)
    )
    down = 2 * work - bits
    return [term >> down for term in low], [-(-term >> down) for term in high]


def _binomial(n: int, p: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Bound the binomial probabilities: low ≤ C(n,i) p^i (1−p)^(n−i) · 2^bits ≤ high.

    The largest is worked out in full. From there to both sides each is the one before times a
    ratio of at most 1, so that rounding errors add up and never grow.
    """
    heads, whole = p.numerator, p.denominator
    tails = whole - heads
    mode = min(n, (n + 1) * heads // whole)
    top = comb(n, mode) * heads**mode * tails ** (n - mode) << bits
    low, high = [0] * (n + 1), [0] * (n + 1)
    low[mode], high[mode] = top // whole**n, -(-top // whole**n)
    for i in range(mode, n):
        over, under = (n - i) * heads, (i + 1) * tails
        low[i + 1], high[i + 1] = low[i] * over // under, -(-high[i] * over // under)
    for i in range(mode, 0, -1):
        over, under = i * tails, (n - i + 1) * heads
        low[i - 1], high[i - 1] = low[i] * over // under, -(-high[i] * over // under)
    return low, high


def _product(one: list[int], two: list[int]) -> list[int]:
    """Multiply two polynomials with coefficients of at least 0, as two long integers."""
    width = max(one).bit_length() + max(two).bit_length() + len(one).bit_length() + 1
    width = -(-width // 8)
    packed = [
        int.from_bytes(b"".join(term.to_bytes(width, "little") for term in terms), "little")
        for terms in (one, two)
    ]
    count = len(one) + len(two) - 1
    data = (packed[0] * packed[1]).to_bytes(count * width, "little")
    return [
        int.from_bytes(data[place * width : (place + 1) * width], "little")
        for place in range(count)
    ]


def about_delta(a: int, b: int, p: float, q: float, epsilon: float) -> float:
    """Return δ at ε for one pair of sets in doubles: a proposal, never a proof."""
    first = np.convolve(_pmf(a, p), _pmf(b, 1 - q))
    second = np.convolve(_pmf(a, q), _pmf(b, 1 - p))
    return float(np.maximum(first - np.exp(epsilon) * second, 0).sum())


def _pmf(n: int, p: float) -> NDArray[np.float64]:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    i = np.arange(n + 1)
    p = min(max(p, 2.0**-53), 1 - 2.0**-53)
    return np.exp(logs[-1] - logs - logs[::-1] + i * np.log(p) + (n - i) * np.log1p(-p))
