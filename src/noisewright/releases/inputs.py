"""What was given to be released: in a form that can be read again, and where it lies."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from noisewright.tables import frame_table, plain_columns


def repeatable(data: Any) -> Any:
    """Return the data in a form that can be read twice, and a third time for its fingerprint."""
    if isinstance(data, Mapping | list | tuple | Iterator):
        return plain_columns(data)
    match type(data).__name__:
        case "RecordBatchReader":
            return data.read_all()
        case "LazyFrame":
            return data.collect()
        case _:
            return data


def identifiable(data: Any) -> Any:
    """Return the data in a form of which the ledger takes a fingerprint.

    Whatever a plan makes of cells must not matter: the same data is the same under each plan.
    """
    if isinstance(data, dict) or (_is_pandas(data) and _has_odd_cells(data)):
        return frame_table(data, odd_cells=True)
    return data


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas"


def _has_odd_cells(frame: Any) -> bool:
    """Tell whether pandas cannot hand a frame to Arrow, as one of texts and numbers mixed."""
    import pyarrow as pa

    try:
        for place, kind in enumerate(frame.dtypes):
            if kind == "object":
                pa.array(frame.iloc[:, place], from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return True
    return False


def local_paths(*given: Any) -> list[str]:
    """Return those that are paths on this machine."""
    paths = [os.fspath(one) for one in given if isinstance(one, str | os.PathLike)]
    return [path for path in paths if "://" not in path]
