"""Which budget pays: one rule for everything that draws noise on private data."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, final

from noisewright.certificates import Certificate
from noisewright.errors import (
    BudgetError,
    LedgerError,
    ParameterError,
    UnknownDatasetError,
)
from noisewright.exact import as_text, exactly, show
from noisewright.ledger import Balance, Change, DataPart, Fingerprint, Ledger, Reservation
from noisewright.mechanisms import Guarantee
from noisewright.sampling import Source, require_private
from noisewright.tables import frame_table


@final
@dataclass(frozen=True)
class Subject:
    """Whose privacy is spent: the data, and the unit of the guarantee.

    `data` is None where it has no fingerprint; `path` is its file, for advice that can be typed.
    The guarantee is for all rows of a person, whom the column `person` identifies, or for one row
    if there is none; `independent` says that each row is drawn by itself. `change` is what it is
    for: replacing these rows, or adding or removing them. With a `part` it is for the rows of that
    part of the data.
    """

    data: Any = None
    path: str | None = None
    person: str | None = None
    independent: bool = False
    change: Change = "replace"
    part: DataPart | None = None

    @property
    def name(self) -> str:
        """What the ledger calls the data: the last part of its path, or its kind."""
        path = self.path
        name = type(self.data).__name__ if path is None else os.path.basename(os.path.abspath(path))
        return "".join(c if c.isprintable() else "?" for c in name)


@dataclass(frozen=True)
class Payer:
    """A dataset of a ledger; `mark` is the data to register for it with the debit."""

    ledger: Ledger
    dataset: str
    subject: Subject
    mark: Fingerprint | None = None
    called: str = ""

    def debit(self, certificate: Certificate, *, what: str) -> Reservation:
        """Register new data, then spend what is proven; only then may noise be drawn.

        Ensures: what is on record covers the claim, in exact arithmetic, and points to its proof.
        """
        claim = certificate.guarantee
        if self.mark is not None:
            self.ledger.register(self.dataset, self.mark, called=self.called)
        reservation = self.ledger.spend(
            self.dataset,
            claim,
            what=what,
            certificate=certificate,
            person=self.subject.person,
            independent=self.subject.independent,
            change=self.subject.change,
            part=self.subject.part,
        )
        if not covers(reservation.guarantee, claim):
            raise LedgerError(
                f"entry {reservation.sequence} holds {reservation.guarantee}, less than the "
                f"{claim} that is claimed. Nothing was released."
            )
        return reservation

    def balance(self) -> Balance:
        """Return what is left."""
        return self.ledger.balance(self.dataset)

    def doubts(self, balance: Balance) -> list[str]:
        """Return a note if people may have several rows and the account is for single rows."""
        person = self.subject.person
        if person is None or balance.unit is None or balance.unit.rows != 1:
            return []
        return [
            f"in the account {self.dataset!r} {balance.unit}, but here {person!r} identifies "
            "people, who may have several rows. If they do, promises about one row cost them more "
            "than the account says. Declare the most rows that a person has: "
            f"ledger.grant({self.dataset!r}, person={person!r}, rows=k), or noisewright ledger "
            f"grant --person {person} --rows k. Such promises are then charged k times."
        ]


def covers(spent: Guarantee, claim: Guarantee) -> bool:
    """Tell whether a spend is at least what is claimed; decided exactly."""
    return claim.epsilon <= spent.epsilon and claim.delta <= spent.delta


def find_payer(
    ledger: Any,
    dataset: str | None,
    *,
    subject: Subject,
    price: Guarantee,
    source: Source | None,
) -> Payer | None:
    """Return what pays: the dataset that was named, or the one that the data is registered for.

    Every job that draws noise on private data asks here, so that one rule holds for all: `ledger`
    is a Ledger, a path or a URL, or None, and then no budget is debited. A seeded `source` is for
    tests, and no ledger pays for it. Refuses a price that the budget has no room for now, or whose
    unit cannot be converted to that of the account.
    """
    if ledger is None:
        if dataset is not None:
            raise ParameterError(
                f"dataset is {dataset!r}, but no ledger is given that could hold its budget. Give "
                "ledger=, or leave dataset= out."
            )
        return None
    require_private(source)
    advice = _Advice(price, subject)
    book = ledger if isinstance(ledger, Ledger) else _open_ledger(ledger, advice)
    payer = _find(book, subject, dataset, advice)
    # What it costs in rho is known when it is proven, unless it is pure.
    if price.delta == 0 or book.balance(payer.dataset).rho is None:
        book.require_room(
            payer.dataset,
            price,
            person=subject.person,
            independent=subject.independent,
            change=subject.change,
            part=subject.part,
        )
    return payer


def _find(book: Ledger, subject: Subject, dataset: str | None, advice: _Advice) -> Payer:
    data = subject.data
    has_mark = data is not None and (book.recognizes_data or dataset is None)
    if not has_mark and dataset is None:
        raise ParameterError(
            "dataset= is missing, and there is no data here whose fingerprint could identify the "
            f"budget. Name it with dataset= (--dataset); the ledger has {_datasets(book)}."
        )
    if not has_mark and dataset is not None:
        advice.require_datasets(book, dataset)
        return Payer(book, dataset, subject)
    mark = book.fingerprint(_identifiable(data))
    owner = _owner(book, mark)
    if dataset is None:
        if owner is None:
            raise UnknownDatasetError(advice.unknown(book))
        return Payer(book, owner, subject)
    # Before anything is registered: a mistyped name must not get the data.
    advice.require_datasets(book, dataset)
    if owner is not None and owner != dataset:
        raise BudgetError(
            f"this data draws on the budget of {owner!r} already; under a second name its people "
            f"would get a second budget. Leave dataset= out, or give dataset={owner!r}."
        )
    return Payer(book, dataset, subject, None if owner else mark, subject.name)


def _open_ledger(where: Any, advice: _Advice) -> Ledger:
    if not isinstance(where, str | os.PathLike):
        raise ParameterError(
            f"ledger is of type {type(where).__name__}; give a Ledger, a path or a PostgreSQL URL, "
            "or None to debit no budget."
        )
    place = os.fspath(where)
    if "://" not in place and not Path(place).exists():
        raise LedgerError(
            f"there is no ledger at {place!r}. Check the name, or make one and grant a budget:\n"
            f"  noisewright ledger create {shlex.quote(place)}\n"
            f"{advice.grant(place)}"
        )
    return Ledger.open(place)


def _owner(book: Ledger, mark: Fingerprint) -> str | None:
    try:
        return book.find(mark)
    except UnknownDatasetError:
        return None


@dataclass(frozen=True)
class _Advice:
    """What to type when there is no budget yet."""

    price: Guarantee
    subject: Subject

    def grant(self, where: str, dataset: str = "NAME") -> str:
        """Return the command that grants what this release costs."""
        epsilon, delta = self.price.epsilon, self.price.delta
        person, path = self.subject.person, self.subject.path
        words = ["noisewright ledger grant", shlex.quote(where), shlex.quote(dataset)]
        exact = epsilon.ratio is None and epsilon.rational.denominator < 1000
        words += ["--epsilon", as_text(epsilon.rational) if exact else repr(epsilon.ceiling())]
        words += ["--delta", _as_given(delta)] if delta else []
        words += ["--person", shlex.quote(person)] if person is not None else []
        words += [] if self.subject.change == "replace" else ["--change", repr(self.subject.change)]
        words += ["--data", shlex.quote(path)] if path is not None else []
        return "  " + " ".join(words)

    def unknown(self, book: Ledger) -> str:
        """Say that nobody registered this data, and what to do."""
        return (
            f"the ledger {book.where} does not know this data. If it is about people who have a "
            f"budget already, name it with dataset= (--dataset); the ledger has {_datasets(book)}. "
            f"If they are others, grant them a budget:\n{self.grant(book.where)}"
        )

    def require_datasets(self, book: Ledger, dataset: str) -> None:
        """Refuse a name that was never granted anything."""
        try:
            book.balance(dataset)
        except UnknownDatasetError:
            raise UnknownDatasetError(
                f"the ledger {book.where} has no budget for {dataset!r}; it has {_datasets(book)}. "
                f"Check the name, or grant a budget:\n{self.grant(book.where, dataset)}"
            ) from None


def _datasets(book: Ledger) -> str:
    names = [repr(balance.dataset) for balance in book.balances()]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more or "no datasets yet"


def _identifiable(data: Any) -> Any:
    """Return the data in a form that the ledger can take a fingerprint of.

    How a plan reads cells must not matter: the same data is the same under every plan.
    """
    is_pandas = type(data).__module__.split(".")[0] == "pandas"
    if isinstance(data, dict) or (is_pandas and _has_odd_cells(data)):
        return frame_table(data, odd_cells=True)
    return data


def _has_odd_cells(frame: Any) -> bool:
    """Tell whether Arrow cannot hold a frame, as one with a column of texts and numbers mixed."""
    import pyarrow as pa

    try:
        for place, kind in enumerate(frame.dtypes):
            if kind == "object":
                pa.array(frame.iloc[:, place], from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return True
    return False


def _as_given(number: Fraction) -> str:
    """Return an exact text of a number, with a power of ten where that is one: 1e-9."""
    short = show(number) if float(number) else as_text(number)
    return short if exactly(short) == number else as_text(number)
