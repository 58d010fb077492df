"""Where the rows of a source are, and which engine computes tallies of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.relations.in_memory import require_identifying, tally_in_memory
from noisewright.relations.rows import Rows, SourceRows, TallyRequest, sources
from noisewright.relations.sql.duckdb_tables import DuckDB, is_relation
from noisewright.relations.sql.spark_tables import SparkSqlTable, is_spark_frame
from noisewright.relations.sql.sql_tables import SqlTable
from noisewright.tables import Field, Person, Schema, TotalCells, open_table


def open_source(data: Any, fields: Mapping[str, Field], person: str | None = None) -> SourceRows:
    """Return the rows of a table, wherever it is.

    Requires: anything that `open_table` reads, a table as in DuckDB(…) or PostgreSQL(…), a relation
    of DuckDB, or a DataFrame of Spark.
    Ensures: nothing but names and types is looked at, and they fit what is declared.
    """
    if is_relation(data):
        data = DuckDB(data)
    elif is_spark_frame(data):
        data = SparkSqlTable(data)
    if isinstance(data, SqlTable):
        source = SourceRows(data, fields, person)
        data.require_types(source)
        return source
    whose = None if person is None else Person(person, rows=1)
    reader = open_table(data, schema=Schema(fields, whose), total=True)
    wanted = [*fields, *([] if person is None else [person])]
    missing = [name for name in wanted if name not in reader.schema.names]
    if missing:
        raise InputError(
            f"the table has no column {', '.join(map(repr, missing))}. Correct the declaration or "
            "rename the columns; a CSV file needs a header."
        )
    for name, field in fields.items():
        TotalCells(field, name=name).require_type(reader.schema.field(name).type)
    if person is not None:
        require_identifying(person, reader.schema.field(person).type)
    return SourceRows(reader, fields, person)


def require_one_engine(rows: Rows) -> None:
    """Raise InputError unless one engine can read all tables that rows come from."""
    first, *others = (source.table for source in sources(rows))
    for other in others:
        if isinstance(first, SqlTable) != isinstance(other, SqlTable) or (
            isinstance(first, SqlTable) and not first.shares_engine(other)
        ):
            raise InputError(
                "the two tables are in different places, and no engine can read both. Bring them "
                "into one database, or read both from files."
            )


def tally(request: TallyRequest) -> NDArray[Any]:
    """Return the rows in each cell and the sums of nodes there, computed where the rows are."""
    table = sources(request.rows)[0].table
    return table.tally(request) if isinstance(table, SqlTable) else tally_in_memory(request)


def sql_of(request: TallyRequest) -> str | None:
    """Return the query that computes a tally; None if it is computed without SQL."""
    table = sources(request.rows)[0].table
    return table.sql(request) if isinstance(table, SqlTable) else None
