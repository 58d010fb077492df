"""The ledger: budgets, spends and what became of them, append-only."""

from __future__ import annotations

import os
from typing import Any, Literal

from noisewright.errors import (
    BudgetError,
    LedgerError,
    OverBudgetError,
    ParameterError,
    UnknownDatasetError,
)
from noisewright.exact import Number, as_text
from noisewright.ledger.amounts import Granted, epsilon_text, recordable, rounded_down
from noisewright.ledger.author import user_at_host
from noisewright.ledger.book import Account, Balance, Book
from noisewright.ledger.database import database_at, new_file, require_file
from noisewright.ledger.entries import (
    GRANT,
    REGISTER,
    RELEASED,
    RESERVED,
    SPEND,
    WASTED,
    LedgerEntry,
    certificate_digest,
    plain_text,
)
from noisewright.ledger.export import write_export
from noisewright.ledger.fingerprint import Fingerprint, fingerprint
from noisewright.ledger.journal import Journal
from noisewright.ledger.keys import kept_key, key_check, new_key, read_key, require_same
from noisewright.ledger.reservation import Reservation
from noisewright.ledger.store import Draft, create_ledger, describe
from noisewright.mechanisms import Guarantee

_PATIENCE = 30.0


class Ledger:
    """The durable budget of one or more datasets. Open it with `Ledger.open`.

    A dataset is a name for the people that some data is about; every file or table that holds
    them is registered under that name and draws on one budget. Spends add up by basic
    composition, in exact arithmetic, and are never refunded.
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
        """Open the ledger at a path or PostgreSQL URL, and verify every entry.

        `head=` is one that you noted earlier: the ledger must still contain it. `who=` is written
        to entries instead of user@host. `patience=` is how many seconds to wait for a lock.
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
        ledger.verify(head=head)
        return ledger

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickled, it is opened again where it arrives; an address holds no key and no password.
        journal = self._journal
        if self._key is not None and journal.description.key is None:
            raise LedgerError(
                f"the ledger {self.where} does not keep its key, and a key must not be pickled. "
                "Open the ledger in the other process, with its key."
            )
        return _reopened, (journal.address(), journal.who, journal.patience)

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

        Ensures: no entry was edited, removed or moved, and no budget was ever exceeded; or raises
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
        name = book.owner(mark.digest)
        if name is None:
            raise UnknownDatasetError(
                f"the ledger {self.where} does not know this data (fingerprint {mark}). If it is "
                f"about people who have a budget already, register it under their name; it knows "
                f"{_listed(book)}. If they are others, grant a budget under a new name, with data=."
            )
        return name

    def register(
        self, dataset: str, data: object, *, called: str | None = None, who: str | None = None
    ) -> Balance:
        """Let data draw on the budget of a dataset: another file about the same people.

        Data that is registered for this dataset already changes nothing. `called` is what the
        record calls it; left out, the last part of its path.
        """
        name, mark = _name(dataset), self.fingerprint(data)
        what = _called(data) if called is None else plain_text(called, name="called")
        self._journal.write(lambda book: self._register(book, name, what, mark), who=who)
        return self.balance(name)

    def grant(
        self,
        dataset: str,
        *,
        epsilon: Number = 0,
        delta: Number = 0,
        why: str = "",
        data: object = None,
        who: str | None = None,
    ) -> Balance:
        """Add to the budget of a dataset; the first grant makes it known. `data=` registers data.

        Requires: epsilon and delta are rational and not both 0; the δ of all grants is at most 1.
        Ensures: both are recorded in one transaction; returns the new balance.
        """
        name, amount = _name(dataset), Guarantee(epsilon, delta)
        mark = None if data is None else self.fingerprint(data)
        if amount.epsilon.ratio is not None or amount != recordable(amount):
            raise ParameterError("a grant is a short rational epsilon, such as 2 or '1/3'.")
        if amount.epsilon.is_zero and amount.delta == 0:
            raise ParameterError("nothing is granted: give epsilon= or delta=, or use register.")
        what = plain_text(why, name="why")

        def decide(book: Book) -> list[Draft]:
            granted = book.accounts.get(name, Account()).granted
            if granted.plus(amount).delta > 1:
                raise BudgetError(
                    f"{name} was granted delta={rounded_down(granted.delta)} already; more than 1 "
                    "in total promises nothing. Grant less."
                )
            first = [] if mark is None else self._register(book, name, _called(data), mark)
            return [*first, {"kind": GRANT, "dataset": name, "what": what, **_amount(amount)}]

        self._journal.write(decide, who=who)
        return self.balance(name)

    def spend(
        self,
        dataset: str,
        guarantee: Guarantee,
        *,
        what: str,
        certificate: object = None,
        who: str | None = None,
    ) -> Reservation:
        """Debit a dataset's budget, before any noise is drawn. Over budget, nothing is recorded.

        Requires: `what` says what will be released; `certificate` is one, or its digest.
        Ensures: when this returns, the spend is durably committed, and all spends of the dataset
        together, from all processes, are within what was granted.
        """
        if not isinstance(guarantee, Guarantee):
            raise ParameterError(
                f"a spend is a Guarantee, such as nw.Guarantee(0.5); got "
                f"{type(guarantee).__name__}."
            )
        amount = recordable(guarantee)
        draft = {
            "kind": SPEND,
            "dataset": _name(dataset),
            "what": plain_text(what, name="what", required=True),
            "certificate": certificate_digest(certificate),
            **_amount(amount),
        }

        def decide(book: Book) -> list[Draft]:
            account = self._account(book, dataset)
            if not account.spent.plus(amount).fits(account.granted):
                raise _over(dataset, account, amount)
            return [draft]

        return Reservation(self, self._journal.write(decide, who=who)[0])

    def require_room(self, dataset: str, guarantee: Guarantee) -> None:
        """Raise OverBudgetError if a spend would not fit by now; nothing is recorded.

        It is no promise: only `spend` debits, and another process may be quicker.
        """
        amount = recordable(guarantee)
        account = self._account(self._journal.book(), dataset)
        if not account.spent.plus(amount).fits(account.granted):
            raise _over(dataset, account, amount)

    def finish(
        self,
        sequence: int,
        state: Literal["released", "wasted"] | str,
        *,
        why: str = "",
        who: str | None = None,
    ) -> LedgerEntry:
        """Record what became of a reserved spend: "released", or "wasted". Neither refunds it."""
        if state not in (RELEASED, WASTED):
            raise ParameterError(f"state is {state!r}; a spend ends as 'released' or 'wasted'.")

        def decide(book: Book) -> list[Draft]:
            dataset, before = self._spend(book, sequence)
            if before != RESERVED:
                raise BudgetError(
                    f"entry {sequence} is {before} already; that is final. Nothing was recorded."
                )
            what = plain_text(why, name="why")
            return [{"kind": state, "dataset": dataset, "about": sequence, "what": what}]

        return self._journal.write(decide, who=who)[0]

    def state(self, sequence: int) -> str:
        """Return whether a spend is 'reserved', 'released' or 'wasted'."""
        return self._spend(self._journal.book(), sequence)[1]

    def left(self, dataset: str) -> Guarantee:
        """Return what can still be spent, exact or rounded down."""
        return self.balance(dataset).left

    def balance(self, dataset: str) -> Balance:
        """Return what a dataset was granted, what was spent, and what is left."""
        book = self._journal.book()
        self._account(book, dataset)
        return book.balance(dataset)

    def balances(self) -> tuple[Balance, ...]:
        """Return the balance of every dataset, in the order in which they became known."""
        book = self._journal.book()
        return tuple(book.balance(dataset) for dataset in book.accounts)

    def history(self, dataset: str | None = None) -> tuple[LedgerEntry, ...]:
        """Return all entries, or those of one dataset, first to last."""
        if dataset is not None:
            self._account(self._journal.book(), dataset)
        entries = self._journal.entries()
        return tuple(e for e in entries if dataset is None or e.dataset == dataset)

    def export(self, path: str | os.PathLike[str], *, form: str | None = None) -> str:
        """Write all entries to a file, whole or not at all, and return the head.

        `form` is "jsonl" or "csv"; left out, the file's name says it. JSON lines start with the
        ledger's description (never its key), so that the chain can be checked from the file alone.
        """
        # Verified first: an export of altered entries would pass for the real thing.
        head = self.verify()
        write_export(path, self._journal.description.public(), self.history(), form=form)
        return head

    def __repr__(self) -> str:
        return f"Ledger({self.where!r})"

    def _register(self, book: Book, dataset: str, what: str, mark: Fingerprint) -> list[Draft]:
        """Return the entry that registers data, or none if it is registered for this dataset."""
        owner = book.owner(mark.digest)
        if owner is None:
            draft = {"kind": REGISTER, "dataset": dataset, "what": what}
            return [{**draft, "fingerprint": mark.digest}]
        if owner != dataset:
            raise BudgetError(
                f"this data (fingerprint {mark}) draws on the budget of {owner!r} already; under "
                "a second name its people would get a second budget. Use the first name."
            )
        return []

    def _account(self, book: Book, dataset: str) -> Account:
        account = book.accounts.get(dataset)
        if account is None:
            raise UnknownDatasetError(
                f"the ledger {self.where} has no budget for {dataset!r}; it knows {_listed(book)}. "
                f"Grant one: ledger.grant({dataset!r}, epsilon=…)."
            )
        return account

    def _spend(self, book: Book, sequence: int) -> tuple[str, str]:
        if sequence not in book.states:
            raise BudgetError(
                f"entry {sequence} is no spend in the ledger {self.where}; "
                f"`noisewright ledger history` lists them."
            )
        return book.states[sequence]


def _reopened(where: str, who: str, patience: float) -> Ledger:
    return Ledger.open(where, who=who, patience=patience)


def _over(dataset: str, account: Account, asked: Guarantee) -> OverBudgetError:
    left = account.spent.left(account.granted)
    epsilon, delta = rounded_down(left.epsilon.rational), rounded_down(left.delta)
    # Whatever delta may be, epsilon alone is compared exactly here.
    ample = Granted(account.granted.epsilon, account.spent.delta + asked.delta)
    much = [] if account.spent.plus(asked).fits(ample) else ["epsilon"]
    much += ["delta"] if asked.delta > left.delta else []
    return OverBudgetError(
        f"{asked} was asked for, which is too much {' and '.join(much)} for {dataset!r}: left are "
        f"epsilon={epsilon}, delta={delta} of {account.granted.guarantee}. Nothing was recorded, "
        f"so nothing may be released. What fits: epsilon up to {epsilon} with delta up to {delta}. "
        f"To raise the budget: ledger.grant({dataset!r}, epsilon=…), or noisewright ledger grant.",
        left=left,
        asked=asked,
    )


def _amount(guarantee: Guarantee) -> dict[str, str]:
    return {"epsilon": epsilon_text(guarantee.epsilon), "delta": as_text(guarantee.delta)}


def _name(dataset: str) -> str:
    return plain_text(dataset, name="the dataset's name", longest=200, required=True)


def _called(data: object) -> str:
    """Return what to call registered data: the last part of a path, or the kind of a table."""
    if isinstance(data, str | os.PathLike):
        name = os.path.basename(os.path.abspath(os.fspath(data)))
        return "".join(c if c.isprintable() else "?" for c in str(name))
    return type(data).__name__


def _listed(book: Book) -> str:
    names = [repr(name) for name in book.accounts]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (", ".join(names[:8]) + more) or "no datasets"
