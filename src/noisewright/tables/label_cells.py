"""Cells that hold one of the declared labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.on_use import pa, pc
from noisewright.spaces import label_key
from noisewright.tables.cell_types import is_label_type, is_string, is_text, plain_array
from noisewright.tables.cells import BadCellError, Cells, code_type, look_up
from noisewright.tables.field import Field
from noisewright.tables.plain_cells import is_missing

_WIDE = 1 << 16
"""Whole-number labels that span less than this are looked up, others are searched."""

_FEW = 1 << 10
"""Texts are searched one by one among so many labels; more are found by their dictionary."""

_NEEDS = {"text": "texts", "bytes": "bytes", "number": "numbers", "truth": "booleans"}


@final
class LabelCells(Cells):
    """One of the declared labels; `total` leaves marks for other cells and raises nothing."""

    def __init__(self, field: Field, *, total: bool = False) -> None:
        super().__init__(field)
        self._total = total
        self._size: int = self._space.size
        self._type = code_type(self._size)
        self._unknown = self._size if field.other is None else self._space.code(field.other)
        self._null = self._size + 1 if field.null is None else self._space.code(field.null)
        self._codes = {label_key(label): code for code, label in enumerate(self._space.labels)}
        self._texts = {
            label: code for code, label in enumerate(self._space.labels) if isinstance(label, str)
        }
        self._last: tuple[Any, NDArray[Any]] | None = None
        self._tables: dict[Any, tuple[int, NDArray[Any]] | None] = {}
        kinds = {type(label) for label in self._space.labels}
        self._kind = "text" if str in kinds else "bytes" if bytes in kinds else "number"
        if kinds == {bool}:
            self._kind = "truth"
        self.needs = _NEEDS[self._kind]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None, "_tables": {}}

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be among the labels."""
        return is_label_type(kind, self._kind)

    def _require_known(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Raise for the first mark of a cell that is empty or undeclared."""
        if not self._total and codes.size and codes.max() >= self._size:
            row = int(np.argmax(codes >= self._size))
            if codes[row] > self._size:
                raise self.empty(row)
            raise BadCellError(
                row,
                f"is not one of the {self._size:,} declared labels",
                "Declare the label, or map it to a declared one; in a plan, the column's other=… "
                "does.",
            )
        return codes

    def _from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        unknown, texts = self._unknown, self._texts
        if set(map(type, values)) <= {str}:
            found = (texts.get(cell, unknown) for cell in values)
        else:
            found = map(self._code, values)
        return self._require_known(np.fromiter(found, dtype=self._type, count=len(values)))

    def _code(self, cell: Any) -> int:
        if is_missing(cell):
            return self._null
        try:
            return self._codes.get(label_key(cell), self._unknown)
        except TypeError:
            # What cannot be looked up, a list for example, is no label.
            return self._unknown

    def _from_arrow(self, array: Any) -> NDArray[Any]:
        kind = array.type
        if pa.types.is_dictionary(kind):
            return self._require_known(self._by_dictionary(array))
        if is_text(kind) or pa.types.is_null(kind):
            return self._require_known(self._by_text(plain_array(array)))
        if pa.types.is_boolean(kind):
            return self._require_known(look_up(self._translate([False, True]), _places(array)))
        if not is_label_type(kind, "number"):
            return self._from_plain(array.to_pylist())
        missing = None
        if array.null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
            array = array.fill_null(0)
        return self._numbers(array.to_numpy(zero_copy_only=False), missing)

    def _from_numpy(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind == "b":
            return self._require_known(
                look_up(self._translate([False, True]), values.view(np.uint8))
            )
        return self._numbers(values, None)

    def _translate(self, labels: list[Any]) -> NDArray[Any]:
        """Return the codes of some labels, and behind them that of an empty cell."""
        return np.array([*map(self._code, labels), self._null], dtype=self._type)

    def _by_dictionary(self, array: Any) -> NDArray[Any]:
        """Translate the dictionary once, and then only its indices."""
        dictionary, last = array.dictionary, self._last
        if last is None or not dictionary.equals(last[0]):
            # Kept in one piece, so that threads which share this never mix two of them.
            self._last = last = (dictionary, self._translate(dictionary.to_pylist()))
        table = last[1]
        indices = array.indices
        if indices.null_count:
            indices = indices.cast("int64").fill_null(len(dictionary))
        return look_up(table, indices.to_numpy(zero_copy_only=False))

    def _by_text(self, array: Any) -> NDArray[Any]:
        """Search texts among few labels, which is quicker than to find the different ones."""
        if len(self._texts) > _FEW or not is_string(array.type):
            return self._by_dictionary(array.dictionary_encode())
        texts = pa.array(list(self._texts), array.type)
        found = pc.call_function("index_in", [array], pc.SetLookupOptions(texts))
        if len(texts) == self._size and not found.null_count:
            return found.to_numpy().astype(self._type)
        table = np.array([*self._texts.values(), self._unknown], dtype=self._type)
        codes = look_up(table, found.fill_null(len(texts)).to_numpy(zero_copy_only=False))
        if array.null_count:
            codes[array.is_null().to_numpy(zero_copy_only=False)] = self._null
        return codes

    def _numbers(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
        if values.dtype.kind == "f":
            absent = np.isnan(values)
            missing = absent if missing is None else missing | absent
        codes = self._search(values)
        if missing is not None:
            codes[missing] = self._null
        return self._require_known(codes)

    def _search(self, values: NDArray[Any]) -> NDArray[Any]:
        """Find numbers among the labels."""
        kind = values.dtype
        if kind.kind in "iu":
            if kind not in self._tables:
                self._tables[kind] = self._table(kind)
            found = self._tables[kind]
            if found is not None and kind.itemsize <= 2:
                # Every number of so few bits has a place of its own.
                return look_up(found[1], values.view(f"u{kind.itemsize}"))
            if found is not None:
                low, table = found
                if not low and values.size and values.min() >= 0 and values.max() < len(table):
                    return look_up(table, values.view(f"i{kind.itemsize}"))
                # Numbers below the lowest wrap around to large ones: one comparison is enough.
                signed, unsigned = f"i{kind.itemsize}", np.dtype(f"u{kind.itemsize}").type
                places = values.view(unsigned) - unsigned(low % (1 << 8 * kind.itemsize))
                return look_up(table, np.minimum(places, unsigned(len(table) - 1)).view(signed))
        labels = sorted(self._numbers_among(kind))
        if not labels:
            return np.full(len(values), self._unknown, dtype=self._type)
        exact = np.array([label for label, _ in labels], dtype=kind)
        places = np.minimum(np.searchsorted(exact, values), len(labels) - 1)
        codes = np.array([code for _, code in labels], dtype=self._type)[places]
        codes[exact[places] != values] = self._unknown
        return codes

    def _numbers_among(self, kind: Any) -> list[tuple[Any, int]]:
        """Return the labels that are numbers of this type, and their codes."""
        labels = [
            (label, code)
            for code, label in enumerate(self._space.labels)
            if isinstance(label, (int, float)) and not isinstance(label, bool)
        ]
        if kind.kind not in "iu":
            return labels
        limits = np.iinfo(kind)
        whole = [(int(label), code) for label, code in labels if label == int(label)]
        return [pair for pair in whole if limits.min <= pair[0] <= limits.max]

    def _table(self, kind: Any) -> tuple[int, NDArray[Any]] | None:
        """Return the least whole-number label and the codes from it on; None if they span much."""
        labels = self._numbers_among(kind)
        low, high = min(labels, default=(0, 0))[0], max(labels, default=(0, 0))[0]
        if kind.itemsize <= 2:
            low, length = 0, 1 << 8 * kind.itemsize
        elif high - low >= _WIDE:
            return None
        else:
            # From 0 on, if there are few, to spare a subtraction.
            low = 0 if low >= 0 and high < _WIDE else low
            length = high - low + 2
        table = np.full(length, self._unknown, dtype=self._type)
        for label, code in labels:
            # Numbers below 0 have the places that they have as bits without a sign.
            table[label - low] = code
        return low, table


def _places(array: Any) -> NDArray[np.uint8]:
    """Return 0 for False, 1 for True and 2 for an empty cell, from the bits of an Arrow array."""
    if not len(array):
        return np.empty(0, dtype=np.uint8)
    first = array.offset % 8
    bits = np.frombuffer(array.buffers()[1], dtype=np.uint8)[array.offset // 8 :]
    found = np.unpackbits(bits, count=first + len(array), bitorder="little")[first:]
    if array.null_count:
        found[array.is_null().to_numpy(zero_copy_only=False)] = 2
    return found
