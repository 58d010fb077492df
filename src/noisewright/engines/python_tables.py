"""Tables in plain Python: columns by name, or a list of records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from noisewright.errors import DataError


def named_columns(table: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the columns of a mapping, each of a length that is known and the same for all."""
    columns: dict[str, Any] = {}
    for name, values in table.items():
        if not isinstance(name, str):
            raise DataError("a column of the table has a name that is no text. Rename it.")
        if isinstance(values, str | bytes) or not hasattr(values, "__iter__"):
            raise DataError(
                f"the column {name!r} is a {type(values).__name__}; give a list or an array with a "
                "value for each row."
            )
        columns[name] = values if hasattr(values, "__len__") else list(values)
    if len({len(values) for values in columns.values()}) > 1:
        raise DataError("the columns of the table have different lengths; each row has them all.")
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
