"""Writing a released table: complete under its name, or not at all.

Rows go to a temporary name in the folder of the target. When all are there, the file is synced
and renamed and the folder is synced; on any error, an interruption among them, it is removed.
Only a killed process leaves a file `.noisewright-…` behind, which may be deleted.

Batches are cut to fixed sizes, so that a file's inner boundaries say nothing about those of
the input.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

from noisewright.errors import TargetError
from noisewright.files import sync_folder
from noisewright.on_use import pa
from noisewright.tables.cell_types import ArrowSchema, ArrowTable, RecordBatch
from noisewright.tables.files.formats import Sink, open_sink, require_format
from noisewright.tables.files.table_reader import arrow, unwritable


def open_writer(
    path: str | os.PathLike[str],
    schema: ArrowSchema,
    *,
    overwrite: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> FileWriter:
    """Return a context manager that writes batches of this schema to a file.

    The format follows the suffix: Parquet, Feather (Arrow) or CSV, which has no `metadata`.
    """
    arrow()
    return FileWriter(path, schema, overwrite=overwrite, metadata=metadata or {})


class TableWriter(ABC):
    """Where released batches go: a file, or a table in memory."""

    schema: ArrowSchema
    folder: Path | None
    """Where large intermediate files may lie; None when all is to stay in memory."""

    rows: int = 0

    @abstractmethod
    def write(self, batch: RecordBatch) -> None:
        """Take the next rows; texts may come as dictionaries."""


@final
class MemoryWriter(TableWriter):
    """Keeps the released rows as a table."""

    def __init__(self, schema: ArrowSchema) -> None:
        self.schema = schema
        self.folder = None
        self._batches: list[Any] = []

    def write(self, batch: RecordBatch) -> None:
        """Keep the next rows."""
        self._batches.append(pa.Table.from_batches([batch]).cast(self.schema))
        self.rows += batch.num_rows

    @property
    def table(self) -> ArrowTable:
        """All rows in one piece, so that batches of the input leave no trace."""
        if not self._batches:
            return self.schema.empty_table()
        return pa.concat_tables(self._batches).combine_chunks()


@final
class FileWriter(TableWriter):
    """A file that appears under its name when the `with` block ends without an error."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        schema: ArrowSchema,
        *,
        overwrite: bool,
        metadata: Mapping[str, str],
    ) -> None:
        self.schema = schema
        self._given = os.fspath(path)
        # A link keeps pointing where it points; what it points to is replaced.
        self._target = Path(os.path.realpath(path))
        self.folder = self._target.parent
        self._overwrite = overwrite
        self._metadata = dict(metadata)
        self._temporary = self.folder / f".noisewright-{os.urandom(8).hex()}"
        self._handle = -1
        self._sink: Sink | None = None

    def __enter__(self) -> FileWriter:
        require_format(self._target.name)
        if self._target.is_dir():
            raise TargetError(f"{self._given} is a folder; give the name of a file in it.")
        if not self._overwrite and self._target.exists():
            raise _exists(self._given)
        try:
            # This handle stays open until the end: syncing it reports what went wrong meanwhile.
            flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY
            self._handle = os.open(self._temporary, flags, 0o666)
            file = arrow().OSFile(str(self._temporary), "wb")
            self._sink = open_sink(file, self._target.name, self.schema, metadata=self._metadata)
        except BaseException as problem:
            self._discard()
            raise self._translate(problem) from None
        return self

    def write(self, batch: RecordBatch) -> None:
        """Write the next rows; they become visible when the block ends."""
        assert self._sink is not None, "open the writer with a `with` statement"
        try:
            self._sink.write(batch)
        except (OSError, arrow().ArrowException) as problem:
            raise unwritable(self._given, problem) from None
        self.rows += batch.num_rows

    def add_metadata(self, metadata: Mapping[str, str]) -> None:
        """Add keys and values that are known only now; for Parquet files alone."""
        assert self._sink is not None, "open the writer with a `with` statement"
        self._sink.add_metadata(metadata)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._discard()
            return
        try:
            assert self._sink is not None
            self._sink.close()
            self._sink = None
            os.fsync(self._handle)
            os.close(self._handle)
            self._handle = -1
            self._place()
        except BaseException as failed:
            self._discard()
            raise self._translate(failed) from None

    def _place(self) -> None:
        if self._overwrite:
            os.replace(self._temporary, self._target)
        else:
            try:
                # Unlike renaming, linking never replaces a file that appeared meanwhile.
                os.link(self._temporary, self._target)
            except FileExistsError:
                raise _exists(self._given) from None
            except OSError:
                os.replace(self._temporary, self._target)
            else:
                self._temporary.unlink()
        sync_folder(self._target.parent)

    def _discard(self) -> None:
        sink, self._sink = self._sink, None
        if sink is not None:
            with contextlib.suppress(Exception):
                sink.abandon()
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        with contextlib.suppress(OSError):
            self._temporary.unlink()

    def _translate(self, problem: BaseException) -> BaseException:
        known = (OSError, arrow().ArrowException)
        if isinstance(problem, known) and not isinstance(problem, TargetError):
            return unwritable(self._given, problem)
        return problem


def _exists(path: str) -> TargetError:
    return TargetError(
        f"{path} exists already. Choose another name, or say overwrite=True (--overwrite) to "
        "replace it."
    )
