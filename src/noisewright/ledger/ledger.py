"""The ledger: budgets, spends and what became of them, append-only."""

from __future__ import annotations

import getpass
import os
import socket
from typing import Any, Literal

from noisewright.errors import BudgetError, LedgerError, ParameterError, UnknownDatasetError
from noisewright.exact import Number
from noisewright.given import whole_number
from noisewright.ledger.book import Balance
from noisewright.ledger.decisions import (
    Granting,
    Spending,
    account_of,
    data_name,
    dataset_name,
    finishing,
    known_names,
    registering,
)
from noisewright.ledger.entries import RESERVED, SPEND, LedgerEntry, plain_text
from noisewright.ledger.export import write_export
from noisewright.ledger.fingerprint import Fingerprint, fingerprint
from noisewright.ledger.journal import Journal
from noisewright.ledger.keys import kept_key, key_check, new_key, read_key, require_same
from noisewright.ledger.locked_transactions import database_at, new_file, require_file
from noisewright.ledger.parts import DataPart
from noisewright.ledger.reservation import Reservation
from noisewright.ledger.store import create_ledger, describe
from noisewright.ledger.units import Change
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated
from noisewright.public import public_methods

_PATIENCE = 30.0


@public_methods
class Ledger:
    """The durable budget of one or more datasets. Open it with `Ledger.open`.

    A dataset is a name for the people that some data is about; every file or table that holds
    them is registered under that name and draws on one budget. Its unit says what counts as a
    person in the data: a row, or all rows with the same value in a column. Spends are charged in
    that unit, add up by basic composition, in exact arithmetic, and are never refunded.
    """

    def __init__(self, journal: Journal, *, key: bytes | None) -> None:
        self._journal = journal
        self._key = key

    @classmethod
    def create(
        cls,
        where: str | os.PathLike[str],
        *,
        key: bytes | str | None = None,
        who: str | None = None,
        patience: float = _PATIENCE,
    ) -> Ledger:
        """Create an empty ledger at a path or PostgreSQL URL where there is none.

        Without `key=` a key for fingerprints is made and kept in the ledger. With it the ledger
        keeps only what it takes to recognize the key, and whoever opens it has to bring the key.
        """
        database = database_at(where, patience=patience)
        given = None if key is None else read_key(key)
        own = new_key()
        with new_file(database) as place:
            create_ledger(
                place,
                key=own if given is None else None,
                check=key_check(own if given is None else given),
            )
        return cls.open(where, key=given, who=who, patience=patience)

    @classmethod
    def open(
        cls,
        where: str | os.PathLike[str],
        *,
        key: bytes | str | None = None,
        head: str | None = None,
        who: str | None = None,
        patience: float = _PATIENCE,
    ) -> Ledger:
        """Open the ledger at a path or PostgreSQL URL, and verify what can be spent from it.

        That is the last checkpoint (there is one every 1,000 entries or so) and every entry after
        it: `verify` checks all. `head=` is one that you noted earlier: the ledger must still
        contain it. `who=` is written to entries instead of user@host. `patience=` is how many
        seconds to wait for a lock.
        """
        database = database_at(where, patience=patience)
        require_file(database.path)
        description = database.read(lambda c: describe(c, database.shown))
        if key is None:
            held = kept_key(description.key, description.key_check, database.shown)
        else:
            held = require_same(read_key(key), description.key_check, database.shown)
        who = user_at_host() if who is None else who
        who = plain_text(who, name="who", required=True)
        ledger = cls(Journal(database, description, who), key=held)
        if head is None:
            ledger._journal.book()
        else:
            ledger._journal.require_head(head)
        return ledger

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled, it is opened again where it arrives; an address holds no key and no password.
        journal = self._journal
        if self._key is not None and journal.description.key is None:
            raise LedgerError(
                f"the ledger {self.where} does not keep its key, and a key must not be pickled. "
                "Open the ledger in the other process, with its key."
            )
        return _reopen, (journal.address(), journal.who, journal.patience)

    @property
    def where(self) -> str:
        """Where the ledger is kept, without a password."""
        return self._journal.shown

    @property
    def head(self) -> str:
        """The number and hash of the last entry. Note it elsewhere: it pins all entries so far."""
        return self._journal.book().head

    def verify(self, *, head: str | None = None) -> str:
        """Check every entry, its hash and its arithmetic again, and return the head.

        Ensures: no entry was edited, removed or moved, no budget was ever exceeded, and every
        checkpoint says what the entries before it add up to; or raises
        AlteredLedgerError with the first entry that is wrong. Entries removed from the end by
        someone who also moved the ledger's own head, or a ledger rewritten as a whole, are
        noticed only with a `head=` that was noted before.
        """
        return self._journal.verify(head=head).head

    def fingerprint(self, data: object) -> Fingerprint:
        """Return the keyed fingerprint of a file, a folder, an Arrow table or a data frame."""
        if isinstance(data, Fingerprint):
            return data
        if self._key is None:
            raise LedgerError(
                f"the ledger {self.where} does not keep its key, which tells one dataset from "
                "another; open it with key=."
            )
        return fingerprint(data, self._key)

    @property
    def recognizes_data(self) -> bool:
        """Whether the key is at hand that tells one dataset from another."""
        return self._key is not None

    def find(self, data: object) -> str:
        """Return the name of the dataset that this data was registered for."""
        mark = self.fingerprint(data)
        book = self._journal.book()
        name = book.owners.get(mark.digest)
        if name is None:
            raise UnknownDatasetError(
                f"the ledger {self.where} does not know this data (fingerprint {mark}). If it is "
                f"about people who have a budget already, register it under their name; it knows "
                f"{known_names(book)}. If they are others, grant a budget under a new name, with "
                "data=."
            )
        return name

    def register(
        self, dataset: str, data: object, *, called: str | None = None, who: str | None = None
    ) -> Balance:
        """Let data draw on the budget of a dataset: another file about the same people.

        Data that is registered for this dataset already changes nothing. `called` is what the
        record calls it; left out, the last part of its path.
        """
        name, mark = dataset_name(dataset), self.fingerprint(data)
        what = data_name(data) if called is None else plain_text(called, name="called")
        self._journal.write(lambda book: registering(book, name, what, mark), who=who)
        return self.balance(name)

    def grant(
        self,
        dataset: str,
        *,
        epsilon: Number = 0,
        delta: Number = 0,
        rho: Number | None = None,
        person: str | None = None,
        rows: int | None = None,
        change: Change | None = None,
        why: str = "",
        data: object = None,
        who: str | None = None,
    ) -> Balance:
        """Add to the budget of a dataset; the first grant makes it known. `data=` registers data.

        The budget is in ε and δ, or in `rho` of zero-concentrated privacy, and stays in that
        currency. It is for each person. `person` is the column that identifies people, and `rows`
        the most rows that one of them has in any of the data; rows=1 means that each row is a
        person. If both are left out, the first spend decides what counts as a person. `change` is
        what the budget is about: "replace" a person, so that their number is public, or "add or
        remove" one; left out, it stays as it is, and is "replace" at first. A later grant may
        restate all of this, but never so that less was spent: promises about one row are charged
        again, `rows` times, and the grants must cover that.

        Requires: epsilon and delta are rational, and not both 0 unless a unit or a change is
        given; the δ of all grants is at most 1.
        Ensures: all is recorded in one transaction; returns the new balance.
        """
        mark = None if data is None else self.fingerprint(data)
        amount = Guarantee(epsilon, delta) if rho is None else ZeroConcentrated(rho)
        if rho is not None and Guarantee(epsilon, delta) != Guarantee(0):
            raise ParameterError("an account has one currency: give rho=, or epsilon= and delta=.")
        grant = Granting(
            dataset_name(dataset),
            amount,
            plain_text(why, name="why"),
            person,
            rows,
            change,
        )
        marks = None if mark is None else (data_name(data), mark)
        self._journal.write(lambda book: grant.drafts(book, marks), who=who)
        return self.balance(dataset)

    def spend(
        self,
        dataset: str,
        guarantee: Guarantee,
        *,
        what: str,
        certificate: object = None,
        person: str | None = None,
        independent: bool = False,
        change: Change = "replace",
        rho: Number | None = None,
        part: DataPart | None = None,
        who: str | None = None,
    ) -> Reservation:
        """Debit a dataset's budget, before any noise is drawn. Over budget, nothing is recorded.

        The guarantee is for replacing one row; or, with `person`, for replacing all rows that
        this column identifies as one person's; with change="add or remove", for adding or removing
        them. It is charged in the unit of the account: where a person has up to k rows, a promise
        about one row is charged k times its ε, and k times its δ if rows are drawn independently
        (`independent`), more otherwise. A promise for adding or removing is charged twice where
        people are replaced (2ε, δ(1 + e^ε)): one leaves, another one comes. What cannot be
        converted raises a UnitError. The first spend says what counts as a person in an account
        where nobody did.

        An account in ρ is charged `rho`, which holds beside the guarantee, or ε²/2 if δ = 0; k²
        times for k rows, and 4 times where people are replaced. A spend on a `part` of the data
        adds up in that part; of all parts of a partition, a person is charged for the largest (see
        `Partition`).

        Requires: `what` says what will be released; `certificate` is one, or its digest.
        Ensures: when this returns, the spend is durably committed, and all spends of the dataset
        together, from all processes, are within what was granted.
        """
        spending = Spending.of(
            dataset,
            guarantee,
            what,
            certificate,
            person=person,
            independent=independent,
            change=change,
            rho=rho,
            part=part,
        )
        drafts = self._journal.write(lambda book: spending.drafts(book, self.where), who=who)
        return Reservation(self, drafts[0])

    def require_room(
        self,
        dataset: str,
        guarantee: Guarantee,
        *,
        person: str | None = None,
        independent: bool = False,
        change: Change = "replace",
        rho: Number | None = None,
        part: DataPart | None = None,
    ) -> Guarantee:
        """Return what a spend would be charged; raise if the budget has no room for it now.

        This reserves nothing: only `spend` debits, and another process may be quicker.
        """
        asked = Spending.of(
            dataset,
            guarantee,
            "?",
            None,
            person=person,
            independent=independent,
            change=change,
            rho=rho,
            part=part,
        )
        return asked.charge(self._journal.book(), self.where)[1].guarantee

    def finish(
        self,
        sequence: int,
        state: Literal["released", "wasted"] | str,
        *,
        why: str = "",
        who: str | None = None,
    ) -> LedgerEntry:
        """Record what became of a reserved spend: "released", or "wasted". Neither refunds it."""
        what = plain_text(why, name="why")
        # Asked before the lock is taken, for the words of a refusal; the book decides.
        before = "reserved" if sequence in self._journal.book().reserved else self.state(sequence)
        decide = finishing(sequence, state, what, before)
        return self._journal.write(decide, who=who)[0]

    def state(self, sequence: int) -> str:
        """Return whether a spend is 'reserved', 'released' or 'wasted'."""
        whole_number(sequence, name="sequence", least=0, most=1 << 62)
        found = self._journal.entries_about(sequence)
        if not found or (found[0].sequence, found[0].kind) != (sequence, SPEND):
            raise BudgetError(
                f"entry {sequence} is not a spend in the ledger {self.where}; "
                f"`noisewright ledger history` lists them."
            )
        return found[1].kind if len(found) > 1 else RESERVED

    def remaining(self, dataset: str) -> Guarantee:
        """Return what can still be spent, exact or rounded down; not of an account in ρ."""
        balance = self.balance(dataset)
        if balance.rho is not None:
            raise BudgetError(
                f"the budget of {dataset!r} is in rho: use ledger.balance({dataset!r}).rho.left."
            )
        return balance.left

    def balance(self, dataset: str) -> Balance:
        """Return what a dataset was granted, what was spent, and what is left."""
        book = self._journal.book()
        account_of(book, dataset, self.where)
        return book.balance(dataset)

    def balances(self) -> tuple[Balance, ...]:
        """Return the balance of every dataset, in the order in which they became known."""
        book = self._journal.book()
        return tuple(book.balance(dataset) for dataset in book.accounts)

    def history(self, dataset: str | None = None) -> tuple[LedgerEntry, ...]:
        """Return all entries, or those of one dataset, first to last, after `verify`."""
        if dataset is not None:
            account_of(self._journal.book(), dataset, self.where)
        entries = self._journal.entries()
        return tuple(e for e in entries if dataset is None or e.dataset == dataset)

    def export(self, path: str | os.PathLike[str], *, form: str | None = None) -> str:
        """Write all entries to a file, whole or not at all, and return the head.

        `form` is "jsonl" or "csv"; left out, the file's name says it. JSON lines start with the
        ledger's description (never its key), so that the chain can be checked from the file alone.
        """
        # Verified with it: an export of altered entries would pass for the real thing.
        entries = self.history()
        write_export(path, self._journal.description.public(), entries, form=form)
        return f"{entries[-1].sequence}:{entries[-1].hash}" if entries else self.head

    def __repr__(self) -> str:
        return f"Ledger({self.where!r})"


def user_at_host() -> str:
    """Return who writes, as the operating system names them."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a number that has no name.
        user = f"uid-{os.getuid()}" if hasattr(os, "getuid") else "unknown"
    return "".join(c if c.isprintable() else "?" for c in f"{user}@{socket.gethostname()}")


def _reopen(where: str, who: str, patience: float) -> Ledger:
    return Ledger.open(where, who=who, patience=patience)
