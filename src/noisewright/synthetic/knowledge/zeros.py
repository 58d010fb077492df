"""Structural zeros: conditions on columns that no row can meet, such as pregnant men.

They are public and declared; the guarantee does not depend on their being true. A zero is met by a
row that meets its condition in each of its columns. Where a column is counted in bins, a condition
may cut a bin. Points of a column that meet the same conditions are one atom; a bin holds some
atoms, and rows in bins are possible if some choice of atoms in these bins meets no zero.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from textwrap import shorten
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError, TooLargeError
from noisewright.sampling import Source, source_or_default
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.tallies import Tallies
from noisewright.synthetic.workloads.counting_queries import Conjunction
from noisewright.tables import Codes

Mask = NDArray[np.bool_]
Names = tuple[str, ...]

MOST_ZEROS = 1 << 12
_MOST_POINTS = 1 << 22
"""Points of a column that a zero is about."""

_MOST_TRIED = 1 << 16
"""Branches of one search for a possible row."""

_LONGEST = 120
"""Letters of a zero in a message."""

_MOST_CHOICES = 1 << 12
"""Choices of atoms that are weighed for rows of the same bins; of more, one is taken."""


@final
@dataclass(frozen=True, eq=False)
class Zeros:
    """Conditions on the declared columns of a grid that no row meets."""

    grid: Bins
    listed: tuple[Conjunction, ...]

    def __post_init__(self) -> None:
        if len(self.listed) > MOST_ZEROS:
            raise TooLargeError(
                f"there are {len(self.listed):,} zeros (at most {MOST_ZEROS:,}). Let one condition "
                "list several values, as in {'sex': 'male', 'birth': ['one', 'twins']}.",
                size=len(self.listed),
            )
        spaces = self.grid.declared.by_name
        for name in self.columns:
            if spaces[name].size > _MOST_POINTS:
                raise TooLargeError(
                    f"a zero is about {name!r}, which has {spaces[name].size:,} points (at most "
                    f"{_MOST_POINTS:,}). Declare a coarser grid, or leave this zero out.",
                    size=spaces[name].size,
                )
        if self.narrow(self.whole) is not None:
            return
        raise InputError(
            "the zeros leave no row possible: every combination of the declared values meets one "
            "of them. Nothing was spent. Leave out those that contradict each other."
        )

    @cached_property
    def columns(self) -> Names:
        """The columns that some zero is about."""
        return tuple(dict.fromkeys(name for zero in self.listed for name in zero.columns))

    def words(self, zero: Conjunction) -> str:
        """Return what a zero says, by its name or its conditions, in not too many words."""
        return shorten(zero.labels(self.grid.declared)[0], _LONGEST, placeholder=" …")

    @cached_property
    def _sides(self) -> list[dict[str, Mask]]:
        """For each zero and each of its columns which declared points meet its condition."""
        spaces = self.grid.declared.by_name
        found: list[dict[str, Mask]] = []
        for zero in self.listed:
            sides: dict[str, Mask] = {}
            for name, codes in zip(zero.columns, zero.allowed, strict=True):
                sides[name] = np.zeros(spaces[name].size, dtype=np.bool_)
                sides[name][list(codes)] = True
            found.append(sides)
        return found

    @cached_property
    def _atoms(self) -> dict[str, NDArray[np.int64]]:
        """The atom of each declared point of each column."""
        found: dict[str, NDArray[np.int64]] = {}
        for name in self.columns:
            atoms = np.zeros(self.grid.declared.by_name[name].size, dtype=np.int64)
            for side in self._sides:
                if name in side:
                    _, atoms = np.unique(2 * atoms + side[name], return_inverse=True)
            found[name] = atoms.astype(np.int64)
        return found

    @cached_property
    def whole(self) -> dict[str, int]:
        """All atoms of each column, as bits."""
        return {name: (2 << int(atoms.max())) - 1 for name, atoms in self._atoms.items()}

    @cached_property
    def _met(self) -> list[dict[str, int]]:
        """The atoms that meet each condition, as bits."""
        return [
            {name: _bits(self._atoms[name][mask]) for name, mask in side.items()}
            for side in self._sides
        ]

    @cached_property
    def _bins(self) -> dict[str, NDArray[np.int64]]:
        """The bin of each declared point of each column, or the point itself."""
        spaces = self.grid.declared.by_name
        every = {n: np.arange(spaces[n].size if n in self.columns else 1) for n in spaces}
        in_bins = self.grid.codes(every)
        return {name: in_bins[name].astype(np.int64) for name in self.columns}

    @cached_property
    def held(self) -> dict[str, list[int]]:
        """The atoms that each value or bin of each column holds, as bits."""
        found: dict[str, list[int]] = {}
        for name, atoms in self._atoms.items():
            found[name] = [0] * (int(self._bins[name][-1]) + 1)
            pairs = np.unique(np.stack([self._bins[name], atoms]), axis=1)
            for place, atom in zip(*pairs.tolist(), strict=True):
                found[name][place] |= 1 << atom
        return found

    @cached_property
    def _in_bins(self) -> list[dict[str, tuple[Mask, Mask]]]:
        """For each zero whether some, and whether all points of each bin meet its conditions."""
        found: list[dict[str, tuple[Mask, Mask]]] = []
        for side in self._sides:
            ends: dict[str, tuple[Mask, Mask]] = {}
            for name, mask in side.items():
                starts = np.flatnonzero(np.diff(self._bins[name], prepend=-1))
                some = np.logical_or.reduceat(mask, starts)
                ends[name] = (some, np.logical_and.reduceat(mask, starts))
            found.append(ends)
        return found

    def tables(self) -> list[tuple[Names, Mask]]:
        """Return the cells in bins that are surely impossible, a table for each set of columns."""
        found: dict[Names, Mask] = {}
        for zero in self._in_bins:
            names = tuple(sorted(zero))
            cells = np.ones((), dtype=np.bool_)
            for name in names:
                cells = np.logical_and.outer(cells, zero[name][1])
            found[names] = found[names] | cells if names in found else cells
        return list(found.items())

    def are_possible(self, codes: Codes, rows: int) -> Mask:
        """Tell which rows in bins are possible: some points of their bins meet no zero.

        A column without codes has the code 0 in every row.
        """
        given = {name: codes.get(name, np.zeros(rows, np.int64)) for name in self.columns}
        sure, doubtful = np.zeros(rows, np.bool_), np.zeros(rows, np.bool_)
        for zero in self._in_bins:
            some, every = np.ones(rows, np.bool_), np.ones(rows, np.bool_)
            for name, (any_point, all_points) in zero.items():
                some &= any_point[given[name]]
                every &= all_points[given[name]]
            sure |= every
            doubtful |= some & ~every
        (open_rows,) = np.nonzero(doubtful & ~sure)
        if open_rows.size:
            listed = np.stack([given[name][open_rows] for name in self.columns], axis=1)
            unique, inverse = np.unique(listed.astype(np.int64), axis=0, return_inverse=True)
            good = [self._is_possible(row) for row in unique.tolist()]
            sure[open_rows[~np.array(good)[inverse.reshape(-1)]]] = True
        return ~sure

    def _is_possible(self, row: list[int]) -> bool:
        """Tell whether some points of these bins meet no zero; not if that is hard to find out."""
        held = {name: self.held[name][code] for name, code in zip(self.columns, row, strict=True)}
        try:
            return self.narrow(held) is not None
        except TooLargeError:
            return False

    def narrow(self, left: Mapping[str, int]) -> dict[str, int] | None:
        """Return fewer atoms of each column, whose combinations all meet no zero, or None.

        It decides zero by zero in which of its columns its condition is not met, and goes back
        where nothing is left. Ensures: None only if every combination meets a zero.
        """
        open_ones: list[tuple[dict[str, int], int]] = [(dict(left), 0)]
        tried = 0
        while open_ones:
            atoms, place = open_ones.pop()
            tried += 1
            if tried > _MOST_TRIED:
                raise TooLargeError(
                    f"whether the {len(self.listed):,} zeros leave a row possible was not found "
                    f"in {_MOST_TRIED:,} attempts. Declare fewer zeros, or simpler ones.",
                    size=tried,
                )
            while place < len(self._met) and not self._is_open(self._met[place], atoms):
                place += 1
            if place == len(self._met):
                return atoms
            branches: list[tuple[dict[str, int], int]] = []
            for name, met in self._met[place].items():
                if atoms[name] & ~met:
                    branches.append(({**atoms, name: atoms[name] & ~met}, place + 1))
                atoms = {**atoms, name: atoms[name] & met}
            open_ones += branches[::-1]
        return None

    def _is_open(self, met: Mapping[str, int], atoms: Mapping[str, int]) -> bool:
        """Tell whether some combination of these atoms meets a zero."""
        return all(atoms[name] & met[name] for name in met)

    def are_met(self, codes: Codes, rows: int) -> tuple[Mask, NDArray[np.int64]]:
        """Tell which rows of declared points meet a zero, and the last one that each meets."""
        found, which = np.zeros(rows, np.bool_), np.zeros(rows, np.int64)
        for place, side in enumerate(self._sides):
            met = np.ones(rows, np.bool_)
            for name, mask in side.items():
                met &= mask[codes[name]]
            found |= met
            which[met] = place
        return found, which

    def keep_out(self, codes: Codes, source: Source | None = None) -> dict[str, NDArray[Any]]:
        """Return rows of declared points of which none meets a zero, each in the same bins.

        A row that meets one gets other points of its bins: those of another row in that bin, where
        there are any, so that each column keeps its spikes.
        Requires: rows that are possible, see `are_possible`.
        """
        found = {name: np.asarray(given) for name, given in codes.items()}
        cut = [name for name, bins in self._bins.items() if bins[-1] + 1 < bins.size]
        rows = next(iter(found.values())).size
        (bad,) = np.nonzero(self.are_met(found, rows)[0])
        if not bad.size:
            return found
        bits = source_or_default(source)
        donors = {name: _Donors(found[name], self._bins[name], self._atoms[name]) for name in cut}
        keys = [self._bins[name][found[name][bad]] for name in self.columns]
        listed = np.stack(keys, axis=1).astype(np.int64)
        unique, inverse = np.unique(listed, axis=0, return_inverse=True)
        moved = {name: found[name].astype(np.int64) for name in cut}
        order = np.argsort(inverse.reshape(-1), kind="stable")
        groups = np.split(bad[order], np.cumsum(np.bincount(inverse.reshape(-1)))[:-1])
        for row, members in zip(unique.tolist(), groups, strict=True):
            place = dict(zip(self.columns, row, strict=True))
            choices = list(self._choices(place, cut))
            weights = [
                prod(donors[name].times(place[name], atom) for name, atom in one.items())
                for one in choices
            ]
            ends = np.cumsum(np.array(weights, dtype=np.float64))
            drawn = np.searchsorted(ends, _uniform(members.size, bits) * ends[-1], side="right")
            drawn = np.minimum(drawn, len(choices) - 1)
            for number in np.unique(drawn).tolist():
                some = members[drawn == number]
                for name, atom in choices[number].items():
                    moved[name][some] = donors[name].draw(place[name], atom, some.size, bits)
        return found | moved

    def _choices(self, place: Mapping[str, int], cut: list[str]) -> Iterator[dict[str, int]]:
        """Yield the atoms of the cut columns that meet no zero in these bins."""
        left = {name: self.held[name][code] for name, code in place.items()}
        sides = [
            [atom for atom in range(left[name].bit_length()) if left[name] >> atom & 1]
            for name in cut
        ]
        if prod(len(side) for side in sides) > _MOST_CHOICES:
            one = self.narrow(left)
            assert one is not None
            yield {name: (one[name] & -one[name]).bit_length() - 1 for name in cut}
            return
        for atoms in product(*sides):
            fixed = {**left, **{n: 1 << atom for n, atom in zip(cut, atoms, strict=True)}}
            if not any(self._is_open(met, fixed) for met in self._met):
                yield dict(zip(cut, atoms, strict=True))

    def require_unmet(self, batches: Iterator[Codes], *, numbered: bool) -> Iterator[Codes]:
        """Yield batches of declared points on; raises at the first row that meets a zero."""
        first = 0
        for batch in batches:
            rows = next(iter(batch.values())).size
            met, which = self.are_met(batch, rows)
            if met.any():
                row = int(met.argmax())
                at = f"row {first + row + 1:,}" if numbered else "a row"
                self._refuse(at, int(which[row]), row=first + row if numbered else None)
            first += rows
            yield batch

    @cached_property
    def groupings(self) -> tuple[Names, ...]:
        """The columns of each zero, by their points, in the wide domain of the grid."""
        points = self.grid.points
        return tuple(
            dict.fromkeys(
                tuple(points.get(name, name) for name in zero.columns) for zero in self.listed
            )
        )

    def require_none(self, tallies: Tallies) -> None:
        """Raise if counts by `groupings` show a row that meets a zero."""
        points = self.grid.points
        for place, zero in enumerate(self.listed):
            names = tuple(points.get(name, name) for name in zero.columns)
            if int(zero.answers(tallies.counts[names])[0]):
                self._refuse("a row", place, row=None)

    def _refuse(self, at: str, place: int, *, row: int | None) -> None:
        raise OutsideSpaceError(
            f"{at} of the data meets the declared zero {self.words(self.listed[place])!r}. Nothing "
            "was spent. Correct such rows first, or leave this zero out.",
            row=row,
        )


@final
class _Donors:
    """The points that rows have in each bin of a column, by their atoms."""

    def __init__(
        self, points: NDArray[Any], bins: NDArray[np.int64], atoms: NDArray[np.int64]
    ) -> None:
        self._bins, self._atoms, self._count = bins, atoms, int(atoms.max()) + 1
        keys = bins[points] * self._count + atoms[points]
        order = np.argsort(keys, kind="stable")
        self._keys, self._points = keys[order], points[order].astype(np.int64)

    def _ends(self, place: int, atom: int) -> tuple[int, int]:
        key = place * self._count + atom
        first, last = np.searchsorted(self._keys, [key, key + 1])
        return int(first), int(last)

    def times(self, place: int, atom: int) -> float:
        """Return how many rows have such a point; half a row where none has."""
        first, last = self._ends(place, atom)
        return max(last - first, 0.5)

    def draw(self, place: int, atom: int, size: int, bits: Source) -> NDArray[np.int64]:
        """Return such points of other rows, or any where no row has one."""
        first, last = self._ends(place, atom)
        known = self._points[first:last]
        if not known.size:
            known = np.flatnonzero((self._bins == place) & (self._atoms == atom))
        picked = (_uniform(size, bits) * known.size).astype(np.int64)
        return known[np.minimum(picked, known.size - 1)]


def _bits(atoms: NDArray[np.int64]) -> int:
    return sum(1 << atom for atom in np.unique(atoms).tolist())


def _uniform(size: int, bits: Source) -> NDArray[np.float64]:
    return (bits.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
