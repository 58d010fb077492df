"""Tables that a database has: their schema, and tallies that the database computes.

A database may quote the cell at which it stumbled, so what it says is not passed on, not even as
the cause of our error: only the name of what went wrong is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import EngineError, InputError, MissingPartError
from noisewright.given import one_of
from noisewright.on_use import pa
from noisewright.relations.in_memory import require_identifying, zeros_for
from noisewright.relations.rows import (
    CountedTable,
    KeyRequest,
    Rows,
    SourceRows,
    TallyRequest,
    sources,
)
from noisewright.relations.sql.cells_in_sql import require_type, text_in
from noisewright.relations.sql.dialects import DIALECTS
from noisewright.relations.sql.keys_in_sql import KeyWriter
from noisewright.relations.sql.rows_in_sql import TallyWriter
from noisewright.relations.sql.tables_in_sql import TablesWriter
from noisewright.relations.sql.terms import Term

_T = TypeVar("_T")

_SETS = 256
"""Tables that are counted in one query."""

_TYPES = {
    "bool_": ("bool", "boolean"),
    "int8": ("byte", "tinyint"),
    "int16": ("int2", "short", "smallint"),
    "int32": ("int4", "integer", "int"),
    "int64": ("int8", "long", "bigint"),
    "float32": ("float4", "float"),
    "float64": ("float8", "double"),
    "date32": ("date",),
    "string": ("text", "varchar", "bpchar", "char", "name", "uuid", "string"),
}
"""Types of Arrow, and what databases call them."""


class SqlTable(ABC):
    """A table of a database. `schema` has names and types as Arrow has them, and no data."""

    engine: str
    """What computes, in words."""

    dialect: str
    """How sqlglot names its SQL."""

    name: str
    schema: Any

    path: Path | None = None
    """The file that it is in, if that is known."""

    @abstractmethod
    def term(self) -> Term:
        """Return the table as a part of a query."""

    @abstractmethod
    def shares_engine(self, other: SqlTable) -> bool:
        """Tell whether one query can read both tables."""

    @abstractmethod
    def _run(self, query: str, tables: Sequence[SqlTable]) -> Iterable[Sequence[Any]]:
        """Return the rows of a query of some tables."""

    def require_types(self, source: SourceRows) -> None:
        """Raise InputError unless the table has the columns of a source, in types that fit."""
        stored = {name: source.name_in_table(name) for name in source.fields}
        wanted = [*stored.values(), *([] if source.person is None else [source.person])]
        missing = [name for name in wanted if name not in self.schema.names]
        if missing:
            raise InputError(
                f"{self.name} has no column {', '.join(map(repr, missing))}. It has "
                f"{', '.join(map(repr, self.schema.names))}."
            )
        for name, field in source.fields.items():
            require_type(field, stored[name], self.schema.field(stored[name]).type)
        if source.person is not None:
            require_identifying(source.person, self.schema.field(source.person).type)

    def sql(self, tally: TallyRequest, *, dialect: str | None = None) -> str:
        """Return the query that computes a tally, as a text for people or for another dialect.

        Texts for "bigquery" and "snowflake" are written and never executed here.
        """
        known = one_of(dialect or self.dialect, tuple(DIALECTS), name="dialect")
        return TallyWriter(DIALECTS[known]).query(tally).sql(dialect=known, pretty=True)

    def tally(self, tally: TallyRequest) -> NDArray[Any]:
        """Return what `tally_in_memory` returns, computed by the database."""
        total = zeros_for(tally)
        query = self.sql(tally)
        tables = [source.table for source in sources(tally.rows)]
        found = self._guard(lambda: [*self._run(query, tables)], "compute a query of")
        for row in found:
            cell, values = (int(row[0]), row[1:]) if tally.by else (0, row)
            # The sum of nothing but nulls is null.
            total[cell] = [0 if value is None else int(value) for value in values]
        return total

    def people_by_key(self, request: KeyRequest) -> dict[Any, int]:
        """Return what `people_by_key_in_memory` returns, computed by the database."""
        is_number = pa.types.is_integer(self.schema.field(request.name).type)
        query = KeyWriter(DIALECTS[self.dialect], request).query_of_keys()
        text = query.sql(dialect=self.dialect, pretty=True)
        tables = [source.table for source in sources(request.rows)]
        rows = self._guard(lambda: [*self._run(text, tables)], "compute a query of")
        found = {int(key) if is_number else text_in(key): int(people) for key, people in rows}
        return {key: people for key, people in found.items() if key is not None}

    def count_tables(self, rows: Rows, tables: Sequence[CountedTable]) -> list[NDArray[np.int64]]:
        """Return how many rows there are by each of some sets of nodes, an axis for each node.

        Rows with a null among the nodes of a table are in no cell of it. By no nodes at all, they
        are all rows.
        Ensures: one query, so that all counts are of the same rows, for up to 256 tables.
        """
        places = [source.table for source in sources(rows)]
        found: list[NDArray[np.int64]] = []
        for start in range(0, len(tables), _SETS):
            writer = TablesWriter(DIALECTS[self.dialect], rows, tables[start : start + _SETS])
            run = partial(self._run, writer.query_of_tables().sql(dialect=self.dialect), places)
            found += writer.counts_in(self._guard(lambda run=run: [*run()], "compute a query of"))
        return found

    def _guard(self, work: Callable[[], _T], what: str) -> _T:
        """Return work(); say only the name of what a database raises."""
        try:
            return work()
        except MissingPartError:
            raise
        except Exception as problem:
            failed = EngineError(
                f"{self.engine} could not {what} {self.name} ({_kind_of(problem)}). Its message is "
                "not shown, since it may hold cells of the table."
            )
        raise failed


def arrow_type(name: str, engine: str) -> Any:
    """Return the type of Arrow that holds what a type of PostgreSQL or Spark does."""
    for known, names in _TYPES.items():
        if name in names:
            return getattr(pa, known)()
    if engine == "PostgreSQL" and name.startswith("_"):
        return pa.list_(arrow_type(name[1:], engine))
    if name in ("decimal", "numeric"):
        return pa.decimal128(38, 9)
    if name in ("timestamp", "timestamp_ntz", "timestamptz"):
        has_zone = name == ("timestamp" if engine == "Spark" else "timestamptz")
        return pa.timestamp("us", "UTC" if has_zone else None)
    return pa.opaque(pa.null(), name, engine)


def _kind_of(problem: Exception) -> str:
    state = getattr(problem, "sqlstate", None)
    return type(problem).__name__ + (f", SQLSTATE {state}" if state else "")
