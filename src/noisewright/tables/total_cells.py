"""Cells of one column as codes and gaps, for questions whose errors must not depend on the data.

Every cell counts as a point of the space or as a gap: numbers are clamped to the bounds and rounded
to the grid; an empty cell counts as the field's `null`, and an undeclared label as its `other`,
where it has them. Whatever else a cell holds is a gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.on_use import pa, pc
from noisewright.spaces import Categories, Counts, Dates, Interval
from noisewright.tables.cell_types import is_text
from noisewright.tables.cells import BadCellError
from noisewright.tables.codec import as_column
from noisewright.tables.field import Field
from noisewright.tables.label_cells import LabelCells
from noisewright.tables.plain_cells import number_in

Missing = NDArray[np.bool_] | None
"""Which cells are gaps; None if none is."""

_TRUTH = {"true": True, "false": False}


class TotalCells:
    """Reads the cells of a column of labels, counts, numbers or dates, and never fails on one."""

    def __init__(self, field: Field, *, name: str) -> None:
        space = field.space
        if not isinstance(space, Categories | Counts | Interval):
            raise ParameterError(
                f"the column {name!r} holds {type(space).__name__}; questions can be asked about "
                "labels, counts, numbers and dates."
            )
        self.field, self.name, self.size = field, name, space.size
        self._has_gaps = field.null is None
        if isinstance(space, Categories):
            self._labels: LabelCells | None = LabelCells(field, total=True)
            self._kind = {type(label) for label in space.labels}
            return
        self._labels = None
        # What differs between these two readings is a gap.
        points = (
            [field.null]
            if field.null is not None
            else [space.point(0), space.point(space.size - 1)]
        )
        rules = {"outside": "clamp"}
        if isinstance(space, Interval) and not isinstance(space, Dates):
            rules["off_grid"] = "round"
        self._readers = [Field(space, null=point, **rules).cells for point in points]

    def require_type(self, kind: Any) -> None:
        """Raise InputError unless an Arrow type can hold such cells."""
        cells = self.field.cells
        if not (is_text(kind) or cells.accepts(kind)):
            raise InputError(
                f"the column {self.name!r} has the type {kind}; its space takes {cells.needs}. "
                "Convert the column, or declare another space."
            )

    def read(self, column: Any) -> tuple[NDArray[Any], Missing]:
        """Return the code of each cell, and which cells are gaps."""
        column = as_column(column)
        if isinstance(column, pa.Array):
            kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
            if is_text(kind) and (self._labels is None or str not in self._kind):
                return self._by_text(column)
        if self._labels is not None:
            codes = self._labels.encode(column)
            missing = codes >= self.size
            if not missing.any():
                return codes, None
            return np.where(missing, 0, codes), missing
        codes = self._read_with(0, column)
        if len(self._readers) == 1 or not codes.size or codes.min() > 0 or _is_full(column):
            return codes, None
        missing = codes != self._read_with(1, column)
        return codes, missing if missing.any() else None

    @property
    def type(self) -> Any:
        """The Arrow type of such cells where the table declares none."""
        return self.field.cells.type

    def plain(self, values: Sequence[Any]) -> Any:
        """Return cells of plain Python as the points they count as; gaps are null."""
        from noisewright.tables.outputs import outputs_for

        codes, missing = self.read(list(values))
        made = outputs_for(self.field.space, pa.null()).array(codes).cast(self.type)
        return made if missing is None else _with_nulls(made, missing)

    def _read_with(self, place: int, column: Any) -> NDArray[Any]:
        try:
            return self._readers[place].encode(column)
        except BadCellError:
            # No rule is left that a cell could break, so this is about the type of the column.
            raise InputError(
                f"the column {self.name!r} cannot be read as {self.field.cells.needs}."
            ) from None

    def _by_text(self, column: Any) -> tuple[NDArray[Any], Missing]:
        """Read each different text once, as the number, date or truth value that it states."""
        is_coded = pa.types.is_dictionary(column.type)
        coded = column if is_coded else column.dictionary_encode()
        texts: list[Any] = coded.dictionary.to_pylist()
        if not isinstance(self.field.space, Dates):
            texts = [None if text is None else _value_in(text) for text in texts]
        codes, missing = self.read([*texts, None])
        places = coded.indices.cast(pa.int64()).fill_null(len(texts)).to_numpy(zero_copy_only=False)
        gaps = None if missing is None else missing[places]
        return codes[places], gaps if gaps is not None and gaps.any() else None


def _with_nulls(array: Any, missing: NDArray[np.bool_]) -> Any:

    nothing = pa.scalar(None, array.type)
    return pc.call_function("if_else", [pa.array(~missing), array, nothing])


def _value_in(text: str | bytes) -> Any:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    known = _TRUTH.get(words.strip().lower())
    return number_in(words) if known is None else known


def _is_full(column: Any) -> bool:
    """Tell whether a column of whole numbers has no gaps, without reading it twice."""
    if isinstance(column, pa.Array):
        return pa.types.is_integer(column.type) and not column.null_count
    return isinstance(column, np.ndarray) and column.dtype.kind in "iu"
