"""Random tables in databases, for the tests that compare engines."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, LiteralString

import pyarrow as pa

from noisewright.relations import TallyRequest, count_tables, sources, tally
from tests.relations.strategies import Table
from tests.relations.test_in_memory import expected, with_tables

POSTGRESQL_TYPES: dict[pa.DataType, LiteralString] = {
    pa.bool_(): "boolean",
    pa.int16(): "smallint",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp",
    pa.timestamp("us", "UTC"): "timestamptz",
    pa.decimal128(20, 3): "numeric",
}


def require_same_integers(request: TallyRequest, convert: Callable[[Table], Any]) -> None:
    """Compare a tally of random tables with plain Python; `convert` brings tables to a database."""
    there = replace(request, rows=with_tables(request.rows, convert))
    for source in sources(there.rows):
        source.table.require_types(source)
    found = expected(request)
    assert tally(there).tolist() == found
    require_same_tables(there, [line[0] for line in found])


def require_same_tables(request: TallyRequest, found: list[int]) -> None:
    """Compare counts by several sets of nodes at once with those by one of them."""
    by = request.by
    whole, turned, rows = count_tables(request.rows, [by, by[::-1], ()])
    assert whole.reshape(-1).tolist() == found
    assert turned.transpose().tolist() == whole.tolist()
    assert rows == tally(TallyRequest(request.rows))[0, 0]


def write_to_postgresql(connection: Any, name: str, table: Table) -> None:
    """Make a temporary table."""
    from psycopg import sql

    columns = [
        sql.SQL("{} {}").format(sql.Identifier(one), sql.SQL(POSTGRESQL_TYPES[kind]))
        for one, kind in table.types.items()
    ]
    where = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(where))
        made = sql.SQL("CREATE TEMP TABLE {} ({})").format(where, sql.SQL(", ").join(columns))
        cursor.execute(made)
        marks = sql.SQL(", ").join([sql.Placeholder()] * len(columns))
        insert = sql.SQL("INSERT INTO {} VALUES ({})").format(where, marks)
        cursor.executemany(insert, [list(row.values()) for row in table.stored])
