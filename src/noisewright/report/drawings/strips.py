"""Answers with their intervals, drawn inside of the table that lists them.

Each row has a strip: a dot on its interval, all on one scale, whose ends stand in the head of the
column. A strip is as wide as its cell, on every screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from noisewright.report.texts import MINUS


@dataclass(frozen=True)
class Strip:
    """Where the marks of a row stand, in percent of its strip: a dot, an interval, a ring, zero."""

    dot: str
    ends: tuple[str, str] | None
    ring: str
    zero: str


@dataclass(frozen=True)
class StripScale:
    """Numbers from `low` to `high` along a strip, with ticks at multiples of `step`.

    `write` writes them where they stand for something else, such as dates.
    """

    low: float
    high: float
    step: float
    write: Callable[[float], str] | None = None

    @classmethod
    def over(cls, numbers: Sequence[float], *, zero: bool = True) -> StripScale:
        """Return a scale that holds all of these numbers, and 0 if asked for."""
        known = [number for number in numbers if math.isfinite(number)] or [0.0]
        low, high = min(known), max(known)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        made = cls(low, high, round_step((high - low) / 3))
        # Between the round numbers there may be room for one tick only, which is no scale.
        return made if len(made.ticks) > 1 else cls(low, high, round_step((high - low) / 6))

    @property
    def ticks(self) -> list[float]:
        """Round numbers along it."""
        return ticks_between(self.low, self.high, self.step)

    def place(self, number: float) -> str:
        """Return where a number stands in percent of the strip; beyond an end, there."""
        share = (number - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"

    def strip(
        self,
        value: float,
        *,
        ends: tuple[float, float] | None = None,
        ring: float | None = None,
    ) -> Strip:
        """Return the marks of a row: a dot, on its interval or joined to a ring beside it."""
        return Strip(
            self.place(value),
            None if ends is None else (self.place(ends[0]), self.place(ends[1])),
            "" if ring is None else self.place(ring),
            self.place(0) if self.low <= 0 <= self.high else "",
        )

    def ticks_in(self, percent: bool) -> list[tuple[str, str]]:
        """Return where the round numbers stand, and how they are written."""
        if self.write is None:
            return [(self.place(tick), tick_text(tick, percent=percent)) for tick in self.ticks]
        # Whole ones only, at the ends: their texts are long.
        ends = sorted({math.ceil(self.low), math.floor(self.high)})
        return [(self.place(end), self.write(end)) for end in ends if self.low <= end <= self.high]


def round_step(about: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= about * (1 - 1e-9))


def ticks_between(low: float, high: float, step: float) -> list[float]:
    """Return the multiples of a step between two numbers."""
    room = 1e-9 * (high - low)
    first, last = math.ceil((low - room) / step), math.floor((high + room) / step)
    return [step * place for place in range(first, last + 1)]


def tick_text(tick: float, *, percent: bool = False) -> str:
    """Return a round number as it stands along an axis."""
    shown = f"{abs(round(100 * tick, 6)):g}%" if percent else f"{abs(round(tick, 9)):,.6g}"
    return (MINUS if tick < 0 else "") + shown
