"""What the entries of a ledger add up to. Reading them is checking them.

A book is a value: `extended` reads further entries and returns a new one. It refuses an entry
that is not the next one, that does not follow from the one before, or that no ledger would have
accepted; so whatever a book says was true after every single entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from noisewright.errors import AlteredLedgerError, LedgerError
from noisewright.ledger.amounts import Granted, Total, rounded_down
from noisewright.ledger.entries import (
    GRANT,
    KINDS,
    REGISTER,
    RELEASED,
    RESERVED,
    SPEND,
    WASTED,
    LedgerEntry,
    read_amount,
)
from noisewright.mechanisms import Guarantee


@dataclass(frozen=True)
class Account:
    """One dataset: what was granted and spent, and which data it stands for."""

    granted: Granted = field(default_factory=Granted)
    spent: Total = field(default_factory=Total)
    fingerprints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Balance:
    """The budget of a dataset. `spent` is rounded up, `left` down; both are exact for rationals.

    `reserved` holds the entry numbers of spends that were neither released nor wasted: under way,
    or left behind by a crash.
    """

    dataset: str
    granted: Guarantee
    spent: Guarantee
    left: Guarantee
    reserved: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.dataset}: {self.left_text} left of {self.granted}"

    @property
    def left_text(self) -> str:
        """What is left, in decimals that are not more than that."""
        epsilon, delta = rounded_down(self.left.epsilon.rational), self.left.delta
        return f"epsilon={epsilon}" + (f", delta={rounded_down(delta)}" if delta else "")


@dataclass(frozen=True)
class Book:
    """The state after the entries 1..sequence, and the hash that the next one must name."""

    hash: str
    sequence: int = 0
    accounts: Mapping[str, Account] = field(default_factory=dict[str, Account])
    states: Mapping[int, tuple[str, str]] = field(default_factory=dict[int, tuple[str, str]])
    """Of each spend, by its entry number: the dataset, and reserved, released or wasted."""

    @property
    def head(self) -> str:
        """The number and the hash of the last entry; kept elsewhere, it pins all before it."""
        return f"{self.sequence}:{self.hash}"

    def extended(self, rows: Iterable[Mapping[str, Any]]) -> Book:
        """Return the book with further entries; refuse the first that does not belong there."""
        accounts, states = dict(self.accounts), dict(self.states)
        sequence, previous = self.sequence, self.hash
        for row in rows:
            if row.get("sequence") != sequence + 1:
                raise AlteredLedgerError(
                    f"entry {sequence + 1} is missing; the next one has the number "
                    f"{row.get('sequence')}",
                    entry=sequence + 1,
                )
            entry = LedgerEntry.read(row)
            if entry.previous != previous:
                raise AlteredLedgerError(
                    f"entry {entry.sequence} does not follow the entry before it: the hashes "
                    "differ",
                    entry=entry.sequence,
                )
            _enter(entry, accounts, states)
            sequence, previous = entry.sequence, entry.hash
        return replace(self, hash=previous, sequence=sequence, accounts=accounts, states=states)

    def balance(self, dataset: str) -> Balance:
        """Return the budget of a dataset that the book knows."""
        account = self.accounts[dataset]
        return Balance(
            dataset,
            account.granted.guarantee,
            account.spent.guarantee,
            account.spent.left(account.granted),
            self.reserved(dataset),
        )

    def reserved(self, dataset: str) -> tuple[int, ...]:
        """Return the numbers of the spends that are neither released nor wasted."""
        return tuple(n for n, known in self.states.items() if known == (dataset, RESERVED))

    def owner(self, fingerprint: str) -> str | None:
        """Return the dataset that this data was registered for."""
        return _owner(self.accounts, fingerprint)


def _owner(accounts: Mapping[str, Account], fingerprint: str) -> str | None:
    return next((name for name, a in accounts.items() if fingerprint in a.fingerprints), None)


def _enter(
    entry: LedgerEntry, accounts: dict[str, Account], states: dict[int, tuple[str, str]]
) -> None:
    """Apply one entry, or say why no ledger would have accepted it."""
    number = entry.sequence
    if entry.kind not in KINDS:
        raise LedgerError(
            f"entry {number} is of the kind {entry.kind!r}, which this version does not know. "
            "Install a newer noisewright."
        )
    known = accounts.get(entry.dataset)
    if entry.kind == REGISTER:
        account = known or Account()
        if not entry.fingerprint or _owner(accounts, entry.fingerprint) is not None:
            raise _impossible(number, "registers no data, or data that has a budget already")
        fingerprints = (*account.fingerprints, entry.fingerprint)
        accounts[entry.dataset] = replace(account, fingerprints=fingerprints)
    elif entry.kind == GRANT:
        account = known or Account()
        granted = account.granted.plus(_rational_amount(entry))
        if granted.delta > 1:
            raise _impossible(number, "grants more than delta=1")
        accounts[entry.dataset] = replace(account, granted=granted)
    elif known is None:
        raise _impossible(number, "speaks of a dataset that was never granted anything")
    elif entry.kind == SPEND:
        spent = known.spent.plus(read_amount(entry))
        if not spent.fits(known.granted):
            raise _impossible(number, "spends more than was left")
        accounts[entry.dataset] = replace(known, spent=spent)
        states[number] = (entry.dataset, RESERVED)
    else:
        if entry.about is None or states.get(entry.about) != (entry.dataset, RESERVED):
            raise _impossible(number, "finishes a spend that is not reserved")
        states[entry.about] = (entry.dataset, RELEASED if entry.kind == RELEASED else WASTED)


def _rational_amount(entry: LedgerEntry) -> Guarantee:
    """Return a granted amount, which is rational."""
    amount = read_amount(entry)
    if amount.epsilon.ratio is not None:
        raise _impossible(entry.sequence, "grants an epsilon that is not rational")
    return amount


def _impossible(number: int, what: str) -> AlteredLedgerError:
    return AlteredLedgerError(f"entry {number} {what}; no ledger accepts that", entry=number)
