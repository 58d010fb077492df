"""Tables as codes: each declared column of any kind of table, a piece at a time.

Codes are as narrow as the column allows. Texts are looked up once for each different one of a
piece, so that millions of rows cost what Arrow takes to find the different ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.given import several
from noisewright.spaces import Categories, Records, Space
from noisewright.tables import read_inputs

Codes = Mapping[str, NDArray[Any]]

_PIECE = 1 << 18
"""Rows that are coded at once."""


def coded_batches(table: Any, domain: Records, columns: Sequence[str]) -> Iterator[Codes]:
    """Yield the codes of these columns, a piece of the table or of each batch at a time.

    A table is a mapping of columns, an Arrow table or batch, a pandas or Polars frame, or a list of
    records (tuples in the order of the domain's columns, or mappings).
    """
    spaces = dict(domain.columns)
    readers = [_Column(name, spaces[name]) for name in columns]
    first = 0
    for batch in _batches(table):
        found = {name: _column(batch, name, domain, first) for name in columns}
        lengths = {len(values) for values in found.values()}
        if len(lengths) > 1:
            raise InputError("the columns of the table have different lengths.")
        rows = max(lengths, default=0)
        for start in range(0, rows, _PIECE):
            yield {
                reader.name: reader.codes(_slice(found[reader.name], start), first + start)
                for reader in readers
            }
        first += rows


def _batches(table: Any) -> Iterable[Any]:
    if isinstance(table, Iterator) or type(table).__name__ == "RecordBatchReader":
        return table
    if _is_from("pyarrow", table) and hasattr(table, "to_batches"):
        # Pieces of one chunk each, so that no column is copied to be in one piece.
        return table.to_batches(max_chunksize=_PIECE)
    return (table,)


def _column(batch: Any, name: str, domain: Records, first: int) -> Any:
    names = [column for column, _ in domain.columns]
    if isinstance(batch, (list, tuple)):
        return _from_records(batch, name, names.index(name), first)
    try:
        values = batch[name]
    except (KeyError, ValueError, IndexError, TypeError) as problem:
        raise InputError(
            f"the table has no column {name!r}. Give a mapping of columns, an Arrow table, a data "
            "frame, or a list of records."
        ) from problem
    return values if hasattr(values, "__len__") else several(values, name=name, of="values")


def _from_records(records: Sequence[Any], name: str, place: int, first: int) -> list[Any]:
    found: list[Any] = []
    for row, record in enumerate(records, start=first + 1):
        try:
            found.append(record[name if isinstance(record, Mapping) else place])
        except (KeyError, IndexError, TypeError) as problem:
            raise InputError(
                f"the record at row {row:,} has no column {name!r}. A record is a mapping, or a "
                "tuple in the order of the domain's columns."
            ) from problem
    return found


def _is_empty(values: Any, row: int | None) -> bool:
    """Tell a missing value by what it is called where it comes from: None, NaN, null or NA."""
    if row is None:
        return False
    value = (values.iloc if hasattr(values, "iloc") else values)[row]
    value = value.as_py() if hasattr(value, "as_py") else value
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return False


def _slice(values: Any, start: int) -> Any:
    if not start and len(values) <= _PIECE:
        return values
    by_place = values.iloc if hasattr(values, "iloc") else values
    return by_place[start : start + _PIECE]


@final
class _Column:
    """Turns pieces of one column into codes; the last dictionary of labels is kept."""

    def __init__(self, name: str, space: Space) -> None:
        self.name, self.space = name, space
        self._type: Any = np.min_scalar_type(space.size)
        self._last: tuple[Any, NDArray[Any]] | None = None

    def codes(self, values: Any, first: int) -> NDArray[Any]:
        """Return the codes of a piece that starts after so many rows."""
        try:
            quick = _quick(values)
            if _is_from("pyarrow", quick):
                return self._from_arrow(quick)
            return self._read(quick)
        except OutsideSpaceError as problem:
            row = None if problem.row is None else first + problem.row
            where = "" if row is None else f" at row {row + 1:,}"
            if problem.why == "it is null" or _is_empty(values, problem.row):
                raise OutsideSpaceError(
                    f"column {self.name!r}{where}: the value is empty. Fill it or leave the row "
                    "out. A model or a plan can say what it counts as: nw.Column(…, null=…).",
                    row=row,
                    why="it is empty",
                ) from None
            why = f" ({problem.why})" if problem.why else ""
            raise OutsideSpaceError(
                f"column {self.name!r}{where}: the value is not a point of {self.space!r}{why}. "
                "Declare it in the domain, or map it to a declared one.",
                row=row,
                why=problem.why,
            ) from None

    def _read(self, values: Any) -> NDArray[Any]:
        plain = isinstance(values, np.ndarray) and values.dtype.kind in "iu"
        if plain and isinstance(self.space, Categories):
            # In a table a whole number is a label or a mistake, never the code of a text.
            codes = self.space.encode(values)
        else:
            codes = read_inputs(self.space, values).codes
        return np.asarray(codes).astype(self._type, copy=False)

    def _from_arrow(self, values: Any) -> NDArray[Any]:
        import pyarrow as pa

        if isinstance(values, pa.ChunkedArray):
            values = values.combine_chunks()
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            values = values.dictionary_encode()
        if pa.types.is_integer(kind) and not values.null_count:
            return self._read(values.to_numpy())
        if not isinstance(values, pa.DictionaryArray) or values.null_count:
            return self._read(values)
        codes = np.take(self._known(values.dictionary), values.indices.to_numpy())
        if codes.size and codes.max() >= self.space.size:
            raise self.space.outside(row=int(np.argmax(codes >= self.space.size)))
        return codes

    def _known(self, labels: Any) -> NDArray[Any]:
        """Return the code of each label of a dictionary; the size of the space for others."""
        last = self._last
        if last is None or not labels.equals(last[0]):
            # A dictionary may carry labels that no row uses; only a used one is an error.
            found = [
                self.space.code(label) if label in self.space else self.space.size
                for label in labels.to_pylist()
            ]
            self._last = last = (labels, np.array(found, dtype=self._type))
        return last[1]


def _is_from(library: str, value: Any) -> bool:
    return type(value).__module__.split(".")[0] == library


def _quick(values: Any) -> Any:
    """Turn texts and categories into Arrow arrays, whose labels are looked up once each."""
    if _is_from("pyarrow", values):
        return values
    if hasattr(values, "to_arrow"):
        return values.to_arrow()
    if isinstance(values, (list, tuple)):
        values = _as_objects(list(values))
    try:
        import pyarrow as pa
    except ImportError:
        return values
    try:
        if _is_from("pandas", values) and str(values.dtype).startswith(("category", "str")):
            return pa.Array.from_pandas(values)
        plain = values.to_numpy() if hasattr(values, "to_numpy") else values
        if isinstance(plain, np.ndarray) and plain.dtype == object:
            return pa.array(plain) if len(plain) and isinstance(plain[0], str) else plain
        return plain
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return values.to_numpy() if hasattr(values, "to_numpy") else values


def _as_objects(values: list[Any]) -> NDArray[Any]:
    if values and {type(value) for value in values} <= {int}:
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
