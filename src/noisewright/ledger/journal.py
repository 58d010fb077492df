"""The verified chain of entries: every read checks what is new, every write is one transaction.

A ledger is read from its last checkpoint on: that entry, all after it, and that they end where the
ledger says. What may be spent follows from these alone, so nothing that somebody does to earlier
entries changes it; `verify` finds that too.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError, ParameterError
from noisewright.ledger.book import Book
from noisewright.ledger.entries import CHECKPOINT, LedgerEntry, plain_text
from noisewright.ledger.locked_transactions import Database
from noisewright.ledger.sql_tables import VERSION, upgrade_tables
from noisewright.ledger.store import (
    Description,
    Draft,
    append,
    catch_up,
    describe,
    entries_about,
    entries_from,
    last_checkpoint,
    with_tokens,
)

_MOST = 3
"""No call writes more entries than this: data registered together with a grant, a checkpoint."""

_CHECKPOINT: Draft = {"kind": CHECKPOINT, "dataset": ""}


class Journal:
    """A ledger's entries in their database, and the book of those that were read so far."""

    def __init__(self, database: Database, description: Description, who: str) -> None:
        self._database = database
        self.description = description
        self.who = who
        # Replaced as a whole and never changed, so threads and forks need no lock.
        self._book: Book | None = None

    @property
    def shown(self) -> str:
        """Where the ledger is, for messages."""
        return self._database.shown

    @property
    def patience(self) -> float:
        """How many seconds to wait for a lock."""
        return self._database.patience

    def address(self) -> str:
        """Return what opens the ledger in another process; never with a secret."""
        if self._database.address is None:
            raise LedgerError(
                f"the ledger {self.shown} was opened with a password, which must not be pickled. "
                "Open it in the other process, or keep the password in ~/.pgpass."
            )
        return self._database.address

    def book(self) -> Book:
        """Return the book with all entries that are committed by now."""
        with self._name_ledger():
            self._book = self._database.read(self._caught_up)
        return self._book

    def verify(self, *, head: str | None) -> Book:
        """Read every entry again from the first, and look for a head that was noted before."""
        with self._name_ledger():
            first = Book(self.description.first_hash)
            self._book = self._database.read(
                lambda connection: catch_up(connection, first, self.description.first_hash)
            )
            if head is not None:
                self._require(head, self._book)
        return self._book

    def require_head(self, head: str) -> Book:
        """Refuse a ledger that does not contain a head that was noted before.

        A noted head pins all entries before it. Where it is one of those that were read, back to
        the checkpoint, that is enough; else all are read.
        """
        book = self.book()
        if _read_head(head)[0] < book.checkpoint:
            return self.verify(head=head)
        with self._name_ledger():
            self._require(head, book)
        return book

    def entries(self) -> list[LedgerEntry]:
        """Return all entries, each of which was checked, and that they follow from each other."""

        def work(connection: Any) -> tuple[Book, list[LedgerEntry]]:
            first = Book(self.description.first_hash)
            book = catch_up(connection, first, self.description.first_hash)
            with entries_from(connection, 0) as rows:
                return book, [LedgerEntry.read(row) for row in rows]

        with self._name_ledger():
            self._book, found = self._database.read(work)
        return found

    def entries_about(self, sequence: int) -> list[LedgerEntry]:
        """Return an entry and what became of it."""
        with self._name_ledger():
            return self._database.read(lambda connection: entries_about(connection, sequence))

    def write(self, decide: Callable[[Book], list[Draft]], *, who: str | None) -> list[LedgerEntry]:
        """Append what `decide` returns when it sees the book under the lock; it may refuse.

        Ensures: what it decided is committed, once, or nothing is; also when the connection is
        lost on the way and the work has to be done again.
        """
        self._upgrade()
        author = self.who if who is None else plain_text(who, name="who", required=True)
        tokens = [secrets.token_hex(16) for _ in range(_MOST)]
        is_repeated = False

        def work(connection: Any) -> tuple[Book, list[LedgerEntry]]:
            nonlocal is_repeated
            book = self._caught_up(connection, writing=True)
            if is_repeated and (done := with_tokens(connection, tokens)):
                return book, done  # it was committed, and only the answer was lost
            is_repeated = True
            drafts = decide(book)
            if not drafts:
                return book, []
            named = [
                {**draft, "token": token, "who": author}
                for draft, token in zip([*drafts, _CHECKPOINT], tokens, strict=False)
            ]
            return append(connection, book, named)

        def find_entries(connection: Any) -> str | None:
            found = [str(entry.sequence) for entry in with_tokens(connection, tokens)]
            return f"entry {' and '.join(found)}" if found else None

        with self._name_ledger():
            self._book, written = self._database.write(work, recorded=find_entries)
        return written

    def _caught_up(self, connection: Any, *, writing: bool = False) -> Book:
        first_hash = self.description.first_hash
        known = self._book or last_checkpoint(connection) or Book(first_hash)
        return catch_up(connection, known, first_hash, writing=writing)

    def _upgrade(self) -> None:
        """Bring the tables up to date, before something is written to them."""
        if self.description.version == VERSION:
            return

        def find_upgrade(connection: Any) -> str | None:
            is_new = describe(connection, self.shown).version == VERSION
            return "its tables are up to date" if is_new else None

        try:
            self._database.write(upgrade_tables, recorded=find_upgrade)
        except LedgerError as problem:
            problem.add_note(
                f"The ledger {self.shown} was made by an earlier version. The first write adds "
                "columns to its tables, which only their owner may do: have the owner make one "
                "grant. Reading needs no upgrade."
            )
            raise
        self.description = self._database.read(lambda c: describe(c, self.shown))

    def _require(self, head: str, book: Book) -> None:
        sequence, wanted = _read_head(head)
        if sequence > book.sequence:
            raise AlteredLedgerError(
                f"the noted head is entry {sequence}, and the last one here is {book.sequence}: "
                "entries at the end are missing",
                entry=book.sequence + 1,
            )
        found = self.description.first_hash
        if sequence:
            found = self._database.read(lambda connection: _hash_at(connection, sequence))
        if found != wanted:
            raise AlteredLedgerError(
                f"entry {sequence} has the hash {found}, not the noted {wanted}: this is another "
                "ledger, or it was rewritten",
                entry=sequence,
            )

    @contextmanager
    def _name_ledger(self) -> Generator[None]:
        """Say which ledger was altered, and what to do."""
        try:
            yield
        except AlteredLedgerError as problem:
            raise AlteredLedgerError(
                f"the ledger {self.shown} was altered: {problem}. Release nothing from it. Keep a "
                "copy as evidence, and compare it with an export or a backup.",
                entry=problem.entry,
            ) from None


def _read_head(head: str) -> tuple[int, str]:
    number, _, wanted = head.strip().partition(":")
    if not number.isdecimal() or len(wanted) != 64:
        raise ParameterError(
            f"a head looks like 12:9f86d08…, a number and 64 hexadecimal digits; got {head!r}."
        )
    return int(number), wanted.lower()


def _hash_at(connection: Any, sequence: int) -> str:
    with entries_from(connection, sequence) as rows:
        return next(rows)["hash"]
