"""Opening a table, wherever it is: every kind becomes a stream of Arrow batches.

    Parquet, a folder of Parquet files, CSV, Feather/Arrow files, sheets of Excel
    pyarrow tables, batches and readers; pandas and Polars frames
    mappings of columns, and lists of records

A reader can be read several times, names only the columns that are asked for, and holds a few
batches at a time. What the frames hold is in memory already; a RecordBatchReader can be read
once only, so it is held in memory too. Feather and other Arrow files are
read in batches as they were written, cut to size.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, final

from noisewright.errors import DataError
from noisewright.files import require_finite
from noisewright.on_use import pa
from noisewright.tables.cell_types import RecordBatch
from noisewright.tables.files.csv_files import CsvFile
from noisewright.tables.files.csv_layout import TEXT, CsvLayout, as_csv
from noisewright.tables.files.excel_files import WORKBOOKS, as_excel, open_sheet, sheet_names
from noisewright.tables.files.formats import ARROW, PARQUET
from noisewright.tables.files.frames import open_frame
from noisewright.tables.files.header import labels_of, require_header
from noisewright.tables.files.joined_columns import JoinedColumns, spread_out
from noisewright.tables.files.parquet_files import ParquetFiles, folder_files
from noisewright.tables.files.table_reader import (
    BATCH,
    TableReader,
    arrow,
    attempt,
    guard_batches,
    plain_schema,
)
from noisewright.tables.schema import Schema

_WHAT = "a Feather (Arrow) file"


def open_table(
    data: Any, *, schema: Schema | None = None, released: bool = False, total: bool = False
) -> TableReader:
    """Open a table for reading.

    Requires: a path of a CSV, Parquet or Feather/Arrow file or of a folder of Parquet files, or
    a table of pyarrow, pandas, Polars or plain Python; a CSV or Excel says how a file is read.
    Cells of CSV are text, and `schema` says which columns are read as numbers or booleans, of
    frames what columns without a type hold, and which names a file without a header has. A
    `released` table is read as it is: what was declared about odd cells was about the original. A
    `total` reading is for TotalCells: texts of files stay texts, and no cell is refused.
    Ensures: nothing but names, types and the number of rows was looked at.
    """
    if isinstance(data, TableReader):
        return data
    if schema is not None and not released and any(f.columns for f in schema.fields.values()):
        stored, joint = spread_out(schema)
        return JoinedColumns(open_table(data, schema=stored), joint)
    if isinstance(data, (str, os.PathLike)):
        if total and schema is not None:
            schema = Schema({}, names=schema.names or schema.inputs)
        return _open_path(data, schema, released=released)
    arrow()
    return open_frame(data, schema, total=total)


def names_of_text(data: Any, *, declared: Sequence[str] = ()) -> tuple[str, ...] | None:
    """Return the names of the columns of a delimited text or a sheet; None for anything else."""
    text, sheet = as_csv(data), as_excel(data)
    if text is not None:
        return CsvLayout.of(text, declared=declared).names
    return None if sheet is None else sheet_names(sheet, declared=declared)


def require_names(data: Any, *, labels: Collection[str]) -> None:
    """Refuse a text or a sheet whose first line may be a record, unless it is said to be none."""
    file = as_csv(data) or as_excel(data)
    if file is not None and file.header is not False and os.path.isfile(file.path):
        names = names_of_text(file) or ()
        require_header(file.path, names, labels=labels, header=file.header is True)


def require_column_names(data: Any, schema: Schema) -> None:
    """Refuse a CSV file whose first line may be a record, unless it is said that it holds names."""
    spaces = [field.space for field in schema.fields.values()]
    require_names(data, labels=labels_of(spaces))


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _open_path(
    data: str | os.PathLike[str], schema: Schema | None, *, released: bool
) -> TableReader:
    path = Path(os.fspath(data))
    name = str(path)
    require_finite(path)
    if not name.isascii() and not _is_text(name):
        raise DataError(f"the path {name!r} is not valid UTF-8, which pyarrow needs. Rename it.")
    if not attempt(path.exists, name=name, what="a file"):
        raise DataError(f"there is no file {name}. Check the path.")
    declared = schema or Schema({})
    text = as_csv(data)
    if text is not None:
        return CsvFile(text, declared, released=released)
    sheet = as_excel(data)
    if sheet is not None:
        return open_sheet(sheet, schema)
    if path.is_dir():
        return ParquetFiles(
            folder_files(path), name=name, folder=path, cells={} if released else declared.cells
        )
    lower = path.name.lower()
    if lower.endswith(PARQUET):
        return ParquetFiles([path], name=name)
    if lower.endswith(ARROW):
        return ArrowFile(path)
    raise DataError(
        f"the name {name} does not say what the file holds. Names end in "
        f"{', '.join((*PARQUET, *ARROW, *TEXT, *WORKBOOKS))}; a folder holds Parquet files. A text "
        "of another name is read as nw.CSV(path), or with --delimiter."
    )


@final
class ArrowFile(TableReader):
    """An Arrow file with a footer, which is what Feather version 2 is."""

    def __init__(self, path: Path) -> None:
        arrow()
        self.name = str(path)
        self._path = path
        if attempt(lambda: path.stat().st_size, name=self.name, what=_WHAT) == 0:
            raise DataError(f"{path} is empty: it has no bytes at all. Get a complete copy of it.")
        reader = attempt(lambda: self._open(None), name=self.name, what=_WHAT)
        self.schema = plain_schema(reader.schema, name=self.name)
        self.rows = None

    def _open(self, fields: list[int] | None) -> Any:
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
