"""What databases have and Arrow has not, how tables are found there, and what errors tell."""

import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
import sqlglot
from hypothesis import given, settings
from sqlglot import expressions

from noisewright.errors import EngineError, InputError, MissingPartError, ParameterError
from noisewright.relations import (
    DuckDB,
    Limit,
    Paired,
    PostgreSQL,
    SourceRows,
    SqlTable,
    TallyRequest,
    open_source,
    require_one_engine,
    sources,
    sql_of,
    tally,
)
from noisewright.spaces import Categories, Counts, Dates, Interval
from noisewright.tables import Field
from tests.ledger.server import server
from tests.relations.strategies import Table, columns_of, tallies
from tests.relations.test_in_memory import with_tables


@pytest.fixture
def embedded() -> Generator[Any]:
    with duckdb.connect() as connection:
        yield connection


@pytest.fixture(scope="module")
def address() -> Generator[str]:
    with server() as made:
        yield made


def sums(source: SourceRows) -> list[int]:
    """How many rows there are, and what each column adds up to."""
    return tally(TallyRequest(source, sums=tuple(columns_of(source))))[0].tolist()


def in_duckdb(connection: Any, cells: str, field: Field) -> SourceRows:
    """A table of one column, of the values of an expression in SQL."""
    connection.execute(f"CREATE OR REPLACE TABLE t AS SELECT unnest([{cells}]) AS a")
    return open_source(DuckDB(connection, "t"), {"a": field})


DAYS = Field(Dates("1970-01-01", "1970-01-11"))


@pytest.mark.parametrize(
    ("cells", "field", "found"),
    [
        ("DATE 'infinity', DATE '-infinity', DATE '1970-01-05'", DAYS, 10 + 0 + 4),
        ("DATE '5874897-12-31', DATE '290309-12-22 (BC)'", DAYS, 10),
        ("TIMESTAMP 'infinity', TIMESTAMP '-infinity', NULL", DAYS, 10),
        ("TIMESTAMP_NS '2262-04-11', TIMESTAMP_NS '1969-12-31'", DAYS, 10),
        ("170141183460469231731687303715884105727::HUGEINT, 3", Field(Counts(9)), 9 + 3),
        ("18446744073709551615::UBIGINT, 3", Field(Interval(0, 8, step=4)), 2 + 1),
        ("0.5::DECIMAL(38, 37), 1.49::DECIMAL(38, 37)", Field(Counts(9)), 1 + 1),
        ("'b'::ENUM('b', 'a', 'c'), 'c'", Field(Categories(["a", "b"])), 1),
    ],
)
def test_types_of_duckdb_never_fail(embedded: Any, cells: str, field: Field, found: int) -> None:
    assert sums(in_duckdb(embedded, cells, field))[1] == found


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint32(), pa.uint64()])
def test_people_are_numbers_of_any_size(embedded: Any, kind: pa.DataType) -> None:
    """The least number of a type, the largest and nobody keep the rows that they keep in memory."""
    bits, signed = kind.bit_width, pa.types.is_signed_integer(kind)
    ends = [-(1 << bits - 1), (1 << bits - 1) - 1] if signed else [0, (1 << bits) - 1]
    data = pa.table({"who": pa.array([*ends, 7, None] * 6, kind), "a": range(24)})
    found: list[Any] = []
    for table in (data, DuckDB(embedded.from_arrow(data))):
        source = open_source(table, {"a": Field(Counts(23))}, "who")
        [a] = columns_of(source)
        found.append(tally(TallyRequest(Limit(source, 2, "salt", reads=(a,)), (a,))).tolist())
    assert found[0] == found[1]
    assert sum(rows for [rows] in found[0]) == 8


MOMENTS = Field(Dates("1970-01-01", "1970-01-11", zone="Europe/Vienna"))


@pytest.mark.parametrize(
    ("kind", "cells", "field", "found"),
    [
        ("numeric", ["NaN", "1e4000", "-1e4000", "3.5", "Infinity"], Field(Counts(9)), 22),
        ("numeric", ["1e4000", "1e-4000", "0.25"], Field(Interval(0, 1, step="1/4")), 4 + 0 + 1),
        ("date", ["infinity", "-infinity", "1970-01-05"], DAYS, 10 + 0 + 4),
        ("timestamp", ["infinity", "-infinity", "1970-01-05 23:59"], DAYS, 10 + 0 + 4),
        ("timestamptz", ["infinity", "-infinity", "1970-01-05 23:30+00"], MOMENTS, 10 + 0 + 5),
        ("char(4)", ["a", "b  ", "c"], Field(Categories(["a", "b"])), 1),
    ],
)
def test_types_of_postgresql_never_fail(
    address: str, kind: str, cells: list[str], field: Field, found: int
) -> None:
    import psycopg

    with psycopg.connect(address) as connection:
        connection.execute("CREATE SCHEMA IF NOT EXISTS s; DROP TABLE IF EXISTS s.t")
        connection.execute(f"CREATE TABLE s.t (a {kind})".encode())
        connection.cursor().executemany("INSERT INTO s.t VALUES (%s)", [[cell] for cell in cells])
    source = open_source(PostgreSQL(address, "s.t"), {"a": field})
    assert sums(source) == [len(cells), found]


def test_tables_are_found_by_path_name_relation_and_arrow(embedded: Any, tmp_path: Path) -> None:
    fields = {"a": Field(Counts(9))}
    embedded.execute("CREATE TABLE t AS SELECT 3 AS a")
    embedded.sql("FROM t").write_parquet(str(tmp_path / "it's.parquet"))
    with duckdb.connect(str(tmp_path / "kept.db")) as made:
        made.execute('CREATE SCHEMA "o\'dd"; CREATE TABLE "o\'dd"."t" AS SELECT 3 AS a')
    places = [
        DuckDB(embedded, "t"),
        DuckDB(embedded, ("main", "t")),
        DuckDB(tmp_path / "it's.parquet"),
        DuckDB(tmp_path / "kept.db", "o'dd.t"),
        embedded.sql("SELECT a FROM t"),
        {"a": [3]},
        pa.table({"a": [3]}),
    ]
    assert [sums(open_source(place, fields)) for place in places] == [[1, 3]] * len(places)


def test_what_does_not_fit_is_refused_before_anything_runs(embedded: Any) -> None:
    embedded.execute("CREATE TABLE t (a VARCHAR, b TIMESTAMPTZ, c INT[], d DOUBLE)")
    table = DuckDB(embedded, "t")
    for fields, person, says in [
        ({"a": Field(Counts(9))}, None, "type of what it holds"),
        ({"b": DAYS}, None, "type"),
        ({"c": Field(Counts(9))}, None, "type"),
        ({"x": Field(Counts(9))}, None, "no column 'x'"),
        ({"a": Field(Categories(["a", "\0"]))}, None, "cannot write"),
        ({}, "d", "identifies people"),
    ]:
        with pytest.raises(InputError, match=says):
            open_source(table, fields, person)
    for place, name in [(embedded, None), (embedded, 5), (7, "t"), ("none.db", "t")]:
        with pytest.raises(ParameterError):
            DuckDB(place, name)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ParameterError):
        PostgreSQL(7, "t")


def test_one_engine_must_have_both_tables(embedded: Any) -> None:
    here = open_source({"a": [3], "p": ["x"]}, {"a": Field(Counts(9))}, "p")
    embedded.execute("CREATE TABLE t AS SELECT 3 AS b, 'x' AS p")
    there = open_source(DuckDB(embedded, "t"), {"b": Field(Counts(9))}, "p")
    require_one_engine(Paired(there, there))
    with pytest.raises(InputError, match="different places"):
        require_one_engine(Paired(here, there))


def test_errors_name_what_went_wrong_and_never_a_cell(embedded: Any, address: str) -> None:
    embedded.execute("CREATE TABLE t AS SELECT 'my secret' AS a")
    embedded.execute("CREATE VIEW v AS SELECT CAST(a AS INT) AS a FROM t")
    source = open_source(DuckDB(embedded, "v"), {"a": Field(Counts(9))})
    with pytest.raises(EngineError, match="ConversionException") as caught:
        sums(source)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(EngineError, match="CatalogException"):
        DuckDB(embedded, "nothing")
    with pytest.raises(EngineError, match="UndefinedTable, SQLSTATE 42P01"):
        PostgreSQL(address, "nothing")


def test_the_tables_there_are_are_named_where_one_is_missing(embedded: Any) -> None:
    with pytest.raises(EngineError, match="The database has no tables"):
        DuckDB(embedded, "people")
    embedded.execute("CREATE TABLE people AS SELECT 'my secret' AS a")
    embedded.execute("CREATE SCHEMA archive")
    embedded.execute("CREATE TABLE archive.old AS SELECT 1 AS a")
    with pytest.raises(EngineError, match=r"no table 'peopel' .*'people'") as caught:
        DuckDB(embedded, "peopel")
    assert "'archive.old'" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert caught.value.__context__ is None
    with pytest.raises(EngineError, match="IOException"):
        DuckDB(embedded, "not-there.csv")


def test_a_database_that_is_open_elsewhere_is_said_to_be(tmp_path: Path) -> None:
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE people AS SELECT 1 AS a")
        with pytest.raises(EngineError, match=r"elsewhere: .* nw\.DuckDB\(connection, 'people'"):
            DuckDB(path, "people")
        assert DuckDB(connection, "people").schema.names == ["a"]
    path.write_text("no database")
    with pytest.raises(EngineError, match="IOException"):
        DuckDB(path, "people")


class Elsewhere(SqlTable):
    """A table of a database that is not here."""

    engine, dialect, name = "Elsewhere", "snowflake", "the table"

    def __init__(self, table: Table) -> None:
        self.schema = table.arrow.schema

    def term(self) -> Any:
        return expressions.to_table("elsewhere")

    def shares_engine(self, other: SqlTable) -> bool:
        return True

    def _run(self, query: str, tables: Any) -> Any:
        raise AssertionError("text only")


@settings(max_examples=40)
@given(request=tallies())
def test_texts_for_bigquery_and_snowflake_are_read_back_as_they_were_written(
    request: TallyRequest,
) -> None:
    """They are not executed here; sqlglot at least takes them for one query."""
    there = TallyRequest(with_tables(request.rows, Elsewhere), request.by, request.sums)
    for dialect in ("bigquery", "snowflake"):
        text = sources(there.rows)[0].table.sql(there, dialect=dialect)
        [read] = sqlglot.parse(text, dialect=dialect)
        assert isinstance(read, expressions.Select)
        assert sqlglot.parse_one(read.sql(dialect=dialect), dialect=dialect) == read
    assert sql_of(there) is not None


def test_names_and_labels_cannot_leave_their_quotation_marks(embedded: Any) -> None:
    name = 'a" FROM t; DROP TABLE t; --'
    label = "x' OR 1=1; DROP TABLE t; --"
    quoted = '"' + name.replace('"', '""') + '"'
    embedded.execute(f"CREATE TABLE t ({quoted} VARCHAR)")
    embedded.execute("INSERT INTO t VALUES (?), ('y')", [label])
    source = open_source(DuckDB(embedded, "t"), {name: Field(Categories(["y", label]))})
    assert sums(source) == [2, 1]


@pytest.mark.parametrize(
    ("library", "open_table", "extra"),
    [
        ("psycopg", lambda: PostgreSQL("postgresql://host/survey", "people"), "postgres"),
        ("duckdb", lambda: DuckDB(__file__, "people"), "duckdb"),
    ],
)
def test_without_its_library_a_database_names_the_extra(
    library: str, open_table: Any, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingPartError, match=rf"'noisewright\[{extra}\]'"):
        open_table()
