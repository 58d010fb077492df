"""Random sets: each item kept or added on its own, or a random set of items flipped.

Sets come as positions of items, one set after the other, and offsets: set r is
`indices[offsets[r] : offsets[r + 1]]`, sorted and without repetition. They are drawn some rows
at a time, so that what is needed beyond the result does not grow with the number of sets.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Epsilon, Known
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric import waits
from noisewright.sampling.table_sampler import TableSampler

_CELLS = 1 << 21
"""Items times sets that are handled together."""

_SPARSE = Fraction(1, 48)
"""Below this probability, waiting times are quicker than one flip for each item."""

_RARE = Fraction(1, 1 << 12)
"""Below this probability, waiting times are drawn for this one, and thinned out."""

_SHORT_KEYS = 1 << 14
"""Up to so many items, keys of 32 bits differ in nearly all rows (97%); of more, those of 64."""

Positions = NDArray[np.int64]
"""Sorted places in a block of rows: row · items + item."""


class SetSampler(ABC):
    """Draws a random set for each set of some of `items` items."""

    items: int

    @abstractmethod
    def _block(self, rows: int, members: Positions, source: Source) -> Positions:
        """Return the places of the drawn sets of a block, given those of the true ones."""

    @redone_after_fork
    def draw(
        self, indices: NDArray[Any], offsets: NDArray[Any], source: Source | None = None
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return the drawn sets in the form in which the sets came."""
        drawn: list[NDArray[np.int32]] = []
        sizes: list[NDArray[np.int64]] = [np.zeros(1, dtype=np.int64)]
        for rows, places in self._blocks(indices, offsets, source_or_default(source)):
            firsts = np.arange(rows + 1, dtype=np.int64) * self.items
            counts = np.diff(np.searchsorted(places, firsts))
            places -= np.repeat(firsts[:-1], counts)
            drawn.append(places.astype(np.int32))
            sizes.append(counts)
        all_items = np.concatenate(drawn) if drawn else np.empty(0, dtype=np.int32)
        return all_items, np.cumsum(np.concatenate(sizes), dtype=np.int64)

    @redone_after_fork
    def draw_bits(
        self, indices: NDArray[Any], offsets: NDArray[Any], source: Source | None = None
    ) -> NDArray[np.uint8]:
        """Return the drawn sets as bits: item i is bit i mod 8 of byte i // 8 of its row."""
        out = np.empty((len(offsets) - 1, -(-self.items // 8)), dtype=np.uint8)
        start = 0
        for rows, places in self._blocks(indices, offsets, source_or_default(source)):
            cells = np.zeros(rows * self.items, dtype=np.bool_)
            cells[places] = True
            packed = np.packbits(cells.reshape(rows, self.items), axis=1, bitorder="little")
            out[start : start + rows] = packed
            start += rows
        return out

    def _blocks(
        self, indices: NDArray[Any], offsets: NDArray[Any], source: Source
    ) -> Iterator[tuple[int, Positions]]:
        step = max(1, _CELLS // self.items)
        for start in range(0, len(offsets) - 1, step):
            ends = offsets[start : start + step + 1].astype(np.int64)
            rows = len(ends) - 1
            first = np.repeat(np.arange(rows, dtype=np.int64) * self.items, np.diff(ends))
            members = first + indices[ends[0] : ends[-1]]
            yield rows, self._block(rows, members, source)


class ItemCoins(SetSampler):
    """Keep each item with probability keep / total, add each other one with add / total."""

    def __init__(self, items: int, keep: int, add: int, total: int) -> None:
        self.items = items
        self._keep = Coin(Known(Fraction(keep, total)))
        self._chance = Fraction(add, total)
        self._add = Coin(Known(self._chance))
        self._rare = Coin(Known(min(self._chance / _RARE, Fraction(1))))

    def _block(self, rows: int, members: Positions, source: Source) -> Positions:
        kept = self._keep.flip(members.size, source)
        count = rows * self.items
        if self._chance >= _SPARSE:
            cells = self._add.flip(count, source)
            cells[members] = kept
            return np.flatnonzero(cells)
        added = self._additions(count, source)
        if members.size:
            nearest = np.minimum(np.searchsorted(members, added), members.size - 1)
            added = added[members[nearest] != added]
        places = np.concatenate([members[kept], added])
        places.sort()
        return places

    def _additions(self, count: int, source: Source) -> Positions:
        """Return the places among `count` at which the coin of additions comes up true."""
        if self._chance >= _RARE:
            return self._by_waiting(count, self._chance, source)
        # Waiting for what hardly ever comes takes many digits: wait for something more common,
        # and let a second coin decide about each.
        candidates = self._by_waiting(count, _RARE, source)
        return candidates[self._rare.flip(candidates.size, source)]

    @staticmethod
    def _by_waiting(count: int, chance: Fraction, source: Source) -> Positions:
        expected = float(chance) * count
        decay = Epsilon.log(1 / (1 - chance))
        parts: list[Positions] = []
        reached = -1
        while reached < count:
            size = int(expected + 4 * expected**0.5) + 16 if not parts else 16
            # Beyond the end it does not matter how far: that keeps sums within 64 bits.
            steps = np.minimum(waits(decay, size, source), count + 1).astype(np.int64)
            parts.append(reached + np.cumsum(steps))
            reached = int(parts[-1][-1])
        places = np.concatenate(parts)
        return places[places < count]


class FlippedSets(SetSampler):
    """Flip a uniformly random set of j items, j with probability weights[j] / total."""

    def __init__(self, items: int, weights: Sequence[int], total: int) -> None:
        self.items = items
        self._sizes = TableSampler([list(weights)], total)

    def _block(self, rows: int, members: Positions, source: Source) -> Positions:
        sizes = self._sizes.draw_row(0, rows, source).astype(np.intp)
        cells = choose_sets(self.items, sizes, source)
        flat = cells.reshape(-1)
        flat[members] ^= True
        return np.flatnonzero(flat)


def choose_sets(items: int, sizes: NDArray[np.intp], source: Source) -> NDArray[np.bool_]:
    """Return for each row a uniformly random set of so many of the items, as booleans.

    Items get random keys and those with the least keys are chosen. A row in which two keys are
    the same is drawn again, so all orders of the others are exactly equally likely.
    """
    out = np.empty((len(sizes), items), dtype=np.bool_)
    pending = np.arange(len(sizes))
    while pending.size:
        draw = source.u32 if items <= _SHORT_KEYS else source.words
        keys = draw(pending.size * items).reshape(pending.size, items)
        ordered = np.sort(keys, axis=1)
        clear = (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
        # The key of the last item that is chosen.
        wanted = sizes[pending]
        last = ordered[np.arange(pending.size), np.maximum(wanted, 1) - 1]
        out[pending] = (keys <= last[:, None]) & (wanted > 0)[:, None]
        pending = pending[~clear]
    return out
