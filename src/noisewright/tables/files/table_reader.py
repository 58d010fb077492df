"""What every opened table can tell and do, and what a user is told when that fails.

Messages of pyarrow may quote the cell at which it stumbled, so they are not passed on, not even
as the cause of ours.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from noisewright.errors import DataError, MissingPartError, TargetError
from noisewright.on_use import pa
from noisewright.tables.cell_types import ArrowSchema, RecordBatch

BATCH = 1 << 17
"""The most rows of a batch: enough to spread overheads, few enough to hold several batches."""

_T = TypeVar("_T")


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


def arrow() -> Any:
    """Return pyarrow, or say what to install."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPartError(
            "tables are read and written with pyarrow, which comes with noisewright and is missing "
            "here: pip install pyarrow."
        ) from None
    return pyarrow


def attempt(work: Callable[[], _T], *, name: str, what: str) -> _T:
    """Return work(); turn what pyarrow and the system raise into a DataError about `name`."""
    pa = arrow()
    try:
        return work()
    except (pa.ArrowException, OSError, NotImplementedError, UnicodeError) as problem:
        failed = unreadable(name, problem, what=what)
    # Raised here, outside of the handler, so that the message of pyarrow is not its context.
    raise failed


def guard_batches(batches: Iterator[Any], *, name: str, what: str) -> Iterator[Any]:
    """Yield the batches; say after which row reading failed, if it does."""
    pa = arrow()
    rows = 0
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            return
        except (pa.ArrowException, OSError, NotImplementedError, UnicodeError) as problem:
            failed = unreadable(name, problem, what=what, after=rows)
        else:
            rows += batch.num_rows
            yield batch
            continue
        raise failed


def unreadable(name: str, problem: Exception, *, what: str, after: int | None = None) -> DataError:
    """Return the error for a table that cannot be read; `after` rows were read before."""
    number = getattr(problem, "errno", None)
    where = "" if after is None else f" after row {after:,}" if after else " in its first rows"
    if isinstance(problem, MemoryError):
        return DataError(
            f"cannot read {name}{where}: there is not enough memory. Give the process more, "
            "or end other processes.",
            row=after,
        )
    if number:
        return DataError(
            f"cannot read {name}{where}: {os.strerror(number)}. Check the path and the "
            "permissions.",
            row=after,
        )
    if isinstance(problem, NotImplementedError):
        return DataError(
            f"cannot read {name}: it uses a feature of {what} that pyarrow does not read. Write "
            "it again with default settings.",
            row=after,
        )
    if after is None:
        return DataError(
            f"cannot read {name}: it is not {what}, or it is damaged or incomplete. Check that "
            "the file is complete, and that its name ends in its format."
        )
    return DataError(
        f"cannot read {name}{where}: {what} is damaged or incomplete there. Get a complete copy "
        "of the file.",
        row=after,
    )


def unwritable(path: str, problem: BaseException) -> TargetError:
    """Return the error for a target that cannot be written."""
    number = getattr(problem, "errno", None)
    reason = os.strerror(number) if number else "pyarrow cannot write it"
    if isinstance(problem, MemoryError):
        return TargetError(
            f"cannot write {path}: there is not enough memory. Give the process more, or end "
            "other processes."
        )
    return TargetError(
        f"cannot write {path}: {reason}. Choose a folder that exists, that you may write to and "
        "that has room for the file."
    )
