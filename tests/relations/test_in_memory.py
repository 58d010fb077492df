"""The engine in memory gives what plain Python gives, row by row: the same integers."""

from dataclasses import replace
from typing import Any

from hypothesis import given, settings

from noisewright.relations import Filter, Limit, Paired, Source, Tally, tally_in_memory
from noisewright.tables import open_table
from tests.relations import reference
from tests.relations.strategies import tallies


def with_tables(rows: Any, convert: Any) -> Any:
    """The same rows of tables in another place."""
    if isinstance(rows, Source):
        return replace(rows, table=convert(rows.table))
    if isinstance(rows, Paired):
        return Paired(with_tables(rows.left, convert), with_tables(rows.right, convert))
    assert isinstance(rows, Filter | Limit)
    return replace(rows, rows=with_tables(rows.rows, convert))


def expected(request: Tally) -> list[list[int]]:
    return reference.tally(replace(request, rows=with_tables(request.rows, lambda one: one.stored)))


@settings(max_examples=400)
@given(request=tallies(files=True))
def test_integers_are_those_of_plain_python(request: Tally) -> None:
    opened = with_tables(request.rows, lambda one: open_table(one.arrow))
    found = tally_in_memory(replace(request, rows=opened))
    assert found.tolist() == expected(request)
