"""Many small tables over the same points, in few passes: tables within one block are read together.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

A point is in one cell of each table. To add what its cells say, or to sum weights of points by
cells, one would go through all points once for each table. Tables whose columns lie within a
*block* of columns, of not too many cells, need one pass together: they are added up in the block
first, or summed from it afterwards. Twelve blocks of three columns hold all 36 pairs of nine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Names = tuple[str, ...]

_LEAST_CELLS, _MOST_CELLS = 1 << 10, 1 << 15
"""Of a block, unless one table alone has more: the cells of a block stay in a fast cache."""


def cover(sizes: Mapping[str, int], tables: Iterable[Names], most: int) -> list[Names]:
    """Return blocks of columns, so that each table lies within one of them.

    A block has at most so many cells, unless one table alone has more.
    """
    wanted = sorted({frozenset(names) for names in tables}, key=lambda t: (-len(t), sorted(t)))
    longer = {len(t): place for place, t in reversed(list(enumerate(wanted)))}
    left = dict.fromkeys(
        table
        for table in wanted
        if not any(table < other for other in wanted[: longer[len(table)]])
    )
    found: list[Names] = []
    while left:
        block = _Block(sizes, left)
        first = next(iter(left))
        cells = _cells(sizes, first)
        block.add(*first)
        while fit := [name for name in block.gains if cells * sizes[name] <= most]:
            best = max(fit, key=lambda name: (block.gains[name], -sizes[name], name))
            block.add(best)
            cells *= sizes[best]
        left = {table: None for table in left if table not in block.held}
        found.append(tuple(sorted(block.names)))
    return found


@final
class _Block:
    """A block that grows. `gains`: how many more tables it would hold with one more column."""

    def __init__(self, sizes: Mapping[str, int], left: Iterable[frozenset[str]]) -> None:
        self.names: set[str] = set()
        self.held: set[frozenset[str]] = set()
        self.gains: dict[str, int] = {}
        self._tables: dict[str, list[frozenset[str]]] = {name: [] for name in sizes}
        self._missing: dict[frozenset[str], int] = {}
        for table in left:
            self._missing[table] = len(table)
            for name in table:
                self._tables[name].append(table)
            self._see(table)

    def add(self, *names: str) -> None:
        """Take columns in."""
        for name in names:
            self.names.add(name)
            self.gains.pop(name, None)
            for table in self._tables[name]:
                self._missing[table] -= 1
                self._see(table)

    def _see(self, table: frozenset[str]) -> None:
        if not self._missing[table]:
            self.held.add(table)
        elif self._missing[table] == 1:
            (name,) = table - self.names
            self.gains[name] = self.gains.get(name, 0) + 1


@final
@dataclass(frozen=True)
class _Home:
    """How a table lies in its block: which block, and in what order of axes."""

    block: int
    away: tuple[int, ...]
    """The axes of the block that it does not have."""

    shape: tuple[int, ...]
    """Its shape in the block, with ones for what it does not have."""

    order: tuple[int, ...]
    """Its own axes among those that the block keeps of it."""

    back: tuple[int, ...]
    """The other way round."""


@final
@dataclass(frozen=True, eq=False)
class BlockedTables:
    """Some tables over points, which are given by a code in each column."""

    sizes: Mapping[str, int]
    codes: Mapping[str, NDArray[Any]]
    tables: tuple[Names, ...]

    @property
    def points(self) -> int:
        """How many points there are."""
        return next(iter(self.codes.values())).size

    @cached_property
    def _blocks(self) -> list[Names]:
        # To sum a block up must take less time than to go through the points once more.
        most = min(max(self.points // 8, _LEAST_CELLS), _MOST_CELLS)
        return cover(self.sizes, self.tables, most)

    @cached_property
    def _shapes(self) -> list[tuple[int, ...]]:
        return [tuple(self.sizes[name] for name in block) for block in self._blocks]

    @cached_property
    def _cells_of_points(self) -> list[NDArray[np.int32]]:
        """The cell of each point in each block."""
        return [
            _places(self.codes, self.sizes, block).astype(np.int32, copy=False)
            for block in self._blocks
        ]

    @cached_property
    def _homes(self) -> list[_Home]:
        """How each table lies in the smallest block that holds it."""
        found: list[_Home] = []
        cells = [prod(shape) for shape in self._shapes]
        places: dict[str, set[int]] = {name: set() for name in self.sizes}
        for place, block in enumerate(self._blocks):
            for name in block:
                places[name].add(place)
        for table in self.tables:
            fit = set[int].intersection(*(places[name] for name in table))
            home = min(fit, key=lambda place: (cells[place], place))
            block = self._blocks[home]
            kept = [name for name in block if name in table]
            found.append(
                _Home(
                    home,
                    tuple(place for place, name in enumerate(block) if name not in table),
                    tuple(self.sizes[name] if name in table else 1 for name in block),
                    tuple(kept.index(name) for name in table),
                    tuple(table.index(name) for name in kept),
                )
            )
        return found

    def sums(self, weights: Array) -> list[Array]:
        """Return the weights of the points in each cell of each table."""
        whole: list[Array] = [
            np.bincount(cells, weights=weights, minlength=prod(shape))
            .astype(np.float64, copy=False)
            .reshape(shape)
            for cells, shape in zip(self._cells_of_points, self._shapes, strict=True)
        ]
        return [
            (whole[home.block].sum(axis=home.away) if home.away else whole[home.block]).transpose(
                home.order
            )
            for home in self._homes
        ]

    def spread(self, values: Sequence[Array]) -> Array:
        """Return for each point the sum of the values of its cells, one in each table."""
        whole = [np.zeros(shape) for shape in self._shapes]
        for table, home in zip(values, self._homes, strict=True):
            whole[home.block] += table.transpose(home.back).reshape(home.shape)
        found = np.zeros(self.points)
        for block, cells in zip(whole, self._cells_of_points, strict=True):
            found += block.reshape(-1)[cells]
        return found


def _places(
    codes: Mapping[str, NDArray[Any]], sizes: Mapping[str, int], names: Iterable[str]
) -> NDArray[np.int64]:
    """Return the cell of each point in the table of these columns."""
    found: NDArray[np.int64] | None = None
    for name in names:
        code = codes[name].astype(np.int64)
        found = code if found is None else found * sizes[name] + code
    assert found is not None
    return found


def _cells(sizes: Mapping[str, int], names: Iterable[str]) -> int:
    return prod(sizes[name] for name in names)
