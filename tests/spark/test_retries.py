"""Whatever Spark does twice, every row is released once, and nothing else of it is left.

A task that is started again draws again. These tests make that happen on a real cluster, and look
at what comes out and at what is left on disk.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from noisewright.errors import DataError
from tests.spark.cluster import HOSTS, NEEDS_PROC
from tests.spark.tables import frame, plan, released
from tests.spark.trouble import (
    disturbed,
    fail,
    is_drawing,
    kill_executor,
    once,
    wait_for,
)

ROWS, PARTITIONS, MIDWAY = 320_000, 2, 140_000
"""More rows a task than are drawn at once, so that an attempt that ends midway has drawn some."""


def require_each_row_once(found: pa.Table, place: Path) -> None:
    assert np.array_equal(found["id"].to_numpy(), np.arange(ROWS))
    assert [path.name for path in place.iterdir()] == ["out"]
    assert all(path.name.startswith("part-") for path in (place / "out").iterdir())


@pytest.mark.parametrize("trouble", [fail, pytest.param(kill_executor, marks=NEEDS_PROC)])
def test_an_attempt_that_ends_midway_leaves_nothing(
    spark: Any, place: Path, tmp_path: Path, trouble: Any
) -> None:
    note = tmp_path / "note"
    happens = once(place, note, trouble)
    table = disturbed(frame(spark, ROWS, PARTITIONS), happens, partition=1, after=MIDWAY)
    found = released(table, plan(), place / "out", part=150_000)
    assert note.read_text(), "the attempt had begun a file"
    require_each_row_once(found, place)


@pytest.mark.skipif(HOSTS[0] == HOSTS[1], reason="needs: a second loopback address, 127.0.0.2")
def test_of_two_copies_of_a_slow_task_one_counts(spark: Any, place: Path, tmp_path: Path) -> None:
    note, second = tmp_path / "note", tmp_path / "second"
    slow = once(place, note, lambda: wait_for(second))

    def happens(attempt: int) -> None:
        if attempt > 0:
            second.touch()
        slow(attempt)

    table = disturbed(frame(spark, ROWS, PARTITIONS), happens, partition=1, after=MIDWAY)
    found = released(table, plan(), place / "out")
    assert second.exists(), "Spark started no second copy"
    require_each_row_once(found, place)


def test_a_job_that_fails_for_good_leaves_nothing(spark: Any, place: Path) -> None:
    def always(attempt: int) -> None:
        if is_drawing(place):
            raise RuntimeError(f"attempt {attempt} meets cook 17")

    table = disturbed(frame(spark, 1_000, 2), always, partition=1)
    with pytest.raises(DataError) as caught:
        released(table, plan(), place / "out")
    assert "drawing" in str(caught.value)
    assert "cook 17" not in str(caught.value)
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert list(place.iterdir()) == []


def test_rows_that_change_between_two_passes_are_refused(spark: Any, place: Path) -> None:
    """As many rows, but others: then some may be there twice, and some not at all."""

    def shifted(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            moved = batch.column("id").to_numpy() + time.time_ns()
            yield batch.set_column(0, "id", pa.array(moved))

    table = frame(spark, 1_000, 2)
    with pytest.raises(DataError, match="did not give the same rows"):
        released(table.mapInArrow(shifted, table.schema), plan(), place / "out")
    assert list(place.iterdir()) == []


def test_two_actions_on_the_released_table_see_the_same_rows(spark: Any, place: Path) -> None:
    released(frame(spark, 5_000, 3), plan(), place / "out")
    table = spark.read.parquet(str(place / "out"))
    assert table.collect() == table.collect()
