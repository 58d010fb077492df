"""What was given to be released: in a form that can be read again, and where it lies."""

from __future__ import annotations

import os
from typing import Any


def repeatable(data: Any) -> Any:
    """Return the data in a form that can be read twice, and a third time for its fingerprint."""
    match type(data).__name__:
        case "RecordBatchReader":
            return data.read_all()
        case "LazyFrame":
            return data.collect()
        case _:
            return data


def local_paths(*given: Any) -> list[str]:
    """Return those that are paths on this machine."""
    paths = [os.fspath(one) for one in given if isinstance(one, str | os.PathLike)]
    return [path for path in paths if "://" not in path]
