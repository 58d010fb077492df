"""What arrives, and what becomes of it: lists, rows of bytes, Arrow, Parquet, frames of Spark."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.given import brief
from noisewright.local.reports import COLUMN, Reports, digest_in
from noisewright.local.wire import OVERHEAD
from noisewright.on_use import pa, pq

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

_BATCH = 1 << 16


@dataclass(frozen=True)
class Arrivals:
    """What became of all that arrived: `counted` reports, and others by the reason why not."""

    counted: int = 0
    damaged: int = 0
    """Truncated or altered: the checksum differs."""
    foreign: int = 0
    """Intact, but from another collection, or from other settings of this one."""
    impossible: int = 0
    """Intact, but not something that a device of this collection can send."""
    repeated: int = 0
    """A report that was counted already."""

    def __add__(self, other: Arrivals) -> Arrivals:
        names = [field.name for field in fields(self)]
        return Arrivals(*(getattr(self, name) + getattr(other, name) for name in names))

    @property
    def refused(self) -> int:
        """How many of them are not counted."""
        return self.damaged + self.foreign + self.impossible + self.repeated

    def __str__(self) -> str:
        others = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        told = [f"{count:,} {name}" for name, count in others.items() if count]
        return f"{self.counted:,} reports" + (f" ({', '.join(told)} refused)" if told else "")


def batches_of(given: Any, collection: Collection) -> Iterator[Any]:
    """Return what is given in batches.

    They are `Reports`, frames (rows of bytes, or lists of bytes), servers, or the reason why some
    are no reports at all.
    """
    if isinstance(given, np.ndarray):
        if given.dtype != np.uint8 or given.ndim != 2:
            raise InputError(
                f"reports are an array of {given.dtype} with {given.ndim} dimensions; rows of "
                "bytes are needed: dtype uint8, one row a report."
            )
        yield given
    elif isinstance(given, str | os.PathLike):
        yield from _from_file(Path(given), collection)
    elif hasattr(given, "mapInArrow"):
        from noisewright.local.on_spark import servers_of

        yield from servers_of(given, collection)
    elif type(given).__module__.partition(".")[0] == "pyarrow":
        yield from _from_arrow(given, collection)
    elif hasattr(given, "__arrow_c_stream__"):
        frame = hasattr(given, "columns")
        yield from _from_arrow(pa.table(given) if frame else pa.chunked_array(given), collection)
    elif isinstance(given, Iterable):
        pieces = iter(given)
        while some := list(islice(pieces, _BATCH)):
            odd = [one for one in some if not isinstance(one, bytes | bytearray)]
            if odd:
                raise InputError(f"a report is {brief(odd[0])}; each must be bytes.")
            yield some
    else:
        raise InputError(
            f"reports are {brief(given)}; give bytes, a list of bytes, Reports, an Arrow or Spark "
            "table with a column `report`, or the path of a Parquet file."
        )


def _from_file(path: Path, collection: Collection) -> Iterator[Any]:
    try:
        with pq.ParquetFile(path) as file:
            _require_column(file.schema_arrow)
            metadata = file.schema_arrow.metadata
            for batch in file.iter_batches(batch_size=_BATCH, columns=[COLUMN]):
                yield from _from_column(batch.column(0), collection, metadata)
    except (OSError, pa.ArrowException) as error:
        raise InputError(f"{path} cannot be read as a Parquet file: {error}") from None


def _from_arrow(given: Any, collection: Collection) -> Iterator[Any]:
    if isinstance(given, pa.Table | pa.RecordBatch):
        _require_column(given.schema)
        metadata, given = given.schema.metadata, given.column(COLUMN)
    else:
        metadata = None
    for chunk in given.chunks if isinstance(given, pa.ChunkedArray) else [given]:
        yield from _from_column(chunk, collection, metadata)


def _require_column(schema: Any) -> None:
    if COLUMN not in schema.names:
        raise InputError(f"there is no column {COLUMN!r}; the reports must be in it, as bytes.")


def _from_column(column: Any, collection: Collection, metadata: Any) -> Iterator[Any]:
    """Return a column of bytes: without frames where its metadata has a digest."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not _has_bytes(column.type):
        raise InputError(
            f"the column {COLUMN!r} has the type {column.type}; reports must be in it as bytes "
            "(binary)."
        )
    digest = digest_in(metadata)
    if digest is None:
        rows = _rows_of(column, OVERHEAD + collection.randomizer.length)
        if rows is None:
            rows = [b"" if one is None else one for one in column.to_pylist()]
        yield rows
        return
    if digest != collection.digest:
        yield Arrivals(foreign=len(column))
        return
    length = collection.randomizer.length
    rows = _rows_of(column, length)
    if rows is None:  # some are null, or of another length
        whole = [one for one in column.to_pylist() if one is not None and len(one) == length]
        rows = np.frombuffer(b"".join(whole), dtype=np.uint8).reshape(-1, length)
    found = Reports(collection, as_payload(rows, collection))
    yield found
    yield Arrivals(damaged=len(column) - len(found))


def _has_bytes(kind: Any) -> bool:
    types = pa.types
    plain = types.is_binary(kind) or types.is_large_binary(kind) or types.is_null(kind)
    return plain or types.is_fixed_size_binary(kind) or types.is_binary_view(kind)


def _rows_of(column: Any, length: int) -> NDArray[np.uint8] | None:
    """Return the bytes of a column as rows, without a copy, if all have this length."""
    fixed, types = column.type == pa.binary(length), pa.types
    if column.null_count or not len(column) or length == 0:
        return None
    if fixed:
        start, data = column.offset * length, column.buffers()[1]
    elif types.is_binary(column.type) or types.is_large_binary(column.type):
        kind = np.int64 if types.is_large_binary(column.type) else np.int32
        ends = np.frombuffer(column.buffers()[1], dtype=kind)
        ends = ends[column.offset : column.offset + len(column) + 1]
        if (np.diff(ends) != length).any():
            return None
        start, data = int(ends[0]), column.buffers()[2]
    else:
        return None
    found = np.frombuffer(data, dtype=np.uint8)[start : start + len(column) * length]
    return found.reshape(-1, length)


def as_payload(rows: NDArray[np.uint8], collection: Collection) -> NDArray[Any]:
    """Return rows of bytes as the array that the randomizer counts."""
    dtype = collection.randomizer.dtype
    return rows if dtype.shape else np.ascontiguousarray(rows).view(dtype).reshape(-1)
