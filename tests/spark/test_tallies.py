"""Tallies on Spark: the integers of plain Python, whatever the zone of the session is."""

from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import given, settings

from noisewright.relations import TallyRequest, open_source
from noisewright.relations.sql.spark_tables import SparkSqlTable
from tests.relations.databases import require_same_integers
from tests.relations.strategies import tallies, wide_tallies

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
