"""Cells that hold lists: sets of items, and curves; and records, or points of any other space."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.on_use import pa
from noisewright.spaces import label_key
from noisewright.tables.cell_types import is_label_type, is_list, is_number, plain_array
from noisewright.tables.cells import BadCellError, Cells
from noisewright.tables.field import Field
from noisewright.tables.item_sets import ItemSets, sorted_sets
from noisewright.tables.plain_cells import double, entries_of, is_missing, number_of


@final
class SetCells(Cells):
    """Lists of declared items."""

    needs = "lists of items"

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._samples = field.outside == "sample"
        self._places = {label_key(item): place for place, item in enumerate(self._space.items)}
        self._other = -1 if field.other is None else self._places[label_key(field.other)]
        self._null: NDArray[np.int32] | None = None
        if field.null is not None:
            places = sorted(self._space.items.index(item) for item in field.null)
            self._null = np.array(places, dtype=np.int32)

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be sets of the items."""
        kinds = {type(item) for item in self._space.items}
        labels = "text" if str in kinds else "bytes" if bytes in kinds else "number"
        return is_list(kind) and is_label_type(kind.value_type, labels)

    def empty(self, row: int) -> BadCellError:
        """Return the error for an empty cell, which a CSV file has for an empty set, too."""
        return BadCellError(
            row,
            "is empty",
            "If that stands for the empty set, as in most CSV files, declare null = [] for the "
            "column in the plan (null=[] of nw.Column). Otherwise fill it or leave the row out.",
        )

    def _from_plain(self, values: Sequence[Any]) -> ItemSets:
        indices: list[int] = []
        offsets, gaps = [0], np.zeros(len(values), dtype=np.bool_)
        for row, cell in enumerate(values):
            entries = None if is_missing(cell) else entries_of(cell)
            gaps[row] = entries is None
            if entries is None and self._null is None:
                raise self.empty(row) if is_missing(cell) else self.of_another_kind(row)
            indices.extend(map(self._place, entries or ()))
            offsets.append(len(indices))
        found, ends = np.array(indices, dtype=np.int64), np.array(offsets, dtype=np.int64)
        return self._sets(found, ends, gaps if gaps.any() else None)

    def _place(self, entry: Any) -> int:
        try:
            return self._places.get(label_key(entry), self._other)
        except TypeError:
            return self._other

    def _from_arrow(self, array: Any) -> ItemSets:
        if not is_list(array.type):
            return self._from_plain(array.to_pylist())
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        if missing is not None and self._null is None:
            raise self.empty(int(np.argmax(missing)))
        array = plain_array(array)
        lengths = array.value_lengths().to_numpy(zero_copy_only=False)
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)])
        values = array.flatten()
        encoded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
        # A dictionary may carry labels that no set uses; only a used one is an error.
        places = [*map(self._place, encoded.dictionary.to_pylist()), self._other]
        indices = encoded.indices.cast("int64").fill_null(len(places) - 1)
        found = np.array(places, dtype=np.int64)[indices.to_numpy(zero_copy_only=False)]
        return self._sets(found, ends, missing)

    def _sets(
        self, found: NDArray[np.int64], ends: NDArray[np.int64], missing: NDArray[np.bool_] | None
    ) -> ItemSets:
        """Return the sets of these places of items; undeclared ones are below 0."""
        if found.size and found.min() < 0:
            raise BadCellError(
                int(np.searchsorted(ends, int(np.argmax(found < 0)), side="right")) - 1,
                "holds an item that was not declared",
                "Declare the item, or drop it; in a plan, other=… of the column declares what it "
                "counts as.",
            )
        sets, most = sorted_sets(self._space, found, ends), self._space.most
        if not self._samples and (sets.sizes > most).any():
            raise BadCellError(
                int(np.argmax(sets.sizes > most)),
                f"holds more than {most:,} items",
                "Cut the sets; in a plan, outside='sample' of the column keeps a random part of "
                "them.",
            )
        return sets if missing is None else self._fill(sets, missing)

    def _fill(self, sets: ItemSets, missing: NDArray[np.bool_]) -> ItemSets:
        """Put the set that empty cells count as where they are."""
        assert self._null is not None
        rows = np.flatnonzero(missing)
        places = np.repeat(sets.offsets[rows], self._null.size)
        indices = np.insert(sets.indices, places, np.tile(self._null, rows.size))
        sizes = sets.sizes + missing * self._null.size
        return ItemSets(indices, np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)]))


@final
class CurveCells(Cells):
    """Lists of numbers, one for each position of the grid."""

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._outside: Any = field.outside
        self._null: NDArray[Any] | None = None
        if field.null is not None:
            self._null = self._space.read([list(field.null)])[0]
        self.needs = f"lists of {len(self._space.grid):,} numbers"

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be curves."""
        return is_list(kind) and is_number(kind.value_type)

    def plain(self, values: Sequence[Any]) -> Any:
        """Return cells of plain Python as the curves they count as, in lists of doubles."""
        from noisewright.tables.outputs import CurveOutputs

        steps = self._from_plain(values)
        return CurveOutputs(len(self._space.grid), self.type).array(self._space.values(steps))

    def _from_numpy(self, values: NDArray[Any]) -> NDArray[Any]:
        return self._read(values) if values.ndim == 2 else self._from_plain(values.tolist())

    def _from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        there: list[int] = []
        curves: list[list[float]] = []
        for row, cell in enumerate(values):
            entries = None if is_missing(cell) else entries_of(cell)
            if entries is None and self._null is None:
                raise self.empty(row) if is_missing(cell) else self.of_another_kind(row)
            numbers = [None if is_missing(entry) else number_of(entry) for entry in entries or ()]
            whole = None not in numbers and len(numbers) == len(self._space.grid)
            if entries is not None and (whole or self._null is None):
                there.append(row)
                curves.append([np.nan if n is None else double(n) for n in numbers])
        return self._with_gaps(len(values), there, self._read(curves, there) if curves else None)

    def _with_gaps(self, rows: int, there: Any, read: NDArray[Any] | None) -> NDArray[Any]:
        steps = np.empty((rows, len(self._space.grid)), dtype=np.int64)
        if self._null is not None:
            steps[:] = self._null
        if read is not None:
            steps[there] = read
        return steps

    def _from_arrow(self, array: Any) -> NDArray[Any]:
        """Return the curves as whole steps above low, one row for each."""
        if not is_list(array.type):
            return self._from_plain(array.to_pylist())
        if self._null is None:
            if array.null_count:
                raise self.empty(int(np.argmax(array.is_null().to_numpy(zero_copy_only=False))))
            return self._read(plain_array(array))
        there = self._whole(array)
        some = plain_array(array.filter(pa.array(there)))
        return self._with_gaps(len(array), there, self._read(some, np.flatnonzero(there)))

    def _whole(self, array: Any) -> NDArray[np.bool_]:
        """Tell which cells are curves at all: of the right length, with a number everywhere."""
        flat = plain_array(array)
        lengths = flat.value_lengths().to_numpy(zero_copy_only=False)
        numbers = flat.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        gaps = np.concatenate([[0], np.cumsum(np.isnan(numbers))])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        return valid & (lengths == len(self._space.grid)) & (gaps[ends[1:]] == gaps[ends[:-1]])

    def _read(self, curves: Any, rows: Sequence[int] | NDArray[Any] | None = None) -> NDArray[Any]:
        try:
            return self._space.read(curves, outside=self._outside)
        except OutsideSpaceError as problem:
            row = problem.row or 0
            bad = BadCellError(
                row if rows is None else int(rows[row]),
                f"is not a curve of the plan: {problem.why}",
                "Correct the curve, declare wider bounds, use outside='clamp', or declare what "
                "cells without a curve count as (null=…).",
            )
        raise bad


@final
class PointCells(Cells):
    """Points of any other space, records for example, one by one."""

    needs = "points of the space"

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be points: that is known cell by cell."""
        return True

    @property
    def type(self) -> Any:
        """None: such points have no column of their own."""
        return None

    def _from_arrow(self, array: Any) -> NDArray[Any]:
        return self._from_plain(array.to_pylist())

    def _from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        codes = np.empty(len(values), dtype=object if self._space.size >> 62 else np.intp)
        for row, value in enumerate(values):
            try:
                codes[row] = self._space.code(value)
                continue
            except OutsideSpaceError as problem:
                reason = f" ({problem.why})" if problem.why else ""
                bad = BadCellError(
                    row,
                    f"is not a point of {self._space!r}{reason}",
                    "Map it to a point first, or widen the space.",
                )
            raise self.empty(row) if is_missing(value) else bad
        return codes
