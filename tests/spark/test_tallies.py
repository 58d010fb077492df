"""Tallies on Spark: the integers of plain Python, whatever the zone of the session is."""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import given, settings

from noisewright.relations import KeyRequest, TallyRequest, open_source
from noisewright.relations.sql.spark_tables import SparkSqlTable
from tests.relations.databases import require_same_integers
from tests.relations.strategies import key_requests, tallies, wide_tallies
from tests.relations.test_key_counts import CELLS, require_same_people, require_told_apart

FEW = settings(max_examples=4)


@pytest.fixture(scope="module")
def far_east(spark: Any) -> Generator[Any]:
    # Times without a zone stay so when tables of Arrow become DataFrames.
    wanted = {
        "spark.sql.session.timeZone": "Asia/Tokyo",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
    }
    before = {name: spark.conf.get(name) for name in wanted}
    for name, value in wanted.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


@FEW
@given(request=wide_tallies())
def test_all_kinds_of_cells_are_read_as_plain_python_reads_them(
    far_east: Any, request: TallyRequest
) -> None:
    require_same_integers(request, lambda one: SparkSqlTable(far_east.createDataFrame(one.arrow)))


@FEW
@given(request=tallies())
def test_rows_are_selected_as_plain_python_selects_them(
    far_east: Any, request: TallyRequest
) -> None:
    require_same_integers(request, lambda one: SparkSqlTable(far_east.createDataFrame(one.arrow)))


@FEW
@given(request=key_requests())
def test_people_are_counted_by_key_as_plain_python_counts_them(
    far_east: Any, request: KeyRequest
) -> None:
    require_same_people(request, lambda one: SparkSqlTable(far_east.createDataFrame(one.arrow)))


def test_collations_join_nothing(far_east: Any) -> None:
    loose = "STRING COLLATE UTF8_LCASE"
    frame = far_east.createDataFrame(CELLS, "who STRING, key STRING")
    require_told_apart(frame.selectExpr(f"CAST(who AS {loose}) who", f"CAST(key AS {loose}) key"))


def test_a_data_frame_is_recognized_and_no_view_is_left(far_east: Any) -> None:
    from noisewright.relations import column, tally
    from noisewright.spaces import Counts
    from noisewright.tables import Field

    frame = far_east.createDataFrame([(1,), (2,), (2,)], "age int")
    before = {one.name for one in far_east.catalog.listTables()}
    source = open_source(frame, {"age": Field(Counts(3))})
    found = tally(TallyRequest(source, (column("age", 0, 3, nullable=True),)))
    assert found.tolist() == [[0], [1], [2], [0]]
    assert {one.name for one in far_east.catalog.listTables()} == before


def test_a_synthetic_table_is_counted_on_the_cluster(far_east: Any) -> None:
    """The counts of a file, in bins and of points too; a cell that is not allowed is found."""
    import noisewright as nw
    from noisewright.errors import OutsideSpaceError
    from tests.releases.synthetic_people import DATA, SPACES

    people = DATA.slice(0, 300).drop_columns("visits")
    spaces = {name: how for name, how in SPACES.items() if name != "visits"}
    method = nw.planning.Method("mst", bins=8)
    here, there = (
        nw.synthesize(
            data,
            spaces,
            epsilon=1,
            method=method,
            ledger=None,
            source=nw.randomness.SeededSource(5),
        )
        for data in (people, far_east.createDataFrame(people))
    )
    assert there.table.to_pylist() == here.table.to_pylist()
    domain = {"age": nw.Counts(60), "smokes": [True, False]}
    asked = nw.workloads.Workload.marginals(domain, ways=2)
    with pytest.raises(OutsideSpaceError, match="'age'"):
        asked.answers(far_east.createDataFrame([(61, True)], "age int, smokes boolean"))


def test_sets_dates_and_curves_are_counted_on_the_cluster(far_east: Any) -> None:
    """The counts of an Arrow table; what is no set of the declared items is found."""
    import noisewright as nw
    from noisewright.errors import OutsideSpaceError
    from tests.releases.test_synthesize_kinds import BASKETS, COLUMNS, ITEMS, PEOPLE, TREE

    table = PEOPLE.slice(0, 200)
    asked: dict[str, Any] = {"epsilon": 1, "ledger": None, "method": TREE}
    here, there = (
        nw.synthesize(data, COLUMNS, **asked, source=nw.randomness.SeededSource(5))
        for data in (table, far_east.createDataFrame(table))
    )
    assert there.table.to_pylist() == here.table.to_pylist()
    wrong: list[Any] = [None, ["gin"], ["milk", None], ITEMS]
    for cell in wrong:
        frame = far_east.createDataFrame([(["milk"],), (cell,)], "basket array<string>")
        with pytest.raises(OutsideSpaceError, match="'basket'"):
            nw.synthesize(frame, {"basket": BASKETS}, **asked)
    frame = far_east.createDataFrame(
        [(["milk"],), (None,), (["x", "tea"],)], "basket array<string>"
    )
    how = nw.Column(BASKETS, null=["tea"], other="rest")
    counted = nw.synthesize(frame, {"basket": how}, epsilon=10**6, ledger=None)
    assert counted.table["basket"].to_pylist().count(["tea"]) == 1
