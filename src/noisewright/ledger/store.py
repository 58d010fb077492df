"""The tables as the ledger reads and appends to them, each time from where it last was."""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError
from noisewright.ledger.book import Book
from noisewright.ledger.database import Database, already_there
from noisewright.ledger.entries import LedgerEntry, digest_of
from noisewright.ledger.library import load_sqlalchemy
from noisewright.ledger.tables import DESCRIPTION, VERSION, create_tables, tables

Draft = Mapping[str, Any]
"""The part of an entry that the caller knows; number, time and hashes come with its commit."""


@dataclass(frozen=True)
class Description:
    """What a ledger says of itself. Its hash is what the first entry names as the one before."""

    version: int
    identity: str
    created: str
    key_check: str
    key: str | None

    @property
    def first_hash(self) -> str:
        """The start of the chain; the key itself is not part of it, so that it can be exported."""
        return digest_of(self.public())

    def public(self) -> dict[str, Any]:
        """Return what may be shown to anyone: everything but the key."""
        return {
            "version": self.version,
            "identity": self.identity,
            "created": self.created,
            "key_check": self.key_check,
        }


def now() -> str:
    """Return the time in UTC, as the ledger writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def create_ledger(database: Database, *, key: bytes | None, check: str) -> Description:
    """Create the tables and the description, in one transaction."""
    description = Description(
        VERSION, secrets.token_hex(16), now(), check, None if key is None else key.hex()
    )

    def work(connection: Any) -> None:
        if load_sqlalchemy().inspect(connection).has_table(DESCRIPTION):
            raise already_there(database.shown)
        create_tables(connection)
        connection.execute(
            tables()
            .description.insert()
            .values(
                id=1,
                **description.public(),
                key=description.key,
                head_sequence=0,
                head_hash=description.first_hash,
            )
        )

    def created(connection: Any) -> str | None:
        is_there = load_sqlalchemy().inspect(connection).has_table(DESCRIPTION)
        return "the new ledger is there" if is_there else None

    database.write(work, recorded=created)
    return description


def describe(connection: Any, shown: str) -> Description:
    """Read what a ledger says of itself; refuse what this version does not understand."""
    if not load_sqlalchemy().inspect(connection).has_table(DESCRIPTION):
        raise LedgerError(
            f"{shown} holds no ledger. Check the name, or create one with Ledger.create."
        )
    # The version alone first: a future one may have other columns.
    versions = connection.exec_driver_sql(f"SELECT version FROM {DESCRIPTION}").all()
    if len(versions) != 1 or not isinstance(versions[0][0], int):
        raise AlteredLedgerError(f"the description of the ledger {shown} is not one row.")
    if versions[0][0] > VERSION:
        raise LedgerError(
            f"the ledger {shown} was written by a newer noisewright: it has version "
            f"{versions[0][0]}, this one reads up to {VERSION}. Nothing was changed; install the "
            "newer noisewright."
        )
    row = connection.execute(tables().description.select()).one()._mapping
    return Description(**{name: row[name] for name in Description.__dataclass_fields__})


def catch_up(connection: Any, book: Book, first_hash: str, *, writing: bool = False) -> Book:
    """Return the book with the entries that were added since; with the lock, if for writing."""
    head = tables().description.select()
    row = connection.execute(head.with_for_update() if writing else head).one()._mapping
    found = Description(**{name: row[name] for name in Description.__dataclass_fields__})
    if found.first_hash != first_hash:
        raise AlteredLedgerError("the description is another one: the ledger was replaced", entry=0)
    with entries_from(connection, book.sequence) as rows:
        if book.sequence:
            known = next(rows, None)
            if known is None or known.get("hash") != book.hash:
                raise AlteredLedgerError(
                    f"entry {book.sequence} is gone or another one than it was",
                    entry=book.sequence,
                )
        book = book.extended(rows)
    if (row["head_sequence"], row["head_hash"]) != (book.sequence, book.hash):
        raise AlteredLedgerError(
            f"the ledger's last entry should be {row['head_sequence']}, and it is {book.sequence}: "
            "entries at the end are missing or new",
            entry=book.sequence + 1,
        )
    return book


@contextmanager
def entries_from(connection: Any, sequence: int) -> Generator[Iterator[dict[str, Any]]]:
    """Give the rows of the entries from a number on.

    They are let go at the end of the block, read or not: an open cursor keeps SQLite's lock, even
    when its connection is closed.
    """
    table = tables().entries
    query = table.select().where(table.c.sequence >= sequence).order_by(table.c.sequence)
    with connection.execute(query, execution_options={"yield_per": 1000}) as result:
        yield (dict(row._mapping) for row in result)


def append(connection: Any, book: Book, drafts: Iterable[Draft]) -> tuple[Book, list[LedgerEntry]]:
    """Add entries and move the head, in the caller's transaction."""
    added: list[LedgerEntry] = []
    for draft in drafts:
        entry = LedgerEntry.sealed(
            {
                "about": None,
                "epsilon": None,
                "delta": None,
                "certificate": None,
                "fingerprint": None,
                **draft,
                "sequence": book.sequence + 1,
                "at": now(),
                "previous": book.hash,
            }
        )
        # The book refuses what a later reader would refuse, before it is written.
        book = book.extended([entry.as_row()])
        connection.execute(tables().entries.insert().values(**entry.as_row()))
        added.append(entry)
    connection.execute(
        tables().description.update().values(head_sequence=book.sequence, head_hash=book.hash)
    )
    return book, added


def with_tokens(connection: Any, tokens: list[str]) -> list[LedgerEntry]:
    """Return the entries that carry these tokens, in order."""
    table = tables().entries
    query = table.select().where(table.c.token.in_(tokens)).order_by(table.c.sequence)
    return [LedgerEntry.read(dict(row._mapping)) for row in connection.execute(query)]
