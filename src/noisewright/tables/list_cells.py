"""Cells that hold lists: sets of items, and curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.spaces import label_key
from noisewright.tables.cell_types import is_label_type, is_list, is_number, plain_array
from noisewright.tables.cells import BadCellError, Cells
from noisewright.tables.item_sets import ItemSets, read_sets
from noisewright.tables.plain_cells import double, is_missing, listed, number_of
from noisewright.tables.released_types import released_type

if TYPE_CHECKING:
    from noisewright.tables.field import Field


@final
class SetCells(Cells):
    """Lists of declared items."""

    needs = "lists of items"

    def __init__(self, field: Field) -> None:
        self._space: Any = field.space
        self._samples = field.outside == "sample"
        self._places = {label_key(item): place for place, item in enumerate(self._space.items)}
        self._other = None if field.other is None else self._places[label_key(field.other)]
        self._null: NDArray[np.int32] | None = None
        if field.null is not None:
            places = sorted(self._space.items.index(item) for item in field.null)
            self._null = np.array(places, dtype=np.int32)

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be sets of the items."""
        kinds = {type(item) for item in self._space.items}
        labels = "text" if str in kinds else "bytes" if bytes in kinds else "number"
        return is_list(kind) and is_label_type(kind.value_type, labels)

    @property
    def type(self) -> Any:
        """Lists of the items."""
        import pyarrow as pa

        return released_type(self._space, pa.null())

    def plain(self, values: Sequence[Any]) -> Any:
        """Return each cell as a list of declared items."""
        import pyarrow as pa

        return pa.array([self._set(row, cell) for row, cell in enumerate(values)], self.type)

    def _set(self, row: int, cell: Any) -> list[Any] | None:
        if is_missing(cell):
            return None
        entries = listed(cell)
        if entries is None:
            if self._null is None:
                raise self.of_another_kind(row)
            return None
        return [self._space.items[self._place(row, entry)] for entry in entries]

    def _place(self, row: int, entry: Any) -> int:
        try:
            place = self._places.get(label_key(entry), self._other)
        except TypeError:
            place = self._other
        if place is None:
            raise self._undeclared(row)
        return place

    def _undeclared(self, row: int) -> BadCellError:
        return BadCellError(
            row,
            "holds an item that was not declared",
            "Declare the item, say which one undeclared ones count as (other=…), or drop it first.",
        )

    def encode(self, array: Any) -> ItemSets:
        """Return the positions of the items of each set."""
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        if missing is not None and self._null is None:
            raise self.empty(int(np.argmax(missing)))
        try:
            sets, _ = read_sets(self._space, plain_array(array), other=self._other)
        except OutsideSpaceError as problem:
            bad = self._undeclared(problem.row or 0)
        else:
            most = self._space.most
            if not self._samples and (sets.sizes > most).any():
                raise BadCellError(
                    int(np.argmax(sets.sizes > most)),
                    f"holds more than {most:,} items",
                    "Cut the sets, or say outside='sample' to let a random part of them count.",
                )
            return sets if missing is None else self._filled(sets, missing)
        raise bad

    def _filled(self, sets: ItemSets, missing: NDArray[np.bool_]) -> ItemSets:
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
        self._space: Any = field.space
        self._outside: Any = field.outside
        self._null: NDArray[Any] | None = None
        if field.null is not None:
            self._null = self._space.read([list(field.null)])[0]
        self.needs = f"lists of {len(self._space.grid):,} numbers"

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be curves."""
        return is_list(kind) and is_number(kind.value_type)

    @property
    def type(self) -> Any:
        """Lists of doubles."""
        import pyarrow as pa

        return pa.list_(pa.float64())

    def plain(self, values: Sequence[Any]) -> Any:
        """Return each cell as a list of doubles; what is no number in it is missing there."""
        import pyarrow as pa

        return pa.array([self._curve(row, cell) for row, cell in enumerate(values)], self.type)

    def _curve(self, row: int, cell: Any) -> list[float | None] | None:
        if is_missing(cell):
            return None
        entries = listed(cell)
        if entries is None:
            if self._null is None:
                raise self.of_another_kind(row)
            return None
        numbers = [None if is_missing(entry) else number_of(entry) for entry in entries]
        return [None if number is None else double(number) for number in numbers]

    def encode(self, array: Any) -> NDArray[Any]:
        """Return the curves as whole steps above low, one row for each."""
        if self._null is None:
            if array.null_count:
                raise self.empty(int(np.argmax(array.is_null().to_numpy(zero_copy_only=False))))
            return self._read(array)
        import pyarrow as pa

        there = self._whole(array)
        steps = np.empty((len(array), len(self._space.grid)), dtype=np.int64)
        steps[~there] = self._null
        steps[there] = self._read(array.filter(pa.array(there)), np.flatnonzero(there))
        return steps

    def _whole(self, array: Any) -> NDArray[np.bool_]:
        """Tell which cells are curves at all: of the right length, with a number everywhere."""
        flat = plain_array(array)
        lengths = flat.value_lengths().to_numpy(zero_copy_only=False)
        numbers = flat.flatten().to_numpy(zero_copy_only=False).astype(np.float64)
        gaps = np.concatenate([[0], np.cumsum(np.isnan(numbers))])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        return valid & (lengths == len(self._space.grid)) & (gaps[ends[1:]] == gaps[ends[:-1]])

    def _read(self, array: Any, rows: NDArray[Any] | None = None) -> NDArray[Any]:
        array = plain_array(array)
        try:
            return self._space.read(array, outside=self._outside)
        except OutsideSpaceError as problem:
            row = problem.row or 0
            bad = BadCellError(
                row if rows is None else int(rows[row]),
                f"is no curve of the plan: {problem.why}",
                "Mend the curve, declare wider bounds, say outside='clamp', or say what cells "
                "without a curve count as (null=…).",
            )
        raise bad
