"""Where the rows of a source are, and which engine computes tallies of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.relations.in_memory import (
    count_tables_in_memory,
    people_by_key_in_memory,
    require_identifying,
    tally_in_memory,
)
from noisewright.relations.rows import (
    CountedTable,
    KeyRequest,
    Rows,
    SourceRows,
    TallyRequest,
    sources,
)
from noisewright.relations.sql.duckdb_tables import DuckDB, is_relation
from noisewright.relations.sql.spark_tables import SparkSqlTable, is_spark_frame
from noisewright.relations.sql.sql_tables import SqlTable
from noisewright.tables import Field, Person, Schema, TotalCells, open_table


def open_source(
    data: Any,
    fields: Mapping[str, Field],
    person: str | None = None,
    *,
    names: Sequence[str] = (),
) -> SourceRows:
    """Return the rows of a table, wherever it is; `names` are for a file that has none.

    Requires: anything that `open_table` reads, a table as in DuckDB(…) or PostgreSQL(…), a relation
    of DuckDB, or a DataFrame of Spark.
    Ensures: nothing but names and types is looked at, and they fit what is declared.
    """
    table = sql_table(data)
    if table is not None:
        source = SourceRows(table, fields, person)
        table.require_types(source)
        return source
    whose = None if person is None else Person(person, rows=1)
    reader = open_table(data, schema=Schema(fields, whose, names=tuple(names)), total=True)
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


def sql_table(data: Any) -> SqlTable | None:
    """Return a table of a database, such as DuckDB(…) or a DataFrame of Spark; None for others."""
    if is_relation(data):
        return DuckDB(data)
    if is_spark_frame(data):
        return SparkSqlTable(data)
    return data if isinstance(data, SqlTable) else None


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


def people_by_key(request: KeyRequest) -> dict[Any, int]:
    """Return how many people have each value of a column, counted where the rows are.

    Texts are told apart by their bytes, whatever the collation of a database. Those that SQL cannot
    write, with a NUL character, count as none in a database.
    """
    table = sources(request.rows)[0].table
    if isinstance(table, SqlTable):
        return table.people_by_key(request)
    return people_by_key_in_memory(request)


def count_tables(rows: Rows, tables: Sequence[CountedTable]) -> list[NDArray[np.int64]]:
    """Return how many rows there are by each of some sets of nodes, computed where the rows are.

    An axis for each node. Rows with a null among the nodes of a table are in no cell of it.
    """
    table = sources(rows)[0].table
    if isinstance(table, SqlTable):
        return table.count_tables(rows, tables)
    return count_tables_in_memory(rows, tables)


def sql_of(request: TallyRequest) -> str | None:
    """Return the query that computes a tally; None if it is computed without SQL."""
    table = sources(request.rows)[0].table
    return table.sql(request) if isinstance(table, SqlTable) else None
