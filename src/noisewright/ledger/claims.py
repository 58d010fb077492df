"""A promise as it was made, and what it costs a person of an account."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError, UnitError
from noisewright.exact import as_text, exactly, show
from noisewright.given import one_of
from noisewright.ledger.group_privacy import group_privacy
from noisewright.ledger.parts import DataPart
from noisewright.ledger.totals import concentrated_above, epsilon_text, read_epsilon
from noisewright.ledger.units import CHANGES, About, AccountUnit, Change, read_json, to_json
from noisewright.mechanisms import Guarantee


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
    part: DataPart | None = None

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
                "is in one part, and declare it: Partition(…, per_person=1). Or declare the most "
                f"rows that a person has: ledger.grant(…, person={self.person!r}, rows=k)."
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
            "person may have several; earlier spends of this account are promised for one row, "
            "and it was never declared that each row is a person. If no person has more than k "
            f"rows in any of the data, declare it: ledger.grant(…, person={self.person!r}, "
            f"rows=k), or noisewright ledger grant --person {self.person} --rows k; each earlier "
            "spend then counts k times. If each row is a person, declare that: rows=1 (--rows 1)."
        )

    def to_text(self) -> str:
        """Return the promise as an entry has it."""
        more: dict[str, Any] = {} if self.change == "replace" else {"change": self.change}
        more |= {} if self.rho is None else {"rho": as_text(self.rho)}
        more |= {} if self.part is None else {"part": self.part}
        return to_json(
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
        said = read_json(text, names, frozenset({"change", "rho", "part"}))
        return cls(
            Guarantee(read_epsilon(said["epsilon"]), exactly(said["delta"])),
            said["person"],
            bool(said["independent"]),
            said.get("change", "replace"),
            exactly(said["rho"]) if "rho" in said else None,
            DataPart.read(said["part"]) if "part" in said else None,
        )
