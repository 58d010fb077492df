"""Databases give what plain Python gives, row by row: the same integers."""

from collections.abc import Generator
from itertools import count
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings

from noisewright.relations import DuckDB, PostgreSQL, Tally
from tests.ledger.server import server
from tests.relations.databases import require_same_integers, write_to_postgresql
from tests.relations.strategies import Table, tallies


@pytest.fixture(scope="module")
def embedded() -> Generator[Any]:
    with duckdb.connect() as connection:
        yield connection


@settings(max_examples=150)
@given(request=tallies())
def test_duckdb_gives_the_integers_of_plain_python(embedded: Any, request: Tally) -> None:
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


@settings(max_examples=150)
@given(request=tallies())
def test_postgresql_gives_the_integers_of_plain_python(postgresql: Any, request: Tally) -> None:
    numbers = count()

    def stored(table: Table) -> PostgreSQL:
        name = f"table {next(numbers)}"
        write_to_postgresql(postgresql, name, table)
        return PostgreSQL(postgresql, (name,))

    require_same_integers(request, stored)
