"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to a temporary name beside `path`, sync it, and rename it.

    Ensures: `path` holds the old content or the new, whatever happens; on an error nothing
    new is left behind. The error is the operating system's, with the path the caller gave.
    """
    # A link keeps pointing where it points; what it points to is replaced.
    target = Path(os.path.realpath(path))
    temporary = target.parent / f".noisewright-{os.urandom(8).hex()}"
    try:
        # Plain opening gives the mode that the user's umask asks for.
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as problem:
        with contextlib.suppress(OSError):
            temporary.unlink()
        if isinstance(problem, OSError):
            raise type(problem)(problem.errno, problem.strerror, os.fspath(path)) from None
        raise
