"""Answers with their intervals, drawn inside of the table that lists them.

Each row has a strip: a dot on its interval, all on one scale, whose ends stand in the head of the
column. A strip is as wide as its cell and needs no library, so that it is there on every page and
on every screen. For who cannot see it the numbers beside it say the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from noisewright.report.markup import Markup


@dataclass(frozen=True)
class StripScale:
    """Numbers from `low` to `high` along a strip, with ticks at multiples of `step`."""

    low: float
    high: float
    step: float

    @classmethod
    def over(cls, numbers: Sequence[float], *, zero: bool = True) -> StripScale:
        """Return a scale that holds all of these numbers, and 0 if asked for."""
        known = [number for number in numbers if math.isfinite(number)] or [0.0]
        low, high = min(known), max(known)
        if zero:
            low, high = min(low, 0.0), max(high, 0.0)
        if high <= low:
            low, high = low - 0.5, high + 0.5
        made = cls(low, high, _round_step((high - low) / 3))
        # Between the round numbers there may be room for one tick only, which is no scale.
        return made if len(made.ticks) > 1 else cls(low, high, _round_step((high - low) / 6))

    def place(self, number: float) -> str:
        """Return where a number stands in percent of the strip; beyond an end, there."""
        share = (number - self.low) / (self.high - self.low)
        return f"{100 * min(max(share, 0.0), 1.0):.2f}%"

    @property
    def ticks(self) -> list[float]:
        """Round numbers along it."""
        room = 1e-9 * (self.high - self.low)
        first = math.ceil((self.low - room) / self.step)
        last = math.floor((self.high + room) / self.step)
        return [self.step * place for place in range(first, last + 1)]


def _round_step(about: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least as large."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(times * power for times in (1, 2, 5, 10) if times * power >= about * (1 - 1e-9))


def strip(scale: StripScale, value: float, low: float, high: float) -> Markup:
    """Draw a dot on its interval."""
    return _drawing(
        _zero(scale),
        f'<line class="range" x1="{scale.place(low)}" x2="{scale.place(high)}" y1="50%" y2="50%"/>',
        f'<circle class="dot" cx="{scale.place(value)}" cy="50%" r="4.5"/>',
    )


def two_dots(scale: StripScale, value: float, naive: float) -> Markup:
    """Draw an estimate as a dot, and what a plain count would say as a ring."""
    return _drawing(
        _zero(scale),
        f'<line class="gap" x1="{scale.place(naive)}" x2="{scale.place(value)}" '
        'y1="50%" y2="50%"/>',
        f'<circle class="naive" cx="{scale.place(naive)}" cy="50%" r="4"/>',
        f'<circle class="dot" cx="{scale.place(value)}" cy="50%" r="4.5"/>',
    )


def ringed(scale: StripScale, value: float, low: float, high: float, other: float | None) -> Markup:
    """Draw a dot on its interval, and something to be compared with it as a ring."""
    ring = (
        ""
        if other is None
        else f'<circle class="naive" cx="{scale.place(other)}" cy="50%" r="4.5"/>'
    )
    return _drawing(
        _zero(scale),
        f'<line class="range" x1="{scale.place(low)}" x2="{scale.place(high)}" y1="50%" y2="50%"/>',
        f'<circle class="dot" cx="{scale.place(value)}" cy="50%" r="3"/>',
        ring,
    )


def expected_and_found(scale: StripScale, expected: float, found: float | None) -> Markup:
    """Draw an error that was expected as a dot, and the one that was found as a ring."""
    if found is not None:
        return two_dots(scale, expected, found)
    return _drawing(
        _zero(scale), f'<circle class="dot" cx="{scale.place(expected)}" cy="50%" r="4.5"/>'
    )


def axis(scale: StripScale, *, percent: bool) -> Markup:
    """Write the round numbers of a scale, for the head of the column of strips."""
    words = [
        f'<text x="{scale.place(tick)}" y="80%" text-anchor="middle">{_tick(tick, percent)}</text>'
        for tick in scale.ticks
    ]
    return _drawing(*words)


def _tick(tick: float, percent: bool) -> str:
    shown = f"{abs(round(100 * tick, 6)):g}%" if percent else f"{abs(round(tick, 9)):,.6g}"
    return ("\N{MINUS SIGN}" if tick < 0 else "") + shown


def _zero(scale: StripScale) -> str:
    if not scale.low <= 0 <= scale.high:
        return ""
    return f'<line class="zero" x1="{scale.place(0)}" x2="{scale.place(0)}" y1="0" y2="100%"/>'


def _drawing(*parts: str) -> Markup:
    return Markup(f'<svg aria-hidden="true" focusable="false">{"".join(parts)}</svg>')
