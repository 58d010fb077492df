"""Tables that are in memory: pyarrow, pandas, Polars, and plain Python.

Frames choose types by values: pandas makes doubles of whole numbers when one is missing, Polars
takes eight bits when a list of objects has such numbers, both have no type at all for a column in
which every cell is empty. What is released must not tell which of them it was, so other types are
read in their place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

import numpy as np

from noisewright.errors import DataError
from noisewright.on_use import pa
from noisewright.tables.cell_types import ArrowTable, RecordBatch
from noisewright.tables.cells import Cells, read_or_refuse
from noisewright.tables.codec import in_one_piece
from noisewright.tables.files.table_reader import BATCH, TableReader, arrow, attempt, plain_schema
from noisewright.tables.schema import Schema
from noisewright.tables.total_cells import TotalCells

_NAME = "the table"


@final
class InMemory(TableReader):
    """A pyarrow table."""

    def __init__(self, table: ArrowTable) -> None:
        self.name = _NAME
        self.schema = plain_schema(table.schema, name=self.name)
        self.rows = table.num_rows
        # A table of very many small pieces would be all overhead.
        pieces = max((column.num_chunks for column in table.columns), default=0)
        if pieces > 16 + 8 * table.num_rows // BATCH:
            table = attempt(table.combine_chunks, name=self.name, what="an Arrow table")
        self._table = table

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield slices of the table."""
        yield from self._table.select(names).to_batches(max_chunksize=BATCH)


@final
class InColumns(TableReader):
    """Columns by name, some of which are plain Python and declare no type.

    Those have the type that follows from what is declared, and are read cell by cell as it
    says; `total` reads cells that are not declared as nulls. Columns that are not declared are read
    as they are if the schema says so, and left alone else.
    """

    def __init__(self, columns: Mapping[str, Any], schema: Schema, *, total: bool = False) -> None:
        self.name = _NAME
        self.rows = len(next(iter(columns.values()))) if columns else 0
        read = schema.inputs
        cells: dict[str, Any] = schema.cells
        if total:
            cells = {name: TotalCells(field, name=name) for name, field in schema.fields.items()}
        self._plain: dict[str, tuple[Any, Cells | TotalCells]] = {}
        self._typed: dict[str, Any] = {}
        for name, values in columns.items():
            if name not in read:
                self._typed[name] = pa.chunked_array([pa.nulls(self.rows)])
            elif name in cells and _has_no_type(values):
                self._plain[name] = (_sliceable(values), cells[name])
            else:
                self._typed[name] = _as_arrow(name, values, private=name in cells)
        types = {name: column.type for name, column in self._typed.items()}
        types |= {name: one.type for name, (_, one) in self._plain.items()}
        given = pa.schema([(name, types[name]) for name in columns])
        self.schema = plain_schema(given, name=self.name)

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield the rows; raises OutsideSpaceError, with the row, for a cell that is refused."""
        schema = pa.schema([self.schema.field(name) for name in names])
        for start in range(0, self.rows or 0, BATCH):
            arrays = [self._part(name, start) for name in names]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    def _part(self, name: str, start: int) -> Any:
        if name in self._typed:
            return in_one_piece(self._typed[name].slice(start, BATCH))
        values, cells = self._plain[name]
        part = values[start : start + BATCH]
        return read_or_refuse(lambda: cells.plain(part), name=name, first_row=start)


def open_frame(data: Any, schema: Schema | None, *, total: bool = False) -> TableReader:
    """Open a table that is in memory; `schema` says what columns without a type hold."""
    given = plain_columns(data)
    if not isinstance(given, dict):
        return InMemory(given)
    if schema is None:
        return InMemory(frame_table(given))
    return InColumns(given, schema, total=total)


def frame_table(data: Any, *, odd_cells: bool = False) -> ArrowTable:
    """Return what is given as one pyarrow table, in types that follow from what it holds.

    What is released must not have these types. With `odd_cells`, columns that Arrow cannot hold are
    texts, so that data can be told apart.
    """
    given = plain_columns(data)
    if not isinstance(given, dict):
        return given
    columns: list[Any] = []
    for name, values in given.items():
        try:
            columns.append(_as_arrow(name, values, private=False))
        except DataError:
            if not odd_cells:
                raise
            texts = [f"{type(value).__name__} {value!r}" for value in _sliceable(values)]
            columns.append(pa.chunked_array([pa.array(texts)]))
    return pa.Table.from_arrays(columns, names=list(given))


def repeatable(data: Any) -> Any:
    """Return the data in a form that can be read twice, and a third time for its fingerprint."""
    if isinstance(data, Mapping | list | tuple | Iterator):
        return plain_columns(data)
    match type(data).__name__:
        case "RecordBatchReader":
            return data.read_all()
        case "LazyFrame":
            return data.collect()
        case _:
            return data


def plain_columns(data: Any) -> Any:
    """Return a pyarrow table as it is, and all else as columns by name."""
    pa = arrow()

    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return attempt(data.read_all, name="the stream", what="a stream of Arrow batches")
    library = type(data).__module__.split(".")[0]
    if library == "polars":
        return _polars_columns(data)
    if library == "pandas" and hasattr(data, "columns"):
        return _pandas_columns(data)
    if isinstance(data, Mapping):
        return named_columns(data)
    if isinstance(data, list | tuple | Iterator):
        items = list(data)
        if items and all(isinstance(item, pa.RecordBatch) for item in items):
            return attempt(
                lambda: pa.Table.from_batches(items), name="the stream", what="Arrow batches"
            )
        return columns_of_records(items)
    raise DataError(
        f"data is a {type(data).__name__}; give the path of a file or folder, a pyarrow table, a "
        "pandas or Polars frame, a mapping of columns, or a list of records."
    )


def _polars_columns(frame: Any) -> dict[str, Any]:
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if not hasattr(frame, "to_arrow") or not hasattr(frame, "columns"):
        raise DataError("data is one Polars column; give a frame, as in column.to_frame().")
    return {name: frame.get_column(name) for name in frame.columns}


def _pandas_columns(frame: Any) -> dict[str, Any]:
    """Return the columns of a pandas frame; its index is not part of it."""
    names = [name for name in frame.columns if not isinstance(name, str)]
    if names:
        raise DataError(
            f"{len(names):,} columns of the frame have names that are not text. Rename them, as "
            "in frame.columns = frame.columns.map(str)."
        )
    if not frame.columns.is_unique:
        raise DataError("two columns of the frame have the same name. Rename one of them.")
    return {name: frame[name] for name in frame.columns}


def _has_no_type(values: Any) -> bool:
    """Tell whether a column may hold anything: a list, or an array of objects."""
    kind = getattr(values, "dtype", None)
    if kind is None:
        return not hasattr(values, "__arrow_c_array__") and not hasattr(values, "type")
    return kind.hasobject if isinstance(kind, np.dtype) else str(kind) == "Object"


def _sliceable(values: Any) -> Any:
    if isinstance(values, list | tuple):
        return values
    return values.to_list() if hasattr(values, "to_list") else list(values)


def _as_arrow(name: str, values: Any, *, private: bool) -> Any:
    """Return a column as Arrow has it; what is found from values must not be `private`."""
    kind = getattr(values, "dtype", None)
    of_polars = type(values).__module__.split(".")[0] == "polars"
    try:
        if of_polars and str(kind) != "Object":
            array = values.to_arrow()
        else:
            array = pa.array(values.to_list() if of_polars else values, from_pandas=True)
        array = _widen(kind, array)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        failed = DataError(
            f"the column {name!r} of the table holds values of several kinds, or of a kind "
            "that Arrow does not know. Convert it first, to texts for example, as in "
            "frame[name].astype('string') of pandas."
        )
    else:
        whole = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
        wanted = _read_type(whole.type, private=private, numbers=of_polars)
        return _in_small_parts(whole, wanted)
    raise failed


def named_columns(table: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the columns of a mapping, each of a length that is known and the same for all."""
    columns: dict[str, Any] = {}
    for name, values in table.items():
        if not isinstance(name, str):
            raise DataError("a column of the table has a name that is not text. Rename it.")
        if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
            raise DataError(
                f"the column {name!r} is a {type(values).__name__}; give a list or an array with a "
                "value for each row."
            )
        columns[name] = values if hasattr(values, "__len__") else list(values)
    if len({len(values) for values in columns.values()}) > 1:
        raise DataError(
            "the columns of the table have different lengths; each column needs one value per row."
        )
    return columns


def columns_of_records(records: Sequence[Any]) -> dict[str, Any]:
    """Return the columns of a list of mappings, which all have the same names."""
    if not records:
        raise DataError("the list has no records, so it says nothing about columns.")
    for row, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise DataError(
                f"row {row:,} of the list is a {type(record).__name__}; give a mapping from names "
                "to values for each row, or a mapping of columns."
            )
        if record.keys() != records[0].keys():
            raise DataError(
                f"the record in row {row:,} has other columns than the first one. Give all of them "
                "the same names, and None where a cell is empty."
            )
    return named_columns({name: [record[name] for record in records] for name in records[0]})


def _widen(kind: Any, array: Any) -> Any:
    """Return whole numbers of a numpy type in 64 bits.

    With one cell missing pandas would have made doubles of them, which are released in 64 bits:
    the width of a released column must not tell which of the two it was.
    """
    if getattr(kind, "kind", "") not in ("i", "u") or not hasattr(kind, "newbyteorder"):
        return array
    # Without a sign they are wide already, and may be too large; they are not released like that.
    return array if pa.types.is_uint64(array.type) else array.cast(pa.int64())


def _read_type(kind: Any, *, private: bool, numbers: bool) -> Any:
    """Return the type in which a column of a frame is read.

    Texts are short ones, in place of those that frames have for their own sake. A private column is
    as wide as one without values; `numbers` says whether plain numbers may have their width from
    values, as those of Polars. Categories always may: they are what the column holds.
    """
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        values = _read_type(kind.value_type, private=private, numbers=True)
        return pa.dictionary(kind.index_type, values, kind.ordered)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        inner = _read_type(kind.value_type, private=private, numbers=numbers)
        short = pa.types.is_list(kind) or (private and numbers)
        return pa.list_(inner) if short else pa.large_list(inner)
    if private and numbers and pa.types.is_integer(kind) and not pa.types.is_uint64(kind):
        return pa.int64()
    return pa.float64() if private and numbers and pa.types.is_floating(kind) else kind


def _in_small_parts(column: Any, wanted: Any) -> Any:
    """Return a chunked array in another type, in parts: short texts hold two gigabytes at most."""
    if wanted == column.type:
        return column
    pieces: list[Any] = []
    for piece in column.chunks:
        if pa.types.is_dictionary(wanted):
            values = piece.dictionary.cast(wanted.value_type)
            made = pa.DictionaryArray.from_arrays(piece.indices, values, ordered=wanted.ordered)
            pieces.append(made)
        else:
            starts = range(0, len(piece), BATCH)
            pieces += [piece.slice(start, BATCH).cast(wanted) for start in starts]
    return pa.chunked_array(pieces, type=wanted)
