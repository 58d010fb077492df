"""What a call writes to the ledger, decided from the book under the lock; or why it is refused."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from noisewright.certificates import Certificate
from noisewright.errors import (
    BudgetError,
    OverBudgetError,
    ParameterError,
    UnitError,
    UnknownDatasetError,
)
from noisewright.exact import Number, as_text, exactly, show
from noisewright.given import of_kind
from noisewright.ledger.account import Account, Charge
from noisewright.ledger.book import Book
from noisewright.ledger.claims import Claim
from noisewright.ledger.entries import (
    GRANT,
    REGISTER,
    RELEASED,
    SPEND,
    WASTED,
    certificate_digest,
    plain_text,
)
from noisewright.ledger.fingerprint import Fingerprint
from noisewright.ledger.parts import DataPart
from noisewright.ledger.store import Draft
from noisewright.ledger.totals import (
    Amount,
    Granted,
    amount_text,
    brief_above,
    epsilon_text,
    recordable,
    rounded_down,
)
from noisewright.ledger.units import AccountUnit, Change, unit_of
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated


@dataclass(frozen=True)
class Granting:
    """One grant: an amount, and what a person is, if that is said."""

    dataset: str
    amount: Amount
    why: str
    person: str | None = None
    rows: int | None = None
    change: Change | None = None

    def __post_init__(self) -> None:
        amount = self.amount
        unit = self._unit(None)
        if isinstance(amount, ZeroConcentrated):
            if amount.rho != brief_above(amount.rho):
                raise ParameterError("a grant is a short rational rho, such as 2 or '1/3'.")
            if amount.rho == 0:
                raise ParameterError("nothing is granted: give a rho above 0.")
            return
        if amount.epsilon.ratio is not None or amount != recordable(amount):
            raise ParameterError("a grant is a short rational epsilon, such as 2 or '1/3'.")
        if amount.epsilon.is_zero and amount.delta == 0 and unit is None:
            raise ParameterError("nothing is granted: give epsilon= or delta=, or use register.")

    def _unit(self, before: AccountUnit | None) -> AccountUnit | None:
        return unit_of(before, self.person, self.rows, self.change)

    def drafts(self, book: Book, data: tuple[str, Fingerprint] | None) -> list[Draft]:
        """Return the entries of the grant, and of the data that is registered with it."""
        account = book.accounts.get(self.dataset, Account())
        if account.granted.plus(self.amount).delta > 1:
            raise BudgetError(
                f"{self.dataset} was granted delta={rounded_down(account.granted.delta)} already; "
                "more than 1 in total promises nothing. Grant less."
            )
        after = account.with_grant(self.amount, self._unit(account.unit))
        if not after.fits:
            assert after.unit is not None
            spent = after.total.amount(in_rho=after.is_in_rho)
            more = "rho=…" if after.is_in_rho else "epsilon=…"
            raise OverBudgetError(
                f"if {after.unit}, then {amount_text(spent)} of {self.dataset!r} is already "
                f"spent, more than the {amount_text(after.granted.amount)} that would be granted "
                "in all. Nothing was recorded. That privacy loss has already occurred; to put it "
                "on record, grant the difference in the same call: "
                f"ledger.grant({self.dataset!r}, {more}, {after.unit.options}).",
                left=ZeroConcentrated(0) if after.is_in_rho else Guarantee(0),
                asked=spent,
            )
        first = [] if data is None else registering(book, self.dataset, *data)
        unit = {} if after.unit is None else {"unit": after.unit.to_text()}
        draft = {"kind": GRANT, "dataset": self.dataset, "what": self.why, **_amount(self.amount)}
        return [*first, {**draft, **unit}]


@dataclass(frozen=True)
class Spending:
    """One spend: what is promised, and to whom."""

    dataset: str
    claim: Claim
    what: str
    certificate: str | None

    @classmethod
    def of(
        cls,
        dataset: str,
        guarantee: Guarantee,
        what: str,
        certificate: object,
        *,
        person: str | None,
        independent: bool,
        change: Change,
        rho: Number | None,
        part: DataPart | None,
    ) -> Spending:
        """Read a spend, or say what is wrong with it."""
        if not isinstance(guarantee, Guarantee):
            raise ParameterError(
                f"a spend is a Guarantee, such as nw.accounting.Guarantee(0.5); got "
                f"{type(guarantee).__name__}."
            )
        if person is not None:
            AccountUnit(person, None)
        if part is not None:
            of_kind(
                part, DataPart, name="part", such_as="a part of a partition: Partition(…).part(…)"
            )
        promised = None if rho is None else exactly(rho, name="rho")
        if isinstance(certificate, Certificate):
            promised = require_rho(certificate, promised)
        promised = None if promised is None else brief_above(promised)
        claim = Claim(recordable(guarantee), person, bool(independent), change, promised, part)
        if isinstance(certificate, Certificate):
            require_change(certificate, person, change)
        return cls(
            dataset_name(dataset),
            claim,
            plain_text(what, name="what", required=True),
            certificate_digest(certificate),
        )

    def charge(self, book: Book, where: str) -> tuple[AccountUnit, Charge]:
        """Return the unit and what it costs in that; raise if it does not fit."""
        account = account_of(book, self.dataset, where)
        try:
            unit, cost = account.charge(self.claim)
        except UnitError as problem:
            raise UnitError(f"{problem} Nothing was recorded, for {self.dataset!r}.") from None
        if not (after := account.with_spend(cost, unit, self.claim)).fits:
            raise _over(self.dataset, account, after, self.claim, cost)
        return unit, cost

    def drafts(self, book: Book, where: str) -> list[Draft]:
        """Return the entry of the spend."""
        unit, cost = self.charge(book, where)
        return [
            {
                "kind": SPEND,
                "dataset": self.dataset,
                "what": self.what,
                "certificate": self.certificate,
                "unit": unit.to_text(),
                "claim": self.claim.to_text(),
                **_amount(cost.guarantee),
                **({} if cost.rho is None else _amount(cost.amount)),
            }
        ]


def registering(book: Book, dataset: str, what: str, mark: Fingerprint) -> list[Draft]:
    """Return the entry that registers data, or none if it is registered for this dataset."""
    owner = book.owners.get(mark.digest)
    if owner is None:
        draft = {"kind": REGISTER, "dataset": dataset, "what": what}
        return [{**draft, "fingerprint": mark.digest}]
    if owner != dataset:
        raise BudgetError(
            f"this data (fingerprint {mark}) draws on the budget of {owner!r} already; under "
            "a second name its people would get a second budget. Use the first name."
        )
    return []


def finishing(sequence: int, state: str, what: str, before: str) -> Callable[[Book], list[Draft]]:
    """Return what decides on the outcome of a spend; `before` was its state a moment ago."""
    if state not in (RELEASED, WASTED):
        raise ParameterError(f"state is {state!r}; a spend ends as 'released' or 'wasted'.")

    def decide(book: Book) -> list[Draft]:
        dataset = book.reserved.get(sequence)
        if dataset is None:
            known = before if before in (RELEASED, WASTED) else "finished by another process"
            raise BudgetError(
                f"entry {sequence} is {known} already; that is final. Nothing was recorded."
            )
        return [{"kind": state, "dataset": dataset, "about": sequence, "what": what}]

    return decide


def account_of(book: Book, dataset: str, where: str) -> Account:
    """Return an account, or say that there is none."""
    account = book.accounts.get(dataset)
    if account is None:
        raise UnknownDatasetError(
            f"the ledger {where} has no budget for {dataset!r}; it knows {known_names(book)}. "
            f"Grant one: ledger.grant({dataset!r}, epsilon=…)."
        )
    return account


def known_names(book: Book) -> str:
    """Return the names of the datasets, the first of them if they are many."""
    names = [repr(name) for name in book.accounts]
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (", ".join(names[:8]) + more) or "no datasets"


def dataset_name(dataset: str) -> str:
    """Return the name of a dataset, if it can be one."""
    return plain_text(dataset, name="the dataset's name", longest=200, required=True)


def data_name(data: object) -> str:
    """Return what to call registered data: the last part of a path, or the kind of a table."""
    if isinstance(data, str | os.PathLike):
        name = os.path.basename(os.path.abspath(os.fspath(data)))
        return "".join(c if c.isprintable() else "?" for c in str(name))
    return type(data).__name__


def require_change(certificate: Certificate, person: str | None, change: Change) -> None:
    """Refuse a certificate whose ε is not about this change of a row or a person.

    A single count that moves by a step is about a row: replacing one moves a count by at most one.
    Where the groups of people are public, what may change of a person is an answer; whoever is
    added or removed is in the public size of a group all the same.
    """
    unit = certificate.unit
    if unit.change == "answer":
        return
    if unit.whose == "person" and unit.rows != 1 and person is None:
        raise UnitError(
            f"this certificate is {unit}. Say which column identifies people: person=…. Nothing "
            "was recorded."
        )
    proven = "add or remove" if unit.change == "add or remove" else "replace"
    if proven != change:
        raise UnitError(
            f"this certificate is {unit}, and the spend states change={change!r}. One does not "
            f"follow from the other: give change={proven!r}. Nothing was recorded."
        )
    if unit.change in ("any", "add or remove") or (unit.change, unit.whose) == ("step", "input"):
        return
    raise UnitError(
        f"this certificate is {unit}; a budget is about replacing a whole row, or all rows of a "
        "person. Nothing was recorded. Certify the mechanism for neighbors='replace'. Or, if one "
        "person cannot change the input in any other way, vouch for it by giving "
        "certificate.digest instead of the certificate."
    )


def require_rho(certificate: Certificate, rho: Fraction | None) -> Fraction | None:
    """Return the ρ that was given, or else the proven one; refuse one that is not proven."""
    proven = proven_rho(certificate)
    if rho is None:
        return proven
    if proven is not None and proven <= rho:
        return rho
    what = "no rho" if proven is None else f"rho={show(proven)}"
    raise UnitError(
        f"rho is {show(rho)}, and this certificate proves {what}. Nothing was recorded. Give the "
        "rho that is proven, or leave rho= out."
    )


def proven_rho(certificate: Certificate) -> Fraction | None:
    """Return the ρ from which the guarantee of a certificate follows, if it does from one."""
    mechanism = certificate.document["mechanism"]
    if mechanism["form"] not in ("steps", "query") or mechanism.get("unit") != "rho":
        return None
    return exactly(mechanism["total"])


def _over(
    dataset: str, account: Account, after: Account, claim: Claim, cost: Charge
) -> OverBudgetError:
    left, asked = account.left(claim), cost.amount
    if isinstance(left, ZeroConcentrated):
        much, more = ["rho"], "rho=…"
        rho = rounded_down(left.rho)
        has, fits = f"is rho={rho}", f"rho up to {rho}"
    else:
        # Whatever delta may be, epsilon alone is compared exactly here.
        ample, more = Granted(account.granted.epsilon, after.total.delta), "epsilon=…"
        much = [] if after.total.fits(ample) else ["epsilon"]
        much += ["delta"] if after.total.delta > account.granted.delta else []
        epsilon, delta = rounded_down(left.epsilon.rational), rounded_down(left.delta)
        has = f"are epsilon={epsilon}, delta={delta}"
        fits = f"epsilon up to {epsilon} with delta up to {delta}"
        if epsilon == "0":
            fits = "nothing that costs epsilon"
    assert after.unit is not None
    converted = claim.conversion(after.unit, in_rho=account.is_in_rho)
    charged = f" (that is {converted})" if converted else ""
    part = "" if claim.part is None else f" in {claim.part}"
    return OverBudgetError(
        f"{amount_text(asked)}{charged} was asked for{part}, which is too much "
        f"{' and '.join(much)} for {dataset!r}: left {has} of "
        f"{amount_text(account.granted.amount)} for each person, where {after.unit}. Nothing was "
        f"recorded, so nothing may be released. What fits: {fits}. To raise the budget: "
        f"ledger.grant({dataset!r}, {more}), or noisewright ledger grant.",
        left=left,
        asked=asked,
    )


def _amount(amount: Amount) -> dict[str, str]:
    if isinstance(amount, ZeroConcentrated):
        return {"rho": as_text(amount.rho)}
    return {"epsilon": epsilon_text(amount.epsilon), "delta": as_text(amount.delta)}
