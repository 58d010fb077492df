"""A counting query in as few cells as tell what it counts.

Codes of a column that the query treats alike are one *class*; the cells of classes are *atoms*. A
conjunction such as "a cook aged 20 to 29" has two classes in each column, and four atoms. Where the
query cuts through a bin of a column, the points of such bins are classes of their own, so that what
was counted in bins is still a sum of atoms. Bins are given by their width in points, or by their
first points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]
Grid = int | tuple[int, ...]
"""Bins of so many points, or bins that start at these points."""


@final
@dataclass(frozen=True, eq=False)
class ClassedQuery:
    """Which class each code of the columns is in, and which atoms count.

    `classes` has an array for each column, with the class of each declared code; `counts` has one
    axis for each column and one place for each class.
    """

    columns: tuple[str, ...]
    classes: tuple[NDArray[np.int64], ...]
    counts: Mask

    @classmethod
    def of_conditions(cls, sizes: Mapping[str, int], allowed: Mapping[str, Sequence[int]]) -> Any:
        """Return the query that each of these columns has one of its allowed codes."""
        columns: list[str] = []
        classes: list[NDArray[np.int64]] = []
        for name, codes in allowed.items():
            out = np.ones(sizes[name], dtype=np.int64)
            out[np.asarray(codes, dtype=np.int64)] = 0
            # What is always true says nothing about its column.
            if out.any():
                columns.append(name)
                classes.append(out)
        counts = np.zeros((2,) * len(columns), dtype=np.bool_)
        counts[(0,) * len(columns)] = True
        return cls(tuple(columns), tuple(classes), counts)

    @classmethod
    def of_cells(cls, columns: tuple[str, ...], holds: Mask) -> Any:
        """Return the query that counts these cells of the columns, one axis for each."""
        kept: list[str] = []
        classes: list[NDArray[np.int64]] = []
        for axis, name in enumerate(columns):
            slices = np.moveaxis(holds, axis, 0).reshape(holds.shape[axis], -1)
            _, first, own = np.unique(slices, axis=0, return_index=True, return_inverse=True)
            holds = np.take(holds, first, axis=axis)
            if first.size > 1:
                kept.append(name)
                classes.append(own.reshape(-1).astype(np.int64))
        return cls(tuple(kept), tuple(classes), holds.reshape([n for n in holds.shape if n > 1]))

    def both(self, other: ClassedQuery) -> ClassedQuery:
        """Return the query that both conditions hold; they may share columns."""
        mine, theirs = self, other
        columns = (*mine.columns, *(name for name in theirs.columns if name not in mine.place))
        classes: list[NDArray[np.int64]] = []
        first: list[Any] = []
        second: list[Any] = []
        for name in columns:
            sides = [
                one.classes[one.place[name]] if name in one.place else None
                for one in (mine, theirs)
            ]
            own, origins = _refine(*sides)
            classes.append(own)
            first.append(origins[0])
            second.append(origins[1])
        counts = mine._at(columns, first) & theirs._at(columns, second)
        return ClassedQuery(columns, tuple(classes), counts)

    def _at(self, columns: tuple[str, ...], origins: Sequence[Any]) -> Mask:
        """Return what counts, with an axis for each of these columns and their finer classes."""
        order = [self.place[name] for name in columns if name in self.place]
        found = self.counts.transpose(order)
        for axis, (name, origin) in enumerate(zip(columns, origins, strict=True)):
            found = (
                np.take(found, origin, axis=axis)
                if name in self.place
                else np.repeat(np.expand_dims(found, axis), origin.size, axis=axis)
            )
        return found

    def split_bins(self, grids: Mapping[str, Grid]) -> ClassedQuery:
        """Return the same query, with classes of their own for points of bins that it cuts."""
        counts, classes = self.counts, list(self.classes)
        for axis, name in enumerate(self.columns):
            if name in grids:
                classes[axis], origin = _split(classes[axis], grids[name])
                counts = np.take(counts, origin, axis=axis)
        return ClassedQuery(self.columns, tuple(classes), counts)

    def lift(self, atoms: Mask, finer: ClassedQuery) -> Mask:
        """Return these atoms as atoms of a query with finer classes of the same columns."""
        origins: list[NDArray[np.int64]] = []
        for mine, own, many in zip(self.classes, finer.classes, finer.counts.shape, strict=True):
            # A class without codes keeps its number.
            origin = np.arange(many)
            origin[own] = mine
            origins.append(origin)
        return atoms.reshape(self.counts.shape)[np.ix_(*origins)].reshape(-1)

    @property
    def atoms(self) -> int:
        """How many there are."""
        return self.counts.size

    def atoms_of(self, codes: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
        """Return the atom of each row."""
        places = [
            own[np.asarray(codes[name])]
            for name, own in zip(self.columns, self.classes, strict=True)
        ]
        return np.ravel_multi_index(tuple(places), self.counts.shape).astype(np.int64)

    @cached_property
    def place(self) -> dict[str, int]:
        """The axis of each column."""
        return {name: axis for axis, name in enumerate(self.columns)}

    def components(
        self, axis: int, grid: Grid, *, is_coarse: bool = False
    ) -> tuple[NDArray[np.int64], list[Mask]]:
        """Return a number for each bin, and the classes with each number.

        Bins that share a class have the same number, so that their counts are a sum over classes;
        if `is_coarse`, so have classes that the query treats alike.
        """
        known = self._components.get((axis, grid, is_coarse))
        if known is None:
            known = self._find_components(axis, grid, is_coarse)
            self._components[axis, grid, is_coarse] = known
        return known

    @cached_property
    def _components(self) -> dict[tuple[int, Grid, bool], tuple[NDArray[np.int64], list[Mask]]]:
        """What was found before: most tables have a column in the same bins."""
        return {}

    def _find_components(
        self, axis: int, grid: Grid, is_coarse: bool
    ) -> tuple[NDArray[np.int64], list[Mask]]:
        own, many = self.classes[axis], self.counts.shape[axis]
        starts = _starts(grid, own.size)
        bins = np.repeat(np.arange(starts.size), np.diff(starts, append=own.size))
        seen = np.zeros((starts.size, many), dtype=np.bool_)
        seen[bins, own] = True
        joined = (seen.T.astype(np.int64) @ seen.astype(np.int64)) > 0
        if is_coarse:
            slices = np.moveaxis(self.counts, axis, 0).reshape(many, -1)
            joined |= (slices[:, None] == slices[None]).all(axis=2)
        for middle in range(many):
            joined |= np.outer(joined[:, middle], joined[middle])
        groups, number = np.unique(joined, axis=0, return_inverse=True)
        return number.reshape(-1)[seen.argmax(axis=1)].astype(np.int64), list(groups)

    def spread(self, sides: Mapping[int, Mask]) -> Mask:
        """Return the atoms whose classes are among these, on each of these axes."""
        every = [
            sides.get(axis, np.ones(size, dtype=np.bool_))
            for axis, size in enumerate(self.counts.shape)
        ]
        return reduce(np.logical_and.outer, every).reshape(-1)


def _refine(
    one: NDArray[np.int64] | None, other: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return classes that are alike for both, and of which class of each they are a part."""
    assert one is not None or other is not None
    known = one if one is not None else other
    assert known is not None
    if one is None or other is None:
        every = np.arange(int(known.max()) + 1)
        return known, (every, every)
    many = int(other.max()) + 1
    kept, number = np.unique(one * many + other, return_inverse=True)
    return number.reshape(-1).astype(np.int64), (kept // many, kept % many)


def _split(own: NDArray[np.int64], grid: Grid) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return new classes, apart for bins that are cut, and of which class each was a part."""
    starts = _starts(grid, own.size)
    is_cut = np.minimum.reduceat(own, starts) != np.maximum.reduceat(own, starts)
    apart = 2 * own + np.repeat(is_cut, np.diff(starts, append=own.size))
    kept, number = np.unique(apart, return_inverse=True)
    return number.reshape(-1).astype(np.int64), kept // 2


def _starts(grid: Grid, size: int) -> NDArray[np.int64]:
    """Return the first point of each bin."""
    return np.arange(0, size, grid) if isinstance(grid, int) else np.array(grid)
