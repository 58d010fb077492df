"""What the entries of a ledger add up to. Reading them is checking them.

A book is a value: `extended` reads further entries and returns a new one. It refuses an entry
that is not the next one, that does not follow from the one before, or that no ledger would have
accepted; so whatever a book says was true after every single entry.

Every so often an entry is a checkpoint: it says what all entries before it add up to. A book can
be read from the last checkpoint on; read from the first entry on, it finds each checkpoint true.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError, NoisewrightError
from noisewright.ledger.account import Account, Charge
from noisewright.ledger.claims import Claim
from noisewright.ledger.entries import (
    CHECKPOINT,
    GRANT,
    KINDS,
    REGISTER,
    SPEND,
    LedgerEntry,
    read_amounts,
)
from noisewright.ledger.totals import amount_text, rounded_down
from noisewright.ledger.units import AccountUnit
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated
from noisewright.public import public_methods


@dataclass(frozen=True)
class RhoBudget:
    """The budget of an account in ρ; `budget.spent.epsilon(1e-6)` is the ε that it implies."""

    granted: ZeroConcentrated
    spent: ZeroConcentrated
    left: ZeroConcentrated


@public_methods
@dataclass(frozen=True)
class Balance:
    """The budget of a dataset. `spent` is rounded up, `left` down; both are exact for rationals.

    All amounts are for each person, and `unit` says what counts as a person in the data; None if it
    was not declared and nothing was spent. `reserved` holds the entry numbers of spends that were
    neither released nor wasted: under way, or left behind by a crash. Of an account in ρ, `rho` has
    the amounts; the others then say no more than is always true: nothing is left, and no ε is
    promised for any δ below 1.
    """

    dataset: str
    granted: Guarantee
    spent: Guarantee
    left: Guarantee
    reserved: tuple[int, ...] = ()
    unit: AccountUnit | None = None
    rho: RhoBudget | None = None

    def __str__(self) -> str:
        return f"{self.dataset}: {self.left_text} left of {self.granted_text} ({self.unit_text})"

    @property
    def granted_text(self) -> str:
        """What was granted, in words."""
        return amount_text(self.granted if self.rho is None else self.rho.granted)

    @property
    def left_text(self) -> str:
        """What is left, in decimals that are not more than that."""
        if self.rho is not None:
            return f"rho={rounded_down(self.rho.left.rho)}"
        epsilon, delta = rounded_down(self.left.epsilon.rational), self.left.delta
        return f"epsilon={epsilon}" + (f", delta={rounded_down(delta)}" if delta else "")

    def charge(
        self, guarantee: Guarantee, *, all_rows: bool, independent: bool = False
    ) -> Guarantee:
        """Return what a promise comes to here: for one row, or for all rows of a person.

        What cannot be converted was never charged to this account, and stays as it is.
        """
        unit = self.unit or AccountUnit()
        claim = Claim(guarantee, unit.person if all_rows else None, independent)
        return guarantee if unit.steps(claim.about) is None else claim.charge(unit)

    @property
    def unit_text(self) -> str:
        """What counts as a person, in words."""
        unit, is_spent = self.unit, self.spent != Guarantee(0)
        if self.rho is not None:
            is_spent = self.rho.spent.rho > 0
        if unit is not None and (is_spent or not unit.assumed):
            return str(unit)
        if not is_spent:
            also = "" if unit is None else unit.change_text
            return f"the first spend decides what counts as a person{also}"
        return "spent before accounts had a unit; what counts as a person is not on record"


@dataclass(frozen=True)
class Book:
    """The state after the entries 1..sequence, and the hash that the next one must name."""

    hash: str
    sequence: int = 0
    accounts: Mapping[str, Account] = field(default_factory=dict[str, Account])
    owners: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of each fingerprint of data, the dataset that it is registered for."""
    reserved: Mapping[int, str] = field(default_factory=dict[int, str])
    """Of each spend that is neither released nor wasted, by its entry number, the dataset."""
    checkpoint: int = 0
    """The number of the last entry that is a checkpoint."""

    @property
    def head(self) -> str:
        """The number and the hash of the last entry; kept elsewhere, it pins all before it."""
        return f"{self.sequence}:{self.hash}"

    def extend(self, rows: Iterable[Mapping[str, Any]]) -> Book:
        """Return the book with further entries; refuse the first that does not belong there."""
        book = _Open(self)
        for row in rows:
            if row.get("sequence") != book.sequence + 1:
                raise AlteredLedgerError(
                    f"entry {book.sequence + 1} is missing; the next one has the number "
                    f"{row.get('sequence')}",
                    entry=book.sequence + 1,
                )
            entry = LedgerEntry.read(row)
            if entry.previous != book.hash:
                raise AlteredLedgerError(
                    f"entry {entry.sequence} does not follow the entry before it: the hashes "
                    "differ",
                    entry=entry.sequence,
                )
            book.enter(entry)
        return book.close()

    def state(self) -> str:
        """Return what all entries add up to, as a checkpoint says it."""
        return json.dumps(
            {
                "accounts": [[name, *a.state()] for name, a in self.accounts.items()],
                "owners": list(map(list, self.owners.items())),
                "reserved": list(map(list, self.reserved.items())),
            },
            sort_keys=True,
            separators=(",", ":"),
        )

    @classmethod
    def at(cls, row: Mapping[str, Any]) -> Book:
        """Return the book that a checkpoint tells of, without the entries before it."""
        entry = LedgerEntry.read(row)
        try:
            state = json.loads(entry.what)
            return cls(
                entry.hash,
                entry.sequence,
                {name: Account.of_state(account) for name, *account in state["accounts"]},
                dict(state["owners"]),
                dict(state["reserved"]),
                entry.sequence,
            )
        except (NoisewrightError, ValueError, TypeError, KeyError) as problem:
            raise _impossible(entry.sequence, "is a checkpoint that cannot be read") from problem

    def balance(self, dataset: str) -> Balance:
        """Return the budget of a dataset that the book knows."""
        account = self.accounts[dataset]
        granted, spent, left = account.granted, account.total, account.left()
        reserved = tuple(n for n, name in self.reserved.items() if name == dataset)
        if isinstance(left, ZeroConcentrated):
            nothing = Guarantee(0, 1)
            rho = RhoBudget(ZeroConcentrated(granted.rho or 0), ZeroConcentrated(spent.rho), left)
            return Balance(dataset, nothing, nothing, Guarantee(0), reserved, account.unit, rho)
        return Balance(dataset, granted.guarantee, spent.guarantee, left, reserved, account.unit)


class _Open:
    """A book while entries are added to it."""

    def __init__(self, book: Book) -> None:
        self.sequence, self.hash, self._checkpoint = book.sequence, book.hash, book.checkpoint
        self._accounts, self._owners = dict(book.accounts), dict(book.owners)
        self._reserved = dict(book.reserved)

    def close(self) -> Book:
        return Book(
            self.hash,
            self.sequence,
            self._accounts,
            self._owners,
            self._reserved,
            self._checkpoint,
        )

    def enter(self, entry: LedgerEntry) -> None:
        """Apply one entry, or say why no ledger would have accepted it."""
        number = entry.sequence
        if entry.kind not in KINDS:
            raise LedgerError(
                f"entry {number} is of the kind {entry.kind!r}, which this version does not know. "
                "Install a newer noisewright."
            )
        known = self._accounts.get(entry.dataset)
        if entry.kind == CHECKPOINT:
            if entry.what != self.close().state():
                raise _impossible(number, "is a checkpoint that differs from the entries before it")
            self._checkpoint = number
        elif entry.kind == REGISTER:
            if not entry.fingerprint or entry.fingerprint in self._owners:
                raise _impossible(number, "registers no data, or data that has a budget already")
            self._owners[entry.fingerprint] = entry.dataset
            self._accounts[entry.dataset] = known or Account()
        elif entry.kind == GRANT:
            self._accounts[entry.dataset] = _add_grant(entry, known or Account())
        elif known is None:
            raise _impossible(number, "refers to a dataset that was never granted a budget")
        elif entry.kind == SPEND:
            self._accounts[entry.dataset] = _add_spend(entry, known)
            self._reserved[number] = entry.dataset
        else:
            if entry.about is None or self._reserved.get(entry.about) != entry.dataset:
                raise _impossible(number, "finishes a spend that is not reserved")
            del self._reserved[entry.about]
        self._require_unit(entry)
        self.sequence, self.hash = number, entry.hash

    def _require_unit(self, entry: LedgerEntry) -> None:
        account = self._accounts.get(entry.dataset)
        unit = None if account is None or account.unit is None else account.unit.to_text()
        if entry.kind != CHECKPOINT and entry.unit != unit:
            raise _impossible(entry.sequence, "is in another unit than its account")


def _add_grant(entry: LedgerEntry, account: Account) -> Account:
    amount, rho = read_amounts(entry)
    if amount.epsilon.ratio is not None:
        raise _impossible(entry.sequence, "grants an epsilon that is not rational")
    if rho is not None and amount != Guarantee(0):
        raise _impossible(entry.sequence, "grants two currencies")
    try:
        unit = None if entry.unit is None else AccountUnit.read(entry.unit)
        granted = account.with_grant(amount if rho is None else ZeroConcentrated(rho), unit)
    except NoisewrightError as problem:
        what = "states a unit or a currency that its account cannot have"
        raise _impossible(entry.sequence, what) from problem
    if granted.granted.delta > 1:
        raise _impossible(entry.sequence, "grants more than delta=1")
    if not granted.fits:
        raise _impossible(entry.sequence, "grants less than was spent in its unit")
    return granted


def _add_spend(entry: LedgerEntry, account: Account) -> Account:
    amount = Charge(*read_amounts(entry))
    if entry.claim is None:
        # Written before accounts had a unit; it may be about one row, which costs most.
        claim, unit = Claim(amount.guarantee), None
        is_covered = account.unit is None and not account.is_in_rho
    else:
        try:
            claim = Claim.read(entry.claim)
            unit, charge = account.charge(claim)
            said = None if entry.unit is None else AccountUnit.read(entry.unit)
        except NoisewrightError as problem:
            what = "promises what its account cannot be charged for"
            raise _impossible(entry.sequence, what) from problem
        # Entries may not tell what was said from what was assumed.
        unit = said if account.unit is None and said == unit else unit
        is_covered = amount.covers(charge)
    if not is_covered:
        raise _impossible(entry.sequence, "spends less than it promises in the unit of its account")
    account = account.with_spend(amount, unit, claim)
    if not account.fits:
        raise _impossible(entry.sequence, "spends more than was left")
    return account


def _impossible(number: int, what: str) -> AlteredLedgerError:
    return AlteredLedgerError(f"entry {number} {what}; no ledger accepts that", entry=number)
