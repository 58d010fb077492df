"""The data to release: checked to be unchanged while it is read twice.

Rows are checked, then the budget is debited, then rows are drawn: the input is read twice and has
to be the same both times. That is decided by the times and sizes that the file system keeps.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noisewright.errors import DataError


def local_paths(*given: Any) -> list[str]:
    """Return those that are paths on this machine."""
    paths = [os.fspath(one) for one in given if isinstance(one, str | os.PathLike)]
    return [path for path in paths if "://" not in path]


@dataclass(frozen=True)
class Snapshot:
    """The identity, size and times of each file of the input."""

    path: Path | None
    files: tuple[tuple[str, int, int, int, int, int], ...] = ()

    @classmethod
    def of(cls, data: object) -> Snapshot:
        """Look at a path; tables in memory belong to the caller and have nothing to look at."""
        if not isinstance(data, str | os.PathLike):
            return cls(None)
        path = Path(os.fspath(data))
        try:
            found = sorted(path.rglob("*")) if path.is_dir() else [path]
            return cls(path, tuple(_look(file) for file in found if not file.is_dir()))
        except OSError as problem:
            raise DataError(
                f"cannot read {str(path)!r}: {problem.strerror}. Check the path and its "
                "permissions."
            ) from problem

    def require_same(self, *, meanwhile: str) -> None:
        """Raise if the input is not what it was."""
        if self.path is not None and Snapshot.of(self.path) != self:
            raise DataError(
                f"{str(self.path)!r} was changed while it was being read. {meanwhile} Give "
                "a copy that nobody writes to."
            )


def _look(file: Path) -> tuple[str, int, int, int, int, int]:
    seen = os.stat(file)
    return (
        str(file),
        seen.st_dev,
        seen.st_ino,
        seen.st_size,
        seen.st_mtime_ns,
        seen.st_ctime_ns,
    )
