"""Sets of items as a column of truth values for each item: is it in the set?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, source_or_default
from noisewright.spaces import Categories, Space, Subsets
from noisewright.synthetic.split.split_column import SplitColumn
from noisewright.tables import Codes, ItemSets, cut_sets

_TRUTH = Categories([False, True])


@final
class ItemColumns(SplitColumn):
    """A column of sets. No set that is put back together is larger than was declared."""

    def __init__(self, space: Subsets, names: Mapping[str, Any]) -> None:
        self.space = space
        self.items = dict(names)
        self.columns: Mapping[str, Space] = dict.fromkeys(names, _TRUTH)

    def split(self, cells: ItemSets, source: Source | None) -> dict[str, NDArray[Any]]:
        """Return 1 where an item is in a set, else 0; of larger sets a random part counts."""
        sets = cut_sets(cells, self.space.most, source)
        held = np.zeros((len(self.columns), len(sets)), dtype=np.uint8)
        held[sets.indices, np.repeat(np.arange(len(sets)), sets.sizes)] = 1
        return dict(zip(self.columns, held, strict=True))

    def join(self, codes: Codes, source: Source | None) -> ItemSets:
        """Return the sets; what is too much for one goes to others, so that items stay as often."""
        held = np.stack([np.asarray(codes[name]) > 0 for name in self.columns])
        if self.space.largest is not None:
            move_items(held, self.space.largest, source_or_default(source))
        rows, items = np.nonzero(held.T)
        ends = np.searchsorted(rows, np.arange(held.shape[1] + 1)).astype(np.int64)
        return ItemSets(items.astype(np.int32), ends)

    def words(self) -> str:
        """Return nothing: sets come back whole."""
        return ""

    def describe(self) -> dict[str, Any]:
        """Return the items in order, and how many a set may have."""
        return {
            "kind": "sets",
            "columns": list(self.columns),
            "items": [
                item.decode("latin-1") if isinstance(item, bytes) else item
                for item in self.space.items
            ],
            "bytes": any(isinstance(item, bytes) for item in self.space.items),
            "largest": self.space.largest,
        }


def move_items(held: NDArray[np.bool_], most: int, bits: Source) -> None:
    """Move items at random from sets of more than `most` to sets with room, in place.

    `held` has a row for each item and a column for each set.
    Ensures: no set has more than `most`. Each item is in as many sets as before, as far as there
    are sets without it that have room.
    """
    sizes = held.sum(axis=0)
    over = np.flatnonzero(sizes > most)
    if not over.size:
        return
    some = held[:, over]
    order = np.where(some, bits.words(some.size).reshape(some.shape) >> np.uint64(1), 1 << 63)
    ranks = order.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    kept = some & (ranks < most)
    held[:, over] = kept
    sizes[over] = most
    dropped = (some & ~kept).sum(axis=1)
    for item in np.flatnonzero(dropped).tolist():
        free = np.flatnonzero((sizes < most) & ~held[item])
        wanted = min(int(dropped[item]), free.size)
        chosen = free[np.argsort(bits.words(free.size), kind="stable")[:wanted]]
        held[item, chosen] = True
        sizes[chosen] += 1
