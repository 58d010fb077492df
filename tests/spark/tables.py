"""Plans and DataFrames for the tests on Spark, and how a release is made and read back."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import noisewright as nw
from noisewright.engines import open_spark


def plan(**options: Any) -> nw.Plan:
    """A plan with a public number of each row, by which rows can be told apart."""
    columns: dict[str, Any] = {"id": "public", "job": nw.Column(["cook", "nurse", "smith"])}
    return nw.Plan(columns, epsilon=options.pop("epsilon", 2), **options)


def frame(spark: Any, rows: int, partitions: int, *, with_person: int | None = None) -> Any:
    """Rows 0 … rows − 1 in order, with a job that follows from the number."""
    numbers = spark.range(0, rows, 1, partitions)
    job = "array('cook', 'nurse', 'smith')[CAST(id % 3 AS INT)] AS job"
    person = [] if with_person is None else [f"id % {with_person} AS person"]
    return numbers.selectExpr("id", job, *person)


def released(data: Any, of: nw.Plan, out: Path, **options: Any) -> pa.Table:
    """Check, draw, and read the folder back."""
    checked = open_spark(data, of, **options).check()
    checked.draw(out)
    found = read(out)
    assert found.num_rows == checked.rows
    return found


def read(out: Path) -> pa.Table:
    """All rows of a folder of Parquet files, in the order of the files' names."""
    return pq.read_table(out)
