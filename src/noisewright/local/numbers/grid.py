"""The numbers that people report: points of a declared grid, low + step · code."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from noisewright.errors import ParameterError
from noisewright.given import brief
from noisewright.spaces import Counts, Dates, Interval


@dataclass(frozen=True)
class NumberGrid:
    """low, low + step, …, low + last · step; `dates` is the space if these are dates."""

    low: Fraction
    step: Fraction
    last: int
    dates: Dates | None = None

    @classmethod
    def of(cls, space: Any) -> NumberGrid:
        """Read a space of numbers."""
        if isinstance(space, Counts):
            return cls(Fraction(0), Fraction(1), space.n)
        if not isinstance(space, Interval):
            raise ParameterError(
                f"space is {brief(space)}; numbers need a declared grid, such as "
                "nw.Interval(0, 100, step=1) or nw.Counts(8)."
            )
        dates = space if isinstance(space, Dates) else None
        step = Fraction(1) if dates is not None else space.step
        grid = cls(space.low, step, space.size - 1, dates)
        if grid.last < 1:
            raise ParameterError(f"{space!r} has one point; there is nothing to ask.")
        return grid

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest number."""
        return float(self.low), float(self.low + self.last * self.step)

    def number(self, steps: Any) -> Any:
        """Return what so many steps above the lowest number are."""
        return float(self.low) + float(self.step) * steps
