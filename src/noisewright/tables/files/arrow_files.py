"""Feather and other Arrow files: batches as they were written, cut to size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, final

from noisewright.errors import DataError
from noisewright.tables.arrow_names import RecordBatch
from noisewright.tables.files.table_errors import arrow, attempt, guard_batches
from noisewright.tables.files.table_reader import BATCH, TableReader, plain_schema

_WHAT = "a Feather (Arrow) file"


@final
class ArrowFile(TableReader):
    """An Arrow file with a footer, which is what Feather version 2 is."""

    def __init__(self, path: Path) -> None:
        arrow()
        self.name = str(path)
        self._path = path
        if attempt(lambda: path.stat().st_size, name=self.name, what=_WHAT) == 0:
            raise DataError(f"{path} is empty: it has no bytes at all. Get a whole copy of it.")
        reader = attempt(lambda: self._open(None), name=self.name, what=_WHAT)
        self.schema = plain_schema(reader.schema, name=self.name)
        self.rows = None

    def _open(self, fields: list[int] | None) -> Any:
        import pyarrow as pa

        # Not mapped into memory: a file that shrinks meanwhile would end the process.
        options = pa.ipc.IpcReadOptions(included_fields=fields)
        return pa.ipc.open_file(pa.OSFile(self.name, "rb"), options=options)

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield the batches of the file in pieces."""
        fields = [self.schema.get_field_index(name) for name in names]
        reader = attempt(lambda: self._open(fields or [0]), name=self.name, what=_WHAT)

        def whole() -> Iterator[Any]:
            for place in range(reader.num_record_batches):
                batch = reader.get_batch(place)
                # Indices of a dictionary are not checked by reading.
                batch.validate(full=True)
                for start in range(0, batch.num_rows, BATCH):
                    yield batch.slice(start, BATCH).select(names)

        yield from guard_batches(whole(), name=self.name, what=_WHAT)
