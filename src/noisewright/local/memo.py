"""The memory of a client: the answer to each value is drawn once.

It is a SQLite file on the person's device. An answer is committed before it is handed out, in one
transaction with the look-up, so that two processes, a fork or a crash cannot draw twice. A memo
that is lost or deleted starts over, and costs another report: keep it as long as the device.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from noisewright.errors import InputError
from noisewright.files import require_finite

_TABLES = (
    "CREATE TABLE IF NOT EXISTS collection (digest BLOB PRIMARY KEY)",
    "CREATE TABLE IF NOT EXISTS answer (code BLOB PRIMARY KEY, payload BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS device (name TEXT PRIMARY KEY, value BLOB NOT NULL)",
    "CREATE TABLE IF NOT EXISTS sent (day INTEGER PRIMARY KEY, reports INTEGER NOT NULL)",
)
_PATIENCE = 30.0
_DAY = 86_400


@dataclass(frozen=True)
class MemoUse:
    """What a memo has handed out: `answers` that were drawn, and reports in all and by day."""

    answers: int
    reports: int
    by_day: dict[int, int]
    """Reports by the day since 1970-01-01 (UTC)."""


class Memo:
    """Answers of one person to one collection, in a file."""

    def __init__(self, path: str | os.PathLike[str], digest: bytes) -> None:
        self.path = Path(path)
        self._digest = digest
        with self._transaction():
            pass

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        """Open the file for one transaction: a connection must not outlive a fork.

        It waits for others before it reads: who reads first and writes later is refused.
        """
        require_finite(self.path)
        try:
            # Nothing is committed implicitly, and what is not committed is undone.
            database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            try:
                # Also the name of the journal is gone from the disk before an answer is sent.
                database.execute("PRAGMA synchronous = EXTRA")
                database.execute("BEGIN IMMEDIATE")
                self._require_ours(database)
                yield database
                database.execute("COMMIT")
            finally:
                database.close()
        except sqlite3.Error as error:
            raise InputError(
                f"the memo {self.path} cannot be used: {error}. Nothing was sent. Give the path of "
                "a file that this process may write."
            ) from None

    def _require_ours(self, database: sqlite3.Connection) -> None:
        """Refuse the memo of another collection; make a new file ours."""
        for table in _TABLES:
            database.execute(table)
        known = database.execute("SELECT digest FROM collection").fetchall()
        if not known:
            database.execute("INSERT INTO collection VALUES (?)", (self._digest,))
        elif known != [(self._digest,)]:
            raise InputError(
                f"{self.path} remembers the answers to another collection, or to other settings. "
                "Give each collection a memo of its own."
            )

    def answer(self, code: bytes, draw: Callable[[], bytes], *, length: int | None = None) -> bytes:
        """Return the answer to a value: the one that is kept, or one that is drawn and kept now.

        One that is not of this length is damaged, and refused.
        """
        with self._transaction() as database:
            row = database.execute("SELECT payload FROM answer WHERE code = ?", (code,)).fetchone()
            payload = draw() if row is None else row[0]
            if not isinstance(payload, bytes) or length not in (None, len(payload)):
                raise InputError(
                    f"the memo {self.path} is damaged: an answer is not as long as it should be. "
                    "Nothing was sent. Restore the file; a new one costs another report."
                )
            if row is None:
                database.execute("INSERT INTO answer VALUES (?, ?)", (code, payload))
            database.execute(
                "INSERT INTO sent VALUES (?, 1) "
                "ON CONFLICT (day) DO UPDATE SET reports = reports + 1",
                (day_of(time.time()),),
            )
        return payload

    def keep(self, name: str, draw: Callable[[], bytes]) -> bytes:
        """Return what a device keeps under a name, such as its cohort; it is drawn once."""
        with self._transaction() as database:
            row = database.execute("SELECT value FROM device WHERE name = ?", (name,)).fetchone()
            value = draw() if row is None else bytes(row[0])
            if row is None:
                database.execute("INSERT INTO device VALUES (?, ?)", (name, value))
        return value

    @property
    def use(self) -> MemoUse:
        """What was handed out so far."""
        with self._transaction() as database:
            answers = database.execute("SELECT COUNT(*) FROM answer").fetchone()[0]
            days = dict(database.execute("SELECT day, reports FROM sent ORDER BY day").fetchall())
        return MemoUse(answers, sum(days.values()), days)


def day_of(seconds: float) -> int:
    """Return the day since 1970-01-01 (UTC) of a time."""
    return int(seconds // _DAY)
