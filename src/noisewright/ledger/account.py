"""One account of a ledger: what was granted, what was spent, and in which unit.

A spend is charged in the account's unit. What was promised is kept beside it, summed up, so that
an account can be restated when it turns out that a person has more rows than was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from noisewright.errors import UnitError
from noisewright.exact import exactly
from noisewright.ledger.claim_sums import Claims, parts_of
from noisewright.ledger.claims import Claim
from noisewright.ledger.parts import Parts, Pool
from noisewright.ledger.totals import Amount, Granted, Total, brief_above, recordable
from noisewright.ledger.units import AccountUnit
from noisewright.mechanisms import Guarantee
from noisewright.privacy import ZeroConcentrated


@dataclass(frozen=True)
class Charge:
    """What a spend costs a person of an account: (ε, δ) and, if the account is in ρ, that.

    One for a part is what is added up in that part.
    """

    guarantee: Guarantee
    rho: Fraction | None = None

    @property
    def amount(self) -> Amount:
        """What is added up."""
        return self.guarantee if self.rho is None else ZeroConcentrated(self.rho)

    def covers(self, other: Charge) -> bool:
        """Tell whether it is at least another one; decided exactly."""
        mine, its = self.guarantee, other.guarantee
        is_more = its.epsilon <= mine.epsilon and its.delta <= mine.delta
        if self.rho is None or other.rho is None:
            return is_more and self.rho is other.rho
        return is_more and other.rho <= self.rho


@dataclass(frozen=True)
class Account:
    """One dataset: what was granted and spent, for each person as `unit` says it.

    `unit` is None as long as nobody said it and nothing was spent; and of a ledger from before
    accounts had one, until somebody says it. `spent` was spent on all data, `pools` on parts of it.
    """

    granted: Granted = field(default_factory=Granted)
    spent: Total = field(default_factory=Total)
    unit: AccountUnit | None = None
    claims: Claims = field(default_factory=Claims)
    pools: Mapping[Pool, Parts] = field(default_factory=dict[Pool, Parts])

    @property
    def is_in_rho(self) -> bool:
        """Whether the budget is in ρ, and not in ε and δ."""
        return self.granted.rho is not None

    @property
    def total(self) -> Total:
        """What a person gave away: on all data, and on the parts in which they may be."""
        total = self.spent
        # In one order, because sums too long to write out are rounded.
        for pool in sorted(self.pools, key=lambda pool: pool.order):
            total = total.combine(self.pools[pool].charge)
        return total

    @property
    def fits(self) -> bool:
        """Whether no more was spent than granted; decided exactly."""
        return self.total.fits(self.granted)

    def with_grant(self, amount: Amount, unit: AccountUnit | None = None) -> Account:
        """Return the account with one more grant; with another unit what was spent is restated."""
        is_rho = isinstance(amount, ZeroConcentrated)
        if is_rho and (self.granted.epsilon or self.granted.delta):
            raise UnitError(
                "the budget of this account is in epsilon and delta, so rho cannot be added to "
                "it: an account has one currency. Grant epsilon= and delta=, or a budget in rho "
                "under another name, for other people."
            )
        if not is_rho and self.is_in_rho and amount != Guarantee(0):
            raise UnitError(
                "the budget of this account is in rho (zero-concentrated privacy), so epsilon and "
                "delta cannot be added to it: an account has one currency. Grant rho=."
            )
        account = self if unit is None else self._restate(unit)
        return replace(account, granted=account.granted.plus(amount))

    def charge(self, claim: Claim) -> tuple[AccountUnit, Charge]:
        """Return the unit in which a promise is charged, and what it costs; or raise UnitError."""
        unit = self.unit
        if unit is None or (unit.assumed and not self.claims):
            unit = claim.first_unit("replace" if unit is None else unit.change)
            if self.claims and claim.person is not None:
                raise UnitError(
                    f"{claim.guarantee} is promised for all rows with the same {claim.person!r}, "
                    "but earlier spends of this account were recorded before accounts had a unit, "
                    "so it is not on record whether they cover one row or all rows of a person. "
                    "Declare the most rows that a person has in the data: ledger.grant(…, "
                    f"person={claim.person!r}, rows=k), or noisewright ledger grant --person "
                    f"{claim.person} --rows k. Each earlier spend is then charged k times."
                )
        cost = recordable(claim.charge(unit))
        return unit, Charge(cost, brief_above(claim.charge_rho(unit)) if self.is_in_rho else None)

    def with_spend(self, cost: Charge, unit: AccountUnit | None, claim: Claim) -> Account:
        """Return the account with one more spend, which was charged with this."""
        claims = self.claims.plus_rho(claim) if self.is_in_rho else self.claims.plus(claim)
        account = replace(self, unit=unit, claims=claims)
        if claim.part is None:
            return replace(account, spent=self.spent.plus(cost.amount))
        assert unit is not None
        pool, key = claim.about.pool, claim.part.key
        parts = self.pools.get(pool, Parts(parts_of(unit, pool)))
        parts = parts.with_spend(key, parts.spent.get(key, Total()).plus(cost.amount))
        return replace(account, pools={**self.pools, pool: parts})

    def left(self, claim: Claim | None = None) -> Amount:
        """Return what can still be spent, rounded down; on the part of a promise, if it has one."""
        total = self.total
        if claim is not None and claim.part is not None:
            pool = claim.about.pool
            parts = self.pools.get(pool)
            if parts is not None and parts.most == 1:
                others = replace(self, pools={p: q for p, q in self.pools.items() if p != pool})
                total = others.total.combine(parts.spent.get(claim.part.key, Total()))
        if self.granted.rho is not None:
            return ZeroConcentrated(max(self.granted.rho - total.rho, Fraction(0)))
        return total.remaining(self.granted)

    def _restate(self, unit: AccountUnit) -> Account:
        before = self.unit
        if unit == before:
            return replace(self, unit=unit)
        if before is not None and self.claims and not _takes_more(before, unit):
            raise UnitError(
                f"the unit of this account is: {before}. It cannot be changed to: {unit}. That "
                "could make what was spent look smaller than it is for some people. A later grant "
                "may only declare more rows per person, a maximum where there was none, or that "
                "people are replaced and not added or removed."
            )
        spent, pools = self.claims.charge(unit)
        return replace(self, unit=unit, spent=spent, pools=pools)

    def state(self) -> list[Any]:
        """Return the account as a checkpoint writes it."""
        unit = None if self.unit is None else self.unit.to_text()
        state = [self.granted.texts(), self.spent.texts(), unit, self.claims.state()]
        if not self.pools:
            return state
        pools = [(pool, self.pools[pool]) for pool in sorted(self.pools, key=lambda p: p.order)]
        return [
            *state,
            [
                [
                    pool,
                    parts.most,
                    [[key, *parts.spent[key].texts()] for key in sorted(parts.spent)],
                ]
                for pool, parts in pools
            ],
        ]

    @classmethod
    def of_state(cls, state: Any) -> Account:
        """Read what `state` wrote."""
        granted, spent, unit, claims, *parts = state
        return cls(
            Granted(*map(exactly, granted)),
            Total.of_texts(spent),
            None if unit is None else AccountUnit.read(unit),
            Claims.of_state(claims),
            {
                Pool(*pool): Parts.of(most, {key: Total.of_texts(t) for key, *t in spends})
                for pool, most, spends in (parts[0] if parts else [])
            },
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
