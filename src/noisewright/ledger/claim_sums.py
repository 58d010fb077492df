"""All promises of an account, summed up so that they can be charged again in another unit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from noisewright.errors import UnitError
from noisewright.exact import Epsilon, as_text, exactly
from noisewright.ledger.claims import Claim
from noisewright.ledger.group_privacy import delta_factor
from noisewright.ledger.parts import DataPart, Parts, Pool
from noisewright.ledger.totals import Total, brief_above
from noisewright.ledger.units import About, AccountUnit
from noisewright.mechanisms import Guarantee

_BITS = 64
_STEPS = 64
"""δ that grows with e^ε is summed up by ε, rounded up to a multiple of 1/64."""


@dataclass(frozen=True)
class Claims:
    """All promises of an account by what they are about.

    `sums` holds ε, and the δ that s steps cost s times. `coupled` holds the other δ, by ε in
    multiples of 1/64. `rhos` holds, in an account of ρ, what s steps cost s times and s² times.
    """

    sums: Mapping[About, Total] = field(default_factory=dict[About, Total])
    coupled: Mapping[tuple[About, int], Fraction] = field(
        default_factory=dict[tuple[About, int], Fraction]
    )
    rhos: Mapping[About, tuple[Fraction, Fraction]] = field(
        default_factory=dict[About, tuple[Fraction, Fraction]]
    )

    def __bool__(self) -> bool:
        return bool(self.sums or self.rhos)

    def plus(self, claim: Claim) -> Claims:
        """Return the promises with one more, by its ε and δ."""
        promised, about = claim.guarantee, claim.about
        sums, coupled = dict(self.sums), dict(self.coupled)
        added = promised if claim.adds_up else Guarantee(promised.epsilon)
        sums[about] = sums.get(about, Total()).plus(added)
        if not claim.adds_up:
            above = Fraction(promised.epsilon.bounds(_BITS)[1], 1 << _BITS)
            key = (about, math.ceil(above * _STEPS))
            coupled[key] = coupled.get(key, Fraction(0)) + promised.delta
        return Claims(sums, coupled, self.rhos)

    def plus_rho(self, claim: Claim) -> Claims:
        """Return the promises with one more, by its ρ."""
        rhos, more = dict(self.rhos), claim.concentrated
        apart, together = rhos.get(claim.about, (Fraction(0), Fraction(0)))
        if claim.is_apart:
            apart = brief_above(apart + more)
        else:
            together = brief_above(together + more)
        rhos[claim.about] = apart, together
        return Claims(self.sums, self.coupled, rhos)

    def charge(self, unit: AccountUnit) -> tuple[Total, dict[Pool, Parts]]:
        """Return what they cost a person of a unit, rounded up: on all data, and on parts of it."""
        whole, pools = Total(), dict[Pool, dict[str, Total]]()
        totals = self._totals(unit)
        # In one order, because sums too long to write out are rounded.
        for about in sorted(totals, key=_by_name):
            total = totals[about]
            if about.part is None:
                whole = whole.combine(total)
            else:
                pools.setdefault(about.pool, {})[about.part.key] = total
        return whole, {pool: Parts.of(parts_of(unit, pool), pools[pool]) for pool in pools}

    def _totals(self, unit: AccountUnit) -> dict[About, Total]:
        totals = {about: spent.times(_steps(unit, about)) for about, spent in self.sums.items()}
        for (about, level), delta in self.coupled.items():
            steps = _steps(unit, about)
            epsilon = Epsilon(rational=Fraction(level, _STEPS))
            factor = Fraction(1) if steps == 1 else delta_factor(epsilon, steps, delta)
            totals[about] = totals[about].combine(Total(delta=delta * factor))
        for about, (apart, together) in self.rhos.items():
            steps = _steps(unit, about)
            rho = Total(rho=brief_above(apart * steps + together * steps**2))
            totals[about] = totals.get(about, Total()).combine(rho)
        return totals

    def state(self) -> list[Any]:
        """Return the promises as a checkpoint writes them."""
        ordered = sorted(self.sums, key=_by_name)
        coupled = sorted(self.coupled, key=lambda key: (_by_name(key[0]), key[1]))
        state: list[Any] = [
            [[_name(about), *self.sums[about].texts()] for about in ordered],
            [[_name(a), level, as_text(self.coupled[a, level])] for a, level in coupled],
        ]
        if self.rhos:
            ordered = sorted(self.rhos, key=_by_name)
            state.append([[_name(about), *map(as_text, self.rhos[about])] for about in ordered])
        return state

    @classmethod
    def of_state(cls, state: Any) -> Claims:
        """Read what `state` wrote."""
        sums, coupled, *more = state
        rhos = more[0] if more else []
        return cls(
            {_about(name): Total.of_texts(texts) for name, *texts in sums},
            {(_about(name), level): exactly(delta) for name, level, delta in coupled},
            {_about(name): (exactly(a), exactly(b)) for name, a, b in rhos},
        )


def parts_of(unit: AccountUnit, pool: Pool) -> int:
    """Return how many parts of a pool count for a person; refuse a unit that does not say."""
    most = unit.parts(pool)
    if most is None:
        raise UnitError(
            f"the new unit ({unit}) does not say in how many parts of a partition a person has "
            "rows at most, and earlier spends of this account are about such parts. Declare the "
            "most rows that a person has with rows=k."
        )
    return most


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


def _by_name(about: About) -> tuple[Any, ...]:
    part = about.part or DataPart("", "")
    order = part.partition, part.key, part.per_person or 0
    return about.person is not None, about.person or "", about.change != "replace", *order


def _name(about: About) -> str | list[Any] | None:
    """Return what a checkpoint calls it: the column alone where rows are replaced."""
    if about.change == "replace":
        return about.person
    return [about.person, about.change, *([] if about.part is None else [about.part])]


def _about(name: Any) -> About:
    if not isinstance(name, list):
        return About(name)
    person, change, *part = name
    return About(person, change, DataPart.read(part[0]) if part else None)
