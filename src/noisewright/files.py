"""Reading files whole, with a limit; and writing them so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from noisewright.errors import InputError, NoisewrightError

LARGEST = 1 << 30
"""Bytes of a document that is read at once; more belongs into a table, which is streamed."""


def require_path(path: str | os.PathLike[str]) -> None:
    """Refuse a text that cannot be a path, about which Python raises no OSError."""
    if "\0" in os.fsdecode(path):
        raise InputError(f"{os.fspath(path)!r} holds a zero byte, which no path can. Correct it.")


def require_finite(path: str | os.PathLike[str]) -> None:
    """Refuse devices: some of them never end. What does not exist is left to whoever opens it."""
    require_path(path)
    with contextlib.suppress(OSError):
        mode = os.stat(path).st_mode
        if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) or stat.S_ISSOCK(mode):
            raise InputError(f"{os.fspath(path)!r} is a device; give a file.")


def read_whole(path: str | os.PathLike[str], *, most: int = LARGEST) -> bytes:
    """Return all bytes of a file.

    Ensures: a device, or more than `most` bytes, is an InputError, soon and without reading them
    all; other errors are the operating system's.
    """
    require_finite(path)
    with open(path, "rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise InputError(
            f"{os.fspath(path)!r} has more than {most >> 20:,} MB; which is too large for a "
            "document that is read at once. Check that it is the right file."
        )
    return data


def read_text(path: str | os.PathLike[str], *, what: str, most: int = 1 << 26) -> str:
    """Return the text of a file in UTF-8, with or without a byte order mark, or InputError.

    `what` says in messages what it should be: "the plan", "the workload".
    """
    try:
        return read_whole(path, most=most).decode("utf-8-sig")
    except OSError as problem:
        raise InputError(
            f"cannot read {what} {os.fspath(path)!r}: {problem.strerror or 'it is damaged'}."
        ) from problem
    except UnicodeDecodeError:
        message = f"{what} {os.fspath(path)!r} is not UTF-8 text. Save it as UTF-8 first."
    # Outside of the handler: its error holds all bytes of the file.
    raise InputError(message)


def save_whole(
    path: str | os.PathLike[str],
    data: bytes,
    *,
    what: str,
    error: type[NoisewrightError] = InputError,
) -> Path:
    """Write `data` as `write_whole` does, and return the path; an error says what to do.

    `what` is written, as in "the plan".
    """
    try:
        write_whole(path, data)
    except OSError as problem:
        raise error(
            f"cannot write {what} to {os.fspath(path)!r}: {problem.strerror}. Choose a folder that "
            "exists and that you may write to."
        ) from problem
    return Path(path)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Put the names in a folder on disk, or raise what the operating system says."""
    number = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write `data` to a temporary name beside `path`, sync it, and rename it.

    Ensures: `path` holds the old content or the new, whatever happens; on an error nothing
    new is left behind. The error is the operating system's, with the path the caller gave.
    """
    require_path(path)
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
