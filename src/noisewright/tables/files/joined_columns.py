"""Curves that are stored in several columns of numbers, one for each position: read as one column.

It takes the place of the first of them. An empty number is a gap, and a curve with a gap counts as
what the field says of empty cells.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, final

import numpy as np

from noisewright.errors import DataError, InputError
from noisewright.on_use import pa
from noisewright.tables.cell_types import RecordBatch, is_number, is_text, plain_array
from noisewright.tables.files.csv_files import cast_texts, first_bad
from noisewright.tables.files.table_reader import TableReader
from noisewright.tables.schema import Schema


def spread_out(schema: Schema) -> tuple[Schema, dict[str, tuple[str, ...]]]:
    """Return the schema of the table as it is stored, and the columns of each curve."""
    joint = {name: field.columns for name, field in schema.fields.items() if field.columns}
    parts = tuple(column for columns in joint.values() for column in columns)
    named = {*schema.fields, *schema.inputs, *schema.dropped} - {*joint}
    twice = sorted({column for column in parts if column in named or parts.count(column) > 1})
    if twice:
        raise InputError(
            f"the column {twice[0]!r} is part of a curve and also declared by itself, or is part "
            "of two curves. Declare it once."
        )
    names = [part for name in schema.names for part in joint.get(name, (name,))]
    fields = {name: field for name, field in schema.fields.items() if name not in joint}
    public = (*schema.public, *parts)
    return replace(schema, fields=fields, public=public, names=tuple(names)), joint


@final
class JoinedColumns(TableReader):
    """A table of which some columns are read as one curve."""

    def __init__(self, reader: TableReader, joint: Mapping[str, Sequence[str]]) -> None:
        self._reader, self._joint = reader, joint
        self.name, self.rows = reader.name, reader.rows
        given = reader.schema
        missing = [name for names in joint.values() for name in names if name not in given.names]
        if missing:
            raise InputError(
                f"the plan makes a curve of {missing[0]!r}, which the table does not have. Correct "
                "the plan or rename the columns."
            )
        first = {names[0]: curve for curve, names in joint.items()}
        parts = {name for names in joint.values() for name in names}
        fields: list[Any] = []
        for field in given:
            if field.name in parts and not (is_number(field.type) or is_text(field.type)):
                raise InputError(
                    f"the column {field.name!r} has the type {field.type}; a column that is part "
                    "of a curve must hold numbers."
                )
            if field.name in first:
                fields.append(pa.field(first[field.name], pa.list_(pa.float64())))
            elif field.name not in parts:
                fields.append(field)
        self.schema = pa.schema(fields)

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield the rows, with the numbers of a curve in one list."""
        stored = [part for name in names for part in self._joint.get(name, (name,))]
        schema = pa.schema([self.schema.field(name) for name in names])
        row = 0
        for batch in self._reader.batches(stored, encoded=encoded):
            arrays = [
                self._curves([(part, batch.column(part)) for part in self._joint[name]], row)
                if name in self._joint
                else batch.column(name)
                for name in names
            ]
            kinds = [(name, array.type) for name, array in zip(schema.names, arrays, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=pa.schema(kinds))
            row += batch.num_rows

    def _curves(self, parts: Sequence[tuple[str, Any]], first_row: int) -> Any:
        """Return one list for each row; gaps are empty numbers in it."""
        numbers = [self._numbers(name, array, first_row) for name, array in parts]
        matrix = np.stack(numbers, axis=1).reshape(-1)
        values = pa.array(matrix, mask=np.isnan(matrix))
        ends = np.arange(len(numbers[0]) + 1, dtype=np.int32) * len(parts)
        return pa.ListArray.from_arrays(pa.array(ends), values)

    def _numbers(self, name: str, array: Any, first_row: int) -> Any:
        numbers = cast_texts(array, pa.float64()) if is_text(array.type) else array
        if numbers is None:
            row = first_row + first_bad(array, pa.float64())
            raise DataError(
                f"the column {name!r} of {self.name} is not a number in row {row + 1:,}, but is "
                "part of a curve. Correct the cell, or leave the row out.",
                row=row,
            )
        plain = plain_array(numbers).cast(pa.float64())
        return plain.to_numpy(zero_copy_only=False).astype(np.float64)
