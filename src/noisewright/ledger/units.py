"""Whose data a budget is about, and what a promise in one unit is worth in another.

k      the most rows that a person has in the data
(ε, δ) what is promised when one row is replaced, or all rows of a person that a column names

An account says what a person is in the data: a row, or up to k rows, which a column names. What is
promised for all rows of a person holds for one of them, and for whoever has one row: no factor.
What is promised for one row holds for k rows with group privacy: kε, and for δ

    kδ                          where each row is drawn by itself: independent parts add up
    δ · (e^kε − 1) / (e^ε − 1)  where rows are drawn together, as in a synthetic table (Vadhan
                                2017, Lemma 2.2: δ·Σ e^iε over i < k, one row after the other)

A promise for all rows that a column names does not depend on how many these are: what a release
leaves out of a person's rows, it leaves out by their number alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError, UnitError
from noisewright.exact import Epsilon, as_text, exactly
from noisewright.given import whole_number
from noisewright.ledger.totals import epsilon_text, read_epsilon
from noisewright.mechanisms import Guarantee

_BITS = 192
_EXACT_ROWS = 1 << 10
"""For more rows of a person the sum of powers is bounded by its largest term."""


@dataclass(frozen=True)
class AccountUnit:
    """What one person is in the data of an account: which rows are theirs, and at most how many.

    `person` is the column that names the people, None if no column does. `rows` is the most rows
    that a person has in the data, None if nobody said so. `AccountUnit()`: each row is a person.
    `assumed` if nobody said that either: a first promise about one row reads like that.
    """

    person: str | None = None
    rows: int | None = 1
    assumed: bool = field(default=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.person is not None and (not isinstance(self.person, str) or not self.person):
            raise ParameterError(
                f"person is {self.person!r}; it must be the name of the column that identifies "
                "people."
            )
        if self.rows is not None:
            rows = whole_number(self.rows, name="rows", least=1)
            object.__setattr__(self, "rows", rows)
        elif self.person is None:
            raise ParameterError(
                "neither person nor rows was given. Give rows=1 if each row is a person, person= "
                "the column that identifies people, or both."
            )

    def __str__(self) -> str:
        if self.rows == 1:
            return "each row is a person"
        most = "" if self.rows is None else f"at most {self.rows:,} rows"
        if self.person is None:
            return f"a person has {most}"
        named = f"a person is all rows with the same {self.person!r}"
        return f"{named}, {most}" if most else named

    @property
    def options(self) -> str:
        """The unit as `grant` takes it."""
        said = [] if self.person is None else [f"person={self.person!r}"]
        return ", ".join(said + ([] if self.rows is None else [f"rows={self.rows}"]))

    def times(self, person: str | None) -> int | None:
        """Return for how many rows a promise must be taken to hold for a person; None: any number.

        `person` is the column whose people the promise is about, None if it is about one row.
        """
        if self.rows == 1 or (person is not None and person == self.person):
            return 1
        return self.rows

    def to_text(self) -> str:
        """Return the unit as an entry has it."""
        unsaid = {"assumed": True} if self.assumed else {}
        return _json({"person": self.person, "rows": self.rows, **unsaid})

    @classmethod
    def read(cls, text: str) -> AccountUnit:
        """Read what `to_text` wrote."""
        said = _read(text, {"person", "rows"}, frozenset({"assumed"}))
        return cls(said["person"], said["rows"], assumed="assumed" in said)


def unit_of(person: str | None, rows: int | None) -> AccountUnit | None:
    """Return the unit that was said, if one was."""
    return None if person is None and rows is None else AccountUnit(person, rows)


@dataclass(frozen=True)
class Claim:
    """A promise as it was made: for one row, or for all rows of a person whom a column names.

    `independent` says that each row is drawn by itself.
    """

    guarantee: Guarantee
    person: str | None = None
    independent: bool = False

    def first_unit(self) -> AccountUnit:
        """Return the unit of an account whose first spend this is."""
        if self.person is None:
            return AccountUnit(assumed=True)
        return AccountUnit(self.person, None)

    @property
    def adds_up(self) -> bool:
        """Whether k rows cost k times as much, δ included."""
        return self.independent or self.guarantee.delta == 0

    def charge(self, unit: AccountUnit) -> Guarantee:
        """Return what the promise costs a person of this unit, or say why that cannot be told."""
        times = unit.times(self.person)
        if times is None:
            raise UnitError(self._not_for(unit))
        if unit.assumed and self.person is not None:
            raise UnitError(self._unsaid())
        return group_privacy(self.guarantee, times, adds_up=self.adds_up)

    def _not_for(self, unit: AccountUnit) -> str:
        about = "one row" if self.person is None else f"all rows with the same {self.person!r}"
        return (
            f"{self.guarantee} is promised for {about}, but this account has another unit: {unit}. "
            "It is not on record how many rows a person has at most, so the promise cannot be "
            "converted. Either promise it for all rows of a person: [person] in a plan file, "
            f"person=Person({unit.person!r}, rows=…) in Python, person={unit.person!r} in "
            "ledger.spend. Or, if no person has more than k rows in any of the data, declare it: "
            f"ledger.grant(…, person={unit.person!r}, rows=k), or noisewright ledger grant "
            f"--person {unit.person} --rows k. Each promise about one row is then charged k times."
        )

    def _unsaid(self) -> str:
        return (
            f"{self.guarantee} is promised for all rows with the same {self.person!r}, so that a "
            "person may have several; earlier spends of this account are promised for one row, and "
            "nobody said that each row is a person. If no person has more than k rows in any of "
            f"the data, say so: ledger.grant(…, person={self.person!r}, rows=k), or noisewright "
            f"ledger grant --person {self.person} --rows k; each earlier spend then counts k "
            "times. If each row is a person, say that: rows=1 (--rows 1)."
        )

    def to_text(self) -> str:
        """Return the promise as an entry has it."""
        return _json(
            {
                "person": self.person,
                "independent": self.independent,
                "epsilon": epsilon_text(self.guarantee.epsilon),
                "delta": as_text(self.guarantee.delta),
            }
        )

    @classmethod
    def read(cls, text: str) -> Claim:
        """Read what `to_text` wrote."""
        said = _read(text, {"person", "independent", "epsilon", "delta"})
        guarantee = Guarantee(read_epsilon(said["epsilon"]), exactly(said["delta"]))
        return cls(guarantee, said["person"], bool(said["independent"]))


def group_privacy(one: Guarantee, rows: int, *, adds_up: bool) -> Guarantee:
    """Return what holds for replacing so many rows, when `one` holds for replacing one of them.

    Ensures: rounded up where it is rounded; δ = 1 says that nothing is promised.
    """
    if rows == 1:
        return one
    factor = Fraction(rows) if adds_up else delta_factor(one.epsilon, rows, one.delta)
    return Guarantee(one.epsilon.times(rows), min(Fraction(1), one.delta * factor))


def delta_factor(epsilon: Epsilon, rows: int, delta: Fraction) -> Fraction:
    """Return Σ e^iε over i < rows, or a little more; at least 1/δ where it is larger than that."""
    enough = 1 / delta
    low = epsilon.bounds(_BITS)[0] / 2**_BITS
    # The sum is at least `rows`, and more than 2^(rows − 1)ε: no large power is worked out.
    if rows >= enough or (rows - 1) * low > enough.numerator.bit_length():
        return enough
    above = Fraction(epsilon.ratio_bounds(_BITS)[1], 1 << _BITS)
    if rows > _EXACT_ROWS:
        last = epsilon.times(rows - 1)
        return rows * Fraction(last.ratio_bounds(_BITS)[1], 1 << _BITS)
    return Fraction(rows) if above == 1 else (above**rows - 1) / (above - 1)


def _json(said: dict[str, Any]) -> str:
    return json.dumps(said, sort_keys=True, separators=(",", ":"))


def _read(text: str, names: set[str], also: frozenset[str] = frozenset()) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except ValueError as problem:
        raise ParameterError("it is not JSON") from problem
    if not isinstance(said, dict) or set(said) - also != names:
        raise ParameterError(f"it does not hold {', '.join(sorted(names))}")
    return said
