"""Which data is this? A fingerprint under a key, so that nobody without it can test guesses.

A plain hash of a small table would let anyone who holds a ledger try tables until one matches.
With HMAC-SHA256 they also need the key.

Files are read as bytes. Arrow tables, batches and frames are read as values: the same values in
the same order have the same fingerprint, however they are cut into batches or encoded.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from noisewright.errors import InputError, LedgerError, MissingPartError
from noisewright.files import require_path

_CHUNK = 1 << 20
_ROWS = 1 << 16
"""Values are hashed in blocks of this many rows, so that batches of any size agree."""


@dataclass(frozen=True)
class Fingerprint:
    """64 hexadecimal digits that identify data to whoever has the ledger's key."""

    digest: str

    def __post_init__(self) -> None:
        if len(self.digest) != 64 or not set(self.digest) <= set("0123456789abcdef"):
            raise InputError("a fingerprint has 64 hexadecimal digits, in lower case.")

    def __str__(self) -> str:
        return f"{self.digest[:12]}…"


def fingerprint(data: object, key: bytes) -> Fingerprint:
    """Return the fingerprint of a file, a folder of files, or anything that Arrow can read."""
    if isinstance(data, Fingerprint):
        return data
    if isinstance(data, str | os.PathLike):
        return _of_path(Path(os.fspath(data)), key)
    return _of_batches(_batches(data), key)


def _of_path(path: Path, key: bytes) -> Fingerprint:
    try:
        if not path.is_dir():
            mark = _start(key, "file")
            _read_into(mark, path)
            return Fingerprint(mark.hexdigest())
        mark = _start(key, "folder")
        for name, file in _files_of(path):
            # Each file by its own digest: no two folders run together to the same bytes.
            inner = _start(key, "file")
            _read_into(inner, file)
            _add(mark, name.encode("utf-8", "surrogateescape"))
            _add(mark, inner.digest())
        return Fingerprint(mark.hexdigest())
    except OSError as problem:
        raise LedgerError(
            f"cannot read {problem.filename or path} to tell which data it is: "
            f"{problem.strerror}. Check the path and its permissions."
        ) from problem


def _files_of(folder: Path) -> list[tuple[str, Path]]:
    """Return the data files of a folder; engines leave marks such as _SUCCESS and .crc beside."""
    found: list[tuple[str, Path]] = []
    for path in folder.rglob("*"):
        parts = path.relative_to(folder).parts
        if path.is_file() and not any(part.startswith((".", "_")) for part in parts):
            found.append(("/".join(parts), path))
    if not found:
        raise LedgerError(f"the folder {folder} holds no files, so it identifies no data.")
    return sorted(found)


def _read_into(mark: hmac.HMAC, path: Path) -> None:
    require_path(path)
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(_CHUNK):
            mark.update(chunk)


def _batches(data: object) -> tuple[Any, Iterable[Any]]:
    """Return the schema and the record batches of a table, reader, batch or data frame."""
    try:
        import pyarrow as pa
    except ImportError as problem:
        raise MissingPartError(
            "the fingerprint of a table is made with pyarrow, which comes with noisewright and is "
            "missing here: pip install pyarrow."
        ) from problem
    if hasattr(data, "__arrow_c_stream__"):
        try:
            reader: Any = pa.RecordBatchReader.from_stream(data)
        except pa.ArrowInvalid as problem:
            raise InputError("the data is a column; give a table with it.") from problem
    elif isinstance(data, pa.RecordBatch):
        reader = pa.Table.from_batches([data]).to_reader()
    else:
        raise InputError(
            f"data is of type {type(data).__name__}; give a path, an Arrow table or reader, or a "
            "data frame of pandas or Polars."
        )
    return reader.schema, reader


def _of_batches(source: tuple[Any, Iterable[Any]], key: bytes) -> Fingerprint:
    schema, batches = source
    mark = _start(key, "values")
    for field in schema:
        _add(mark, field.name.encode("utf-8"))
        _add(mark, str(_plain_type(field.type)).encode())
    for block in _blocks(batches):
        mark.update(block.num_rows.to_bytes(8, "little"))
        for column in block.columns:
            _add_values(mark, _plain(column))
    return Fingerprint(mark.hexdigest())


def _blocks(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield the same rows in blocks of equal size, the last one shorter."""
    import pyarrow as pa

    waiting: list[Any] = []
    rows = 0
    for batch in batches:
        while batch.num_rows:
            taken = batch.slice(0, _ROWS - rows)
            batch = batch.slice(taken.num_rows)
            waiting.append(taken)
            rows += taken.num_rows
            if rows == _ROWS:
                yield pa.Table.from_batches(waiting)
                waiting, rows = [], 0
    if waiting:
        yield pa.Table.from_batches(waiting)


def _plain_type(kind: Any) -> Any:
    """Return the type without what is a matter of storage: dictionaries and offset widths."""
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _plain_type(kind.value_type)
    if pa.types.is_string(kind) or pa.types.is_string_view(kind):
        return pa.large_string()
    if pa.types.is_binary(kind) or pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return pa.large_list(_plain_type(kind.value_type))
    return kind


def _plain(column: Any) -> Any:
    """Return a column as one array of its plain type."""
    return column.cast(_plain_type(column.type)).combine_chunks()


def _add_values(mark: hmac.HMAC, array: Any) -> None:
    """Add which values are missing and what the others are; never what lies under a null."""
    import pyarrow as pa
    import pyarrow.compute

    pc: Any = pyarrow.compute  # its functions are made at run time
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.chunks else pa.array([], array.type)
    kind = array.type
    _add(mark, np.packbits(np.asarray(array.is_valid())).tobytes())
    array = array.drop_null()
    if pa.types.is_boolean(kind):
        _add(mark, np.packbits(np.asarray(array)).tobytes())
    elif pa.types.is_large_string(kind) or pa.types.is_large_binary(kind):
        _add(mark, np.asarray(pc.binary_length(array), dtype="<i8").tobytes())
        _add(mark, _letters(array))
    elif pa.types.is_large_list(kind):
        _add(mark, np.asarray(pc.list_value_length(array), dtype="<i8").tobytes())
        _add_values(mark, array.flatten())
    elif pa.types.is_integer(kind) or pa.types.is_floating(kind) or _is_whole(kind):
        # Dates and times are whole numbers underneath, whose unit is part of the type's name.
        values = np.asarray(_whole(array) if _is_whole(kind) else array)
        _add(mark, values.astype(values.dtype.newbyteorder("<"), copy=False).tobytes())
    else:
        _add(mark, _to_bytes(array))


def _is_whole(kind: Any) -> bool:
    """Tell whether a type holds dates or times that are one whole number each."""
    import pyarrow as pa

    return pa.types.is_temporal(kind) and kind.bit_width in (32, 64)


def _to_bytes(array: Any) -> bytes:
    """Return values of other types as bytes: as Python writes them, or as Arrow if it cannot."""
    import pyarrow as pa

    try:
        return repr(array.to_pylist()).encode("utf-8", "surrogatepass")
    except (pa.ArrowException, ArithmeticError, ValueError):
        # Times that Python has no word for, inside of lists.
        return pa.RecordBatch.from_arrays([array], names=[""]).serialize().to_pybytes()


def _whole(array: Any) -> Any:
    import pyarrow as pa

    width = array.type.bit_width
    return array.view(pa.int64()) if width == 64 else array.view(pa.int32())


def _letters(array: Any) -> bytes:
    """Return the bytes of all texts in a row; a slice shares its buffers with the whole."""
    if not len(array):
        return b""
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype="<i8")[array.offset : array.offset + len(array) + 1]
    return b"" if data is None else data.slice(ends[0], ends[-1] - ends[0]).to_pybytes()


def _start(key: bytes, what: str) -> hmac.HMAC:
    return hmac.new(key, f"noisewright {what} 1\0".encode(), "sha256")


def _add(mark: hmac.HMAC, part: bytes) -> None:
    """Add a part with its length, so that no two sequences of parts run together."""
    mark.update(len(part).to_bytes(8, "little"))
    mark.update(part)
