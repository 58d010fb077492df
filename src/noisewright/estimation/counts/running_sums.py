"""What is kept of a released table while it streams by: sums over its rows, and nothing of a row.

Each tally may be split by the cells of other columns. Columns that are public may show new values
as they go, so the arrays grow with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.counts.decoder import Decoder
from noisewright.estimation.counts.table_counter import grow, join_codes

Array = NDArray[np.float64]


class Tally(Protocol):
    """A sum over rows."""

    def add(self, batch: Decoder) -> None:
        """Add the rows of the batch that was decoded last."""
        ...


class ItemCounts:
    """In how many sets each item is, for each cell of other columns.

    `rows` has the shape of the cells; `inside` has the items as one more, last, dimension.
    """

    def __init__(self, name: str, items: int, cells: Sequence[str]) -> None:
        self._name, self._items, self._cells = name, items, tuple(cells)
        self.rows = np.zeros((0,) * len(self._cells), dtype=np.int64)
        self.inside = np.zeros((*self.rows.shape, items), dtype=np.int64)

    def add(self, batch: Decoder) -> None:
        """Add the sets of a batch."""
        sets = batch.sets(self._name)
        shape = batch.sizes(self._cells)
        self.rows = grow(self.rows, shape)
        self.inside = grow(self.inside, (*shape, self._items))
        flat = self.inside.reshape(-1)
        if not self._cells:
            self.rows += len(sets)
            flat += np.bincount(sets.indices, minlength=flat.size)
            return
        cell = join_codes(batch.codes(self._cells), shape).astype(np.intp, copy=False)
        self.rows.reshape(-1)[:] += np.bincount(cell, minlength=self.rows.size)
        places = np.repeat(cell, sets.sizes) * self._items + sets.indices
        flat += np.bincount(places, minlength=flat.size)


class Moments:
    """Sums and sums of products of released vectors, for each cell of other columns.

    They are taken from the first vector on, so that little is lost when vectors differ little.
    """

    def __init__(self, name: str, width: int, cells: Sequence[str]) -> None:
        self._name, self._width, self._cells = name, width, tuple(cells)
        empty = (0,) * len(self._cells)
        self._from: Array | None = None
        self.rows = np.zeros(empty, dtype=np.int64)
        self._sums = np.zeros((*empty, width))
        self._products = np.zeros((*empty, width, width))

    def add(self, batch: Decoder) -> None:
        """Add the vectors of a batch."""
        vectors = batch.vectors(self._name)
        shape, width = batch.sizes(self._cells), self._width
        self.rows = grow(self.rows, shape)
        self._sums = grow(self._sums, (*shape, width))
        self._products = grow(self._products, (*shape, width, width))
        if not len(vectors):
            return
        start = vectors[0] if self._from is None else self._from
        self._from = start
        moved = vectors - start
        if not self._cells:
            self._keep((), moved)
            return
        cell = join_codes(batch.codes(self._cells), shape)
        order = np.argsort(cell, kind="stable")
        found, starts = np.unique(cell[order], return_index=True)
        for place, part in zip(found.tolist(), np.split(moved[order], starts[1:]), strict=True):
            self._keep(tuple(int(i) for i in np.unravel_index(place, shape)), part)

    def _keep(self, place: tuple[int, ...], moved: Array) -> None:
        self.rows[place] += len(moved)
        self._sums[place] += moved.sum(axis=0)
        self._products[place] += moved.T @ moved

    def mean(self, place: tuple[int, ...]) -> Array:
        """Return the mean of the vectors of a cell."""
        start: Any = 0.0 if self._from is None else self._from
        return start + self._sums[place] / int(self.rows[place])

    def covariance(self, place: tuple[int, ...]) -> Array:
        """Return the covariance of the vectors of a cell, unbiased."""
        rows = int(self.rows[place])
        middle = self._sums[place] / rows
        return (self._products[place] - rows * np.multiply.outer(middle, middle)) / (rows - 1)
