"""Cells that hold dates or times: as values of their own type, or as texts in ISO 8601."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.on_use import pa, pc
from noisewright.spaces import in_seconds
from noisewright.tables.cell_types import is_text
from noisewright.tables.cells import BadCellError, Cells, code_type
from noisewright.tables.field import Field
from noisewright.tables.plain_cells import is_missing


@final
class DateCells(Cells):
    """Dates and times between two bounds."""

    needs = "dates"

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._clamps = field.outside == "clamp"
        self._null = None if field.null is None else self._space.code(field.null)
        self._low, self._size = int(self._space.low), self._space.size

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be dates; a time zone must have been declared."""
        if pa.types.is_dictionary(kind):
            return self.accepts(kind.value_type)
        if pa.types.is_timestamp(kind):
            return kind.tz is None or self._space.zone is not None
        return pa.types.is_date(kind) or pa.types.is_null(kind) or is_text(kind)

    def encode(self, column: Any) -> NDArray[Any]:
        """Return the places of the dates on the grid, of an array of datetime64 all at once."""
        if not isinstance(column, np.ndarray) or column.dtype.kind != "M":
            return super().encode(column)
        missing = np.isnat(column)
        known = np.where(missing, np.datetime64(0, "D"), column)
        return self._codes(self._space.steps_of(known), missing)

    def _from_arrow(self, array: Any) -> NDArray[Any]:
        kind = array.type
        if pa.types.is_dictionary(kind) and not is_text(kind.value_type):
            return self._from_arrow(array.dictionary_decode())
        if pa.types.is_dictionary(kind) or is_text(kind):
            # Each different text is read once.
            encoded = array if pa.types.is_dictionary(kind) else array.dictionary_encode()
            indices = encoded.indices.cast(pa.int64())
            places = indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
            return self._by_place(encoded.dictionary.to_pylist(), places)
        if pa.types.is_null(kind):
            array = array.cast(pa.date32())
        if pa.types.is_timestamp(kind) and kind.tz is not None:
            return self.encode(self._in_zone(array))
        return self.encode(array.to_numpy(zero_copy_only=False))

    def _in_zone(self, array: Any) -> NDArray[Any]:
        """Return times that have a zone as they are told in the zone of the space."""
        given = array.cast(pa.timestamp(array.type.unit)).to_numpy(zero_copy_only=False)
        missing = np.isnat(given)
        utc = in_seconds(np.where(missing, np.datetime64(0, "s"), given))
        there = pa.array(utc).cast(pa.timestamp("s", tz=self._space.zone))
        local = pc.call_function("local_timestamp", [there]).to_numpy().copy()
        # From then on Arrow does not know when clocks change.
        late = utc >= np.datetime64("2037", "s")
        if late.any():
            local[late] = self._space.local_times(utc[late])
        local[missing] = np.datetime64("NaT")
        return local

    def _from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        return self._by_place(values, np.arange(len(values)))

    def _by_place(self, values: Sequence[Any], places: NDArray[Any]) -> NDArray[Any]:
        """Return the codes of cells that are given by their places among some values."""
        empty = np.array([*map(is_missing, values), True])
        known = [
            None if gap else self._space.steps_in(one)
            for one, gap in zip(values, empty, strict=False)
        ]
        wrong = np.array([*(step is None for step in known), False]) & ~empty
        if self._null is None and wrong[places].any():
            raise self.of_another_kind(int(np.argmax(wrong[places])))
        steps = np.array([*(step or 0 for step in known), 0], dtype=np.int64)
        return self._codes(steps[places], (empty | wrong)[places])

    def _codes(self, steps: NDArray[np.int64], missing: NDArray[np.bool_]) -> NDArray[Any]:
        codes = steps - self._low
        if missing.any():
            if self._null is None:
                raise self.empty(int(np.argmax(missing)))
            codes[missing] = self._null
        if codes.size and not (codes.min() >= 0 and codes.max() < self._size):
            if not self._clamps:
                space = self._space
                raise BadCellError(
                    int(np.argmax((codes < 0) | (codes >= self._size))),
                    f"is outside of {space.show(space.low)} to {space.show(space.high)}",
                    "Declare wider bounds; in a plan, the column's outside='clamp' moves it "
                    "to the bound.",
                )
            codes = np.clip(codes, 0, self._size - 1)
        return codes.astype(code_type(self._size))
