"""Lines and areas over two axes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from noisewright.report.charts.ticks import WIDTH_OF_A_LETTER
from noisewright.report.drawings.strips import round_step, tick_text, ticks_between

_WIDTH = 330
_ABOVE, _BELOW, _KEY = 8, 42, 36
"""Pixels over and under the plot, and those of a key over it."""


@dataclass(frozen=True)
class Curve:
    """Numbers along x: a line, or with `low` the area from there; `kind` says how it looks."""

    x: Sequence[float]
    y: Sequence[float]
    kind: str
    name: str = ""
    low: Sequence[float] | None = None
    steps: bool = False


@dataclass(frozen=True)
class Shape:
    """A path inside of a plot, in pixels."""

    kind: str
    path: str


@dataclass(frozen=True)
class Plot:
    """Lines and areas over two axes, in pixels."""

    left: float
    top: int
    width: int
    height: int
    x_title: str
    y_title: str
    across: list[tuple[float, str]]
    down: list[tuple[float, str]]
    shapes: list[Shape]
    key_title: str
    key: list[tuple[float, str, str]]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height with all that stands around."""
        return round(self.left + self.width + 14), self.top + self.height + _BELOW


def draw_plot(
    curves: Sequence[Curve],
    *,
    x_title: str,
    y_title: str,
    height: int,
    key_title: str = "",
    y_ticks: bool = True,
    square_root: bool = False,
) -> Plot:
    """Lay out curves over axes with round numbers; named ones stand in a key above.

    `square_root` raises small values of y, which must not be negative.
    """
    scaled = math.sqrt if square_root else float
    ys = [y for curve in curves for side in (curve.y, curve.low or ()) for y in side]
    low, high = _span(ys)
    low = 0.0 if square_root else low
    step = round_step((high - low) / 7)
    if y_ticks:
        low, high = step * math.floor(low / step + 1e-9), step * math.ceil(high / step - 1e-9)
    first, last = _span([x for curve in curves for x in curve.x])
    marks = ticks_between(low, high, step) if y_ticks else []
    words = [tick_text(mark) for mark in marks]
    left = 30 + WIDTH_OF_A_LETTER * max(map(len, words), default=0)
    named = [curve for curve in curves if curve.name]
    top = _ABOVE + (_KEY if named else 0)

    def across(x: float) -> float:
        return round(left + _WIDTH * (x - first) / (last - first), 1)

    def down(y: float) -> float:
        share = (scaled(y) - scaled(low)) / (scaled(high) - scaled(low))
        return round(top + height * (1 - share), 1)

    def place(xs: Sequence[float], values: Sequence[float]) -> list[tuple[float, float]]:
        return [(across(x), down(y)) for x, y in zip(xs, values, strict=True)]

    key: list[tuple[float, str, str]] = []
    at = left
    for curve in named:
        key.append((round(at, 1), curve.kind, curve.name))
        at += 34 + WIDTH_OF_A_LETTER * len(curve.name)
    return Plot(
        round(left, 1),
        top,
        _WIDTH,
        height,
        x_title,
        y_title,
        [(across(tick), tick_text(tick)) for tick in _ticks_across(first, last)],
        [(down(mark), text) for mark, text in zip(marks, words, strict=True)],
        [
            Shape(
                curve.kind,
                _line(place(curve.x, curve.y), curve.steps)
                if curve.low is None
                else _area(place(curve.x, curve.low), place(curve.x, curve.y)),
            )
            for curve in curves
        ],
        key_title,
        key,
    )


def _span(numbers: Iterable[float]) -> tuple[float, float]:
    known = list(numbers)
    low, high = min(known), max(known)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _ticks_across(first: float, last: float) -> list[float]:
    """Return as many round numbers as leave room between them."""
    for parts in (8, 6, 4, 2):
        ticks = ticks_between(first, last, round_step((last - first) / parts))
        if sum(WIDTH_OF_A_LETTER * len(tick_text(tick)) + 14 for tick in ticks) <= _WIDTH:
            return ticks
    return []


def _line(points: Sequence[tuple[float, float]], steps: bool = False) -> str:
    if steps:
        # The value of a point holds halfway to both of its neighbors.
        turns = list(points[:1])
        for (x, y), (after, level) in pairwise(points):
            middle = round((x + after) / 2, 1)
            turns += [(middle, y), (middle, level)]
        points = [*turns, points[-1]]
    if len(points) == 1:
        # One point has no length; its round ends make it a dot.
        return f"M{points[0][0]},{points[0][1]}h0"
    return "M" + "L".join(f"{x},{y}" for x, y in points)


def _area(lower: Sequence[tuple[float, float]], upper: Sequence[tuple[float, float]]) -> str:
    if len(lower) == 1:
        # One position has no area; a narrow bar shows it.
        (x, bottom), (_, top) = lower[0], upper[0]
        return f"M{x - 2},{bottom}h4V{top}h-4Z"
    return f"{_line([*upper, *reversed(lower)])}Z"
