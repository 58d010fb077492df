"""What every opened table can tell and do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

from noisewright.errors import DataError
from noisewright.tables.arrow_names import ArrowSchema, RecordBatch

BATCH = 1 << 17
"""The most rows of a batch: enough to spread overheads, few enough to hold several batches."""


class TableReader(ABC):
    """A table that is read batch by batch, as often as one likes.

    `schema` holds names and types only; `rows` is None where counting them means reading them.
    """

    name: str
    schema: ArrowSchema
    rows: int | None

    def batches(
        self, columns: Sequence[str] | None = None, *, encoded: Sequence[str] = ()
    ) -> Iterator[RecordBatch]:
        """Yield the rows in order, at most BATCH at a time, with these columns in this order.

        Texts of the `encoded` columns may come as dictionaries, where that is quicker to read.
        Raises DataError, with the row, where the table cannot be read.
        """
        names = self.schema.names if columns is None else list(columns)
        return self._batches(names, encoded)

    @abstractmethod
    def _batches(self, names: list[str], encoded: Sequence[str]) -> Iterator[RecordBatch]: ...


def plain_schema(schema: ArrowSchema, *, name: str) -> ArrowSchema:
    """Return names and types without metadata; refuse tables without clear names."""
    import pyarrow as pa

    if not len(schema):
        raise DataError(f"{name} has no columns.")
    places: dict[str, int] = {}
    for place, column in enumerate(schema.names, start=1):
        # Named by position: the first record of a file without a header looks like names.
        if column in places:
            raise DataError(
                f"columns {places[column]} and {place} of {name} have the same name. Rename one "
                "of them."
            )
        places[column] = place
    return pa.schema([pa.field(field.name, field.type) for field in schema])
