"""The estimates that a plan is made for, when its budget is divided for the best of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly
from noisewright.given import one_of, several
from noisewright.plans.column import Column
from noisewright.spaces import Categories, Counts, Curves, Interval, Subsets

QUESTIONS = ("shares", "mean", "items", "curve")


@final
@dataclass(frozen=True, init=False)
class Wanted:
    """An estimate that someone will want from the release.

    `of` is a column, or several for their joint table. `question` is "shares", "mean", "items" or
    "curve"; without it, the usual one of the column. `weight` says how much its error counts
    against that of the others.
    """

    of: tuple[str, ...]
    weight: Fraction
    question: str | None

    def __init__(
        self, of: str | Iterable[str], *, weight: Number = 1, question: str | None = None
    ) -> None:
        names = (of,) if isinstance(of, str) else _names(of)
        read = exactly(weight, name="weight")
        if read <= 0:
            raise ParameterError(f"the weight of an estimate is {weight}; it must be above 0.")
        if question is not None:
            question = one_of(question, QUESTIONS, name="question")
        if len(names) > 1 and question not in (None, "shares"):
            raise ParameterError(
                f"an estimate of {', '.join(names)} together is a table of shares; leave question "
                "out."
            )
        object.__setattr__(self, "of", names)
        object.__setattr__(self, "weight", read)
        object.__setattr__(self, "question", question)


def _names(of: Any) -> tuple[str, ...]:
    names = tuple(several(of, name="of", of="columns, by name"))
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError("an estimate is of a column, or of a list of columns, by name.")
    if len(set(names)) < len(names):
        raise ParameterError(f"an estimate names {', '.join(names)}; name each column once.")
    return names


def read_wanted(estimates: Any, columns: Mapping[str, Column]) -> tuple[Wanted, ...]:
    """Read the estimates of a plan: names, groups of names, or Wanted values."""
    if isinstance(estimates, (str, Wanted)) or not isinstance(estimates, Iterable):
        raise ParameterError("estimates is a list: of columns, of groups of columns, or of Wanted.")
    asked = several(estimates, name="estimates", of="columns")
    read = tuple(one if isinstance(one, Wanted) else Wanted(one) for one in asked)
    for one in read:
        for name in one.of:
            if name not in columns:
                raise ParameterError(
                    f"an estimate is wanted of {name!r}, which the plan does not randomize."
                )
        _require_fitting(one, [columns[name] for name in one.of])
    return read


def _require_fitting(one: Wanted, columns: list[Column]) -> None:
    for name, column in zip(one.of, columns, strict=True):
        allowed = questions_of(column)
        asked = one.question or usual_question(one.of, {name: column})
        if asked not in allowed:
            raise ParameterError(
                f"an estimate of {name!r} asks for {asked}; of this column one can ask for "
                f"{' or '.join(allowed)}."
            )


def usual_question(of: tuple[str, ...], columns: Mapping[str, Column]) -> str:
    """Return what is asked about columns when nobody says: shares, if they are several."""
    first, *others = of
    return "shares" if others else questions_of(columns[first])[0]


def questions_of(column: Column) -> tuple[str, ...]:
    """Return what one can ask about a column, the usual question first."""
    space = column.space
    if isinstance(space, Subsets):
        return ("items",)
    if isinstance(space, Curves):
        return ("curve",)
    if isinstance(space, Categories):
        return ("shares",)
    many = isinstance(space, Interval) or (isinstance(space, Counts) and space.size > 64)
    return ("mean", "shares") if many else ("shares", "mean")
