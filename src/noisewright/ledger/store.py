"""The tables as the ledger reads and appends to them, each time from where it last was.

Rows are read with whatever columns there are: another process may upgrade a ledger meanwhile.
"""

from __future__ import annotations

import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError
from noisewright.ledger.book import Book
from noisewright.ledger.entries import CHECKPOINT, LedgerEntry, digest_of
from noisewright.ledger.locked_transactions import Database, already_there
from noisewright.ledger.sql_tables import (
    DESCRIPTION,
    VERSION,
    create_tables,
    load_sqlalchemy,
    tables,
)

EVERY = 1000
"""So many entries after the last checkpoint there is a new one: what `open` reads at most."""

Draft = Mapping[str, Any]
"""The part of an entry that the caller knows; number, time and hashes come with its commit."""


@dataclass(frozen=True)
class Description:
    """What a ledger says of itself. Its hash is what the first entry names as the one before.

    `origin` is the version that it was made with.
    """

    version: int
    identity: str
    created: str
    key_check: str
    key: str | None
    origin: int

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Description:
        """Read the one row, of whichever version."""
        known = {name: row[name] for name in cls.__dataclass_fields__ if name != "origin"}
        return cls(**known, origin=row["version"] if "origin" not in row else row["origin"])

    @property
    def first_hash(self) -> str:
        """The start of the chain; the key itself is not part of it, so that it can be exported."""
        return digest_of(self.public())

    def public(self) -> dict[str, Any]:
        """Return what may be shown to anyone: everything but the key."""
        return {
            "version": self.origin,
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
        VERSION, secrets.token_hex(16), now(), check, None if key is None else key.hex(), VERSION
    )

    def work(connection: Any) -> None:
        if load_sqlalchemy().inspect(connection).has_table(DESCRIPTION):
            raise already_there(database.shown)
        create_tables(connection)
        head = {"head_sequence": 0, "head_hash": description.first_hash}
        row = {"id": 1, **asdict(description), **head}
        connection.execute(tables().description.insert().values(**row))

    def find_ledger(connection: Any) -> str | None:
        is_there = load_sqlalchemy().inspect(connection).has_table(DESCRIPTION)
        return "the new ledger is there" if is_there else None

    database.write(work, recorded=find_ledger)
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
    return Description.of(connection.execute(_all_of(tables().description)).one()._mapping)


def _all_of(table: Any) -> Any:
    sa = load_sqlalchemy()
    return sa.select(sa.text("*")).select_from(table)


def catch_up(connection: Any, book: Book, first_hash: str, *, writing: bool = False) -> Book:
    """Return the book with the entries that were added since; with the lock, if for writing."""
    query = _all_of(tables().description)
    row = connection.execute(query.with_for_update() if writing else query).one()._mapping
    if Description.of(row).first_hash != first_hash:
        raise AlteredLedgerError("the description differs: the ledger was replaced", entry=0)
    with entries_from(connection, book.sequence) as rows:
        if book.sequence:
            known = next(rows, None)
            if known is None or known.get("hash") != book.hash:
                raise AlteredLedgerError(
                    f"entry {book.sequence} is missing or was replaced",
                    entry=book.sequence,
                )
        book = book.extend(rows)
    if (row["head_sequence"], row["head_hash"]) != (book.sequence, book.hash):
        raise AlteredLedgerError(
            f"the ledger's last entry should be {row['head_sequence']}, and it is {book.sequence}: "
            "entries at the end are missing or new",
            entry=book.sequence + 1,
        )
    return book


def last_checkpoint(connection: Any) -> Book | None:
    """Return the book of the last checkpoint, if there is one; entries before it are not read."""
    table = tables().entries
    last = _all_of(table).where(table.c.kind == CHECKPOINT).order_by(table.c.sequence.desc())
    row = connection.execute(last.limit(1)).first()
    return None if row is None else Book.at(dict(row._mapping))


@contextmanager
def entries_from(connection: Any, sequence: int) -> Generator[Iterator[dict[str, Any]]]:
    """Give the rows of the entries from a number on.

    They are let go at the end of the block, read or not: an open cursor keeps SQLite's lock, even
    when its connection is closed.
    """
    table = tables().entries
    query = _all_of(table).where(table.c.sequence >= sequence).order_by(table.c.sequence)
    with connection.execute(query, execution_options={"yield_per": 1000}) as result:
        yield (dict(row._mapping) for row in result)


def entries_about(connection: Any, sequence: int) -> list[LedgerEntry]:
    """Return an entry and the one that says what became of it, if they are there."""
    sa, table = load_sqlalchemy(), tables().entries
    about = sa.or_(table.c.sequence == sequence, table.c.about == sequence)
    return _entries_where(connection, about)


def with_tokens(connection: Any, tokens: list[str]) -> list[LedgerEntry]:
    """Return the entries that carry these tokens, in order."""
    return _entries_where(connection, tables().entries.c.token.in_(tokens))


def _entries_where(connection: Any, condition: Any) -> list[LedgerEntry]:
    table = tables().entries
    query = _all_of(table).where(condition).order_by(table.c.sequence)
    return [LedgerEntry.read(dict(row._mapping)) for row in connection.execute(query)]


def append(connection: Any, book: Book, drafts: Iterable[Draft]) -> tuple[Book, list[LedgerEntry]]:
    """Add entries and move the head, in the caller's transaction.

    The last draft is for a checkpoint, which is added when it is time for one.
    """
    *wanted, checkpoint = drafts
    added: list[LedgerEntry] = []
    for draft in wanted:
        book, entry = _append(connection, book, draft)
        added.append(entry)
    if book.sequence - book.checkpoint >= EVERY:
        book, _ = _append(connection, book, {**checkpoint, "what": book.state()})
    connection.execute(
        tables().description.update().values(head_sequence=book.sequence, head_hash=book.hash)
    )
    return book, added


def _append(connection: Any, book: Book, draft: Draft) -> tuple[Book, LedgerEntry]:
    account = book.accounts.get(draft["dataset"])
    entry = LedgerEntry.seal(
        {
            "about": None,
            "epsilon": None,
            "delta": None,
            "certificate": None,
            "fingerprint": None,
            "unit": None if account is None or account.unit is None else account.unit.to_text(),
            "claim": None,
            "rho": None,
            **draft,
            "sequence": book.sequence + 1,
            "at": now(),
            "previous": book.hash,
        }
    )
    # The book refuses what a later reader would refuse, before it is written.
    book = book.extend([entry.as_row()])
    connection.execute(tables().entries.insert().values(**entry.as_row()))
    return book, entry
