"""Which mechanism a set of properties leads to, for a count, any error and a uniform prior."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from noisewright.designs.property_names import read_properties
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number
from noisewright.mechanisms import PAPER
from noisewright.spaces import Counts, whole_number

Question = Literal["fair", "column", "honest"]
End = Literal["EM", "WM", "WH", "GM"]

ENDS: dict[str, frozenset[str]] = {
    "EM": frozenset(PAPER),
    "WM": frozenset({"WH", "RM", "CM"}),
    "WH": frozenset({"WH", "RM", "S"}),
    "GM": frozenset(),
}
"""The properties whose optimum each end is."""


@dataclass(frozen=True)
class FlowchartPath:
    """The questions that were met, with their answers, and the mechanism at the end."""

    answers: tuple[tuple[Question, bool], ...]
    end: End


def flowchart_path(n: int, *, epsilon: Number | Epsilon, properties: Any = ()) -> FlowchartPath:
    """Follow the flowchart of the count paper to the optimum for L0 under a uniform prior.

    Requires: 2 ≤ n ≤ 10,000; properties of the paper (RH RM CH CM F WH S); neighbors are adjacent
    counts of n people.
    Ensures: the questions in order. `fair`: is F asked for? `column`: CH or CM, and α > 1/2?
    `honest`: WH, and n < 2α/(1 − α)? Here α = e^-ε, and both comparisons are exact. The least
    expected L0 with the given properties is that with `ENDS[path.end]`.
    Source: Cormode–Kulkarni–Srivastava 2018, Figure 5.
    """
    whole_number(n, name="n", least=2, most=10_000)
    space = Counts(n)
    asked = read_properties(properties, space, space)
    unknown = asked - frozenset(PAPER)
    if unknown:
        raise ParameterError(
            f"the flowchart knows no {', '.join(sorted(unknown))}; it is about {', '.join(PAPER)}."
        )
    promised = Epsilon.of(epsilon)
    # α > 1/2 is e^ε < 2, and n < 2α/(1 − α) is e^ε < (n + 2)/n.
    columns = bool(asked & {"CH", "CM"}) and promised < Epsilon.log(Fraction(2))
    honest = "WH" in asked and promised < Epsilon.log(Fraction(n + 2, n))
    turns: tuple[tuple[Question, bool, End], ...] = (
        ("fair", "F" in asked, "EM"),
        ("column", columns, "WM"),
        ("honest", honest, "WH"),
    )
    answers: list[tuple[Question, bool]] = []
    for question, answer, end in turns:
        answers.append((question, answer))
        if answer:
            return FlowchartPath(tuple(answers), end)
    return FlowchartPath(tuple(answers), "GM")
