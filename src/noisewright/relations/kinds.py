"""What the values of an expression are: labels, numbers on a grid, or truth values.

All of them are whole numbers inside: the place of a label, 0 or 1 for truth, and for a number or a
date k, which stands for unit · k. So engines compute with whole numbers alone, exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any, TypeAlias, final

from noisewright.errors import ParameterError
from noisewright.exact import show
from noisewright.given import brief
from noisewright.spaces import Categories, Counts, Dates, Interval, as_written
from noisewright.tables import Field


@final
@dataclass(frozen=True)
class Labels:
    """One of these labels, by its place."""

    labels: tuple[Any, ...]

    def integer(self, value: Any) -> int:
        """Return the place of a label; refuse one that was not declared."""
        for place, label in enumerate(self.labels):
            if label == value and type(label) is type(value):
                return place
        shown = ", ".join(map(brief, self.labels[:8])) + (", …" if len(self.labels) > 8 else "")
        raise ParameterError(f"{brief(value)} is not one of the declared labels: {shown}.")

    def value(self, integer: int) -> Any:
        """Return the label at a place."""
        return self.labels[integer]


@final
@dataclass(frozen=True)
class Numbers:
    """Numbers unit · k with whole k; `dates` if they are steps of these dates since 1970."""

    unit: Fraction = Fraction(1)
    dates: Dates | None = None

    def integer(self, value: Any) -> Fraction:
        """Return the k of a number or a date; it is no whole number between two grid points."""
        if self.dates is not None:
            steps = self.dates.steps_in(value)
            if steps is None:
                raise ParameterError(
                    f"{brief(value)} is not a date; write it as '2020-01-31' or give a "
                    "datetime.date."
                )
            return Fraction(steps)
        return as_fraction(value) / self.unit

    def value(self, integer: int) -> Any:
        """Return the number, or the date, that k stands for."""
        if self.dates is not None:
            return self.dates.point(integer - int(self.dates.low))
        number = self.unit * integer
        return int(number) if self.unit.denominator == 1 else float(number)


@final
@dataclass(frozen=True)
class Truth:
    """True or False."""

    def integer(self, value: Any) -> int:
        """Return 1 or 0."""
        if not isinstance(value, bool):
            raise ParameterError(f"{brief(value)} is neither True nor False.")
        return int(value)

    def value(self, integer: int) -> bool:
        """Return the truth value."""
        return bool(integer)


Kind: TypeAlias = Labels | Numbers | Truth


@final
@dataclass(frozen=True)
class FieldGrid:
    """How the codes of a field become whole numbers: first + stride · code, of some kind."""

    kind: Kind
    first: int
    stride: int
    size: int
    nullable: bool

    @property
    def last(self) -> int:
        """The largest whole number."""
        return self.first + self.stride * (self.size - 1)


def grid_of(field: Field) -> FieldGrid:
    """Return what the cells of a field are as whole numbers."""
    space, nullable = field.space, field.null is None
    if isinstance(space, Categories):
        is_truth = {type(label) for label in space.labels} == {bool}
        nullable = nullable or field.other is None
        if is_truth and space.size == 2:
            # False is 0, in whatever order they were declared.
            first, stride = (0, 1) if space.labels[1] is True else (1, -1)
            return FieldGrid(Truth(), first, stride, 2, nullable)
        return FieldGrid(Labels(space.labels), 0, 1, space.size, nullable)
    if isinstance(space, Counts):
        return FieldGrid(Numbers(), 0, 1, space.size, nullable)
    if isinstance(space, Dates):
        return FieldGrid(Numbers(dates=space), int(space.low), 1, space.size, nullable)
    if isinstance(space, Interval):
        unit = common_unit([space.low, space.step])
        return FieldGrid(
            Numbers(unit), int(space.low / unit), int(space.step / unit), space.size, nullable
        )
    raise ParameterError(
        f"the column holds {type(space).__name__}; questions can be asked about labels, counts, "
        "numbers and dates."
    )


def common_unit(values: Sequence[Fraction]) -> Fraction:
    """Return the largest number of which all values are whole multiples."""
    below = 1
    for value in values:
        below = below * value.denominator // gcd(below, value.denominator)
    return Fraction(gcd(*(int(value * below) for value in values)) or 1, below)


def as_fraction(value: Any) -> Fraction:
    """Read a number of an expression; a float as the decimal that was typed."""
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise ParameterError(f"{brief(value)} is not a number.")
    found = as_written(value, name="the number")
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > 200:
        raise ParameterError(f"{show(found)} has too many digits for an expression.")
    return found
