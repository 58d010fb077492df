"""Spark passes the conformance suite of engines, with DataFrames."""

import itertools
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from tests.engines.conformance import *  # noqa: F403
from tests.engines.conformance import Engine
from tests.spark.tables import released


def spark_holds(kind: pa.DataType) -> bool:
    """Spark has neither unsigned numbers, nor dictionaries, nor long forms of texts and lists."""
    missing = (
        pa.types.is_unsigned_integer,
        pa.types.is_dictionary,
        pa.types.is_large_string,
        pa.types.is_large_list,
    )
    return not any(test(kind) for test in missing)


def as_dataframe(spark: Any, table: pa.Table) -> Any:
    """The table as a DataFrame of two partitions, in its order; dictionaries become texts."""
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return spark.createDataFrame(table.cast(pa.schema(plain)))


@pytest.fixture
def engine(spark: Any, place: Path) -> Engine:
    numbers = itertools.count()

    def run(table: pa.Table, plan: nw.Plan) -> pa.Table:
        return released(as_dataframe(spark, table), plan, place / f"out-{next(numbers)}")

    # The 17th row of the table is in the first partition or in the second.
    return Engine(run, holds=spark_holds, knows_rows=False)
