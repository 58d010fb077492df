"""The verified chain of entries: every read checks what is new, every write is one transaction."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError, ParameterError
from noisewright.ledger.book import Book
from noisewright.ledger.database import Database
from noisewright.ledger.entries import LedgerEntry, plain_text
from noisewright.ledger.store import (
    Description,
    Draft,
    append,
    catch_up,
    entries_from,
    with_tokens,
)

_MOST = 2
"""No call writes more entries than this: data registered together with a grant."""


class Journal:
    """A ledger's entries in their database, and the book of those that were read so far."""

    def __init__(self, database: Database, description: Description, who: str) -> None:
        self._database = database
        self.description = description
        self.who = who
        # Replaced as a whole and never changed, so threads and forks need no lock.
        self._book = Book(description.first_hash)

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
        self._book = self._read(self._book)
        return self._book

    def verify(self, *, head: str | None) -> Book:
        """Read every entry again from the first, and look for a head that was noted before."""
        self._book = self._read(Book(self.description.first_hash))
        if head is not None:
            with self._named():
                self._require(head)
        return self._book

    def entries(self) -> list[LedgerEntry]:
        """Return all entries."""

        def work(connection: Any) -> list[LedgerEntry]:
            with entries_from(connection, 0) as rows:
                return [LedgerEntry.read(row) for row in rows]

        with self._named():
            return self._database.read(work)

    def write(self, decide: Callable[[Book], list[Draft]], *, who: str | None) -> list[LedgerEntry]:
        """Append what `decide` returns when it sees the book under the lock; it may refuse.

        Ensures: what it decided is committed, once, or nothing is; also when the connection is
        lost on the way and the work has to be done again.
        """
        author = self.who if who is None else plain_text(who, name="who", required=True)
        tokens = [secrets.token_hex(16) for _ in range(_MOST)]
        is_repeated = False

        def work(connection: Any) -> tuple[Book, list[LedgerEntry]]:
            nonlocal is_repeated
            book = catch_up(connection, self._book, self.description.first_hash, writing=True)
            if is_repeated and (done := with_tokens(connection, tokens)):
                return book, done  # it was committed, and only the answer was lost
            is_repeated = True
            drafts = [
                {**draft, "token": token, "who": author}
                for draft, token in zip(decide(book), tokens, strict=False)
            ]
            return append(connection, book, drafts) if drafts else (book, [])

        def recorded(connection: Any) -> str | None:
            found = [str(entry.sequence) for entry in with_tokens(connection, tokens)]
            return f"entry {' and '.join(found)}" if found else None

        with self._named():
            self._book, written = self._database.write(work, recorded=recorded)
        return written

    def _read(self, book: Book) -> Book:
        with self._named():
            return self._database.read(
                lambda connection: catch_up(connection, book, self.description.first_hash)
            )

    def _require(self, head: str) -> None:
        number, _, wanted = head.strip().partition(":")
        if not number.isdecimal() or len(wanted) != 64:
            raise ParameterError(
                f"a head looks like 12:9f86d08…, a number and 64 hexadecimal digits; got {head!r}."
            )
        sequence = int(number)
        if sequence > self._book.sequence:
            raise AlteredLedgerError(
                f"the noted head is entry {sequence}, and the last one here is "
                f"{self._book.sequence}: entries at the end are missing",
                entry=self._book.sequence + 1,
            )
        found = self.description.first_hash
        if sequence:
            found = self._database.read(lambda connection: _hash_at(connection, sequence))
        if found != wanted.lower():
            raise AlteredLedgerError(
                f"entry {sequence} has the hash {found}, not the noted {wanted}: this is another "
                "ledger, or it was rewritten",
                entry=sequence,
            )

    @contextmanager
    def _named(self) -> Generator[None]:
        """Say which ledger was altered, and what to do."""
        try:
            yield
        except AlteredLedgerError as problem:
            raise AlteredLedgerError(
                f"the ledger {self.shown} was altered: {problem}. Release nothing from it. Keep a "
                "copy as evidence, and compare it with an export or a backup.",
                entry=problem.entry,
            ) from None


def _hash_at(connection: Any, sequence: int) -> str:
    with entries_from(connection, sequence) as rows:
        return next(rows)["hash"]
