"""What the columns of a private table hold, as a mapping or a plan declares it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from noisewright.errors import ParameterError
from noisewright.given import brief
from noisewright.plans import Column, Plan, settings_at
from noisewright.spaces import Categories, Counts, Dates, Interval
from noisewright.tables import Field, Person


def read_declaration(columns: Any) -> tuple[dict[str, Field], Person | None, tuple[str, ...]]:
    """Return the fields of a plan, of the path of one, or of a mapping; and the plan's person.

    The third are the names of all columns in order, dropped ones too, for files that have no names.
    """
    person, names = None, ()
    if isinstance(columns, str | os.PathLike):
        said = settings_at(columns)
        columns, person = said["columns"], said.get("person")
        names, columns = tuple(columns), _askable(columns)
    elif isinstance(columns, Plan):
        names = columns.schema.names
        columns, person = _askable(dict(columns.columns)), columns.person
    if not isinstance(columns, Mapping):
        raise ParameterError(
            f"columns is a {type(columns).__name__}; give a mapping such as {{'age': "
            "nw.Counts(100)}, a Plan, or the path of one."
        )
    fields: dict[str, Field] = {}
    for name, how in columns.items():
        if not isinstance(name, str) or not name:
            raise ParameterError(f"a column is called {brief(name)}; names are texts.")
        if isinstance(how, Field):
            fields[name] = how
        elif not isinstance(how, str):  # 'drop' and 'public' columns are not asked about
            fields[name] = Column(how)
    if not fields:
        raise ParameterError("no columns are declared, so there is nothing to ask about.")
    return fields, person, names or tuple(columns)


def _askable(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a plan without sets and curves, which releases are for."""
    kinds = Categories | Counts | Dates | Interval
    return {
        name: how
        for name, how in columns.items()
        if isinstance(how, str) or isinstance(how.space, kinds)
    }
