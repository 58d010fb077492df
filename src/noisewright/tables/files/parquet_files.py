"""One Parquet file, or a folder of them, in partitions or not, read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, final
from urllib.parse import unquote

from noisewright.errors import DataError
from noisewright.on_use import pa, pq
from noisewright.tables.cell_types import RecordBatch, is_list
from noisewright.tables.cells import Cells, read_or_refuse
from noisewright.tables.files.formats import PARQUET
from noisewright.tables.files.table_reader import (
    BATCH,
    TableReader,
    arrow,
    attempt,
    guard_batches,
    plain_schema,
)
from noisewright.tables.plain_cells import number_in

_WHAT = "a Parquet file"
_NOTHING = "__HIVE_DEFAULT_PARTITION__"
"""What a folder is called that holds the rows without a value."""

_BUFFER = 1 << 20
"""Bytes of each column that are read at once: large row groups must not fill the memory."""


def folder_files(folder: Path, *, root: Path | None = None) -> list[Path]:
    """Return the Parquet files of a folder, sorted by name; refuse what else it holds.

    Folders inside must be called key=value, as partitions are. Names that begin with a dot or an
    underscore are notes of the program that wrote the folder. `root` is the folder around all.
    """
    root = folder if root is None else root
    name = without_values(folder, root)
    inside = attempt(lambda: sorted(folder.iterdir()), name=name, what="a folder")
    seen = [path for path in inside if not path.name.startswith((".", "_"))]
    found: list[Path] = []
    for path in seen:
        if path.is_dir():
            if "=" not in path.name:
                raise DataError(
                    f"the folder {name} holds another folder, {path.name}. Folders are not read "
                    "recursively, unless they are partitions called key=value: give one folder "
                    "that holds the Parquet files themselves."
                )
            found += folder_files(path, root=root)
        elif path.suffix.lower() not in PARQUET:
            raise DataError(
                f"the folder {name} holds {path.name}, which is not a Parquet file. Move it "
                "elsewhere, so that it is clear what belongs to the table."
            )
        else:
            found.append(path)
    if not seen:
        raise DataError(f"the folder {name} holds no Parquet file.")
    return found


def without_values(path: Path, folder: Path | None) -> str:
    """Return a path for messages, without the values of partitions: they are cells of rows."""
    if folder is None:
        return str(path)
    parts = (part.partition("=") for part in path.relative_to(folder).parts)
    return str(folder.joinpath(*(key + "=…" if sign else key for key, sign, _ in parts)))


def partition_of(path: Path, folder: Path) -> dict[str, str | None]:
    """Return the columns that the folders around a file hold, in the way of Hive."""
    found: dict[str, str | None] = {}
    for part in path.relative_to(folder).parts[:-1]:
        name, _, text = part.partition("=")
        value = unquote(text)
        found[unquote(name)] = None if value == _NOTHING else value
    return found


@final
class ParquetFiles(TableReader):
    """Parquet files with the same columns; those of partitions are behind the stored ones.

    Values of partitions are texts, or what `cells` say of their column.
    """

    def __init__(
        self,
        paths: Sequence[Path],
        *,
        name: str,
        folder: Path | None = None,
        cells: Mapping[str, Cells] | None = None,
    ) -> None:
        pa = arrow()
        self.name = name
        self._paths = tuple(paths)
        self._cells = cells or {}
        self._partitions = [{} if folder is None else partition_of(path, folder) for path in paths]
        # Where values are hidden, names may be alike: so files are counted.
        count = f"of {len(paths):,}, sorted)"
        self._names = [
            f"{without_values(path, folder)} (file {n:,} {count}" if partition else str(path)
            for n, (path, partition) in enumerate(zip(paths, self._partitions, strict=True), 1)
        ]
        self._stored: list[str] = []
        self.rows = 0
        for place, path in enumerate(self._paths):
            file = _open_file(path, self._names[place])
            stored = plain_schema(file.schema_arrow, name=self._names[place])
            self.rows += file.metadata.num_rows
            file.close()
            texts = [pa.field(key, pa.string()) for key in self._partitions[place]]
            schema = plain_schema(
                pa.schema([*stored, *map(self._give_type, texts)]), name=self._names[place]
            )
            if place == 0:
                self.schema, self._stored = schema, stored.names
            elif not schema.equals(self.schema):
                raise DataError(
                    f"{self._names[place]} has other columns than {self._paths[0].name}, or of "
                    "other types. The files of a folder must have the same columns in the same "
                    "order."
                )

    def _give_type(self, field: Any) -> Any:
        cells = self._cells.get(field.name)
        return field if cells is None or is_list(cells.type) else field.with_type(cells.type)

    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]:
        """Yield the rows file by file."""
        stored = [name for name in names if name in self._stored]
        row = 0
        for path, called, partition in zip(self._paths, self._names, self._partitions, strict=True):
            file = _open_file(
                path, called, dictionaries=[name for name in encoded if name in stored]
            )
            try:
                for batch in guard_batches(self._read(file, stored), name=called, what=_WHAT):
                    yield self._with_partition(batch, partition, names, row)
                    row += batch.num_rows
            finally:
                file.close()

    def _with_partition(
        self, batch: RecordBatch, partition: Mapping[str, str | None], names: list[str], row: int
    ) -> RecordBatch:
        if not partition:
            return batch
        arrays = [
            pa.repeat(self._value(name, partition[name], row), batch.num_rows)
            if name in partition
            else batch.column(name)
            for name in names
        ]
        kinds = [(name, array.type) for name, array in zip(names, arrays, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(kinds)) if names else batch

    def _value(self, name: str, text: str | None, row: int) -> Any:
        """Return the value of a partition in the type of its column."""
        kind = self.schema.field(name).type
        if text is None or pa.types.is_string(kind):
            return pa.scalar(text, kind)
        cells, number = self._cells[name], number_in(text)
        value = {"true": True, "false": False}.get(text.lower(), text if number is None else number)
        given = [text if cells.needs == "dates" else value]
        return read_or_refuse(lambda: cells.plain(given), name=name, first_row=row).cast(kind)[0]

    def _read(self, file: Any, names: list[str]) -> Iterator[RecordBatch]:
        if names:
            for batch in file.iter_batches(BATCH, columns=names):
                yield batch.select(names)
            return
        # Only the number of rows is asked for.
        for start in range(0, file.metadata.num_rows, BATCH):
            length = min(BATCH, file.metadata.num_rows - start)
            empty = pa.StructArray.from_buffers(pa.struct([]), length, [None])
            yield pa.RecordBatch.from_struct_array(empty)


def _open_file(path: Path, name: str, *, dictionaries: Sequence[str] = ()) -> Any:
    arrow()
    if attempt(lambda: path.stat().st_size, name=name, what=_WHAT) == 0:
        raise DataError(
            f"{name} is empty: it has no bytes at all. Get a complete copy of the file."
        )
    return attempt(
        lambda: pq.ParquetFile(
            path,
            read_dictionary=list(dictionaries) or None,
            buffer_size=_BUFFER,
            page_checksum_verification=True,
        ),
        name=name,
        what=_WHAT,
    )
