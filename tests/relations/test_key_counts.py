"""People by keys that nobody declared: the same counts in every engine, byte for byte."""

from collections.abc import Callable, Generator
from dataclasses import replace
from itertools import count
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given, settings

from noisewright.relations import (
    DuckDB,
    KeyRequest,
    Limit,
    PostgreSQL,
    TallyRequest,
    column,
    open_source,
    people_by_key,
    tally,
)
from noisewright.spaces import Categories
from noisewright.tables import Field, open_table
from tests.ledger.server import server
from tests.relations import reference
from tests.relations.databases import write_to_postgresql
from tests.relations.strategies import key_requests
from tests.relations.test_in_memory import with_tables


def require_same_people(request: KeyRequest, convert: Callable[[Any], Any]) -> None:
    there = replace(request, rows=with_tables(request.rows, convert))
    found = {key: people for key, people in people_by_key(there).items() if people}
    here = replace(request, rows=with_tables(request.rows, lambda one: one.stored))
    assert found == reference.people_by_key(here)


@pytest.fixture(scope="module")
def embedded() -> Generator[Any]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def postgresql() -> Generator[Any]:
    import psycopg

    with (
        server() as address,
        psycopg.connect(address, autocommit=True, prepare_threshold=None) as connection,
    ):
        yield connection


@settings(max_examples=100)
@given(request=key_requests())
def test_in_memory(request: KeyRequest) -> None:
    require_same_people(request, lambda one: open_table(one.arrow))


@settings(max_examples=60)
@given(request=key_requests())
def test_in_duckdb(embedded: Any, request: KeyRequest) -> None:
    require_same_people(request, lambda one: DuckDB(embedded.from_arrow(one.arrow)))


@settings(max_examples=60)
@given(request=key_requests())
def test_in_postgresql(postgresql: Any, request: KeyRequest) -> None:
    numbers = count()

    def stored(table: Any) -> PostgreSQL:
        name = f"keys {next(numbers)}"
        write_to_postgresql(postgresql, name, table)
        return PostgreSQL(postgresql, (name,))

    require_same_people(request, stored)


def test_one_person_more_moves_each_key_by_one_at_most() -> None:
    """Which keys of others count must not depend on what a newcomer brings."""
    keys = [f"k{place:02}" for place in range(12)]
    rows = [(str(who), keys[(who * 5 + place) % 12]) for who in range(40) for place in range(5)]

    def counts(more: list[tuple[str, str]]) -> dict[Any, int]:
        who, key = zip(*rows, *more, strict=True)
        source = open_source(pa.table({"who": who, "key": key}), {}, "who")
        return people_by_key(KeyRequest(source, "key", 2))

    before, after = counts([]), counts([("new", "a"), ("new", "b"), ("new", "c")])
    moved = {key: after[key] - before.get(key, 0) for key in after}
    assert sum(map(abs, moved.values())) == 2
    assert {key for key, step in moved.items() if step} < {"a", "b", "c"}


CELLS = [("p", "a"), ("P", "A"), ("p", "A "), ("p", "e\u0301"), ("p", "\u00e9"), ("Q", "\u00e4")]
"""Of three people, whom collations may take for two, with six keys."""

LABELS = [key for _, key in CELLS] + [f"l{place}" for place in range(30)]


def require_told_apart(table: Any) -> None:
    """Keys, labels and people differ if their bytes do."""
    keys = people_by_key(KeyRequest(open_source(table, {}, "who"), "key", 9))
    assert keys == {key: 1 for _, key in CELLS}
    for labels in (LABELS[:6], LABELS):
        source = open_source(table, {"key": Field(Categories(labels))}, "who")
        node = column("key", 0, len(labels) - 1, nullable=True)
        found = tally(TallyRequest(source, (node,)))[:, 0].tolist()
        assert found == [1] * 6 + [0] * (len(labels) - 6)
        one_each = Limit(source, 1, "salt", None, (), (node,))
        assert tally(TallyRequest(one_each)).tolist() == [[3]]


def test_collations_of_duckdb_join_nothing(embedded: Any) -> None:
    embedded.execute("CREATE TABLE t (who TEXT COLLATE NOCASE, key TEXT COLLATE NOCASE.NOACCENT)")
    embedded.executemany("INSERT INTO t VALUES (?, ?)", CELLS)
    require_told_apart(DuckDB(embedded, "t"))
    embedded.execute("SET default_collation = 'NOCASE'; CREATE TABLE u AS SELECT * FROM t")
    require_told_apart(DuckDB(embedded, "u"))
    embedded.execute("RESET default_collation")


def test_collations_of_postgresql_join_nothing(postgresql: Any) -> None:
    postgresql.execute(
        "CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"
    )
    postgresql.execute("CREATE TEMP TABLE t (who TEXT COLLATE loose, key TEXT COLLATE loose)")
    postgresql.cursor().executemany("INSERT INTO t VALUES (%s, %s)", CELLS)
    [[same]] = postgresql.execute("SELECT 'a' = 'A' COLLATE loose").fetchall()
    assert same
    require_told_apart(PostgreSQL(postgresql, "t"))


def test_texts_that_sql_cannot_write_count_as_none(embedded: Any) -> None:
    embedded.execute("CREATE TABLE v AS SELECT unnest(['a', 'b' || chr(0)]) AS key")
    assert people_by_key(KeyRequest(open_source(DuckDB(embedded, "v"), {}), "key", 1)) == {"a": 1}
