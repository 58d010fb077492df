"""Counts of all wanted tables in one pass, in pieces that fit into the cache.

Not every wanted table is counted: larger ones are of which they are margins. Codes are as narrow
as their columns allow, and joined codes of some columns are used by several tables.

Counting 45 pairs of ten columns one by one touches every row 45 times. A table of five columns has
ten pairs as margins and is counted in little more time than one of them, as long as its cells stay
in the cache: six or seven such tables are enough. Which ones is a covering problem; here greedily,
by how much counting each table saves.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError

Counts = NDArray[np.int64]
MOST_CELLS = 1 << 24

_PIECE = 1 << 18
_SPARSE = 8
"""A piece that has fewer rows than a table has cells, by this factor, is added row by row."""

Place = tuple[int, ...]

_COSTS = ((1 << 12, 1.35), (1 << 14, 1.65), (1 << 16, 1.85), (1 << 18, 2.5))
"""Nanoseconds for a row of a table with so many cells, measured; only ratios matter."""

_JOIN = 0.3
"""Nanoseconds to join the codes of two columns."""

_LARGEST = _COSTS[-1][0]
_SEEDS = ((64, 12), (256, 3), (1300, 1))
"""For so many wanted tables, from how many the search starts; beyond, blocks do without one."""

_BLOCK = 1 << 7
_PAIRED = 1 << 14


class TableCounter:
    """Counts of the wanted tables, batch by batch.

    Columns at `growing` places may have more values than was known at first: their size is given
    anew with each batch, and never shrinks. They are counted in the tables asked for and no others.
    """

    def __init__(
        self, sizes: Sequence[int], wanted: Sequence[Place], *, growing: Iterable[int] = ()
    ) -> None:
        self._sizes, self._wanted = list(sizes), list(wanted)
        self._growing = frozenset(growing)
        for table in self._wanted:
            require_cells(self._shape(table))
        steady = [table for table in self._wanted if not self._growing & set(table)]
        others = dict.fromkeys(tuple(table) for table in self._wanted if self._growing & set(table))
        self._counted: dict[Place, Counts] = {
            table: np.zeros(self._shape(table), dtype=np.int64)
            for table in [*tables_to_count(sizes, steady), *others]
        }

    def add(self, batch: Sequence[NDArray[Any]], sizes: Sequence[int] | None = None) -> None:
        """Count one more batch: the codes of each column."""
        if sizes is not None and list(sizes) != self._sizes:
            self._sizes = list(sizes)
            self._counted = {t: grow(c, self._shape(t)) for t, c in self._counted.items()}
        rows = max((len(codes) for codes in batch), default=0)
        for start in range(0, rows, _PIECE):
            self._add_piece([codes[start : start + _PIECE] for codes in batch])

    def _add_piece(self, batch: Sequence[NDArray[Any]]) -> None:
        sizes = self._sizes
        narrow = [
            codes.astype(_narrowest(size), copy=False)
            for codes, size in zip(batch, sizes, strict=True)
        ]
        joined: dict[Place, NDArray[Any]] = {}
        for table, counts in self._counted.items():
            flat, codes = counts.reshape(-1), _join(table, narrow, sizes, joined)
            if len(codes) * _SPARSE < flat.size:
                np.add.at(flat, codes, 1)
            else:
                flat += np.bincount(codes, minlength=flat.size)

    def tables(self) -> list[Counts]:
        """Return the wanted tables, in the order they were asked for."""
        holding = _holding(self._counted)
        return [_margin(self._counted, holding, table) for table in self._wanted]

    def _shape(self, table: Place) -> tuple[int, ...]:
        return tuple(self._sizes[place] for place in table)


def require_cells(shape: tuple[int, ...]) -> None:
    """Raise when a table of this shape would be too large to count."""
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise TooLargeError(
            f"a table of {len(shape)} columns would have {cells:,} cells (at most "
            f"{MOST_CELLS:,}). Ask for tables of fewer columns, as in of='pairs'.",
            size=cells,
        )


def grow(counts: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the same counts in a table of at least this size, zero where it is new."""
    if counts.shape == shape:
        return counts
    require_cells(shape)
    wider = np.zeros(shape, dtype=counts.dtype)
    wider[tuple(slice(size) for size in counts.shape)] = counts
    return wider


def join_codes(columns: Sequence[NDArray[Any]], sizes: Sequence[int]) -> NDArray[Any]:
    """Return one code for several columns together, the last one fastest."""
    return _join(tuple(range(len(columns))), columns, sizes, {})


def _join(
    table: Place,
    batch: Sequence[NDArray[Any]],
    sizes: Sequence[int],
    done: dict[Place, NDArray[Any]],
) -> NDArray[Any]:
    """Return one code for the columns together, the last one fastest; halves are kept for reuse."""
    if len(table) == 1:
        return batch[table[0]]
    if table not in done:
        middle = len(table) // 2
        first, second = table[:middle], table[middle:]
        before = math.prod(sizes[place] for place in first)
        scale = math.prod(sizes[place] for place in second)
        kind = _narrowest(before * scale)
        head, tail = _join(first, batch, sizes, done), _join(second, batch, sizes, done)
        # With one value in front, the scale itself may be too large for the type of the codes.
        code = np.multiply(head, scale if before > 1 else 0, dtype=kind, casting="unsafe")
        done[table] = np.add(code, tail, out=code, casting="unsafe")
    return done[table]


def _narrowest(size: int) -> Any:
    """Return the smallest type for codes below a size; beyond 16 bits, what numpy counts by."""
    return np.min_scalar_type(max(size - 1, 0)) if size <= 1 << 16 else np.intp


def _holding(counted: Iterable[Place]) -> dict[int, list[tuple[Place, frozenset[int]]]]:
    """Return for each column the tables that have it, in their order."""
    found: dict[int, list[tuple[Place, frozenset[int]]]] = {}
    for table in counted:
        inside = frozenset(table)
        for place in inside:
            found.setdefault(place, []).append((table, inside))
    return found


def _margin(
    counted: dict[Place, Counts],
    holding: dict[int, list[tuple[Place, frozenset[int]]]],
    table: Place,
) -> Counts:
    """Return a table as the margin of one that was counted, its axes in the order asked for."""
    wanted = set(table)
    source = next(held for held, inside in holding[table[0]] if wanted <= inside)
    others = tuple(axis for axis, place in enumerate(source) if place not in table)
    kept = [place for place in source if place in table]
    return counted[source].sum(axis=others).transpose([kept.index(place) for place in table])


def tables_to_count(sizes: Sequence[int], wanted: Sequence[Place]) -> list[Place]:
    """Return the tables to count, each as the sorted places of its columns."""
    missing = list(dict.fromkeys(tuple(sorted(set(table))) for table in wanted))
    seeds = next((count for most, count in _SEEDS if len(missing) <= most), 0)
    return _by_search(sizes, missing, seeds) if seeds else _by_blocks(sizes, missing)


def _cells(sizes: Sequence[int], table: Place) -> int:
    return prod(sizes[place] for place in table)


def _cost(sizes: Sequence[int], table: Place) -> float:
    cells = _cells(sizes, table)
    return next((ns for most, ns in _COSTS if cells <= most), 8.0) + _JOIN * (len(table) - 1)


def _by_search(sizes: Sequence[int], wanted: Sequence[Place], seeds: int) -> list[Place]:
    """Take the table that saves most for its cost, until nothing is missing.

    Sets of columns are the bits of a number here.
    """
    chosen: list[Place] = []
    ordered = sorted(wanted, key=lambda table: (-len(table), table))
    missing = {sum(1 << place for place in table): _cost(sizes, table) for table in ordered}
    while missing:
        best, most = (), 0.0
        for seed in list(missing)[:: -(-len(missing) // seeds)]:
            for table, inside in _grow(sizes, seed, missing):
                saved = sum(cost for one, cost in missing.items() if not one & ~inside)
                worth = saved / _cost(sizes, table)
                if worth > most:
                    best, most = table, worth
        chosen.append(best)
        inside = sum(1 << place for place in best)
        missing = {one: cost for one, cost in missing.items() if one & ~inside}
    return chosen


def _grow(
    sizes: Sequence[int], seed: int, missing: Mapping[int, float]
) -> Iterator[tuple[Place, int]]:
    """Yield a table, then with one column more at a time: the one that completes most tables."""
    inside, cells = seed, 1
    for place, size in enumerate(sizes):
        cells *= size if seed >> place & 1 else 1
    while True:
        yield tuple(place for place in range(len(sizes)) if inside >> place & 1), inside
        gains: dict[int, float] = {}
        for one in missing:
            rest = one & ~inside
            # A table that lacks one column counts whole, one that lacks more in part.
            gain = 10.0 ** (1 - rest.bit_count())
            while rest:
                last = rest & -rest
                gains[last] = gains.get(last, 0.0) + gain
                rest ^= last
        able = [bit for bit in gains if sizes[bit.bit_length() - 1] * cells <= _LARGEST]
        if not able:
            return
        added = max(able, key=lambda bit: (gains[bit], -sizes[bit.bit_length() - 1], -bit))
        inside, cells = inside | added, cells * sizes[added.bit_length() - 1]


def _by_blocks(sizes: Sequence[int], wanted: Sequence[Place]) -> list[Place]:
    """Join neighboring small columns to blocks, and take pairs of blocks."""
    chosen: list[Place] = []
    missing = dict.fromkeys(wanted)
    blocks: list[Place] = []
    for place in sorted({place for table in wanted for place in table}):
        last = blocks[-1] if blocks else ()
        if last and _cells(sizes, (*last, place)) <= _BLOCK:
            blocks[-1] = (*last, place)
        else:
            blocks.append((place,))
    block_of = {place: number for number, block in enumerate(blocks) for place in block}
    within: dict[frozenset[int], list[Place]] = {}
    for table in wanted:
        within.setdefault(frozenset(block_of[place] for place in table), []).append(table)
    numbers = range(len(blocks))
    for some in [*combinations(numbers, 2), *((number,) for number in numbers)]:
        both = tuple(place for number in some for place in blocks[number])
        parts = {frozenset(some), *(frozenset([number]) for number in some)}
        covered = [table for part in parts for table in within.get(part, ()) if table in missing]
        small = _cells(sizes, both) <= _PAIRED
        if covered and small and (len(covered) > 1 or both in covered):
            chosen.append(both)
            for table in covered:
                del missing[table]
    return [*chosen, *missing]
