"""Whose budget pays for a release, and the debit before the draw."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict

from noisewright.errors import (
    BudgetError,
    CertificateError,
    LedgerError,
    ParameterError,
    UnknownDatasetError,
)
from noisewright.exact import as_text
from noisewright.ledger import Balance, Fingerprint, Ledger, Reservation
from noisewright.mechanisms import Guarantee
from noisewright.privacy import Certificate
from noisewright.releases.inputs import identifiable
from noisewright.sampling import Source, require_private


class Terms(TypedDict):
    """For whom a promise is: see `Ledger.spend`."""

    person: str | None
    independent: bool


@dataclass(frozen=True)
class Payer:
    """A dataset of a ledger; `mark` is data that is to be registered for it with the debit.

    `terms` say for whom the promise is, as the ledger takes them.
    """

    ledger: Ledger
    dataset: str
    mark: Fingerprint | None
    called: str
    terms: Terms

    def debit(self, certificate: Certificate, *, what: str) -> Reservation:
        """Register new data, then spend what is proven; only then may noise be drawn.

        Ensures: what is on record covers the claim, in exact arithmetic, and points to its proof.
        """
        claim = certificate.guarantee
        if self.mark is not None:
            self.ledger.register(self.dataset, self.mark, called=self.called)
        reservation = self.ledger.spend(
            self.dataset, claim, what=what, certificate=certificate, **self.terms
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
        """Say so if people with several rows are paid for by an account of single rows."""
        person = self.terms["person"]
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


def payer_for(
    ledger: Any,
    data: Any,
    dataset: str | None,
    *,
    price: Guarantee,
    shown: str | None,
    person: str | None,
    independent: bool = False,
    source: Source | None,
) -> Payer | None:
    """Return who pays: the dataset that was named, or the one that the data is registered for.

    Every job that draws noise on private data asks here, so that one rule holds for all: a ledger
    pays for private noise only. A seeded `source` is for tests, which nobody accounts for.

    `shown` is the path of the data, for advice that can be typed. Data is None where it has no
    fingerprint. The price is for all rows that the column `person` names as a person's, or for one
    row; `independent` says that each row is drawn by itself. Without a ledger nobody pays. Refuses
    what would not fit into the budget by now, or is in a unit that cannot be converted.
    """
    if ledger is None:
        if dataset is not None:
            raise ParameterError(
                f"dataset is {dataset!r}, but there is no ledger in which it could have a budget. "
                "Give ledger=, or leave dataset= out."
            )
        return None
    require_private(source)
    terms: Terms = {"person": person, "independent": independent}
    advice = _Advice(price, shown, person)
    book = ledger if isinstance(ledger, Ledger) else _opened(ledger, advice)
    payer = _payer(book, data, dataset, advice, terms)
    book.require_room(payer.dataset, price, **terms)
    return payer


def _payer(book: Ledger, data: Any, dataset: str | None, advice: _Advice, terms: Terms) -> Payer:
    has_mark = data is not None and (book.recognizes_data or dataset is None)
    if not has_mark and dataset is None:
        raise ParameterError(
            "this data has no fingerprint by which the ledger could know it. Say which budget pays "
            f"with dataset=; the ledger has {_known(book)}."
        )
    if not has_mark and dataset is not None:
        advice.require_known(book, dataset)
        return Payer(book, dataset, None, "", terms)
    mark = book.fingerprint(identifiable(data))
    owner = _owner(book, mark)
    if dataset is None:
        if owner is None:
            raise UnknownDatasetError(advice.unknown(book))
        return Payer(book, owner, None, "", terms)
    # Before anything is registered: a mistyped name must not get the data.
    advice.require_known(book, dataset)
    if owner is not None and owner != dataset:
        raise BudgetError(
            f"this data draws on the budget of {owner!r} already; under a second name its people "
            f"would get a second budget. Leave dataset= out, or say dataset={owner!r}."
        )
    return Payer(book, dataset, None if owner is not None else mark, advice.called(data), terms)


def _opened(where: Any, advice: _Advice) -> Ledger:
    if not isinstance(where, str | os.PathLike):
        raise ParameterError(
            f"ledger is of type {type(where).__name__}; give a Ledger, a path or a PostgreSQL URL, "
            "or None if nobody accounts."
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
    shown: str | None
    person: str | None

    def grant(self, where: str, dataset: str = "NAME") -> str:
        """Return the command that grants what this release costs."""
        epsilon, delta = self.price.epsilon, self.price.delta
        words = ["noisewright ledger grant", shlex.quote(where), shlex.quote(dataset)]
        exact = epsilon.ratio is None and epsilon.rational.denominator < 1000
        words += ["--epsilon", as_text(epsilon.rational) if exact else repr(epsilon.ceiling())]
        words += ["--delta", as_text(delta)] if delta else []
        words += ["--person", shlex.quote(self.person)] if self.person is not None else []
        words += ["--data", shlex.quote(self.shown)] if self.shown is not None else []
        return "  " + " ".join(words)

    def unknown(self, book: Ledger) -> str:
        """Say that nobody registered this data, and what to do."""
        return (
            f"the ledger {book.where} does not know this data. If it is about people who have a "
            f"budget already, name it with dataset= (--dataset); the ledger has {_known(book)}. If "
            f"they are others, grant them a budget:\n{self.grant(book.where)}"
        )

    def require_known(self, book: Ledger, dataset: str) -> None:
        """Refuse a name that was never granted anything."""
        try:
            book.balance(dataset)
        except UnknownDatasetError:
            raise UnknownDatasetError(
                f"the ledger {book.where} has no budget for {dataset!r}; it has {_known(book)}. "
                f"Check the name, or grant a budget:\n{self.grant(book.where, dataset)}"
            ) from None

    def called(self, data: object) -> str:
        """Return what the ledger calls the data: the last part of its path, or its kind."""
        shown = self.shown
        name = type(data).__name__ if shown is None else os.path.basename(os.path.abspath(shown))
        return "".join(c if c.isprintable() else "?" for c in name)


def _known(book: Ledger) -> str:
    names = [repr(balance.dataset) for balance in book.balances()]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return ", ".join(names[:8]) + more or "no datasets yet"


def not_covered(plan: Guarantee, certificate: Guarantee) -> CertificateError:
    """Return what to say of a certificate that proves less than the plan gives away."""
    return CertificateError(
        f"the plan gives away {plan} of each person, and its certificate proves {certificate} "
        "only. Nothing was spent or released."
    )
