"""How answers are wanted: about whom, by which method, with which confidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from noisewright.errors import InputError, ParameterError
from noisewright.estimation.intervals.intervals import Sample, read_about, read_confidence
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.given import brief, flag, several
from noisewright.spaces import Categories, Space

Key = str | tuple[str, ...]
METHODS = ("unbiased", "likelihood", "projected")


@dataclass(frozen=True)
class Asked:
    """About whom, by which method, with which confidence, and how many rows a person may have."""

    about: About
    method: str
    confidence: float
    together: bool
    rows: int = 1
    shows_all: bool = False

    @classmethod
    def reading(
        cls, about: Any, method: Any, confidence: Any, together: Any, show: Any = "useful"
    ) -> Asked:
        """Read what a caller gave."""
        if not isinstance(show, str) or show not in ("useful", "all"):
            raise ParameterError(
                f"show is {brief(show)}; it must be 'useful' (answers that say something) or 'all'."
            )
        return cls(
            read_about(about),
            read_method(method),
            read_confidence(confidence),
            flag(together, name="together"),
            shows_all=show == "all",
        )

    @property
    def least(self) -> int:
        """How many people a group must have for answers whose spread is estimated."""
        return 1 if self.about == "people" else 2

    def level(self, answers: int) -> float:
        """Return the confidence of each interval, so that all together have the one asked for."""
        return 1 - (1 - self.confidence) / max(answers, 1) if self.together else self.confidence

    def sample(self, people: int, answers: int) -> Sample:
        """Return what intervals are made for: so many people, and so many answers about them."""
        return Sample(people, self.about, self.level(answers), self.rows)

    def state(self, found: Estimate) -> Estimate:
        """Return an estimate with the confidence, and as fully shown, as was asked for."""
        return replace(
            found, confidence=self.confidence, together=self.together, shows_all=self.shows_all
        )


def read_method(method: Any) -> str:
    """Read how shares are estimated."""
    if not isinstance(method, str) or method not in METHODS:
        raise ParameterError(
            f"method is {brief(method)}; it must be 'unbiased' (may leave [0, 1]), 'likelihood' "
            "(the most likely shares) or 'projected' (the shares nearest to the unbiased ones)."
        )
    return str(method)


def axis_of(space: Space, name: str | None = None) -> Axis:
    """Return the axis of a space's points."""
    if name is None:
        name = "category" if isinstance(space, Categories) else "value"
    return Axis(name, space.points)


def names_of(key: Key) -> tuple[str, ...]:
    """Return the columns of a table as a tuple."""
    return (key,) if isinstance(key, str) else key


def read_tables(of: Any, columns: Sequence[str]) -> tuple[list[Key], bool]:
    """Return the tables asked for, and whether one was asked for by itself."""
    if of is None:
        return [columns[0] if len(columns) == 1 else tuple(columns)], True
    if isinstance(of, str) and of not in columns and of in ("columns", "pairs"):
        pairs = combinations(columns, 2) if of == "pairs" else ()
        return [*columns, *pairs], False
    single = isinstance(of, (str, tuple))
    if not single and not isinstance(of, Iterable):
        raise InputError(
            f"of is {brief(of)}; give a column, a tuple of columns, or a list of those."
        )
    keys: list[Key] = []
    for key in [of] if single else several(of, name="of", of="columns"):
        names = tuple(key) if isinstance(key, list | tuple) else (key,)
        unknown = [name for name in names if not isinstance(name, str) or name not in columns]
        if unknown or not names or len(set(names)) < len(names):
            raise InputError(
                f"of asks for {brief(key)}; a table is made of different columns among "
                f"{', '.join(map(repr, columns))}. Or say 'columns' or 'pairs' for all of them."
            )
        keys.append(key if isinstance(key, str) else names)
    if not keys:
        raise InputError("of is empty; ask for at least one table.")
    return keys, single
