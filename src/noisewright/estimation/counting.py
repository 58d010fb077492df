"""Counts of all wanted tables in one pass.

Counting each of many pairs of columns by itself would touch every row for every pair. Instead small
columns are joined to blocks, blocks are counted in pairs (two blocks of two columns of ten
categories have 10,000 cells, which fit into the cache), and each wanted table is a margin of one
such count: 15 counts instead of 66 for all pairs of 12 columns.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError

Counts = NDArray[np.int64]
Place = tuple[int, ...]

_BLOCK = 1 << 7
_CACHED = 1 << 14
MOST_CELLS = 1 << 24


def count_tables(
    batches: Iterable[Sequence[NDArray[Any]]], sizes: Sequence[int], wanted: Sequence[Place]
) -> list[Counts]:
    """Count the wanted tables, each given by the places of its columns, over batches of codes."""
    counter = TableCounter(sizes, wanted)
    for batch in batches:
        counter.add(batch)
    return counter.tables()


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
        others = dict.fromkeys(tuple(table) for table in self._wanted if table not in steady)
        self._counted: dict[Place, Counts] = {
            table: np.zeros(self._shape(table), dtype=np.int64)
            for table in [*_to_count(sizes, steady), *others]
        }

    def add(self, batch: Sequence[NDArray[Any]], sizes: Sequence[int] | None = None) -> None:
        """Count one more batch: the codes of each column."""
        if sizes is not None and list(sizes) != self._sizes:
            self._sizes = list(sizes)
            self._counted = {t: grown(c, self._shape(t)) for t, c in self._counted.items()}
        joined: dict[Place, NDArray[Any]] = {}
        for table, counts in self._counted.items():
            flat = counts.reshape(-1)
            flat += np.bincount(_joined(table, batch, self._sizes, joined), minlength=flat.size)

    def tables(self) -> list[Counts]:
        """Return the wanted tables, in the order they were asked for."""
        return [_margin(self._counted, table) for table in self._wanted]

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


def grown(counts: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the same counts in a table of at least this size, zero where it is new."""
    if counts.shape == shape:
        return counts
    require_cells(shape)
    wider = np.zeros(shape, dtype=counts.dtype)
    wider[tuple(slice(size) for size in counts.shape)] = counts
    return wider


def joined_codes(columns: Sequence[NDArray[Any]], sizes: Sequence[int]) -> NDArray[Any]:
    """Return one code for several columns together, the last one fastest."""
    return _joined(tuple(range(len(columns))), columns, sizes, {})


def _to_count(sizes: Sequence[int], wanted: Sequence[Place]) -> list[Place]:
    """Return few tables whose margins are the wanted ones."""
    chosen: list[Place] = []
    missing = {tuple(sorted(table)) for table in wanted}
    blocks = _blocks(sizes, sorted({place for table in wanted for place in table}))
    candidates = [first + second for first, second in combinations(blocks, 2)]
    for both in [*candidates, *blocks]:
        covered = {table for table in missing if set(table) <= set(both)}
        small = math.prod(sizes[place] for place in both) <= _CACHED
        if covered and small and (len(covered) > 1 or both in covered):
            chosen.append(both)
            missing -= covered
    return [*chosen, *sorted(missing)]


def _blocks(sizes: Sequence[int], places: Sequence[int]) -> list[Place]:
    blocks: list[Place] = []
    for place in places:
        last = blocks[-1] if blocks else ()
        if last and math.prod(sizes[p] for p in (*last, place)) <= _BLOCK:
            blocks[-1] = (*last, place)
        else:
            blocks.append((place,))
    return blocks


def _joined(
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
        cells = math.prod(sizes[place] for place in table)
        scale = math.prod(sizes[place] for place in second)
        kind = np.min_scalar_type(cells - 1) if cells <= 1 << 8 else np.intp
        code = np.multiply(_joined(first, batch, sizes, done), scale, dtype=kind, casting="unsafe")
        code += _joined(second, batch, sizes, done).astype(kind, copy=False)
        done[table] = code
    return done[table]


def _margin(counted: dict[Place, Counts], table: Place) -> Counts:
    """Return a table as the margin of one that was counted, its axes in the order asked for."""
    source = next(held for held in counted if set(table) <= set(held))
    others = tuple(axis for axis, place in enumerate(source) if place not in table)
    kept = [place for place in source if place in table]
    return counted[source].sum(axis=others).transpose([kept.index(place) for place in table])
