"""Files between two stages: written by one attempt of a task, read by the tasks of the next."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.tables import ArrowSchema, ArrowTable, RecordBatch

_WHOLE = 1 << 20
"""Rows that are sorted into buckets at once."""

_BATCH = 1 << 16
"""The most rows of a batch in a file."""


@dataclass(frozen=True)
class Stage:
    """A folder into which the tasks of one stage write, and the schema of what they write.

    `position` is the name of the column with places in the table, in stages that have it.
    """

    folder: str
    schema: ArrowSchema
    position: str

    def new_path(self, suffix: str) -> str:
        """Return a name that no other attempt has."""
        return os.path.join(self.folder, f"{os.urandom(12).hex()}{suffix}")


@dataclass(frozen=True)
class Slice:
    """Rows start … stop − 1 of one batch of an Arrow file."""

    path: str
    batch: int
    start: int
    stop: int

    @property
    def rows(self) -> int:
        """How many rows these are."""
        return self.stop - self.start


def read_slices(slices: Sequence[Slice]) -> Iterator[RecordBatch]:
    """Yield the rows of the slices, one after the other."""
    import pyarrow as pa

    with contextlib.ExitStack() as opened:
        path, reader = "", None
        for part in slices:
            if reader is None or part.path != path:
                opened.close()
                file = opened.enter_context(pa.OSFile(part.path, "rb"))
                reader = opened.enter_context(pa.ipc.open_file(file))
                path = part.path
            yield reader.get_batch(part.batch).slice(part.start, part.rows)


class StageWriter:
    """One attempt's Arrow file; removed again when the attempt fails.

    With buckets, each batch holds rows of one bucket only.
    """

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._path = stage.new_path(".arrow")
        self._file: Any = None
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._where: list[Any] = []
        self._count = 0
        self._batches: list[tuple[int, int]] = []

    def __enter__(self) -> StageWriter:
        import pyarrow as pa

        # Fails where the folder is gone: a task that nobody waits for must not make it again.
        os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        self._file = pa.OSFile(self._path, "wb")
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer = pa.ipc.new_file(self._file, self._stage.schema, options=options)
        return self

    def write(self, table: ArrowTable, buckets: Any) -> None:
        """Take rows, and the number of the bucket of each, if there are buckets."""
        self._waiting.append(table)
        self._where.append(buckets)
        self._count += table.num_rows
        if self._count >= _WHOLE:
            self._flush()

    def _flush(self) -> None:
        import pyarrow as pa

        if not self._count:
            return
        table = pa.concat_tables(self._waiting)
        where = None if self._where[0] is None else np.concatenate(self._where)
        self._waiting, self._where, self._count = [], [], 0
        if where is None:
            self._put(table, 0)
            return
        order = np.argsort(where, kind="stable")
        table, where = table.take(pa.array(order)), where[order]
        starts = [0, *(np.flatnonzero(np.diff(where)) + 1).tolist(), where.size]
        for start, stop in itertools.pairwise(starts):
            self._put(table.slice(start, stop - start), int(where[start]))

    def _put(self, table: ArrowTable, bucket: int) -> None:
        for batch in table.combine_chunks().to_batches(max_chunksize=_BATCH):
            self._writer.write_batch(batch)
            self._batches.append((bucket, batch.num_rows))

    def report(self) -> dict[str, Any]:
        """Return the name of the file, and the bucket and the rows of each batch in it."""
        rows = sum(rows for _, rows in self._batches)
        return {"file": os.path.basename(self._path), "rows": rows, "batches": self._batches}

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._flush()
                self._writer.close()
            self._file.close()
        except BaseException:
            self._remove()
            raise
        if kind is not None:
            self._remove()

    def _remove(self) -> None:
        with contextlib.suppress(OSError):
            os.unlink(self._path)
