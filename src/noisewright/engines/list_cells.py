"""Cells that hold lists: sets of items, and curves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.engines.cell_types import is_label_type, is_list, is_number, plain_array
from noisewright.engines.cells import BadCellError, Cells
from noisewright.errors import OutsideSpaceError
from noisewright.mechanisms.item_sets import ItemSets, read_sets

if TYPE_CHECKING:
    from noisewright.plans import Column


@final
class SetCells(Cells):
    """Lists of declared items."""

    needs = "lists of items"

    def __init__(self, column: Column) -> None:
        self._space: Any = column.space
        self._samples = column.outside == "sample"
        self._null: NDArray[np.int32] | None = None
        if column.null is not None:
            places = sorted(self._space.items.index(item) for item in column.null)
            self._null = np.array(places, dtype=np.int32)

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be sets of the items."""
        kinds = {type(item) for item in self._space.items}
        labels = "text" if str in kinds else "bytes" if bytes in kinds else "number"
        return is_list(kind) and is_label_type(kind.value_type, labels)

    def encode(self, array: Any) -> ItemSets:
        """Return the positions of the items of each set."""
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        if missing is not None and self._null is None:
            raise self.empty(int(np.argmax(missing)))
        try:
            sets, _ = read_sets(self._space, plain_array(array))
        except OutsideSpaceError as problem:
            why = problem.why.removeprefix("it ")
            bad = BadCellError(problem.row or 0, why, "Declare the item, or drop it first.")
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

    def __init__(self, column: Column) -> None:
        self._space: Any = column.space
        self._outside: Any = column.outside
        self._null: NDArray[Any] | None = None
        if column.null is not None:
            self._null = self._space.read([list(column.null)])[0]
        self.needs = f"lists of {len(self._space.grid):,} numbers"

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be curves."""
        return is_list(kind) and is_number(kind.value_type)

    def encode(self, array: Any) -> NDArray[Any]:
        """Return the curves as whole steps above low, one row for each."""
        missing = array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None
        if missing is None:
            return self._read(array, np.arange(len(array)))
        if self._null is None:
            raise self.empty(int(np.argmax(missing)))
        there = np.flatnonzero(~missing)
        steps = np.empty((len(array), len(self._space.grid)), dtype=np.int64)
        steps[missing] = self._null
        steps[there] = self._read(array.filter(array.is_valid()), there)
        return steps

    def _read(self, array: Any, rows: NDArray[Any]) -> NDArray[Any]:
        array = plain_array(array)
        try:
            return self._space.read(array, outside=self._outside)
        except OutsideSpaceError as problem:
            bad = BadCellError(
                int(rows[problem.row or 0]),
                f"is no curve of the plan: {problem.why}",
                "Mend the curve, declare wider bounds, or say outside='clamp'.",
            )
        raise bad
