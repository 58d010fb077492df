"""Cells that hold one of the declared labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Categories, label_key
from noisewright.tables.cell_types import is_label_type, is_text, plain_array
from noisewright.tables.cells import BadCellError, Cells, code_type
from noisewright.tables.plain_cells import is_missing
from noisewright.tables.released_types import released_type

if TYPE_CHECKING:
    from noisewright.tables.field import Field

_WIDE = 1 << 16
"""Whole-number labels that span less than this are looked up, others are searched."""


@final
class LabelCells(Cells):
    """One of the declared labels."""

    def __init__(self, field: Field) -> None:
        self._space = space = cast(Categories, field.space)
        self._size: int = space.size
        self._type = code_type(space.size)
        self._unknown = self._size if field.other is None else space.code(field.other)
        self._null = self._size + 1 if field.null is None else space.code(field.null)
        self._codes = {label_key(label): code for code, label in enumerate(space.labels)}
        self._labels: tuple[Any, ...] = space.labels
        self._last: tuple[Any, NDArray[Any]] | None = None
        kinds = {type(label) for label in space.labels}
        self._kind = "text" if str in kinds else "bytes" if bytes in kinds else "number"
        if kinds == {bool}:
            self._kind = "truth"
        self.needs = {
            "text": "texts",
            "bytes": "bytes",
            "number": "numbers",
            "truth": "booleans",
        }[self._kind]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None}

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be among the labels."""
        return is_label_type(kind, self._kind)

    def encode(self, array: Any) -> NDArray[Any]:
        """Return the codes of the labels."""
        import pyarrow as pa

        kind = array.type
        if pa.types.is_dictionary(kind):
            codes = self._by_dictionary(array)
        elif is_text(kind) or pa.types.is_null(kind):
            codes = self._by_dictionary(plain_array(array).dictionary_encode())
        elif pa.types.is_boolean(kind):
            places = array.cast(pa.uint8()).fill_null(2).to_numpy(zero_copy_only=False)
            codes = self._translated([False, True])[places]
        else:
            codes = self._numbers(array)
        if codes.size and codes.max() >= self._size:
            row = int(np.argmax(codes >= self._size))
            if codes[row] > self._size:
                raise self.empty(row)
            raise self._undeclared(row)
        return codes

    @property
    def type(self) -> Any:
        """The type of the labels."""
        import pyarrow as pa

        return released_type(self._space, pa.null())

    def plain(self, values: Sequence[Any]) -> Any:
        """Return each cell as the declared label that it is or counts as."""
        import pyarrow as pa

        found = [self._label(row, cell) for row, cell in enumerate(values)]
        return pa.array(found, self.type)

    def _label(self, row: int, cell: Any) -> Any:
        if is_missing(cell):
            return None
        try:
            key = (False, cell) if type(cell) is str else label_key(cell)
            code = self._codes.get(key, self._unknown)
        except TypeError:
            # What cannot be looked up, a list for example, is no label.
            code = self._unknown
        if code == self._size:
            raise self._undeclared(row)
        return self._labels[code]

    def _undeclared(self, row: int) -> BadCellError:
        return BadCellError(
            row,
            f"is none of the {self._size:,} declared labels",
            "Declare the label, or say which one undeclared ones count as (other=…).",
        )

    def _translated(self, labels: list[Any]) -> NDArray[Any]:
        """Return the codes of some labels, and behind them that of an empty cell."""
        found = [
            self._null if label is None else self._codes.get(label_key(label), self._unknown)
            for label in labels
        ]
        return np.array([*found, self._null], dtype=self._type)

    def _by_dictionary(self, array: Any) -> NDArray[Any]:
        """Translate the dictionary once, and then only its indices."""
        dictionary, last = array.dictionary, self._last
        if last is None or not dictionary.equals(last[0]):
            # Kept in one piece, so that threads which share this never mix two of them.
            self._last = last = (dictionary, self._translated(dictionary.to_pylist()))
        table = last[1]
        indices = array.indices
        if indices.null_count:
            indices = indices.cast("int64").fill_null(len(dictionary))
        return np.take(table, indices.to_numpy(zero_copy_only=False))

    def _numbers(self, array: Any) -> NDArray[Any]:
        missing = None
        if array.null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
            array = array.fill_null(0)
        values = array.to_numpy(zero_copy_only=False)
        if values.dtype.kind == "f":
            absent = np.isnan(values)
            missing = absent if missing is None else missing | absent
        codes = self._searched(values)
        if missing is not None:
            codes[missing] = self._null
        return codes

    def _searched(self, values: NDArray[Any]) -> NDArray[Any]:
        """Find numbers among the labels."""
        labels = [
            (label, code)
            for code, label in enumerate(self._labels)
            if isinstance(label, (int, float)) and not isinstance(label, bool)
        ]
        whole = [(int(label), code) for label, code in labels if label == int(label)]
        if values.dtype.kind in "iu":
            limits = np.iinfo(values.dtype)
            labels = [pair for pair in whole if limits.min <= pair[0] <= limits.max]
        if not labels:
            return np.full(len(values), self._unknown, dtype=self._type)
        labels.sort()
        low, high = labels[0][0], labels[-1][0]
        if values.dtype.kind in "iu" and high - low < _WIDE:
            table = np.full(int(high - low) + 2, self._unknown, dtype=self._type)
            for label, code in labels:
                table[int(label - low)] = code
            # Numbers below the lowest wrap around to large ones, so one comparison is enough.
            places = values.astype(np.uint64) - np.uint64(int(low) % (1 << 64))
            return np.take(table, np.minimum(places, np.uint64(len(table) - 1)).astype(np.intp))
        exact = np.array([label for label, _ in labels], dtype=values.dtype)
        places = np.minimum(np.searchsorted(exact, values), len(labels) - 1)
        codes = np.array([code for _, code in labels], dtype=self._type)[places]
        codes[exact[places] != values] = self._unknown
        return codes
