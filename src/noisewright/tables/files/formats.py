"""The formats of released files: Parquet, Feather (Arrow) and CSV."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, final

from noisewright.errors import TargetError
from noisewright.on_use import pa, pq
from noisewright.tables.cell_types import ArrowSchema, ArrowTable, RecordBatch, is_list
from noisewright.tables.files.list_texts import join_lists

ROW_GROUP = 1 << 20
"""Rows of a row group of a Parquet file: what pyarrow writes by default."""

WRITE_BATCH = 1 << 12
"""Cells that pyarrow hands to a column of a Parquet file at once: four times as many as by default,
since it looks for the least and the largest text in each such piece of a dictionary."""

ARROW_BATCH = 1 << 16
"""Rows of a batch of a Feather file: what pyarrow writes by default."""

PARQUET = (".parquet", ".pq")
ARROW = (".feather", ".arrow", ".ipc")
_TEXT = (".csv", ".tsv")


def is_text_format(name: str) -> bool:
    """Tell whether a file of this name is written as text."""
    return name.lower().endswith(_TEXT)


def require_format(name: str) -> None:
    """Raise TargetError unless the suffix says which format to write."""
    if not name.lower().endswith((*PARQUET, *ARROW, *_TEXT)):
        raise TargetError(
            f"the name {name!r} does not say which format to write. End it in "
            f"{', '.join((*PARQUET, *ARROW, *_TEXT))}."
        )


def open_sink(file: Any, name: str, schema: ArrowSchema, *, metadata: Mapping[str, str]) -> Sink:
    """Return what writes to an open file of pyarrow in the format that `name` ends in."""
    lower = name.lower()
    if lower.endswith(PARQUET):
        return ParquetSink(file, schema, metadata)
    if lower.endswith(ARROW):
        return ArrowSink(file, schema, metadata)
    return CsvSink(file, schema, "\t" if lower.endswith(".tsv") else ",")


class Sink(ABC):
    """Collects rows and writes them `size` at a time, however they come."""

    size: int
    _writer: Any

    def __init__(self, file: Any) -> None:
        self._file = file
        self._waiting: list[Any] = []
        self._count = 0

    def write(self, batch: RecordBatch) -> None:
        """Take the next rows."""
        start = 0
        while start < batch.num_rows:
            part = batch.slice(start, self.size - self._count)
            self._waiting.append(part)
            self._count += part.num_rows
            start += part.num_rows
            if self._count == self.size:
                self._flush()

    def _flush(self) -> None:
        if self._count:
            # In one piece: where batches ended must not decide where pages do.
            table = pa.Table.from_batches(self._waiting).combine_chunks()
            self._waiting, self._count = [], 0
            self._put(table)

    def close(self) -> None:
        """Write what is left and the end of the file."""
        self._flush()
        self._finish()

    @abstractmethod
    def _put(self, table: ArrowTable) -> None: ...

    def _finish(self) -> None:
        self._writer.close()
        self._file.close()

    def abandon(self) -> None:
        """Let go of the file, whatever state it is in: it is not going to be used."""
        self._file.close()

    def add_metadata(self, metadata: Mapping[str, str]) -> None:
        """Add keys and values at the end, where the format can."""
        del metadata
        raise TargetError(
            "this format cannot hold metadata that is known only at the end. Write Parquet."
        )


@final
class ParquetSink(Sink):
    """Row groups of fixed size, with checksums."""

    size = ROW_GROUP

    def __init__(self, file: Any, schema: ArrowSchema, metadata: Mapping[str, str]) -> None:
        super().__init__(file)
        self._schema = schema
        self._metadata = dict(metadata)
        self._writer = None

    def _open(self, schema: ArrowSchema) -> Any:
        return pq.ParquetWriter(
            self._file,
            schema,
            compression="zstd",
            compression_level=1,
            write_page_checksum=True,
            write_batch_size=WRITE_BATCH,
            # Texts are handed over as dictionaries, since hashing them again is slow; readers
            # are told below that they are plain texts.
            store_schema=False,
        )

    def _put(self, table: ArrowTable) -> None:
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table, row_group_size=self.size)

    def _finish(self) -> None:
        if self._writer is None:
            self._writer = self._open(self._schema)
        # Readers of Arrow take metadata from the schema, others from the file.
        types = self._schema.with_metadata(self._metadata or None).serialize().to_pybytes()
        text = base64.b64encode(types).decode()
        self._writer.add_key_value_metadata({"ARROW:schema": text, **self._metadata})
        super()._finish()

    def add_metadata(self, metadata: Mapping[str, str]) -> None:
        """Add keys and values to the end of the file."""
        self._metadata.update(metadata)


@final
class ArrowSink(Sink):
    """Batches of fixed size, compressed by LZ4."""

    size = ARROW_BATCH

    def __init__(self, file: Any, schema: ArrowSchema, metadata: Mapping[str, str]) -> None:
        super().__init__(file)
        self._schema = schema
        # Batches carry no metadata, the file does.
        labeled = schema.with_metadata(dict(metadata)) if metadata else schema
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._writer = pa.ipc.new_file(self._file, labeled, options=options)

    def _put(self, table: ArrowTable) -> None:
        whole = table.cast(self._schema).combine_chunks()
        for batch in whole.to_batches():
            self._writer.write_batch(batch)


@final
class CsvSink(Sink):
    """Text in UTF-8 with a header; sets and curves that were drawn are one text each."""

    size = ARROW_BATCH

    def __init__(self, file: Any, schema: ArrowSchema, delimiter: str) -> None:
        super().__init__(file)
        from pyarrow import csv

        for field in schema:
            # What was drawn is never empty, and can be one text; a public cell may hold anything.
            if pa.types.is_nested(field.type) and (field.nullable or not is_list(field.type)):
                raise TargetError(
                    f"the column {field.name!r} holds lists, which CSV files cannot hold. Write "
                    "Parquet or Feather instead."
                )
        # Dictionaries are a matter of storage, which texts know nothing of.
        self._schema = pa.schema([(field.name, _text_type(field.type)) for field in schema])
        options = csv.WriteOptions(delimiter=delimiter)
        self._writer = csv.CSVWriter(self._file, self._schema, write_options=options)

    def _put(self, table: ArrowTable) -> None:
        columns = [
            pa.chunked_array([join_lists(chunk) for chunk in column.chunks], type=field.type)
            if is_list(column.type)
            else column.cast(field.type)
            for column, field in zip(table.columns, self._schema, strict=True)
        ]
        self._writer.write_table(table.from_arrays(columns, schema=self._schema))


def _text_type(kind: Any) -> Any:
    """Return the type in which a column is handed to the writer of texts."""
    if is_list(kind):
        return pa.string()
    return kind.value_type if pa.types.is_dictionary(kind) else kind
