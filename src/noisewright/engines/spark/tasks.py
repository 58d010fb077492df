"""What runs in the tasks of Spark. Each task ends with one report; rows go to files.

A task may be started several times: after a failure, beside a slow one, or when its results were
lost. Every attempt draws noise of its own into a file of its own, and nothing of it goes through
Spark but its report. The driver takes one report of each task, and with it one file; all other
files are never read by anybody and removed.

Errors are reports too: Spark would print them with their traceback, try three times more, and
show what our messages leave out.
"""

from __future__ import annotations

import json
import os
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noisewright.engines.persons import PersonKeys
from noisewright.engines.spark.inputs import ReadsRows
from noisewright.engines.spark.session import load_pyspark
from noisewright.engines.spark.staged import Slice, Stage, StageWriter, read_slices
from noisewright.errors import DataError, NoisewrightError
from noisewright.sampling import permutation, uniform_below
from noisewright.tables import ArrowSchema, RecordBatch
from noisewright.version import __version__

if TYPE_CHECKING:
    from noisewright.engines.batches import Randomizer

Report = dict[str, Any]
Work = Callable[[Iterator[Any]], Report]

_BUCKET_BITS = 20
"""Rows that lay so near to each other in the table are brought into order together."""

REPORT = "report string"
"""The one column that tasks hand back, as Spark writes a schema."""


class _Handed:
    """What Spark hands over, with a note on whether handing over failed."""

    def __init__(self, batches: Iterator[Any]) -> None:
        self._batches = batches
        self.failed = False

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        try:
            return next(self._batches)
        except StopIteration:
            raise
        except BaseException:
            self.failed = True
            raise


@dataclass(frozen=True)
class Task:
    """Work that ends with a report, whatever happens in it."""

    work: Work
    version: str = __version__

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Yield the report of the work on these batches."""
        import pyarrow as pa

        context = load_pyspark().TaskContext.get()
        handed = _Handed(batches)
        try:
            if self.version != __version__:
                raise DataError(
                    f"the workers have noisewright {__version__} and this session has "
                    f"{self.version}. What is proven must be what is drawn: install the same "
                    "version on both."
                )
            report = self.work(handed)
        except Exception as problem:
            if handed.failed:
                raise  # Not ours: Spark knows better what became of the input.
            report = {"error": describe(problem)}
        report["partition"] = context.partitionId()
        yield pa.RecordBatch.from_pydict({"report": [json.dumps(report)]})


def describe(problem: Exception) -> Report:
    """Return an error as what may leave the task: ours in full, of others only their kind."""
    found: Report = {"kind": type(problem).__name__, "row": getattr(problem, "row", None)}
    if isinstance(problem, NoisewrightError):
        return {**found, "message": str(problem), "why": getattr(problem, "why", "")}
    if isinstance(problem, OSError) and problem.errno:
        # Of ours is only the path; it is a folder for the release.
        return {**found, "message": os.strerror(problem.errno), "path": str(problem.filename)}
    # The message and the local variables may hold values; the place in the code does not.
    last = traceback.extract_tb(problem.__traceback__)[-1]
    return {**found, "place": f"{os.path.basename(last.filename)}:{last.lineno}"}


@dataclass(frozen=True)
class Check:
    """Look at every row, draw nothing; report how many there are and the sum of their hashes."""

    randomizer: Randomizer
    read: ReadsRows
    person: str | None

    def __call__(self, handed: Iterator[Any]) -> Report:
        """Check the rows of a task; the report says which row is wrong, if one is."""
        count = mark = 0
        for rows in self.read(handed):
            first = rows.first
            try:
                self.randomizer.check(rows.batch, first)
                self._require_person(rows.batch, first)
            except NoisewrightError as problem:
                return {"error": describe(problem), "rows": count}
            count += rows.batch.num_rows
            mark += rows.mark
        return {"rows": count, "mark": mark}

    def _require_person(self, batch: RecordBatch, first: int) -> None:
        if self.person is not None and batch.column(self.person).null_count:
            PersonKeys(self.person).hashes(batch.column(self.person), first)


@dataclass(frozen=True)
class Draw:
    """Randomize the rows of a task into a file of its own.

    With `buckets`, each row goes to a bucket that is drawn for it; with `by_source` to that of
    its place in the table, which it takes along. The next stage takes a bucket each.
    """

    randomizer: Randomizer
    read: ReadsRows
    stage: Stage
    schema: ArrowSchema
    buckets: int | None = None
    by_source: bool = False

    def __call__(self, handed: Iterator[Any]) -> Report:
        """Draw, and report the file and what it was made from."""
        seen = mark = 0
        with StageWriter(self.stage) as out:
            for rows in self.read(handed):
                seen, mark = seen + rows.seen, mark + rows.mark
                drawn = self.randomizer.randomize(rows.batch, rows.first)
                out.write(*self._place(drawn, rows.positions))
        return {"seen": seen, "mark": mark, **out.report()}

    def _place(self, drawn: RecordBatch, positions: Any) -> tuple[Any, Any]:
        import pyarrow as pa

        table = pa.Table.from_batches([drawn]).cast(self.schema)
        if self.by_source:
            where = positions.to_numpy(zero_copy_only=False)
            table = table.append_column(self.stage.position, positions.cast(pa.int64()))
            return table, where >> _BUCKET_BITS
        if self.buckets:
            return table, uniform_below(self.buckets, table.num_rows)
        return table, None


@dataclass(frozen=True)
class Arrange:
    """Bring the rows of each bucket into order: by position, or into one that is drawn."""

    slices: tuple[tuple[Slice, ...], ...]
    stage: Stage

    def __call__(self, handed: Iterator[Any]) -> Report:
        """Arrange one bucket; Spark hands over its number."""
        import pyarrow as pa

        (bucket,) = _numbers(handed)
        pieces = list(read_slices(self.slices[bucket]))
        with StageWriter(self.stage) as out:
            if pieces:
                table = pa.Table.from_batches(pieces)
                if self.stage.position in table.column_names:
                    table = table.sort_by(self.stage.position).drop_columns([self.stage.position])
                else:
                    table = table.take(pa.array(permutation(table.num_rows)))
                out.write(table, None)
        return out.report()


@dataclass(frozen=True)
class Cut:
    """Write a part of the released table: a fixed number of rows, wherever they came from."""

    slices: tuple[tuple[Slice, ...], ...]
    stage: Stage
    schema: ArrowSchema
    metadata: dict[str, str]

    def __call__(self, handed: Iterator[Any]) -> Report:
        """Write one part as a Parquet file; Spark hands over its number."""
        from noisewright.tables import open_writer

        (number,) = _numbers(handed)
        path = self.stage.new_path(".parquet")
        with open_writer(path, self.schema, metadata=self.metadata) as out:
            for batch in read_slices(self.slices[number]):
                out.write(batch)
        return {"file": os.path.basename(path), "rows": out.rows, "number": number}


def _numbers(handed: Iterator[Any]) -> list[int]:
    return [number for batch in handed for number in batch.column(0).to_pylist()]
