"""Opening a table as a plan says its cells are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from noisewright.tables import TableReader, labels_of, read_table, require_names

if TYPE_CHECKING:
    from noisewright.tables import Schema


def open_table(data: Any, *, schema: Schema | None = None, released: bool = False) -> TableReader:
    """Open a table for reading; `schema` says what its columns hold (see `tables.read_table`)."""
    if schema is None:
        return read_table(data)
    return read_table(
        data,
        cells=schema.cells,
        others=schema.inputs,
        names=schema.names,
        released=released,
    )


def require_column_names(data: Any, schema: Schema, *, header: bool) -> None:
    """Refuse a CSV file whose first line may be a record, unless `header` says it is none."""
    spaces = [field.space for field in schema.fields.values()]
    require_names(data, labels=labels_of(spaces), header=header)
