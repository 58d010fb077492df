"""Cells that databases read strictly: the codes of files, and null where files are refused."""

from collections.abc import Callable, Generator
from typing import Any

import duckdb
import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

from noisewright.errors import OutsideSpaceError
from noisewright.relations import DuckDB, PostgreSQL, SourceRows, SqlTable, modulo
from noisewright.spaces import Categories, Dates, Interval
from noisewright.tables import Field, Schema
from tests.ledger.server import server
from tests.relations.databases import write_to_postgresql
from tests.relations.strategies import KINDS, Kind, Table, columns_of

ROWS = 25
PRIME = 997


@st.composite
def strict_tables(draw: Any) -> tuple[Table, dict[str, Field]]:
    """A column of each kind, with random rules."""
    fields = {name: draw(_rules(kind)) for name, kind in KINDS.items()}
    cells = {name: kind.cells for name, kind in KINDS.items()}
    rows = [draw(st.fixed_dictionaries(cells)) for _ in range(ROWS)]
    return Table({name: kind.type for name, kind in KINDS.items()}, rows), fields


@st.composite
def _rules(draw: Any, kind: Kind) -> Field:
    field = draw(kind.fields)
    if isinstance(field.space, Categories):
        return field
    outside = draw(st.sampled_from(["error", "clamp"]))
    rounds = isinstance(field.space, Interval) and not isinstance(field.space, Dates)
    off_grid = draw(st.sampled_from(["error", "round"])) if rounds else "error"
    return Field(field.space, null=field.null, outside=outside, off_grid=off_grid)


def code(field: Field, cell: pa.Array) -> int | None:
    """The code that a file's cell has; None if it is refused."""
    try:
        return int(Schema({"x": field}).codes("x", cell)[0])
    except OutsideSpaceError:
        return None


def require_same_cells(
    table: Table, fields: dict[str, Field], convert: Callable[[Table], SqlTable]
) -> None:
    """Compare the cells of a table, modulo a prime, since spaces may be large."""
    source = SourceRows(convert(table), fields, strict=True)
    source.table.require_types(source)
    rests = [modulo(node, PRIME) for node in columns_of(source)]
    found = source.table.count_tables(source, [(), *((node,) for node in rests)])
    assert found[0] == ROWS
    for counts, node, (name, field) in zip(found[1:], rests, fields.items(), strict=True):
        grid, column = source.grid(name), table.arrow.column(name).combine_chunks()
        expected = [0] * counts.size
        for row in range(ROWS):
            known = code(field, column.slice(row, 1))
            if known is not None:
                expected[(grid.first + grid.stride * known) % PRIME - node.low] += 1
        assert counts.tolist() == expected, name


@pytest.fixture(scope="module")
def embedded() -> Generator[Any]:
    with duckdb.connect() as connection:
        yield connection


@settings(max_examples=20)
@given(made=strict_tables())
def test_duckdb_allows_what_files_allow(
    embedded: Any, made: tuple[Table, dict[str, Field]]
) -> None:
    require_same_cells(*made, convert=lambda one: DuckDB(embedded.from_arrow(one.arrow)))


@pytest.fixture(scope="module")
def postgresql() -> Generator[Any]:
    import psycopg

    with (
        server() as address,
        psycopg.connect(address, autocommit=True, prepare_threshold=None) as connection,
    ):
        connection.execute("SET TIME ZONE 'Asia/Tokyo'")
        yield connection


@settings(max_examples=10)
@given(made=strict_tables())
def test_postgresql_allows_what_files_allow(
    postgresql: Any, made: tuple[Table, dict[str, Field]]
) -> None:
    def convert(table: Table) -> PostgreSQL:
        write_to_postgresql(postgresql, "strict", table)
        return PostgreSQL(postgresql, ("strict",))

    require_same_cells(*made, convert=convert)
