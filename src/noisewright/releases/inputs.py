"""What was given to be released: in a form that can be read again, and where it lies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from noisewright.engines.frames import frame_table


def repeatable(data: Any) -> Any:
    """Return the data in a form that can be read twice, and a third time for its fingerprint."""
    if isinstance(data, Mapping | list | tuple):
        return frame_table(data)
    match type(data).__name__:
        case "RecordBatchReader":
            return data.read_all()
        case "LazyFrame":
            return data.collect()
        case _:
            return frame_table(data) if isinstance(data, Iterator) else data


def local_paths(*given: Any) -> list[str]:
    """Return those that are paths on this machine."""
    paths = [os.fspath(one) for one in given if isinstance(one, str | os.PathLike)]
    return [path for path in paths if "://" not in path]
