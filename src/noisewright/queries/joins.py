"""Joins: rows of a private table beside public ones, or beside those of the same person."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from noisewright.errors import ParameterError
from noisewright.queries.binding import bind
from noisewright.queries.expressions import col
from noisewright.queries.private import Private, derive
from noisewright.queries.public_table import Public, match
from noisewright.relations import (
    Paired,
    Repeated,
    Rows,
    SourceRows,
    columns_in,
    filter_rows,
    is_null,
    negate,
    require_one_engine,
    sources,
)


def join_public(table: Private, other: Public, on: str | None) -> Private:
    """Return each row beside each row of a public table with the same key."""
    key = bind(col(other.key if on is None else on), table.columns)
    # Of this table only: another private table may be joined with public rows of its own.
    mark = hashlib.sha256(repr(other.columns).encode()).hexdigest()[:8]
    name, known = f"match {mark}", columns_in(table.rows)
    while name in known:
        name += " again"
    times, new = match(other, key, name)
    _require_different(table.columns, {one: new[one] for one in other.names})
    rows = table.rows if times == 1 else Repeated(table.rows, times, name)
    rows = filter_rows(rows, negate(is_null(new.pop(other.key).node)))
    return derive(table, rows, {**table.columns, **new})


def join_private(table: Private, other: Private, on: str | None) -> Private:
    """Return each row beside each row of the same person in another private table."""
    mine, theirs = table.budget, other.budget
    if mine.person is None or theirs.person is None:
        raise ParameterError(
            "private tables are joined on the person: both need person=, the column that "
            "identifies people."
        )
    if on is not None and on not in (mine.person, theirs.person):
        named = " and ".join(dict.fromkeys(map(repr, (mine.person, theirs.person))))
        raise ParameterError(
            f"private tables can only be joined on the person, which is {named}. Leave on= out."
        )
    if (mine.ledger, mine.dataset, mine.change) != (theirs.ledger, theirs.dataset, theirs.change):
        raise ParameterError(
            "the two tables are about the same people, so that one budget pays for both: give "
            "both the same ledger=, dataset= and change=."
        )
    if mine.ledger is not None and mine.dataset is None:
        raise ParameterError("name the dataset= whose budget pays for both tables.")
    _require_different(table.columns, other.columns)
    _require_different(columns_in(table.rows), columns_in(other.rows))
    names = [source.name for source in sources(table.rows)]
    rows = Paired(table.rows, _rename(other.rows, names))
    require_one_engine(rows)
    columns = {**table.columns, **other.columns}
    return derive(table, rows, columns, budget=replace(mine, data=None, path=None))


def _require_different(one: Mapping[str, Any], other: Mapping[str, Any]) -> None:
    for name in one.keys() & other.keys():
        raise ParameterError(f"both tables have a column {name!r}; rename one of them.")


def _rename(rows: Rows, taken: list[str]) -> Rows:
    """Return rows whose tables have names of their own, so that each says who its people are."""
    if isinstance(rows, SourceRows):
        name, number = rows.name, 2
        while name in taken:
            name, number = f"{rows.name} {number}", number + 1
        taken.append(name)
        return replace(rows, title=name)
    if isinstance(rows, Paired):
        return Paired(_rename(rows.left, taken), _rename(rows.right, taken))
    return replace(rows, rows=_rename(rows.rows, taken))
