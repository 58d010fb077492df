"""How many people have an item, and how many have two, from sets whose items were randomized.

    p, q   P(released | in the set), P(released | not in the set)
    g      = ((item was released) − q) / (p − q): E[g | in] = 1, E[g | out] = 0

The share of an item is the average of g, that of a pair the average of g_i g_j when the items were
randomized independently. E[g² | in] = `inside` and E[g² | out] = `outside` give their variances as
for any other share; for a pair they multiply.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError, TooLargeError
from noisewright.estimation.counts.released_columns import BATCH, not_released
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.intervals.spread import Spread
from noisewright.estimation.questions.asked import Asked
from noisewright.estimation.result import ARRAYS, About, Axis, Estimate
from noisewright.mechanisms import PerItem, SetMechanism
from noisewright.spaces import Subsets
from noisewright.tables import ItemSets, read_sets

Array = NDArray[np.float64]

_MOST_ITEMS_OF_PAIRS = 4096
_DENSE = 1 << 23
"""Cells of the 0/1 matrix that is multiplied with itself at a time."""


@dataclass(frozen=True)
class CoinPair:
    """The two probabilities of an item, and what follows from them for g."""

    present: float
    absent: float
    gap: float

    @property
    def inside(self) -> float:
        """E[g² | the item is in the set]."""
        return self.moment(self.present, 2)

    @property
    def outside(self) -> float:
        """E[g² | the item is not in the set]."""
        return self.moment(self.absent, 2)

    def moment(self, released: float, power: int) -> float:
        """E|g|^power of an item that is released with this probability."""
        hit, miss = (1 - self.absent) / self.gap, self.absent / self.gap
        return released * hit**power + (1 - released) * miss**power


def coins_of(mechanism: SetMechanism) -> CoinPair:
    """Return the coins of a mechanism; the gap is rounded once, from the exact difference."""
    gap = float(mechanism.present - mechanism.absent)
    return CoinPair(float(mechanism.present), float(mechanism.absent), gap)


def answer_about_sets(released: Any, mechanism: SetMechanism, of: Any, asked: Asked) -> Estimate:
    """Estimate shares of items, or of pairs of items."""
    items = list(mechanism.space.items)
    coins = coins_of(mechanism)
    if of is None or of == "items":
        people, counts = count_items(released, mechanism.outputs)
        return shares_of_items(counts, coins, Axis("item", items), asked.sample(people, len(items)))
    chosen = items_of_pairs(mechanism, of)
    pairs = PairTally(mechanism.outputs, [items.index(item) for item in chosen])
    for part in _parts(released, mechanism.outputs):
        pairs.add(part)
    sample = asked.sample(pairs.people, pairs.pairs)
    return shares_of_pairs(pairs.counts, coins, chosen, sample)


def items_of_pairs(mechanism: SetMechanism, of: Any) -> list[Any]:
    """Return the items whose pairs are asked for, if pairs of them can be estimated."""
    items = list(mechanism.space.items)
    chosen = items if of == "pairs" else _read_items(of, mechanism.space)
    if not isinstance(mechanism, PerItem):
        raise InputError(
            "pairs need items that were randomized independently, as per_item() does; here only "
            "of='items' can be estimated."
        )
    if len(chosen) > _MOST_ITEMS_OF_PAIRS:
        raise TooLargeError(
            f"there are {len(chosen):,} items; pairs are estimated of at most "
            f"{_MOST_ITEMS_OF_PAIRS:,}. Name the items whose pairs you want: of=['a', 'b', 'c'].",
            size=len(chosen) ** 2,
        )
    return chosen


def _read_items(of: Any, space: Subsets) -> list[Any]:
    if isinstance(of, (str, bytes)) or not isinstance(of, Sequence):
        raise InputError(
            f"of is {of!r}; for sets it must be 'items', 'pairs', or a list of the items whose "
            "pairs are wanted."
        )
    for item in of:
        if item not in space.items:
            raise InputError(f"of names {item!r}, which is not one of the items of {space!r}.")
    return list(dict.fromkeys(of))


def shares_of_items(counts: NDArray[Any], coins: CoinPair, axis: Axis, sample: Sample) -> Estimate:
    """Estimate shares of items from in how many released sets each is."""
    values = (counts / sample.people - coins.absent) / coins.gap
    inside, outside = np.full_like(values, coins.inside), np.full_like(values, coins.outside)
    likely = np.clip(values, 0.0, 1.0)
    second = coins.inside * likely + coins.outside * (1 - likely)
    third = coins.moment(coins.present, 3) * likely + coins.moment(coins.absent, 3) * (1 - likely)
    found = Spread(likely, second, inside, outside, third / second)
    return sample.estimate("share", (axis,), values, *found.answers(values, sample))


def item_variances(shares: Array, coins: CoinPair, about: About) -> Array:
    """Return the exact variances of one set's contribution to the shares of items."""
    known = shares**2 if about == "population" else shares
    return np.maximum(coins.inside * shares + coins.outside * (1 - shares) - known, 0.0)


def shares_of_pairs(both: Array, coins: CoinPair, items: list[Any], sample: Sample) -> Estimate:
    """Estimate pairs from how many sets hold both; the diagonal has the items."""
    observed = both / sample.people
    alone = np.diagonal(observed)
    one, two = alone[:, None], alone[None, :]
    values = (observed - coins.absent * (one + two) + coins.absent**2) / coins.gap**2
    margins = np.clip((alone - coins.absent) / coins.gap, 0.0, 1.0)
    either = margins[:, None] + margins[None, :]
    # a(θ) with the margins fixed: θ people more in both are θ fewer in each alone, θ more in none.
    inside, outside = coins.inside, coins.outside
    at_zero = _moment_of_pairs(either, 0.0, inside, outside)
    at_zero = np.maximum(at_zero, outside * min(inside, outside))
    at_one = at_zero + (inside - outside) ** 2
    likely = np.clip(
        values, np.maximum(either - 1, 0.0), np.minimum(margins[:, None], margins[None, :])
    )
    second = at_zero + (at_one - at_zero) * likely
    cubes = coins.moment(coins.present, 3), coins.moment(coins.absent, 3)
    third = np.maximum(_moment_of_pairs(either, likely, *cubes), 0.0)
    found = Spread(likely, second, at_one, at_zero, third / second)
    arrays = values, *found.answers(values, sample)
    single = shares_of_items(np.diagonal(both), coins, Axis("item", items), sample)
    for table, name in zip(arrays, ARRAYS, strict=True):
        np.fill_diagonal(table, getattr(single, name))
    return sample.estimate("share", (Axis("item", items), Axis("other item", items)), *arrays)


def _moment_of_pairs(either: Array, both: Any, inside: float, outside: float) -> Array:
    """Return E|g_i g_j|^power from the moments of one item, given the shares of i, j and both."""
    return (
        inside**2 * both + inside * outside * (either - 2 * both) + outside**2 * (1 - either + both)
    )


def count_items(released: Any, space: Subsets) -> tuple[int, NDArray[np.int64]]:
    """Count the sets, and in how many of them each item is."""
    people, counts = 0, np.zeros(len(space.items), dtype=np.int64)
    for part in _parts(released, space):
        people += len(part)
        if isinstance(part, ItemSets):
            counts += np.bincount(part.indices, minlength=counts.size)
        else:
            counts += part.sum(axis=0, dtype=np.int64)
    return people, counts


class PairTally:
    """Counts of the sets that hold two of the chosen items, piece by piece."""

    def __init__(self, space: Subsets, places: list[int]) -> None:
        self._column = np.full(len(space.items), -1, dtype=np.intp)
        self._column[places] = np.arange(len(places))
        self._width = len(places)
        self.pairs = len(places) * (len(places) + 1) // 2
        self.people = 0
        self.counts = np.zeros((len(places), len(places)))

    def add(self, part: ItemSets | NDArray[np.uint8]) -> None:
        """Count one more piece."""
        self.people += len(part)
        rows = max(1, _DENSE // max(self._width, 1))
        for start in range(0, len(part), rows):
            # Products of zeros and ones in single precision are exact up to 2^24 rows.
            piece = min(rows, len(part) - start)
            ones = _matrix(part, start, piece, self._column, self._width)
            self.counts += ones.T @ ones


def _matrix(
    part: ItemSets | NDArray[np.uint8], start: int, rows: int, column: NDArray[np.intp], width: int
) -> NDArray[np.float32]:
    ones = np.zeros((rows, width), dtype=np.float32)
    if not isinstance(part, ItemSets):
        ones[:, column[column >= 0]] = part[start : start + rows, column >= 0]
        return ones
    ends = part.offsets[start : start + rows + 1]
    place = column[part.indices[ends[0] : ends[-1]]]
    row = np.repeat(np.arange(rows), np.diff(ends))
    ones[row[place >= 0], place[place >= 0]] = 1.0
    return ones


def _parts(released: Any, space: Subsets) -> Iterator[ItemSets | NDArray[np.uint8]]:
    """Yield sets in pieces, sparse or as a matrix of zeros and ones."""
    width = -(-len(space.items) // 8)
    if isinstance(released, np.ndarray) and released.dtype == np.uint8 and released.ndim == 2:
        if released.shape[1] != width:
            raise InputError(
                f"the bits have {released.shape[1]:,} bytes a row; {len(space.items):,} items take "
                f"{width:,}."
            )
        rows = max(1, _DENSE // len(space.items))
        for start in range(0, len(released), rows):
            piece = released[start : start + rows]
            yield np.unpackbits(piece, axis=1, count=len(space.items), bitorder="little")
        return
    first = 0
    chunks: Any = getattr(released, "chunks", None)
    whole: Any = [released]
    for chunk in whole if chunks is None else chunks:
        length = len(chunk) if hasattr(chunk, "slice") else 0
        pieces = [chunk.slice(s, BATCH) for s in range(0, length, BATCH)] if length else [chunk]
        for piece in pieces:
            part = released_sets(piece, space, first)
            first += len(part)
            yield part


def released_sets(
    piece: Any, space: Subsets, first_row: int, *, name: str | None = None
) -> ItemSets:
    """Read released sets; an error names the row of a set that is no output."""
    try:
        return read_sets(space, piece)[0]
    except OutsideSpaceError as problem:
        raise not_released(problem, space, name, first_row) from problem
