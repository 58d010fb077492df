"""The folder that the studio was started in: nothing outside of it is read or written.

A name from a browser is a path relative to the folder. It is resolved, links included, before
anything is opened, and refused unless it stays inside. Names that begin with a dot are nobody's
business but ours.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

from noisewright.studio.failures import RefusalError

STATE = ".noisewright-studio"
"""Where jobs and predictions are kept, within the folder."""

_TEXT = (".csv", ".tsv", ".txt", ".data", ".csv.gz", ".tsv.gz", ".txt.gz")
DUCKDB = (".duckdb", ".ddb")
_TABLE = (*_TEXT, *DUCKDB, ".parquet", ".pq", ".feather", ".arrow", ".ipc", ".xlsx", ".xls", ".ods")
_CODEBOOK = (".csv", ".tsv", ".txt", ".json", ".toml")
_MOST = 500


def without_password(where: str) -> str:
    """Return a path, or the address of a database without its password and options."""
    if "://" not in where:
        return where
    scheme, _, rest = where.partition("://")
    # PostgreSQL takes all before the first @, unless a slash comes first, for user and password;
    # a password may hold ? and #, which end the name of a host.
    named, at, after = rest.partition("@")
    user = named.partition(":")[0] if at and "/" not in named else ""
    place = (after if at and "/" not in named else rest).partition("?")[0].partition("#")[0]
    return f"{scheme}://{f'{user}@' if user else ''}{place.rpartition('@')[2]}"


@final
@dataclass(frozen=True)
class StudioFolder:
    """A folder, by its resolved path, and a database whose tables may be opened besides."""

    root: Path
    database: str | None = None

    @classmethod
    def at(cls, path: str | os.PathLike[str], *, database: str | None = None) -> StudioFolder:
        """Return the folder at a path, with its links resolved; refuse what is none."""
        root = Path(path).resolve()
        if not root.is_dir():
            raise RefusalError(f"{os.fspath(path)!r} is not a folder. Give one that exists.")
        return cls(root, database)

    def address_of(self, shown: str) -> str:
        """Return the address of the database that a browser knows without its password."""
        if self.database is None or without_password(self.database) != shown:
            raise RefusalError(
                "the studio was not started with that database. Start it with --database.",
                status=403,
            )
        return self.database

    @property
    def state(self) -> Path:
        """The folder of our own files, made when first asked for; others may not look inside."""
        place = self.root / STATE
        if place.is_symlink():
            raise RefusalError(
                f"{STATE} is a link; the studio keeps its files there. Remove the link."
            )
        place.mkdir(mode=0o700, exist_ok=True)
        return place

    def existing(self, name: str) -> Path:
        """Return the path of something in the folder, or refuse it."""
        path = self._inside(name)
        if not path.exists():
            raise RefusalError(f"there is no {name!r} in the folder of the studio.", status=404)
        return path

    def target(self, name: str) -> Path:
        """Return the path of a file to write: right in the folder, under a plain name."""
        if name != Path(name).name:
            raise RefusalError(f"{name!r} is not a plain file name; leave out folders.")
        return self._inside(name)

    def _inside(self, name: str) -> Path:
        # Backslashes separate folders elsewhere; nobody's file needs one.
        parts = Path(name).parts
        if not parts or Path(name).is_absolute() or "\0" in name or "\\" in name:
            raise RefusalError(f"{name!r} is not the name of a file in the folder of the studio.")
        if any(part.startswith(".") for part in parts):
            raise RefusalError(f"the studio may not open {name!r}. Choose another file.")
        path = (self.root / name).resolve()
        # A folder of Parquet files is one table, and each of its files may be a link.
        within = (one.resolve() for one in path.rglob("*")) if self._has(path) else ()
        if not all(map(self._has, (path, *within))):
            raise RefusalError(
                f"{name!r} leads out of the folder that the studio was started in, and is not "
                "opened. Start the studio in the folder of that file.",
                status=403,
            )
        return path

    def _has(self, path: Path) -> bool:
        """Tell whether a resolved path is in the folder, and not among our own files."""
        return path.is_relative_to(self.root) and STATE not in path.relative_to(self.root).parts

    def listing(self) -> list[dict[str, Any]]:
        """Return the files that can be opened: names, sizes and what they may serve as."""
        found: list[dict[str, Any]] = []
        if self.database is not None:
            shown = without_password(self.database)
            found.append({"name": shown, "bytes": 0, "serves": ["table"]})
        for path in sorted(self.root.rglob("*")):
            inside = path.relative_to(self.root)
            if len(inside.parts) > 2 or any(part.startswith(".") for part in inside.parts):
                continue
            serves = [
                role
                for role, ends in (("table", _TABLE), ("codebook", _CODEBOOK), ("plan", (".toml",)))
                if path.name.lower().endswith(ends)
            ]
            real = path.resolve()
            if not serves or not real.is_file() or not real.is_relative_to(self.root):
                continue
            found.append({"name": str(inside), "bytes": real.stat().st_size, "serves": serves})
            if len(found) == _MOST:
                break
        return found
