"""The file of a continual count: true counts of nodes that are not complete, and published ones.

It is an SQLite file that only its owner may read. A step is one transaction that takes the lock
before it reads: two processes never publish the same step, and what is published is on disk before
anybody is shown it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.files import require_finite

FORMAT = "noisewright continual count 1"

_PATIENCE = 30.0
_TABLES = """
create table facts (json text not null);
create table steps (step integer primary key, label text not null);
create table nodes (level integer, place integer, number text not null,
                    primary key (level, place)) without rowid;
create table partial (level integer primary key, number text not null);
"""


def write_new(path: Path, facts: dict[str, Any]) -> None:
    """Write the file of a count of which nothing is published yet, and sync it."""
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.executescript("pragma synchronous = extra;" + _TABLES)
        connection.execute("insert into facts values (?)", [json.dumps(facts)])
        connection.commit()


@contextlib.contextmanager
def transaction(path: Path) -> Generator[sqlite3.Connection]:
    """Give a connection that holds the lock; commit at the end, or undo everything."""
    require_finite(path)
    where = os.fspath(path)
    if not path.is_file():
        raise InputError(f"there is no continual count at {where!r}. Check the path.")
    try:
        address = f"{path.resolve().as_uri()}?mode=rw"
        opened = sqlite3.connect(address, uri=True, timeout=_PATIENCE, isolation_level=None)
        with contextlib.closing(opened) as connection:
            connection.execute("pragma synchronous = extra")
            connection.execute("begin immediate")
            yield connection
            connection.execute("commit")
    except sqlite3.Error as problem:
        words = {
            "SQLITE_NOTADB": "it is no file of a continual count. Check the path",
            "SQLITE_BUSY": "another process holds it, and did not let go. Try again",
            "SQLITE_READONLY": "you may not write to it or to its folder",
            "SQLITE_CANTOPEN": "you may not write to it or to its folder",
            "SQLITE_FULL": "the disk is full. Free some space and try again",
        }.get(getattr(problem, "sqlite_errorname", "").rsplit("_IOERR", 1)[0], "SQLite says so")
        raise InputError(f"cannot use {where!r}: {words}. No step was published.") from problem


def read_facts(connection: sqlite3.Connection, path: Path) -> dict[str, Any]:
    """Return what is declared of the count, or InputError for a file of something else."""
    try:
        ((text,),) = connection.execute("select json from facts").fetchall()
        facts = json.loads(text)
        if facts["format"] == FORMAT:
            return facts
    except (sqlite3.OperationalError, ValueError, KeyError, TypeError):
        pass
    raise InputError(f"{os.fspath(path)!r} is no file of a continual count. Check the path.")


def read_nodes(connection: sqlite3.Connection, levels: int) -> list[NDArray[Any]]:
    """Return the noisy counts of the complete nodes of each level."""
    return [
        np.array(
            [
                int(number)
                for (number,) in connection.execute(
                    "select number from nodes where level = ? order by place", [level]
                )
            ],
            dtype=object,
        )
        for level in range(levels)
    ]
