"""Tables that are in memory: pyarrow, pandas, Polars, and plain Python."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, final

from noisewright.engines.arrow_names import RecordBatch, Table
from noisewright.engines.faults import arrow, attempt
from noisewright.engines.plain_columns import columns_of_records, named_columns
from noisewright.engines.table_reader import BATCH, TableReader, plain_schema
from noisewright.errors import DataError


@final
class InMemory(TableReader):
    """A pyarrow table."""

    def __init__(self, table: Table) -> None:
        self.name = "the table"
        self.schema = plain_schema(table.schema, name=self.name)
        self.rows = table.num_rows
        # A table of very many small pieces would be all overhead.
        pieces = max((column.num_chunks for column in table.columns), default=0)
        if pieces > 16 + 8 * table.num_rows // BATCH:
            table = attempt(table.combine_chunks, name=self.name, what="an Arrow table")
        self._table = table

    def batches(
        self, columns: Sequence[str] | None = None, *, encoded: Sequence[str] = ()
    ) -> Iterator[RecordBatch]:
        """Yield slices of the table."""
        names = self.schema.names if columns is None else list(columns)
        yield from self._table.select(names).to_batches(max_chunksize=BATCH)


def frame_table(data: Any) -> Table:
    """Return what is given as one pyarrow table.

    Frames choose types by what they hold; see `_widened` and `_with_plain_types`.
    """
    pa = arrow()

    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return attempt(data.read_all, name="the stream", what="a stream of Arrow batches")
    library = type(data).__module__.split(".")[0]
    if library == "polars":
        return _with_plain_types(_polars_table(data))
    if library == "pandas" and hasattr(data, "columns"):
        return _with_plain_types(_pandas_table(data))
    if isinstance(data, Mapping):
        return _with_plain_types(_table(named_columns(data)))
    if isinstance(data, list | tuple | Iterator):
        return _listed_table(list(data))
    raise DataError(
        f"data is a {type(data).__name__}; give the path of a file or folder, a pyarrow table, a "
        "pandas or Polars frame, a mapping of columns, or a list of records."
    )


def _listed_table(items: list[Any]) -> Table:
    """Return records, or batches of Arrow, as a table."""
    import pyarrow as pa

    if items and all(isinstance(item, pa.RecordBatch) for item in items):
        return attempt(
            lambda: pa.Table.from_batches(items), name="the stream", what="Arrow batches"
        )
    return _with_plain_types(_table(columns_of_records(items)))


def _polars_table(frame: Any) -> Table:
    if hasattr(frame, "collect"):
        frame = frame.collect()
    if not hasattr(frame, "to_arrow") or not hasattr(frame, "columns"):
        raise DataError("data is one Polars column; give a frame, as in column.to_frame().")
    return frame.to_arrow()


def _widened(kind: Any, array: Any) -> Any:
    """Return whole numbers of a numpy type in 64 bits.

    With one cell missing pandas would have made doubles of them, which are released in 64 bits:
    the width of a released column must not tell which of the two it was.
    """
    import pyarrow as pa

    if getattr(kind, "kind", "") not in ("i", "u") or not hasattr(kind, "newbyteorder"):
        return array
    # Without a sign they are wide already, and may be too large; they are not released like that.
    return array if pa.types.is_uint64(array.type) else array.cast(pa.int64())


def _with_plain_types(table: Table) -> Table:
    """Return the table without types that a frame has only because of what it holds.

    It has long texts, or none at all if every cell happens to be empty. What is released must not
    tell which of the two it was.
    """
    import pyarrow as pa

    for place, field in enumerate(table.schema):
        wanted = _plain_type(field.type)
        if wanted == field.type:
            continue
        pieces = [part for piece in table.column(place).chunks for part in _cast(piece, wanted)]
        column = pa.chunked_array(pieces, type=wanted)
        table = table.set_column(place, field.with_type(wanted), column)
    return table


def _cast(piece: Any, wanted: Any) -> list[Any]:
    import pyarrow as pa

    if pa.types.is_dictionary(wanted):
        values = piece.dictionary.cast(wanted.value_type)
        return [pa.DictionaryArray.from_arrays(piece.indices, values, ordered=wanted.ordered)]
    # In small parts: short texts hold two gigabytes at most.
    starts = range(0, len(piece), BATCH)
    return [piece.slice(start, BATCH).cast(wanted) for start in starts]


def _plain_type(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_dictionary(kind):
        return pa.dictionary(kind.index_type, _plain_type(kind.value_type), kind.ordered)
    if pa.types.is_list(kind):
        return pa.list_(_plain_type(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(_plain_type(kind.value_type))
    return kind


def _pandas_table(frame: Any) -> Table:
    """Return a pandas frame as a table; its index is not part of it."""
    names = [name for name in frame.columns if not isinstance(name, str)]
    if names:
        raise DataError(
            f"{len(names):,} columns of the frame have names that are no text. Rename them, as in "
            "frame.columns = frame.columns.map(str)."
        )
    if not frame.columns.is_unique:
        raise DataError("two columns of the frame have the same name. Rename one of them.")
    return _table({name: frame[name] for name in frame.columns})


def _table(columns: Mapping[str, Any]) -> Table:
    """Return columns of Python, numpy, pandas, Polars or Arrow as a table."""
    import pyarrow as pa

    arrays: list[Any] = []
    for name, values in columns.items():
        try:
            array = pa.array(values, from_pandas=True)
            arrays.append(_widened(getattr(values, "dtype", None), array))
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            failed = DataError(
                f"the column {name!r} of the table holds values of several kinds, or of a kind "
                "that Arrow does not know. Convert it first, to texts for example, as in "
                "frame[name].astype('string') of pandas."
            )
        else:
            continue
        raise failed
    chunked = [a if isinstance(a, pa.ChunkedArray) else pa.chunked_array([a]) for a in arrays]
    return pa.Table.from_arrays(chunked, names=list(columns))
