"""Tables in files: each task reads its own pieces with the readers of the embedded engine.

So that a file means the same on both engines, cell by cell. Parquet files are cut at their row
groups; any other file is one piece.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from noisewright.engines.spark.inputs import FrameRows, Input, TaskRows, frame_input
from noisewright.engines.spark.session import load_pyspark, worker_python
from noisewright.errors import DataError
from noisewright.tables import (
    BATCH,
    CSV,
    PARQUET,
    ArrowSchema,
    Excel,
    RecordBatch,
    attempt,
    folder_files,
    guard_batches,
    open_table,
)

if TYPE_CHECKING:
    from noisewright.plans import Plan

_WHAT = "a Parquet file"
_PIECE = 1 << 20
"""Rows of a Parquet file that one task reads, at least: about what Spark itself gives to one."""


@dataclass(frozen=True)
class Piece:
    """Some row groups of a Parquet file, or a whole file of another kind."""

    path: str | CSV | Excel
    first: int
    groups: tuple[int, ...] | None = None


@dataclass(frozen=True)
class FileRows:
    """Rows of files; Spark hands over the numbers of the pieces that a task is to read."""

    pieces: tuple[Piece, ...]
    columns: tuple[str, ...]
    plan: Plan
    is_global: bool = True

    def __call__(self, handed: Iterator[RecordBatch]) -> Iterator[TaskRows]:
        """Yield the rows of the pieces, with their places in the table."""
        for numbers in handed:
            for number in numbers.column(0).to_pylist():
                piece = self.pieces[number]
                first = piece.first
                for batch in self._batches(piece):
                    yield TaskRows(batch, first, batch.num_rows)
                    first += batch.num_rows

    def _batches(self, piece: Piece) -> Iterator[RecordBatch]:
        if piece.groups is None:
            yield from open_table(piece.path, schema=self.plan.schema).batches(self.columns)
            return
        import pyarrow.parquet as pq

        file: Any = attempt(
            lambda: pq.ParquetFile(piece.path, page_checksum_verification=True),
            name=str(piece.path),
            what=_WHAT,
        )
        with file:
            names = list(self.columns)
            batches = file.iter_batches(BATCH, row_groups=list(piece.groups), columns=names)
            for batch in guard_batches(batches, name=str(piece.path), what=_WHAT):
                yield batch.select(names)


def file_input(
    path: str | os.PathLike[str], plan: Plan, columns: Sequence[str], session: Any
) -> Input:
    """Return the table at a path as an input; the workers must see the same path."""
    place: Any = os.path.abspath(path)
    place = replace(path, path=place) if isinstance(path, (CSV, Excel)) else Path(place)
    table = open_table(place, schema=plan.schema)
    pieces = tuple(_pieces(place))
    there = tuple(column for column in table.schema.names if column in columns)
    frame = session.range(0, len(pieces), 1, len(pieces))
    return Input(table.name, table.schema, frame, FileRows(pieces, there, plan))


def _pieces(place: Path | CSV | Excel) -> Iterator[Piece]:
    if isinstance(place, (CSV, Excel)):
        yield Piece(place, 0)
        return
    files = folder_files(place) if place.is_dir() else [place]
    if place.is_dir() and any(file.parent != place for file in files):
        raise DataError(
            f"the folder {place} holds partitions, which Spark reads itself: give it as a "
            "DataFrame, spark.read.parquet(path), or use the embedded engine."
        )
    if not files[0].name.lower().endswith(PARQUET):
        yield Piece(str(files[0]), 0)
        return
    first = 0
    for file in files:
        import pyarrow.parquet as pq

        about: Any = attempt(lambda: pq.read_metadata(file), name=str(file), what=_WHAT)  # noqa: B023
        groups: list[int] = []
        start, count = first, 0
        for group in range(about.num_row_groups):
            groups.append(group)
            count += about.row_group(group).num_rows
            if count >= _PIECE:
                yield Piece(str(file), start, tuple(groups))
                groups, start, count = [], start + count, 0
        if groups or not about.num_row_groups:
            yield Piece(str(file), start, tuple(groups))
        first = start + count


@dataclass(frozen=True)
class _Handing:
    """Hands rows of files over to Spark, in types that Spark has."""

    rows: FileRows
    schema: ArrowSchema

    def __call__(self, handed: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        for rows in self.rows(handed):
            table = pa.Table.from_batches([rows.batch]).cast(self.schema)
            yield from table.to_batches()


def as_frame(given: Input, session: Any) -> Input:
    """Return an input as one whose rows Spark holds, so that it can bring a person's together."""
    if not isinstance(given.rows, FileRows):
        return given
    import pyarrow as pa

    names = given.rows.columns
    schema = pa.schema([(name, _spark_type(given.schema.field(name).type)) for name in names])
    with worker_python(session):
        handing = _Handing(given.rows, schema)
        kinds = load_pyspark().sql.pandas.types.from_arrow_schema(schema)
        frame = given.frame.mapInArrow(handing.__call__, kinds)
    made = frame_input(frame, names, name=given.name)
    # Files were checked as they are, without Spark's hashes; that they do not change is seen to.
    return Input(given.name, given.schema, made.frame, FrameRows(names, is_hashed=False))


def _spark_type(kind: Any) -> Any:
    """Return the nearest type that Spark has and that holds every value of this one."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _spark_type(kind.value_type)
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        return pa.string()
    if pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        return pa.binary()
    if pa.types.is_unsigned_integer(kind):
        wider = {8: pa.int16(), 16: pa.int32(), 32: pa.int64(), 64: pa.decimal128(20, 0)}
        return wider[kind.bit_width]
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.list_(_spark_type(kind.value_type))
    return kind
