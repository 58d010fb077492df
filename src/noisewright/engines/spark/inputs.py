"""What the tasks read: partitions of a DataFrame, or pieces of files.

An input has a `frame`, whose partitions become the tasks, and `rows`, which is sent to the tasks
and turns what Spark hands over there into rows of the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from noisewright.engines.spark.session import load_pyspark
from noisewright.errors import DataError
from noisewright.tables import BATCH, ArrowSchema, RecordBatch, plain_schema

_MARK, _POSITION, _RANK = "mark", "position", "rank"
_UNHASHED = ("map<", "variant")
"""Types that Spark does not hash."""


@dataclass(frozen=True)
class TaskRows:
    """Some rows of the table, as they come in a task.

    `first` is how many rows of the task came before, or of the table where that is known. `seen`
    counts the rows that were read for these, among them those that a person has too many of;
    `mark` is the sum of the hashes of those. `positions` are places in the table.
    """

    batch: RecordBatch
    first: int
    seen: int
    mark: int = 0
    positions: Any | None = None


class ReadsRows(Protocol):
    """Turns what Spark hands to a task into rows; can be pickled."""

    @property
    def is_global(self) -> bool:
        """Whether `first` counts rows of the whole table."""
        ...

    def __call__(self, handed: Iterator[RecordBatch]) -> Iterator[TaskRows]:
        """Yield the rows of a task."""
        ...


@dataclass(frozen=True)
class Input:
    """A table that tasks can read: names and types, and what each side needs."""

    name: str
    schema: ArrowSchema
    frame: Any
    rows: ReadsRows


@dataclass(frozen=True)
class FrameRows:
    """Rows of a DataFrame whose columns were renamed, with a hash of each row at the end."""

    names: tuple[str, ...]
    most: int | None = None
    is_hashed: bool = True
    is_global: bool = False

    def __call__(self, handed: Iterator[RecordBatch]) -> Iterator[TaskRows]:
        """Yield the rows, at most `most` of each person."""
        import pyarrow as pa

        first = 0
        for batch in _join(handed):
            mark = _sum(batch.column(_MARK)) if self.is_hashed else 0
            seen, positions = batch.num_rows, None
            if self.most is not None:
                few = batch.column(_RANK).to_numpy(zero_copy_only=False) <= self.most
                batch = batch.filter(pa.array(few))
                positions = batch.column(_POSITION)
            arrays = batch.columns[: len(self.names)]
            own = pa.RecordBatch.from_arrays(arrays, names=list(self.names))
            yield TaskRows(own, first, seen, mark, positions)
            first += own.num_rows


def frame_input(frame: Any, columns: Sequence[str], *, name: str = "the DataFrame") -> Input:
    """Return a DataFrame as an input, of which these columns are read."""
    call = load_pyspark().sql.functions
    schema = plain_schema(_arrow_schema(frame, name), name=name)
    there = [column for column in schema.names if column in columns]
    types = {each.name: each.dataType.simpleString() for each in frame.schema}
    quoted = {column: call.col("`" + column.replace("`", "``") + "`") for column in there}
    hashed = [
        quoted[column] for column in there if not any(kind in types[column] for kind in _UNHASHED)
    ]
    renamed = [quoted[column].alias(f"c{place}") for place, column in enumerate(there)]
    # PySpark cannot name columns with dots or quotes; ours are called c0, c1 …
    narrow = frame.select(*renamed, call.xxhash64(call.lit(0), *hashed).alias(_MARK))
    return Input(name, schema, narrow, FrameRows(tuple(there)))


def _arrow_schema(frame: Any, name: str) -> ArrowSchema:
    try:
        # No rows, no job: only the types that Spark gives to Arrow.
        return frame.limit(0).toArrow().schema
    except Exception as problem:
        failed = DataError(
            f"{name} has a column of a type that Arrow does not have ({type(problem).__name__}). "
            "Drop or cast it first."
        )
    raise failed


def bound_rows(given: Input, person: str, *, most: int, key: bytes | None) -> Input:
    """Return the input with each person's rows ranked, and all but `most` of them left out.

    The rows of a person meet in one task, which reads all of them, so that it can never leave
    more than `most`, however often it is started. Without `key` the first rows of the table
    come first; with it the order is that of a keyed hash, the same in every attempt.
    """
    spark = load_pyspark().sql
    call = spark.functions
    assert isinstance(given.rows, FrameRows)
    whose = call.col(f"c{given.rows.names.index(person)}")
    frame = given.frame.withColumn(_POSITION, call.monotonically_increasing_id())
    place = call.col(_POSITION)
    if key is not None:
        salted = call.concat(call.lit(key.hex()), call.lit(":"), place.cast("string"))
        order = [call.sha2(salted, 256), place]
    else:
        order = [place]
    window = spark.Window.partitionBy(whose).orderBy(*order)
    frame = frame.withColumn(_RANK, call.row_number().over(window))
    return Input(given.name, given.schema, frame, replace(given.rows, most=most))


def person_counts(given: Input, person: str, *, most: int) -> Any:
    """Return a DataFrame of one number: how many rows stay when each person keeps `most`."""
    call = load_pyspark().sql.functions
    assert isinstance(given.rows, FrameRows)
    whose = call.col(f"c{given.rows.names.index(person)}")
    counts = given.frame.groupBy(whose).count()
    return counts.select(call.sum(call.least(call.col("count"), call.lit(most))).alias("rows"))


def smallest_group(given: Input, public: Sequence[str]) -> Any:
    """Return a DataFrame of one number: how many rows at least share their public values."""
    call = load_pyspark().sql.functions
    assert isinstance(given.rows, FrameRows)
    types = dict(given.frame.dtypes)
    keys = [f"c{given.rows.names.index(name)}" for name in public]
    # Spark groups −0.0 with 0.0; as texts they differ, as they do in the file.
    columns = [
        call.col(key).cast("string") if types[key] in ("float", "double") else call.col(key)
        for key in keys
    ]
    return given.frame.groupBy(*columns).count().select(call.min("count"))


def _join(handed: Iterator[RecordBatch]) -> Iterator[RecordBatch]:
    """Join the small batches of Spark to batches of about BATCH rows."""
    import pyarrow as pa

    waiting: list[RecordBatch] = []
    count = 0
    for batch in handed:
        waiting.append(batch)
        count += batch.num_rows
        if count >= BATCH:
            yield pa.concat_batches(waiting)
            waiting, count = [], 0
    if count:
        yield pa.concat_batches(waiting)


def _sum(hashes: Any) -> int:
    """Return the sum of 64-bit numbers, modulo 2^64."""
    return int(hashes.to_numpy(zero_copy_only=False).view(np.uint64).sum(dtype=np.uint64))
