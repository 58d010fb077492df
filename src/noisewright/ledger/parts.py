"""Spends on disjoint parts of the data: parallel composition (McSherry 2009, Theorem 4).

s      the number of steps that it takes to change a person of the account (see `units`)
m      the most parts that hold rows of one person
f_i(s) what the promises about part i cost in s steps: sε, δ·Σ e^jε over j < s, or s²ρ, summed up

A row lies in one part, so whatever happens to it changes nothing in the others, and what was spent
there costs it nothing. Promises about a part hold for adding or removing rows of that part: how
many people are in it is private, even where their number in all the data is public.

A person changes by steps, s_i of them in part i, and outputs of several parts compose: the cost is
Σ f_i(s_i). Each f_i is convex with f_i(0) = 0, so that f_i(s_i) ≤ (s_i / s)·f_i(s), and

    promises about one row       the steps add up to s:       Σ f_i(s_i) ≤ the largest f_i(s)
    about all rows of a person   s_i ≤ s in every part, and
                                 they add up to at most m·s:  Σ f_i(s_i) ≤ the m largest f_i(s)

for ε, δ and ρ each by itself. Where people are replaced, s has a factor 2, and no less will do: a
person may be replaced by another one of the same part. (Were they never, the two largest f_i(1)
would be enough: one part loses a person and another one gains one.)

This holds for spends that depend on earlier answers, and for amounts that do: at any time the sum
for every person is within the budget (Rogers et al. 2016 for ε and δ; Feldman and Zrnic 2021 for
ρ).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from heapq import nlargest
from typing import Any, NamedTuple

from noisewright.errors import ParameterError
from noisewright.given import of_kind, whole_number
from noisewright.ledger.totals import Total
from noisewright.public import public_methods

_LONGEST = 200


class DataPart(NamedTuple):
    """One part of the data: `Partition(…).part(key)`, which checks that there is such a part.

    `partition` says which partition it is of. Parts of one partition are disjoint.
    """

    partition: str
    key: str
    per_person: int | None = None

    def __str__(self) -> str:
        return f"the part {self.key!r} of {self.partition.rpartition(' ')[0]}"

    @classmethod
    def read(cls, said: Any) -> DataPart:
        """Read a part from what JSON has of it; refuse what is none."""
        if not isinstance(said, list) or [type(text) for text in said[:2]] != [str, str]:
            raise ParameterError("it names no part")
        partition, key, *most = said
        per_person = most[0] if most else None
        if per_person is not None:
            whole_number(per_person, name="per_person", least=1)
        return cls(partition, key, per_person)


@public_methods
@dataclass(frozen=True)
class Partition:
    """How data is divided into disjoint parts: `Partition(by="region", keys=["north", "south"])`.

    `keys` are declared, not read off the data; rows with other keys are in no part. `of` pins what
    else decides which rows are in which part, such as a digest of earlier filters and of the
    expressions in `by`: two partitions that differ in any of this are not one, and their costs add
    up. `per_person` is the most parts in which a person has rows, if whoever divides the data makes
    sure of it; without it a person may be in as many parts as they have rows.
    """

    by: str
    keys: tuple[str, ...]
    of: str = ""
    per_person: int | None = None

    def __init__(
        self, by: str, keys: Iterable[str], *, of: str = "", per_person: int | None = None
    ) -> None:
        for name, text in (("by", by), ("of", of)):
            of_kind(text, str, name=name, such_as="a text")
        declared = tuple(keys) if not isinstance(keys, str) else ()
        if not declared or not all(isinstance(key, str) for key in declared):
            raise ParameterError("keys are the names of the parts; give texts, such as ['a', 'b'].")
        if len(set(declared)) < len(declared):
            raise ParameterError("two keys of a partition are the same; give each part one name.")
        if per_person is not None:
            whole_number(per_person, name="per_person", least=1)
        for name, value in (("by", by), ("keys", declared), ("of", of), ("per_person", per_person)):
            object.__setattr__(self, name, value)

    def part(self, key: str) -> DataPart:
        """Return one of the parts."""
        if key not in self.keys:
            raise ParameterError(
                f"{key!r} is not among the {len(self.keys):,} keys that were declared for the "
                f"partition by {self.by!r}. Declare it, or ask about another part."
            )
        return DataPart(self._name, key, self.per_person)

    @property
    def _name(self) -> str:
        content = json.dumps([self.by, self.of, self.keys, self.per_person])
        return f"{self.by[:_LONGEST]} {hashlib.sha256(content.encode('ascii')).hexdigest()}"


class Pool(NamedTuple):
    """Promises that compose in parallel: one partition, and whom they are about in it."""

    partition: str
    per_person: int | None
    person: str | None

    @property
    def order(self) -> tuple[str, int, str]:
        """What pools are sorted by."""
        return self.partition, self.per_person or 0, self.person or ""


@dataclass(frozen=True)
class Parts:
    """What was spent in each part of a pool; `charge` is the sum of the `most` largest."""

    most: int
    spent: Mapping[str, Total] = field(default_factory=dict[str, Total])
    charge: Total = field(default_factory=Total, compare=False)

    @classmethod
    def of(cls, most: int, spent: Mapping[str, Total]) -> Parts:
        """Return a pool with these spends, and what they cost together."""
        if most == 1:
            charge = Total()
            for total in spent.values():
                charge = charge.largest(total)
            return cls(most, spent, charge)
        by = (lambda t: t.by_epsilon, lambda t: t.delta, lambda t: t.rho)
        found = [nlargest(most, spent.values(), key=key) for key in by]
        charge = Total()
        for epsilon, delta, rho in zip(*found, strict=True):
            charge = charge.combine(Total(epsilon.rational, epsilon.ratio, delta.delta, rho.rho))
        return cls(most, spent, charge)

    def with_spend(self, key: str, total: Total) -> Parts:
        """Return the pool after a spend in one part; `total` is what was then spent there."""
        spent = {**self.spent, key: total}
        if self.most > 1:
            return Parts.of(self.most, spent)
        # Totals only grow: the largest is the largest so far, or this one.
        return Parts(1, spent, self.charge.largest(total))
