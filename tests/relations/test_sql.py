"""Databases give what plain Python gives, row by row: the same integers."""

from collections.abc import Callable, Generator
from itertools import count
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings

from noisewright.plans import Column
from noisewright.relations import DuckDB, PostgreSQL, TallyRequest, column, open_source, tally
from noisewright.spaces import Interval
from tests.ledger.server import server
from tests.relations.databases import require_same_integers, write_to_postgresql
from tests.relations.strategies import Table, tallies, wide_tallies


@pytest.fixture(scope="module")
def embedded() -> Generator[Any]:
    with duckdb.connect() as connection:
        yield connection


@settings(max_examples=60)
@given(request=tallies())
def test_duckdb_gives_the_integers_of_plain_python(embedded: Any, request: TallyRequest) -> None:
    require_same_integers(request, lambda table: DuckDB(embedded.from_arrow(table.arrow)))


@settings(max_examples=15)
@given(request=wide_tallies())
def test_duckdb_reads_all_kinds_of_cells(embedded: Any, request: TallyRequest) -> None:
    require_same_integers(request, lambda table: DuckDB(embedded.from_arrow(table.arrow)))


@pytest.fixture(scope="module")
def postgresql() -> Generator[Any]:
    import psycopg

    with (
        server() as address,
        psycopg.connect(address, autocommit=True, prepare_threshold=None) as connection,
    ):
        connection.execute("SET TIME ZONE 'Asia/Tokyo'")
        yield connection


def stored_in(connection: Any) -> Callable[[Table], PostgreSQL]:
    numbers = count()

    def stored(table: Table) -> PostgreSQL:
        name = f"table {next(numbers)}"
        write_to_postgresql(connection, name, table)
        return PostgreSQL(connection, (name,))

    return stored


@settings(max_examples=60)
@given(request=tallies())
def test_postgresql_gives_the_integers_of_plain_python(
    postgresql: Any, request: TallyRequest
) -> None:
    require_same_integers(request, stored_in(postgresql))


@settings(max_examples=15)
@given(request=wide_tallies())
def test_postgresql_reads_all_kinds_of_cells(postgresql: Any, request: TallyRequest) -> None:
    require_same_integers(request, stored_in(postgresql))


def test_the_least_double_does_not_underflow(postgresql: Any) -> None:
    """PostgreSQL raises an error where a division underflows, and no error may depend on a cell."""
    postgresql.execute("CREATE TABLE least AS SELECT CAST('5e-324' AS double precision) AS x")
    space = Interval(0, 1 << 30, step=1 << 10)
    source = open_source(PostgreSQL(postgresql, ("least",)), {"x": Column(space)})
    x = column("x", 0, 1 << 20, nullable=True)
    assert tally(TallyRequest(source, (), (x,))).tolist() == [[1, 0]]
