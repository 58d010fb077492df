"""Where the rows of a private table are: nothing but names and types is looked at here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from noisewright.errors import InputError
from noisewright.relations import Source, require_identifying
from noisewright.tables import Field, Schema, TotalCells, open_table


def open_source(data: Any, fields: Mapping[str, Field], person: str | None) -> Source:
    """Return the rows of a table; refuse it where columns are missing or have other types."""
    reader = open_table(data, schema=Schema({}, names=tuple(fields)))
    missing = [
        name for name in (*fields, *([person] if person else [])) if name not in reader.schema.names
    ]
    if missing:
        raise InputError(
            f"the table has no column {', '.join(map(repr, missing))}. Correct the declaration or "
            "rename the columns; a CSV file needs a header."
        )
    for name, one in fields.items():
        TotalCells(one, name=name).require_type(reader.schema.field(name).type)
    if person is not None:
        require_identifying(person, reader.schema.field(person).type)
    return Source(reader, fields, person)
