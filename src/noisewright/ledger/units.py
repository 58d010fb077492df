"""Whose data a budget is about, and what a promise in one unit is worth in another.

k      the most rows that a person has in the data
(ε, δ) what is promised when one row changes, or all rows of a person that a column names

An account says what a person is in the data: a row, or up to k rows, which a column names. It also
says which change its budget is about: a person is replaced by another, so that their number is
public, or a person is added or removed. A promise says the same of itself, and costs as many steps
as it takes to get from one change to the other:

    promise       account         one row   all rows of its person   all rows of another column
    replace       replace         k         1                        k
    add, remove   add, remove     k         1                        refused
    add, remove   replace         2k        2: one leaves, one comes refused
    replace       add, remove     refused: it holds for tables of one size only

Where rows are replaced, a promise for all rows of a person holds for one of them. Where they are
added or removed it does not: a row that leaves others of its person behind is another change. If
k = 1, a promise to replace costs one step whatever it is about. For s steps group privacy promises
sε, and for δ

    sδ                          where each row is drawn by itself: independent parts add up
    δ · (e^sε − 1) / (e^ε − 1)  where rows are drawn together, as in a synthetic table (Vadhan
                                2017, Lemma 2.2: δ·Σ e^iε over i < s, one step after the other)

A promise for all rows that a column names does not depend on how many these are: what a release
leaves out of a person's rows, it leaves out by their number alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from noisewright.errors import ParameterError, UnitError
from noisewright.exact import Epsilon, as_text, exactly, show
from noisewright.given import one_of, whole_number
from noisewright.ledger.parts import Part, Pool
from noisewright.ledger.totals import concentrated_above, epsilon_text, read_epsilon
from noisewright.mechanisms import Guarantee

_BITS = 192
_EXACT_ROWS = 1 << 10
"""For more rows of a person the sum of powers is bounded by its largest term."""

Change = Literal["replace", "add or remove"]
"""What happens to a person: another takes their place, or they come or go."""
CHANGES: tuple[Change, ...] = ("replace", "add or remove")


class About(NamedTuple):
    """What a promise is about: one row, or all rows of a person by a column; and their change."""

    person: str | None = None
    change: Change = "replace"
    part: Part | None = None

    def __str__(self) -> str:
        whom = "one row" if self.person is None else f"all rows with the same {self.person!r}"
        where = "" if self.part is None else f" in {self.part}"
        verb = "replacing" if self.change == "replace" else "adding or removing"
        return f"{verb} {whom}{where}"

    @property
    def pool(self) -> Pool:
        """The promises with which it composes in parallel."""
        assert self.part is not None
        return Pool(self.part.partition, self.part.per_person, self.person)


@dataclass(frozen=True)
class AccountUnit:
    """What one person is in the data of an account: which rows are theirs, and at most how many.

    `person` is the column that names the people, None if no column does. `rows` is the most rows
    that a person has in the data, None if nobody said so. `AccountUnit()`: each row is a person.
    `assumed` if nobody said that either: a first promise about one row reads like that. `change`
    is what the budget is about: replacing a person, or adding or removing one.
    """

    person: str | None = None
    rows: int | None = 1
    change: Change = "replace"
    assumed: bool = field(default=False, compare=False, kw_only=True)

    def __post_init__(self) -> None:
        one_of(self.change, CHANGES, name="change")
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
        return f"{self._person_text}{self.change_text}"

    @property
    def change_text(self) -> str:
        """What to add to a sentence about people where they are not replaced."""
        return "" if self.change == "replace" else ", and people are added or removed"

    @property
    def _person_text(self) -> str:
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
        said += [] if self.rows is None else [f"rows={self.rows}"]
        return ", ".join(said + ([] if self.change == "replace" else [f"change={self.change!r}"]))

    def steps(self, about: About) -> int | None:
        """Return in how many steps of a promise a person of this account changes, as above.

        None if no number of steps is known to be enough.
        """
        is_own = about.person is not None and about.person == self.person
        if about.change == "replace":
            rows = 1 if is_own or self.rows == 1 else self.rows
            return rows if self.change == "replace" else None
        if about.person is not None and not is_own:
            return None
        rows = 1 if is_own else self.rows
        return None if rows is None else rows * (2 if self.change == "replace" else 1)

    def parts(self, pool: Pool) -> int | None:
        """Return how many parts of a partition count for a person, as `parts` derives it.

        None if there may be any number.
        """
        if pool.person is None:
            return 1
        return self.rows if pool.per_person is None else pool.per_person

    def to_text(self) -> str:
        """Return the unit as an entry has it."""
        more: dict[str, Any] = {"assumed": True} if self.assumed else {}
        more |= {} if self.change == "replace" else {"change": self.change}
        return _json({"person": self.person, "rows": self.rows, **more})

    @classmethod
    def read(cls, text: str) -> AccountUnit:
        """Read what `to_text` wrote."""
        said = _read(text, {"person", "rows"}, frozenset({"assumed", "change"}))
        change = said.get("change", "replace")
        return cls(said["person"], said["rows"], change, assumed="assumed" in said)


def unit_of(
    before: AccountUnit | None, person: str | None, rows: int | None, change: Change | None
) -> AccountUnit | None:
    """Return the unit that was said, if one was; of what was not said, `before` decides."""
    if person is None and rows is None:
        if change is None:
            return None
        if before is None:
            return AccountUnit(change=change, assumed=True)
        return replace(before, change=change)
    kept = "replace" if before is None else before.change
    return AccountUnit(person, rows, kept if change is None else change)


@dataclass(frozen=True)
class Claim:
    """A promise as it was made: for one row, or for all rows of a person whom a column names.

    `independent` says that each row is drawn by itself; `change`, whether it holds where rows are
    replaced, or where they are added or removed. `rho` is promised beside (ε, δ), if it is, and
    with a `part` all of it is about the rows of that part.
    """

    guarantee: Guarantee
    person: str | None = None
    independent: bool = False
    change: Change = "replace"
    rho: Fraction | None = None
    part: Part | None = None

    def __post_init__(self) -> None:
        one_of(self.change, CHANGES, name="change")
        if self.rho is not None and self.rho < 0:
            raise ParameterError(f"rho is {show(self.rho)}; it must be at least 0.")
        if self.part is not None and self.change == "replace":
            raise UnitError(
                f"{self.guarantee} is promised for {self.about}. How many people are in a part is "
                "private, so a promise about a part must hold where they are added to it or "
                'removed from it: ask with change="add or remove".'
            )

    @property
    def about(self) -> About:
        """What the promise is about."""
        return About(self.person, self.change, self.part)

    def first_unit(self, change: Change = "replace") -> AccountUnit:
        """Return the unit of an account whose first spend this is."""
        if self.person is None:
            return AccountUnit(change=change, assumed=True)
        return AccountUnit(self.person, None, change)

    @property
    def is_apart(self) -> bool:
        """Whether s steps cost s times as much: each is about another row, drawn by itself."""
        return self.independent and self.change == "replace"

    @property
    def adds_up(self) -> bool:
        """Whether s steps cost s times ε and δ."""
        return self.is_apart or self.guarantee.delta == 0

    def charge(self, unit: AccountUnit) -> Guarantee:
        """Return what the promise costs a person of this unit, or say why that cannot be told."""
        return group_privacy(self.guarantee, self._steps(unit), adds_up=self.adds_up)

    def charge_rho(self, unit: AccountUnit) -> Fraction:
        """Return what it costs in ρ: s² times as much in s steps (Bun and Steinke 2016, Prop. 1.9).

        Steps that are about independent draws compose, so that their ρ add up.
        """
        steps = self._steps(unit)
        return self.concentrated * (steps if self.is_apart else steps**2)

    @property
    def concentrated(self) -> Fraction:
        """The ρ that was promised, or that follows from a pure ε; a UnitError if none does."""
        if self.rho is not None:
            return self.rho
        if self.guarantee.delta:
            raise UnitError(
                f"the budget of this account is in rho (zero-concentrated privacy), and "
                f"{self.guarantee} is promised without one: no rho follows from it. Give rho= if "
                "it is proven, as certificates of Gaussian noise do; ask with delta=0, which costs "
                "rho = epsilon²/2; or pay from a budget of epsilon and delta."
            )
        return concentrated_above(self.guarantee.epsilon)

    def _steps(self, unit: AccountUnit) -> int:
        steps = unit.steps(self.about)
        if steps is None:
            raise UnitError(self._not_for(unit))
        if unit.assumed and self.person is not None:
            raise UnitError(self._unsaid())
        if self.part is not None and unit.parts(self.about.pool) is None:
            raise UnitError(
                f"{self.guarantee} is promised for {self.about}, and it is not on record in how "
                "many parts a person has rows at most. Divide people and not rows, so that each "
                "is in one part, and say so: Partition(…, per_person=1). Or declare the most rows "
                f"that a person has: ledger.grant(…, person={self.person!r}, rows=k)."
            )
        return steps

    def conversion(self, unit: AccountUnit, *, in_rho: bool = False) -> str:
        """Say in words how it is converted to a unit; nothing if it is charged as it is."""
        steps = unit.steps(self.about)
        if steps is None or steps == 1:
            return ""
        one = f"rho={show(self.concentrated)}" if in_rho else str(self.guarantee)
        if self.change == "replace":
            return f"{one} for each of {steps:,} rows"
        return f"{one} for {self.about}, {steps:,} {'steps' if in_rho else 'times'}"

    def _not_for(self, unit: AccountUnit) -> str:
        if self.change == "replace" and unit.change != "replace":
            return (
                f"{self.guarantee} is promised for {self.about}, which counts the number of people "
                "as public; the budget of this account is for adding or removing people, so that "
                "their number is private. No such promise follows from this one. Either ask with "
                'change="add or remove". Or declare that the budget is for replacing people: '
                'ledger.grant(…, change="replace"), or noisewright ledger grant --change replace. '
                "What was spent is then charged again, twice."
            )
        if self.change != "replace" and self.person is not None:
            return (
                f"{self.guarantee} is promised for {self.about}, but this account has another "
                f"unit: {unit}. Adding or removing some of these rows is another change, about "
                "which nothing is promised. Declare that this column identifies people, and the "
                f"most rows that one has: ledger.grant(…, person={self.person!r}, rows=k), or "
                f"noisewright ledger grant --person {self.person} --rows k."
            )
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
        more: dict[str, Any] = {} if self.change == "replace" else {"change": self.change}
        more |= {} if self.rho is None else {"rho": as_text(self.rho)}
        more |= {} if self.part is None else {"part": self.part}
        return _json(
            {
                "person": self.person,
                "independent": self.independent,
                "epsilon": epsilon_text(self.guarantee.epsilon),
                "delta": as_text(self.guarantee.delta),
                **more,
            }
        )

    @classmethod
    def read(cls, text: str) -> Claim:
        """Read what `to_text` wrote."""
        names = {"person", "independent", "epsilon", "delta"}
        said = _read(text, names, frozenset({"change", "rho", "part"}))
        return cls(
            Guarantee(read_epsilon(said["epsilon"]), exactly(said["delta"])),
            said["person"],
            bool(said["independent"]),
            said.get("change", "replace"),
            exactly(said["rho"]) if "rho" in said else None,
            Part.read(said["part"]) if "part" in said else None,
        )


def group_privacy(one: Guarantee, rows: int, *, adds_up: bool) -> Guarantee:
    """Return what holds for so many steps, such as replaced rows, when `one` holds for each.

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
