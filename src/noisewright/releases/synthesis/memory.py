"""Whether the rows that were asked for fit into memory, before anything is spent on them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from noisewright.errors import TooLargeError
from noisewright.given import amount

_MOST_CELLS = 1 << 31
_BYTES = 48
"""Of a cell, while the rows are made: 10 to 16 were measured for numbers, up to 43 for labels."""


def require_memory(rows: int, columns: int, *, root: Path = Path("/")) -> None:
    """Refuse a table that this machine cannot hold, however it is made.

    Requires: the files below `root` say what the process may use; see `_limits`.
    Ensures: TooLargeError, which says how many rows are possible, or nothing.
    """
    most, limit = _MOST_CELLS, f"at most {_MOST_CELLS:,} cells are made"
    for size, whose in _limits(root):
        if size // _BYTES < most:
            most = size // _BYTES
            limit = f"a cell takes {_BYTES} bytes while it is made, and {whose} {size:,}"
    if rows * columns <= most:
        return
    raise TooLargeError(
        f"{amount(rows)} rows of {columns:,} {'column' if columns == 1 else 'columns'} do not fit "
        f"into memory: {limit}. Ask for at most {most // columns:,} rows (rows=, --rows); more "
        "rows than people add no information.",
        size=rows * columns,
    )


def _limits(root: Path) -> Iterator[tuple[int, str]]:
    """What there is of memory, in bytes, and who says so: machine, container and process."""
    if (size := _physical()) is not None:
        yield size, "this machine has"
    for file in _control_files(root):
        # "max", or no file at all: no limit of this group.
        if (size := _first_number(file)) is not None:
            yield size, "this container (its control group) may use"
    if (size := _address_space(root)) is not None:
        yield size, "this process (ulimit -v) may still take"


def _physical() -> int | None:
    """Return the bytes of memory of this machine, None where it does not say."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _control_files(root: Path) -> Iterator[Path]:
    """The files with the limits of the control groups of this process, and of those around it."""
    try:
        lines = (root / "proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return
    for line in lines:
        number, _, named = line.partition(":")
        kinds, _, path = named.partition(":")
        if number == "0" and not kinds:
            top, name = root / "sys/fs/cgroup", "memory.max"
        elif "memory" in kinds.split(","):
            top, name = root / "sys/fs/cgroup/memory", "memory.limit_in_bytes"
        else:
            continue
        # Inside of a container its own group is often the top one, whatever the path says.
        group = PurePosixPath(path.lstrip("/"))
        for around in (group, *group.parents):
            if ".." not in around.parts:
                yield top / around / name


def _first_number(file: Path) -> int | None:
    try:
        number = int(file.read_text(encoding="utf-8").split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return number if number >= 0 else None


def _address_space(root: Path) -> int | None:
    """Return what is left of the address space, None where it has no limit."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    pages = _first_number(root / "proc/self/statm") or 0
    return max(limit - pages * resource.getpagesize(), 0)
