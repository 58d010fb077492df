"""Tables of DuckDB: of a database that is open, of one in a file, or of Parquet files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, final

from noisewright.errors import EngineError, MissingPartError, ParameterError
from noisewright.given import brief
from noisewright.public import public_methods
from noisewright.relations.sql.sql_tables import SqlTable
from noisewright.relations.sql.terms import Term, call, expressions, table_term, text

_OURS = "relation_of_noisewright_"
_FILES, _MOST_NAMED = ("parquet", "csv", "json"), 20
"""How names end that DuckDB takes for files, and how many tables a message names."""

_INSIDE = {"enable_external_access": False, "python_enable_replacements": False}
"""Settings that keep DuckDB from files, networks and variables of Python."""


@final
@public_methods
class DuckDB(SqlTable):
    """A table that DuckDB reads, and that it counts and sums.

    `place` is an open connection or the path of a database, with the name of a `table` or a view
    in it ("schema.table" too, or a tuple of names); or the path of a Parquet file, or a relation of
    DuckDB. DuckDB takes a name such as "other.csv" for a file, and a view may read files too:
    `outside=False` lets it read nothing but the database at `place`.
    Ensures: nothing is written, and nothing but names and types is read until it is asked for.
    """

    engine, dialect = "DuckDB", "duckdb"

    def __init__(
        self, place: Any, table: str | tuple[str, ...] | None = None, *, outside: bool = True
    ) -> None:
        self._relation: Any = None
        if not outside and (table is None or not isinstance(place, (str, os.PathLike))):
            raise ParameterError(
                f"outside=False is for a database in a file, and place is {brief(place)} with "
                f"table {brief(table)}. Give the path of a database and the name of a table in it."
            )
        if is_relation(place):
            if table is not None:
                raise ParameterError("a relation is a table already; give it without a name.")
            self._relation, self.name = place, "the relation"
            self._alias = f"{_OURS}{id(place):x}"
        elif isinstance(place, (str, os.PathLike)):
            self._open(Path(os.fspath(place)), table, {} if outside else _INSIDE)
        elif hasattr(place, "from_arrow") and hasattr(place, "cursor"):
            self._connection, self._table = place, table_term(table)
            self.name = f"the table {table!r}"
        else:
            raise ParameterError(
                f"place is {brief(place)}; give a connection or a relation of DuckDB, or the path "
                "of a database or of a Parquet file."
            )
        query = f"SELECT * FROM {self.term().sql(dialect=self.dialect)} LIMIT 0"
        try:
            self.schema = self._guard(
                lambda: self._query(query, [self]).to_arrow_table(), "open"
            ).schema
        except EngineError:
            others = self._others(table)
            if others is None:
                raise
        else:
            return
        raise EngineError(
            f"there is no {self.name.removeprefix('the ')} (CatalogException). {others}"
        )

    def _others(self, table: Any) -> str | None:
        """Say which tables there are instead of one; None if it is there, or nobody knows."""
        if self._relation is not None or table is None:
            return None
        try:
            found = self._connection.sql(
                "SELECT table_schema, table_name FROM information_schema.tables"
            ).fetchall()
        except Exception:
            return None
        wanted = tuple(part.name for part in self._table.parts)
        if wanted[-1] in {name for _, name in found} or wanted[-1] in _FILES:
            return None
        names = [name if schema == "main" else f"{schema}.{name}" for schema, name in found]
        if not names:
            return "The database has no tables."
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        return f"The database has {', '.join(map(repr, names[:_MOST_NAMED]))}{more}."

    def _open(self, path: Path, table: Any, config: dict[str, Any]) -> None:
        if not path.exists():
            raise ParameterError(f"there is no file {path}. Check the path.")
        self.path = path
        self.name = str(path) if table is None else f"the table {table!r} of {path}"
        if table is None:
            self._connection = duckdb().connect()
            self._table = expressions().Table(this=call("READ_PARQUET", text(str(path))))
        else:
            connect = duckdb().connect
            try:
                self._connection = self._guard(
                    lambda: connect(str(path), read_only=True, config=config), "open"
                )
            except EngineError:
                if not _is_database(path):
                    raise
            else:
                self._table = table_term(table)
                return
            raise EngineError(
                f"DuckDB could not open {path}, a file of DuckDB. It may be open elsewhere: close "
                "it there, or give the open connection in its place, as in nw.DuckDB(connection, "
                f"{table!r})."
            )

    def term(self) -> Term:
        """Return the table as a part of a query."""
        if self._relation is not None:
            return expressions().to_table(self._alias)
        return self._table.copy()

    def shares_engine(self, other: SqlTable) -> bool:
        """Tell whether one query can read both tables: relations do not say where they are."""
        if not isinstance(other, DuckDB):
            return False
        if self._relation is not None or other._relation is not None:
            return self._relation is not None and other._relation is not None
        return self._connection is other._connection

    def _run(self, query: str, tables: Sequence[SqlTable]) -> Iterable[Sequence[Any]]:
        return self._query(query, tables).fetchall()

    def _query(self, query: str, tables: Sequence[SqlTable]) -> Any:
        if self._relation is None:
            return self._connection.sql(query)
        others = {
            table._alias: table._relation.sql_query()
            for table in tables
            if isinstance(table, DuckDB) and table._alias != self._alias
        }
        if others:
            # A relation can be given one name in a query; the others come as their own text.
            parts = ", ".join(f"{name} AS NOT MATERIALIZED ({one})" for name, one in others.items())
            query = f"WITH {parts}, {query.removeprefix('WITH ')}"
        return self._relation.query(self._alias, query)


def is_relation(value: Any) -> bool:
    """Tell whether a value is a relation of DuckDB, without loading DuckDB."""
    return type(value).__name__ == "DuckDBPyRelation"


def _is_database(path: Path) -> bool:
    """Tell whether a file begins as those of DuckDB do: a checksum, and its name."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def duckdb() -> Any:
    """Return DuckDB, or say what to install."""
    try:
        import duckdb as found
    except ImportError:
        raise MissingPartError(
            "this needs DuckDB, which is not installed. Install it with pip install "
            "'noisewright[duckdb]'."
        ) from None
    return found
