"""Order and people on Spark: exact under retries, and independent of the input's partitions."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from noisewright.engines.spark import table
from tests.spark.cluster import NEEDS_PROC
from tests.spark.tables import frame, plan, released
from tests.spark.trouble import disturbed, kill_executor, once

PEOPLE = 500


def test_parts_have_a_fixed_number_of_rows(spark: Any, place: Path) -> None:
    """Partitions may follow from private values, so that their sizes must not be seen."""
    uneven = frame(spark, 2_000, 1).repartitionByRange(4, "job")
    for number, rows in enumerate([uneven, uneven.coalesce(1)]):
        out = place / str(number)
        released(rows, plan(), out, part=600)
        sizes = [pq.read_metadata(file).num_rows for file in sorted(out.iterdir())]
        assert sizes == [600, 600, 600, 200]


def test_a_shuffled_table_has_every_row_once_and_no_order(spark: Any, place: Path) -> None:
    rows = 20_000
    ids = released(frame(spark, rows, 3), plan(order="shuffled"), place / "out", part=3_000)["id"]
    places = ids.to_numpy()
    assert np.array_equal(np.sort(places), np.arange(rows))
    # √n times the correlation of places is normal to four digits; beyond 7.2: below 1e-12.
    for lag in (0, 1):
        seen = np.corrcoef(np.arange(rows - lag), places[lag:])[0, 1]
        assert abs(seen) * np.sqrt(rows) < 7.2
    neighbors = np.corrcoef(places[:-1], places[1:])[0, 1]
    assert abs(neighbors) * np.sqrt(rows) < 7.2


@NEEDS_PROC
def test_the_bound_on_a_person_survives_a_lost_executor(
    spark: Any, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of one person lie in all partitions. The executor that is lost has some of them."""
    note = tmp_path / "note"
    bring_together = table.bound_rows

    def bound_rows(*args: Any, **options: Any) -> Any:
        together = bring_together(*args, **options)
        happens = once(place, note, kill_executor)
        return replace(together, frame=disturbed(together.frame, happens, partition=0))

    monkeypatch.setattr(table, "bound_rows", bound_rows)
    person = nw.Person("person", rows=3, keep="random")
    people = frame(spark, 6_000, 4, with_person=PEOPLE)
    ids = released(people, plan(person=person), place / "out")["id"].to_numpy()
    assert note.read_text(), "the attempt had begun a file"
    assert np.unique(ids).size == ids.size
    assert (np.bincount(ids % PEOPLE) == 3).all()
    # In the order of the table, although people were brought together in between.
    assert (np.diff(ids) > 0).all()
    assert [path.name for path in place.iterdir()] == ["out"]


def test_rows_hide_among_those_with_equal_public_values(spark: Any, place: Path) -> None:
    """Of two regions the smaller one has 1,001 rows."""
    rows = spark.range(0, 3_001, 1, 3).selectExpr(
        "array('a', 'b')[CAST(id % 2 AS INT)] AS job",
        "IF(id % 3 = 0, 'north', 'south') AS region",
    )
    split = nw.Plan(
        {"job": nw.Column(["a", "b"]), "region": "public"},
        epsilon=1,
        delta="1e-6",
        order="shuffled",
    )
    out = nw.planning.Output(place / "out.parquet", report=False)
    made = nw.release(rows, split, out=out, ledger=None)
    assert (made.rows, made.plan.rows) == (3_001, 1_001)
    assert made.guarantee == nw.accounting.Guarantee(1, "1e-6")
    assert made.guarantee_in_order.epsilon > made.guarantee.epsilon.times(3)
    assert nw.check(made.files["certificate"])
