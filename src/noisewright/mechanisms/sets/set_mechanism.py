"""Mechanisms on sets of items that are known by a formula: any number of items, no table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Bounds, Enclosure, Epsilon, log_bounds, refined_excess
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.mechanisms.mechanism import Structured
from noisewright.mechanisms.sets.coin_tails import Tail
from noisewright.spaces import Subsets, positions
from noisewright.tables import ItemSets, read_sets

if TYPE_CHECKING:
    from noisewright.sampling import SetSampler, Source


class SetMechanism(Structured):
    """A random set for each set; all items are treated alike.

    `present` and `absent` are what estimates need: the exact probabilities that an item is
    released when it is in the set, and when it is not.
    """

    space: Subsets  # pyright: ignore[reportIncompatibleVariableOverride]
    outputs: Subsets  # pyright: ignore[reportIncompatibleVariableOverride]
    present: Fraction
    absent: Fraction
    _sampler: SetSampler

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

    def _prepare(self, sets: ItemSets, source: Source | None) -> ItemSets:
        """Return the sets to draw for; they are as given unless a mechanism says otherwise."""
        del source
        return sets

    def sample(self, inputs: Any, *, source: Source | None = None) -> Any:
        """Draw one set for each set, in the form in which the sets came.

        Accepts one Python set, a list of sets or lists, an Arrow array of lists (plain or
        dictionary), a pair of arrays (indices, offsets) with positions of items, or a matrix of
        booleans with a column for each item.
        """
        sets, restore = read_sets(self.space, inputs)
        sets = self._prepare(sets, source)
        return restore(ItemSets(*self._sampler.draw(sets.indices, sets.offsets, source)))

    def sample_bits(self, inputs: Any, *, source: Source | None = None) -> NDArray[np.uint8]:
        """Draw one set for each set as bits: item i is bit i mod 8 of byte i // 8 of its row.

        With many items this takes the least memory: an eighth of a byte for each item.
        """
        sets, _ = read_sets(self.space, inputs)
        sets = self._prepare(sets, source)
        return self._sampler.draw_bits(sets.indices, sets.offsets, source)

    def draw(self, codes: NDArray[Any], source: Source | None = None) -> NDArray[Any]:
        """Draw one output code for each input code."""
        rows = [positions(self.space.mask(code)) for code in codes.tolist()]
        offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        indices = np.array([place for row in rows for place in row], dtype=np.int32)
        items, ends = self._sampler.draw(indices, offsets, source)
        drawn = np.empty(len(rows), dtype=object)
        for row in range(len(rows)):
            drawn[row] = sum(1 << place for place in items[ends[row] : ends[row + 1]].tolist())
        return drawn if self.outputs.size >> 62 else drawn.astype(np.intp)
