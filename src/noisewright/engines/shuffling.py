"""The order of released rows: every order equally likely, whatever fits into memory.

Each row first goes to one of some buckets, chosen uniformly and independently, and then each bucket
is permuted: every order of all rows is exactly equally likely (Rao 1961, Sandelius 1962). Buckets
of a few megabytes fit into the processor's cache. Those of large tables are files, which are
shuffled in the same way in turn; they hold released rows only, lie in a folder that nobody else can
open, beside the target, and are removed in any case.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from noisewright.sampling import permutation, uniform_below
from noisewright.tables import BATCH, RecordBatch, unwritable

if TYPE_CHECKING:
    from noisewright.sampling import Source

IN_MEMORY = 1 << 28
"""Bytes of rows that are shuffled in memory."""

_PER_FILE = 1 << 26
_PER_BUCKET = 1 << 22
_MOST_BUCKETS = 256
"""So that the numbers of buckets are bytes, which are sorted fast."""


@final
class Shuffle:
    """Takes rows in any order and gives them on in a random one when the block ends well."""

    def __init__(
        self,
        write: Callable[[Any], None],
        *,
        rows: int,
        folder: Path | None,
        source: Source | None,
        in_memory: int = IN_MEMORY,
    ) -> None:
        self._write = write
        self._rows = rows
        self._folder = folder
        self._source = source
        self._limit = in_memory
        self._temporary: Path | None = None
        self._files: list[Any] = []
        self._counts: list[int] = []
        self._buckets: list[list[RecordBatch]] = []

    def __enter__(self) -> Shuffle:
        return self

    def put(self, batch: RecordBatch) -> None:
        """Take some rows."""
        if not batch.num_rows:
            return
        if not self._buckets and not self._files:
            self._open(batch)
        for place, part in self._divide(batch):
            if not self._files:
                self._buckets[place].append(part)
                continue
            try:
                self._files[place].write_batch(part)
            except OSError as problem:
                raise unwritable(str(self._folder), problem) from None
            self._counts[place] += part.num_rows

    def _open(self, first: RecordBatch) -> None:
        """Make the buckets: files where more rows are expected than fit into memory."""
        import pyarrow as pa

        expected = first.nbytes * self._rows // first.num_rows
        if self._folder is None or self._rows <= 1 or expected <= self._limit:
            self._buckets = [[] for _ in range(_bucket_count(expected, _PER_BUCKET))]
            return
        try:
            self._temporary = Path(tempfile.mkdtemp(prefix=".noisewright-", dir=self._folder))
            for place in range(_bucket_count(expected, _PER_FILE)):
                sink = pa.OSFile(str(self._temporary / f"{place}"), "wb")
                self._files.append(pa.ipc.new_stream(sink, first.schema))
        except OSError as problem:
            raise unwritable(str(self._folder), problem) from None
        self._counts = [0] * len(self._files)

    def _divide(self, batch: RecordBatch) -> Iterator[tuple[int, RecordBatch]]:
        """Yield the rows of each bucket."""
        import pyarrow as pa

        count = len(self._files or self._buckets)
        if count == 1:
            yield 0, batch
            return
        labels = uniform_below(count, batch.num_rows, self._source).astype(np.uint8)
        grouped = batch.take(pa.array(np.argsort(labels, kind="stable")))
        start = 0
        for place, size in enumerate(np.bincount(labels, minlength=count).tolist()):
            if size:
                yield place, grouped.slice(start, size)
                start += size

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._give()
        finally:
            self._files.clear()
            self._buckets.clear()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def _give(self) -> None:
        for bucket in self._buckets:
            self._permute(bucket)
        try:
            for file in self._files:
                file.close()
        except OSError as problem:
            raise unwritable(str(self._folder), problem) from None
        for place, rows in enumerate(self._counts):
            self._give_file(f"{place}", rows)

    def _give_file(self, name: str, rows: int) -> None:
        """Shuffle the rows of a file, which are fewer than all of them."""
        import pyarrow as pa

        assert self._temporary is not None
        path, most = self._temporary / name, max(self._limit, 4 * _PER_FILE)
        inner = Shuffle(
            self._write, rows=rows, folder=self._temporary, source=self._source, in_memory=most
        )
        with pa.OSFile(str(path), "rb") as file, inner:
            for batch in pa.ipc.open_stream(file):
                inner.put(batch)
        path.unlink()

    def _permute(self, bucket: list[RecordBatch]) -> None:
        import pyarrow as pa

        if not bucket:
            return
        whole = pa.Table.from_batches(bucket).combine_chunks()
        order = permutation(whole.num_rows, self._source)
        for start in range(0, whole.num_rows, BATCH):
            part = whole.take(pa.array(order[start : start + BATCH])).combine_chunks()
            for batch in part.to_batches():
                self._write(batch)


def _bucket_count(expected: int, each: int) -> int:
    return max(1, min(_MOST_BUCKETS, -(-expected // each)))
