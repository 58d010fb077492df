"""Whether the rows that were asked for fit into memory, before anything is spent on them."""

from __future__ import annotations

import os

from noisewright.errors import TooLargeError
from noisewright.spaces import amount

_MOST_CELLS = 1 << 31
_BYTES = 48
"""Of a cell, while the rows are made: 10 to 16 were measured for numbers, up to 43 for labels."""


def require_memory(rows: int, columns: int) -> None:
    """Refuse a table that this machine cannot hold, however it is made.

    Ensures: TooLargeError, which says how many rows are possible, or nothing.
    """
    most = _MOST_CELLS
    physical = _physical()
    if physical is not None:
        most = min(most, physical // _BYTES)
    if rows * columns <= most:
        return
    limit = (
        f"at most {_MOST_CELLS:,} cells are made"
        if most == _MOST_CELLS
        else f"a cell takes {_BYTES} bytes while it is made, and this machine has {physical or 0:,}"
    )
    raise TooLargeError(
        f"{amount(rows)} rows of {columns:,} {'column' if columns == 1 else 'columns'} do not fit "
        f"into memory: {limit}. Ask for at most {most // columns:,} rows (rows=, --rows); more "
        "rows than people add no knowledge.",
        size=rows * columns,
    )


def _physical() -> int | None:
    """Return the bytes of memory of this machine, None where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
