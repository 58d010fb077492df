"""Tables in memory as codes: each declared column of any kind of table, a piece at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.tables.codec import as_column, column_codes, is_from
from noisewright.tables.field import Field

Codes = Mapping[str, NDArray[Any]]

_PIECE = 1 << 18
"""Rows that are coded at once."""


def table_codes(table: Any, fields: Mapping[str, Field], columns: Sequence[str]) -> Iterator[Codes]:
    """Yield the codes of these columns, a piece of the table or of each batch at a time.

    A table is a mapping of columns, an Arrow table or batch, a pandas or Polars frame, a list of
    records (tuples in the order of the fields, or mappings), or an iterator of such batches.
    Raises OutsideSpaceError with the column and the row of a cell that its field does not allow.
    """
    cells = {name: fields[name].cells for name in columns}
    first = 0
    for batch in _batches(table):
        found = {name: as_column(_column(batch, name, list(fields), first)) for name in columns}
        lengths = {len(values) for values in found.values()}
        if len(lengths) > 1:
            raise InputError("the columns of the table have different lengths.")
        rows = max(lengths, default=0)
        for start in range(0, rows, _PIECE):
            yield {
                name: column_codes(
                    cells[name], values[start : start + _PIECE], name=name, first_row=first + start
                )
                for name, values in found.items()
            }
        first += rows


def _batches(table: Any) -> Iterable[Any]:
    if isinstance(table, Iterator) or type(table).__name__ == "RecordBatchReader":
        return table
    if is_from("pyarrow", table) and hasattr(table, "to_batches"):
        # Pieces of one chunk each, so that no column is copied to be in one piece.
        return table.to_batches(max_chunksize=_PIECE)
    return (table,)


def _column(batch: Any, name: str, names: list[str], first: int) -> Any:
    if isinstance(batch, (list, tuple)):
        return _from_records(batch, name, names.index(name), first)
    try:
        return batch[name]
    except (KeyError, ValueError, IndexError, TypeError) as problem:
        raise InputError(
            f"the table has no column {name!r}. Give a mapping of columns, an Arrow table, a data "
            "frame, or a list of records."
        ) from problem


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
