"""What an ε is counted for, in words: whose data change, and which changes of them it bounds.

"ε = 1" says nothing by itself. A certificate may prove it for replacing one row of a table by any
other, for moving a count by one step only, or for all rows of a person at once. `unit_of` finds
which it is from what was proven, and the report ends in a sentence that says it.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .numbers import Number

_RELATIONS = {"any": "replace", "step": "adjacent", "distance": "metric"}


@dataclass(frozen=True)
class Unit:
    """What an ε is counted for: whose data change, and which changes of them it bounds."""

    whose: str = "input"
    """input; record: all of its columns; row: one of many; person: all their rows; device: all
    that one person's device sends."""
    change: str = "any"
    """any; step; steps: up to `most`; pairs: `most` listed ones; distance; answer: yes or no;
    add or remove; value: in `most` reports of a device, or in any number of them."""
    most: Any = None
    """Of changes by steps, pairs or distance: how many, or how far."""
    rows: int = 1
    """How many rows a person has at most; 0 if there may be any number of them."""

    @property
    def relation(self) -> str:
        """The change, by the word that certificates have for it."""
        return _RELATIONS.get(self.change, "pairs")

    @property
    def of_a_row(self) -> "Unit":
        """The unit of a table of many such inputs, of which one changes."""
        return Unit("row", self.change, self.most) if self.whose in ("input", "record") else self

    def __str__(self) -> str:
        """Complete a sentence that states an epsilon: "epsilon 1 for replacing one row by ..."."""
        what = self._whose_data()
        most = Number(Fraction(self.most or 0)).to_decimal()
        less = "other changes may cost more"
        return {
            "any": f"for replacing {what} by any other{'s' * (self.rows != 1)}",
            "add or remove": f"for adding or removing {what}",
            "step": f"for moving {what} by one step to the next value ({less})",
            "steps": f"for moving {what} by up to {most} steps ({less})",
            "pairs": f"for replacing {what} by a neighbor, in one of {most} listed pairs ({less})",
            "distance": f"per unit of distance, for replacing {what} by any other, at a distance "
            f"of up to {most}",
            "value": "for replacing the value of one person, who never changes it, by any other, "
            f"in {self._reports()}",
            "answer": "for changing the answer of one person, whose group and its size are public",
        }[self.change]

    def _reports(self) -> str:
        if self.most is None:
            return "any number of reports"
        return "one report" if self.most == 1 else f"all of {self.most} reports"

    def _whose_data(self) -> str:
        if self.whose == "person" and not self.rows:
            return "all rows of one person"
        if self.whose == "person" and self.rows != 1:
            return f"all rows of one person, up to {self.rows},"
        return {
            "input": "the input",
            "record": "the whole record",
            "row": "one row",
            "person": "the row of one person",
            "device": "the value of one person, whose device randomizes it,",
        }[self.whose]


def unit_of(mechanism: dict[str, Any], neighbors: dict[str, Any]) -> Unit:
    """Return the unit of a mechanism that was proven for these neighbors."""
    form, relation = mechanism["form"], neighbors["relation"]
    if form == "columns":
        return Unit("record")
    if form == "collection":
        return Unit("device")
    if form == "steps":
        return Unit("person", rows=neighbors["rows_per_person"])
    if form == "groups":
        return Unit("person", "answer")
    if form == "rappor":
        often = neighbors["reports"]
        return Unit("person", "value", None if often == "forever" else often)
    if form == "shuffled":
        several = mechanism["rows_per_person"]
        return Unit("row") if several == 1 else Unit("person", rows=several)
    if form in ("query", "keys"):
        change = "any" if neighbors["change"] == "replace" else "add or remove"
        if form == "keys":
            return Unit("person", change, rows=neighbors.get("rows", 0))
        return Unit("person", change, rows=1 if _is_person(mechanism["measurements"]) else 0)
    if form in ("rows", "person"):
        parent = mechanism["parent"]
        inner = unit_of(parent["mechanism"], parent["neighbors"])
        if form == "person":
            return Unit("person", rows=mechanism["rows"] * inner.rows)
        row = inner.of_a_row
        return row if "row" in neighbors else Unit(row.whose, rows=row.rows)
    if relation == "pairs":
        return Unit(change="pairs", most=len(neighbors["pairs"]))
    if relation == "metric":
        farthest = max(Fraction(d) for row in neighbors["distances"] for d in row)
        return Unit(change="distance", most=farthest)
    return Unit(change="step" if relation == "adjacent" else "any")


def _is_person(section: Any) -> bool:
    """Tell whether each row is a person in all tables of a query."""
    if isinstance(section, list):
        return all(map(_is_person, section))
    if isinstance(section, dict):
        named = section.get("rows") == "table" and section["person"] != ""
        return not named and all(map(_is_person, section.values()))
    return True
