"""One Parquet file, or a folder of them read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, final

from noisewright.errors import DataError
from noisewright.tables.arrow_names import RecordBatch
from noisewright.tables.files.faults import arrow, attempt, guarded
from noisewright.tables.files.table_reader import BATCH, TableReader, plain_schema

_WHAT = "a Parquet file"
_BUFFER = 1 << 20
"""Bytes of each column that are read at once: large row groups must not fill the memory."""


def folder_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a folder, sorted by name; refuse what else it holds.

    Names that begin with a dot or an underscore are notes of the program that wrote the folder.
    """
    inside = attempt(lambda: sorted(folder.iterdir()), name=str(folder), what="a folder")
    seen = [path for path in inside if not path.name.startswith((".", "_"))]
    for path in seen:
        if path.is_dir():
            raise DataError(
                f"the folder {folder} holds another folder, {path.name}. Folders are not read "
                "recursively: give one folder that holds the Parquet files themselves."
            )
        if path.suffix.lower() not in (".parquet", ".pq"):
            raise DataError(
                f"the folder {folder} holds {path.name}, which is no Parquet file. Move it away, "
                "so that nobody has to guess what belongs to the table."
            )
    if not seen:
        raise DataError(f"the folder {folder} holds no Parquet file.")
    return seen


@final
class ParquetFiles(TableReader):
    """Parquet files with the same columns."""

    def __init__(self, paths: Sequence[Path], *, name: str) -> None:
        self.name = name
        self._paths = tuple(paths)
        self.rows = 0
        for place, path in enumerate(self._paths):
            file = _opened(path)
            schema = plain_schema(file.schema_arrow, name=str(path))
            self.rows += file.metadata.num_rows
            file.close()
            if place == 0:
                self.schema = schema
            elif not schema.equals(self.schema):
                raise DataError(
                    f"{path} has other columns than {self._paths[0].name}, or of other types. "
                    "The files of a folder must have the same columns in the same order."
                )

    def batches(
        self, columns: Sequence[str] | None = None, *, encoded: Sequence[str] = ()
    ) -> Iterator[RecordBatch]:
        """Yield the rows file by file."""
        names = self.schema.names if columns is None else list(columns)
        for path in self._paths:
            file = _opened(path, dictionaries=[name for name in encoded if name in names])
            try:
                yield from guarded(self._read(file, names), name=str(path), what=_WHAT)
            finally:
                file.close()

    def _read(self, file: Any, names: list[str]) -> Iterator[RecordBatch]:
        if names:
            for batch in file.iter_batches(BATCH, columns=names):
                yield batch.select(names)
            return
        import pyarrow as pa

        # Only the number of rows is asked for.
        for start in range(0, file.metadata.num_rows, BATCH):
            length = min(BATCH, file.metadata.num_rows - start)
            empty = pa.StructArray.from_buffers(pa.struct([]), length, [None])
            yield pa.RecordBatch.from_struct_array(empty)


def _opened(path: Path, *, dictionaries: Sequence[str] = ()) -> Any:
    arrow()
    import pyarrow.parquet as pq

    if attempt(lambda: path.stat().st_size, name=str(path), what=_WHAT) == 0:
        raise DataError(f"{path} is empty: it has no bytes at all. Get a whole copy of the file.")
    return attempt(
        lambda: pq.ParquetFile(
            path,
            read_dictionary=list(dictionaries) or None,
            buffer_size=_BUFFER,
            page_checksum_verification=True,
        ),
        name=str(path),
        what=_WHAT,
    )
