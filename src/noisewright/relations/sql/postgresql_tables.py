"""Tables of PostgreSQL, on a connection that only reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, final

from noisewright.errors import MissingPartError, ParameterError
from noisewright.given import brief
from noisewright.on_use import pa
from noisewright.public import public_methods
from noisewright.relations.sql.sql_tables import SqlTable, arrow_type
from noisewright.relations.sql.terms import Term, table_term


@final
@public_methods
class PostgreSQL(SqlTable):
    """A table or a view of PostgreSQL, that PostgreSQL counts and sums.

    `place` is a URL such as "postgresql://steward@db.example/survey", or a connection of psycopg,
    whose transaction is then yours to end. `table` is its name, "schema.table" too.
    Ensures: nothing is written, and nothing but names and types is read until it is asked for.
    """

    engine, dialect = "PostgreSQL", "postgres"

    def __init__(self, place: Any, table: Any) -> None:
        self._place = place
        self._table = table_term(table)
        self.name = f"the table {table!r}"
        if not isinstance(place, str) and not hasattr(place, "cursor"):
            raise ParameterError(
                f"place is {brief(place)}; give a URL such as 'postgresql://steward@db/survey', or "
                "a connection of psycopg."
            )
        self.schema = self._guard(self._read_schema, "open")

    def _read_schema(self) -> Any:

        with self._connection() as connection, connection.cursor() as cursor:
            query = f"SELECT * FROM {self._table.sql(dialect=self.dialect)} LIMIT 0"
            found = cursor.execute(query, prepare=False)
            columns = [(column.name, column.type_code) for column in found.description]
            kinds = cursor.execute(
                "SELECT oid, typname, typtype FROM pg_type WHERE oid = ANY(%s)",
                [[code for _, code in columns]],
            ).fetchall()
        known = {oid: "text" if kind == "e" else name for oid, name, kind in kinds}
        return pa.schema([(name, arrow_type(known[code], self.engine)) for name, code in columns])

    def _connection(self) -> Any:
        """Return a context with a connection: one of our own ends its transaction."""
        if not isinstance(self._place, str):
            from contextlib import nullcontext

            return nullcontext(self._place)
        made = psycopg().connect(self._place)
        made.read_only = True
        return made

    def term(self) -> Term:
        """Return the table as a part of a query."""
        return self._table.copy()

    def shares_engine(self, other: SqlTable) -> bool:
        """Tell whether one query can read both tables."""
        return isinstance(other, PostgreSQL) and other._place == self._place

    def _run(self, query: str, tables: Sequence[SqlTable]) -> Iterable[Sequence[Any]]:
        with self._connection() as connection, connection.cursor() as cursor:
            # Without parameters, so that a percent sign in a label is nothing but that.
            return cursor.execute(query, prepare=False).fetchall()


def psycopg() -> Any:
    """Return psycopg, or say what to install."""
    try:
        import psycopg as found
    except ImportError:
        raise MissingPartError(
            "this needs psycopg, which is not installed. Install it with pip install "
            "'noisewright[postgres]'."
        ) from None
    return found
