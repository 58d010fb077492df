"""Counts of all wanted tables in one pass, in pieces that fit into the cache.

Not every wanted table is counted: larger ones are of which they are margins (see `covering`). Codes
are as narrow as their columns allow, and joined codes of some columns are used by several tables.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.estimation.counts.covering import Place, tables_to_count

Counts = NDArray[np.int64]
MOST_CELLS = 1 << 24

_PIECE = 1 << 18
_SPARSE = 8
"""A piece that has fewer rows than a table has cells, by this factor, is added row by row."""


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
