"""The order of released rows: every order equally likely, whatever fits into memory.

Small tables are permuted in memory. For larger ones each row first goes to one of some files,
chosen uniformly and independently, and then each file is permuted: every order of all rows is
again exactly equally likely (Rao 1961, Sandelius 1962). The files hold released rows only, lie in
a folder that nobody else can open, beside the target, and are removed in any case.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np

from noisewright.sampling import permutation, uniform_below
from noisewright.tables import BATCH, ArrowSchema, ArrowTable, RecordBatch, unwritable

if TYPE_CHECKING:
    from noisewright.sampling import Source

IN_MEMORY = 1 << 28
"""Bytes of rows that are permuted in memory."""

_PER_FILE = 1 << 26
_MOST_FILES = 256


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
        self._held: list[Any] = []
        self._temporary: Path | None = None
        self._files: list[Any] = []

    def __enter__(self) -> Shuffle:
        return self

    def put(self, batch: RecordBatch) -> None:
        """Take some rows."""
        if not self._held and not self._files and batch.num_rows and self._folder is not None:
            expected = batch.nbytes * self._rows // batch.num_rows
            if expected > self._limit:
                self._open(batch.schema, min(_MOST_FILES, -(-expected // _PER_FILE)))
        if not self._files:
            self._held.append(batch)
            return
        import pyarrow as pa

        labels = uniform_below(len(self._files), batch.num_rows, self._source)
        order = np.argsort(labels, kind="stable")
        sorted_rows = batch.take(pa.array(order))
        ends = np.searchsorted(labels[order], np.arange(len(self._files) + 1))
        try:
            for place, file in enumerate(self._files):
                start, end = int(ends[place]), int(ends[place + 1])
                if end > start:
                    file.write_batch(sorted_rows.slice(start, end - start))
        except OSError as problem:
            raise unwritable(str(self._folder), problem) from None

    def _open(self, schema: ArrowSchema, count: int) -> None:
        import pyarrow as pa

        try:
            self._temporary = Path(tempfile.mkdtemp(prefix=".noisewright-", dir=self._folder))
            for place in range(count):
                sink = pa.OSFile(str(self._temporary / f"{place}"), "wb")
                self._files.append(pa.ipc.new_stream(sink, schema))
        except OSError as problem:
            raise unwritable(str(self._folder), problem) from None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self._give()
        finally:
            self._files.clear()
            self._held.clear()
            if self._temporary is not None:
                shutil.rmtree(self._temporary, ignore_errors=True)

    def _give(self) -> None:
        import pyarrow as pa

        if not self._files:
            if self._held:
                self._permute(pa.Table.from_batches(self._held))
            return
        assert self._temporary is not None
        try:
            for file in self._files:
                file.close()
        except OSError as problem:
            raise unwritable(str(self._folder), problem) from None
        for place in range(len(self._files)):
            path = self._temporary / f"{place}"
            with pa.OSFile(str(path), "rb") as file:
                self._permute(pa.ipc.open_stream(file).read_all())
            path.unlink()

    def _permute(self, table: ArrowTable) -> None:
        import pyarrow as pa

        whole = table.combine_chunks()
        order = permutation(whole.num_rows, self._source)
        for start in range(0, whole.num_rows, BATCH):
            part = whole.take(pa.array(order[start : start + BATCH])).combine_chunks()
            for batch in part.to_batches():
                self._write(batch)
