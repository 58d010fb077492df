"""One account of a ledger: what was granted, what was spent, and in which unit.

A spend is charged in the account's unit. What was promised is kept beside it, summed up, so that
an account can be restated when it turns out that a person has more rows than was said.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from noisewright.errors import UnitError
from noisewright.exact import Epsilon, as_text, exactly
from noisewright.ledger.totals import Granted, Total
from noisewright.ledger.units import About, AccountUnit, Claim, delta_factor
from noisewright.mechanisms import Guarantee

_BITS = 64
_STEPS = 64
"""δ that grows with e^ε is summed up by ε, rounded up to a multiple of 1/64."""


@dataclass(frozen=True)
class Claims:
    """All promises of an account by what they are about.

    `sums` holds ε, and the δ that k steps cost k times. `coupled` holds the other δ, by ε in
    multiples of 1/64.
    """

    sums: Mapping[About, Total] = field(default_factory=dict[About, Total])
    coupled: Mapping[tuple[About, int], Fraction] = field(
        default_factory=dict[tuple[About, int], Fraction]
    )

    def plus(self, claim: Claim) -> Claims:
        """Return the promises with one more."""
        promised, about = claim.guarantee, claim.about
        sums, coupled = dict(self.sums), dict(self.coupled)
        added = promised if claim.adds_up else Guarantee(promised.epsilon)
        sums[about] = sums.get(about, Total()).plus(added)
        if not claim.adds_up:
            above = Fraction(promised.epsilon.bounds(_BITS)[1], 1 << _BITS)
            key = (about, math.ceil(above * _STEPS))
            coupled[key] = coupled.get(key, Fraction(0)) + promised.delta
        return Claims(sums, coupled)

    def charge(self, unit: AccountUnit) -> Total:
        """Return what all of them cost a person of a unit, rounded up."""
        total = Total()
        for about, spent in self.sums.items():
            total = total.combine(spent.times(_steps(unit, about)))
        for (about, level), delta in self.coupled.items():
            times = _steps(unit, about)
            epsilon = Epsilon(rational=Fraction(level, _STEPS))
            factor = Fraction(1) if times == 1 else delta_factor(epsilon, times, delta)
            total = total.combine(Total(delta=delta * factor))
        return total

    def state(self) -> list[Any]:
        """Return the promises as a checkpoint writes them."""
        ordered = sorted(self.sums, key=_by_name)
        coupled = sorted(self.coupled, key=lambda key: (_by_name(key[0]), key[1]))
        return [
            [[_name(about), *self.sums[about].texts()] for about in ordered],
            [[_name(a), level, as_text(self.coupled[a, level])] for a, level in coupled],
        ]

    @classmethod
    def of_state(cls, state: Any) -> Claims:
        """Read what `state` wrote."""
        sums, coupled = state
        return cls(
            {_about(name): Total.of_texts(texts) for name, *texts in sums},
            {(_about(name), level): exactly(delta) for name, level, delta in coupled},
        )


@dataclass(frozen=True)
class Account:
    """One dataset: what was granted and spent, for each person as `unit` says it.

    `unit` is None as long as nobody said it and nothing was spent; and of a ledger from before
    accounts had one, until somebody says it.
    """

    granted: Granted = field(default_factory=Granted)
    spent: Total = field(default_factory=Total)
    unit: AccountUnit | None = None
    claims: Claims = field(default_factory=Claims)

    def with_grant(self, amount: Guarantee, unit: AccountUnit | None = None) -> Account:
        """Return the account with one more grant; with another unit what was spent is restated."""
        account = self if unit is None else self._restate(unit)
        return replace(account, granted=account.granted.plus(amount))

    def charge(self, claim: Claim) -> tuple[AccountUnit, Guarantee]:
        """Return the unit in which a promise is charged, and what it costs; or raise UnitError."""
        unit = self.unit
        if unit is None or (unit.assumed and not self.claims.sums):
            unit = claim.first_unit("replace" if unit is None else unit.change)
            if self.claims.sums and claim.person is not None:
                raise UnitError(
                    f"{claim.guarantee} is promised for all rows with the same {claim.person!r}, "
                    "but earlier spends of this account were recorded before accounts had a unit, "
                    "so it is not on record whether they cover one row or all rows of a person. "
                    "Declare the most rows that a person has in the data: ledger.grant(…, "
                    f"person={claim.person!r}, rows=k), or noisewright ledger grant --person "
                    f"{claim.person} --rows k. Each earlier spend is then charged k times."
                )
        return unit, claim.charge(unit)

    def with_spend(self, amount: Guarantee, unit: AccountUnit | None, claim: Claim) -> Account:
        """Return the account with one more spend, which was charged with this amount."""
        return replace(
            self, spent=self.spent.plus(amount), unit=unit, claims=self.claims.plus(claim)
        )

    def _restate(self, unit: AccountUnit) -> Account:
        before = self.unit
        if unit == before:
            return replace(self, unit=unit)
        if before is not None and self.claims.sums and not _takes_more(before, unit):
            raise UnitError(
                f"the unit of this account is: {before}. It cannot be changed to: {unit}. That "
                "could make what was spent look smaller than it is for some people. A later grant "
                "may only declare more rows per person, a maximum where there was none, or that "
                "people are replaced and not added or removed."
            )
        return replace(self, unit=unit, spent=self.claims.charge(unit))

    def state(self) -> list[Any]:
        """Return the account as a checkpoint writes it."""
        granted = [as_text(self.granted.epsilon), as_text(self.granted.delta)]
        unit = None if self.unit is None else self.unit.to_text()
        return [granted, self.spent.texts(), unit, self.claims.state()]

    @classmethod
    def of_state(cls, state: Any) -> Account:
        """Read what `state` wrote."""
        granted, spent, unit, claims = state
        return cls(
            Granted(*map(exactly, granted)),
            Total.of_texts(spent),
            None if unit is None else AccountUnit.read(unit),
            Claims.of_state(claims),
        )


def _takes_more(before: AccountUnit, after: AccountUnit) -> bool:
    """Tell whether nothing that was spent can seem to be less in the unit after."""
    if before.change == "replace" != after.change:
        return False
    if before.rows == 1:
        return True
    if before.person != after.person:
        return False
    return before.rows is None or (after.rows is not None and after.rows >= before.rows)


def _steps(unit: AccountUnit, about: About) -> int:
    steps = unit.steps(about)
    if steps is None:
        # Unlike a single promise, these are on record: only the unit can still be another one.
        advice = (
            "does not say how many rows a person has at most. Declare it with rows=k. Each of "
            "these spends is then charged k times."
            if about.change == "replace" == unit.change
            else "is one in which that cannot be charged. Declare another unit."
        )
        raise UnitError(
            f"earlier spends of this account are promised for {about}, and the new unit ({unit}) "
            f"{advice}"
        )
    return steps


def _by_name(about: About) -> tuple[bool, str, bool]:
    return about.person is not None, about.person or "", about.change != "replace"


def _name(about: About) -> str | list[Any] | None:
    """Return what a checkpoint calls it: the column alone where rows are replaced."""
    return about.person if about.change == "replace" else [about.person, about.change]


def _about(name: Any) -> About:
    return About(*name) if isinstance(name, list) else About(name)
