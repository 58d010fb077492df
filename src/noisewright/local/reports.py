"""Many reports of one collection, in one array."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError
from noisewright.files import save_whole
from noisewright.local.wire import as_rows, frames
from noisewright.on_use import pa, pq
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

COLUMN = "report"
_META = b"noisewright-collection"


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Reports:
    """What many devices sent to a collection, without frames: `payload` holds one report a place.

    A server adds them as they are. `frames()` and going through them one by one gives each report
    as bytes that can travel alone; `table()` and `save()` give an Arrow table and a Parquet file.
    """

    collection: Collection
    payload: NDArray[Any]

    def __len__(self) -> int:
        return len(self.payload)

    @property
    def rows(self) -> NDArray[np.uint8]:
        """The reports as rows of bytes."""
        return as_rows(self.payload, self.collection.randomizer.length)

    def frames(self, *, source: sampling.Source | None = None) -> NDArray[np.uint8]:
        """Return the reports in frames, as rows of bytes."""
        numbers = sampling.source_or_default(source).u8(8 * len(self)).reshape(-1, 8)
        return frames(self.collection.digest, numbers, self.rows)

    def __iter__(self) -> Iterator[bytes]:
        return (row.tobytes() for row in self.frames())

    def table(self) -> Any:
        """Return an Arrow table with one column of bytes; its metadata has the digest."""
        length = self.collection.randomizer.length
        buffers = [None, pa.py_buffer(self.rows.tobytes())]
        column = pa.Array.from_buffers(pa.binary(length), len(self), buffers)
        schema = pa.schema([(COLUMN, pa.binary(length))], {_META: self.collection.digest.hex()})
        return pa.table([column], schema=schema)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the reports as a Parquet file, whole or not at all."""
        sink = pa.BufferOutputStream()
        pq.write_table(self.table(), sink, compression="none", use_dictionary=False)
        return save_whole(path, sink.getvalue().to_pybytes(), what="the reports", error=InputError)

    def __repr__(self) -> str:
        size = self.collection.randomizer.length
        return f"<{len(self):,} reports of {size:,} bytes to {self.collection!r}>"


def digest_in(metadata: Any) -> bytes | None:
    """Return the digest in the metadata of an Arrow schema, if it is there."""
    text = (metadata or {}).get(_META)
    try:
        return None if text is None else bytes.fromhex(text.decode("ascii"))
    except ValueError:  # it is of no collection
        return b""
