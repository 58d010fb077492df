"""The engine in memory gives what plain Python gives, row by row: the same integers."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given, settings

from noisewright.plans import Column
from noisewright.relations import (
    Filter,
    Limit,
    Paired,
    Repeated,
    SourceRows,
    TallyRequest,
    column,
    count_tables,
    open_source,
    tally_in_memory,
)
from noisewright.spaces import Counts
from noisewright.tables import open_table
from tests.relations import reference
from tests.relations.strategies import IN_FILES, KINDS, columns_of, tallies


def with_tables(rows: Any, convert: Any) -> Any:
    """The same rows of tables in another place."""
    if isinstance(rows, SourceRows):
        return replace(rows, table=convert(rows.table))
    if isinstance(rows, Paired):
        return Paired(with_tables(rows.left, convert), with_tables(rows.right, convert))
    assert isinstance(rows, Filter | Limit | Repeated)
    return replace(rows, rows=with_tables(rows.rows, convert))


def expected(request: TallyRequest) -> list[list[int]]:
    return reference.tally(replace(request, rows=with_tables(request.rows, lambda one: one.stored)))


@settings(max_examples=200)
@given(request=tallies(files=True))
def test_integers_are_those_of_plain_python(request: TallyRequest) -> None:
    opened = with_tables(request.rows, lambda one: open_table(one.arrow))
    found = expected(request)
    assert tally_in_memory(replace(request, rows=opened)).tolist() == found
    counts, rows = count_tables(opened, [request.by, ()])
    assert counts.reshape(-1).tolist() == [line[0] for line in found]
    assert rows == tally_in_memory(TallyRequest(opened))[0, 0]


@pytest.mark.parametrize("name", [*KINDS, *IN_FILES])
@settings(max_examples=60)
@given(data=st.data())
def test_cells_are_on_the_grid_of_their_column(name: str, data: st.DataObject) -> None:
    """What is claimed of a column holds for every cell: its range, and whether it may be null."""
    kind = {**KINDS, **IN_FILES}[name]
    source = SourceRows(None, {"a": data.draw(kind.fields)})
    [node] = columns_of(source)
    for cell in data.draw(st.lists(kind.cells, min_size=5, max_size=5)):
        reference.value(node, {"a": reference.read(source.fields["a"], cell)})


@pytest.mark.parametrize("person", [str, int, lambda n: n << 22, lambda n: -n, lambda n: 10 * n])
@pytest.mark.parametrize("groups", [None, 1])
def test_of_people_with_the_same_rows_each_row_is_kept_of_about_as_many(
    groups: int | None, person: Callable[[int], Any]
) -> None:
    """Else a limit would count everybody in the same group, and leave the others empty."""
    people = 6_000
    data = pa.table(
        {"who": [person(row // 12) for row in range(12 * people)], "month": [*range(12)] * people}
    )
    source = open_source(data, {"month": Column(Counts(11))}, "who")
    month = column("month", 0, 11, nullable=True)
    for salt in ("a", "b", "c"):
        by = () if groups is None else (month,)
        kept = Limit(source, 1, salt, groups, by, (month,))
        counts = tally_in_memory(TallyRequest(kept, (month,)))[:, 0]
        assert counts.sum() == people
        # Chi-square with 11 degrees of freedom is above 50 in less than one of a million cases.
        assert ((counts - people / 12) ** 2).sum() / (people / 12) < 50
