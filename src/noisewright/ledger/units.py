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
from typing import Any, Literal, NamedTuple

from noisewright.errors import ParameterError
from noisewright.given import one_of, whole_number
from noisewright.ledger.parts import DataPart, Pool

Change = Literal["replace", "add or remove"]
"""What happens to a person: another takes their place, or they come or go."""
CHANGES: tuple[Change, ...] = ("replace", "add or remove")


class About(NamedTuple):
    """What a promise is about: one row, or all rows of a person by a column; and their change."""

    person: str | None = None
    change: Change = "replace"
    part: DataPart | None = None

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
        return to_json({"person": self.person, "rows": self.rows, **more})

    @classmethod
    def read(cls, text: str) -> AccountUnit:
        """Read what `to_text` wrote."""
        said = read_json(text, {"person", "rows"}, frozenset({"assumed", "change"}))
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


def to_json(said: dict[str, Any]) -> str:
    """Return a unit or a claim as entries hold it."""
    return json.dumps(said, sort_keys=True, separators=(",", ":"))


def read_json(text: str, names: set[str], also: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Read what `to_json` wrote; refuse what has not these names, and at most those beside."""
    try:
        said = json.loads(text)
    except ValueError as problem:
        raise ParameterError("it is not JSON") from problem
    if not isinstance(said, dict) or set(said) - also != names:
        raise ParameterError(f"it does not hold {', '.join(sorted(names))}")
    return said
