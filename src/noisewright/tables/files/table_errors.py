"""What a user is told when a table cannot be read or written: never what is in it.

Messages of pyarrow may quote the cell at which it stumbled, so they are not passed on, not even
as the cause of ours.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from noisewright.errors import DataError, MissingPartError, TargetError

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")


def arrow() -> Any:
    """Return pyarrow, or say what to install."""
    try:
        import pyarrow
    except ImportError:
        raise MissingPartError(
            "tables are read and written with pyarrow, which is not installed. Install it with "
            "pip install 'noisewright[arrow]'."
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
        f"cannot read {name}{where}: {what} is damaged or incomplete there. Get a whole copy of "
        "the file.",
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
