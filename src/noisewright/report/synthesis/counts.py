"""Noisy counts with their intervals, each beside what the synthetic rows count.

A long column is told in a few lines: numbers in ranges, labels by the largest of them and all
others together. Its noise is that of all points that were added up.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.given import quantity
from noisewright.report.drawings.strips import Strip, StripScale
from noisewright.report.synthesis.facts import NoisyCounts, SynthesisFacts
from noisewright.report.texts import MINUS, readable, shorten
from noisewright.spaces import Space
from noisewright.synthetic import PartError

_ALL, _ALL_CELLS, _MOST_POINTS = 32, 16, 12
"""Counts that are shown one by one, of one column and of several; points of a number beside another
column."""

_MOST_LABELS, _MOST_RANGES, _MOST_CELLS = 12, 16, 10
MOST_SECTIONS = 40
"""Counts that are shown with a picture; the rest is listed."""

_NORMAL_95 = 1.96


@dataclass(frozen=True)
class Line:
    """One line of a picture: some points, their noisy count, its error, and what rows count."""

    name: str
    noisy: float
    half: float
    found: float | None
    is_rest: bool = False


@dataclass(frozen=True)
class CountSection:
    """Noisy counts as a small table with pictures; rows are names, strips and numbers."""

    title: tuple[str, ...]
    caption: str
    scale: StripScale
    rows: tuple[tuple[str, Strip | None, tuple[str, str]], ...]
    words: str


def view_counts(facts: SynthesisFacts) -> list[CountSection]:
    """Return what was counted, as far as it gets a picture."""
    by_name = {part.name: part for part in facts.errors.parts}
    return [_section(one, by_name.get(one.name)) for one in facts.counted[:MOST_SECTIONS]]


def lines_of(one: NoisyCounts) -> list[Line]:
    """Return what is shown of a count: all of it, or its largest and the rest together."""
    seen = one.measurement
    half = float(seen.noise.half_width)
    if one.is_query:
        value = None if one.found is None else float(one.found[0])
        return [Line(seen.query, float(seen.counts[0]), half, value)]
    sides = [_Side.of(space, alone=len(seen.columns) == 1) for space in seen.spaces]
    noisy, sizes = _add_up(seen.counts, sides), _add_up(np.ones(seen.counts.shape), sides)
    found = None if one.found is None else _add_up(one.found, sides)

    def line(name: str, places: Any, *, is_rest: bool = False) -> Line:
        many = int(sizes[places].sum())
        spread = math.sqrt(seen.noise.variance_of_sum(many))
        width = half if many == 1 else _NORMAL_95 * spread
        value = None if found is None else float(found[places].sum())
        return Line(name, float(noisy[places].sum()), width, value, is_rest)

    if noisy.size <= (_ALL if len(sides) == 1 else _ALL_CELLS):
        return [line(_cell(sides, place), [place]) for place in range(noisy.size)]
    most = _MOST_LABELS if len(sides) == 1 else _MOST_CELLS
    order = np.argsort(-noisy, kind="stable")
    largest = [line(_cell(sides, int(place)), [int(place)]) for place in order[:most]]
    kind = "labels" if len(sides) == 1 else "cells"
    left = f"the other {noisy.size - most:,} {kind}"
    return [*largest, line(left, order[most:], is_rest=True)]


@dataclass(frozen=True, eq=False)
class _Side:
    """One column of a count as it is shown: point by point, or in ranges of neighbors."""

    names: Sequence[str]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, space: Space, *, alone: bool) -> _Side:
        most, ranges = (_ALL, _MOST_RANGES) if alone else (_MOST_POINTS, _MOST_RANGES // 2)
        if not space.ordered or space.size <= most:
            # Labels that are never shown need no names: most of a long list are not.
            return cls(_Names(space), np.arange(space.size))
        groups = np.array_split(np.arange(space.size), ranges)
        names = [_range(space, group.tolist()) for group in groups]
        return cls(names, np.array([group[0] for group in groups], dtype=np.intp))


@dataclass(frozen=True, eq=False)
class _Names(Sequence[str]):
    """The names of all points of a space, each made when it is asked for."""

    space: Space

    def __len__(self) -> int:
        return self.space.size

    def __getitem__(self, place: Any) -> Any:
        return _point(self.space.point(place))


def _add_up(counts: NDArray[Any], sides: Sequence[_Side]) -> NDArray[np.float64]:
    """Return counts added up over the ranges of each side, in one row."""
    for along, side in enumerate(sides):
        counts = np.add.reduceat(counts, side.starts, axis=along)
    return counts.reshape(-1).astype(np.float64)


def outside(one: NoisyCounts) -> tuple[int, int] | None:
    """Return how many counts of the rows lie outside of the interval of the noisy one, of all."""
    if one.found is None:
        return None
    apart = np.abs(one.found - one.measurement.counts) > one.measurement.noise.half_width
    return int(apart.sum()), int(apart.size)


def _section(one: NoisyCounts, part: PartError | None) -> CountSection:
    lines = lines_of(one)
    # All the rest together is far larger than any of the others, and would press them to zero.
    drawn = [each for each in lines if not each.is_rest]
    numbers = [n for each in drawn for n in (each.noisy - each.half, each.noisy + each.half)]
    scale = StripScale.over([*numbers, *(each.found for each in drawn if each.found is not None)])
    cells = one.measurement.counts.size
    words: list[str] = []
    # The errors of parts are about the last count of each.
    if part is not None and part.found is not None and one.time == one.times:
        words.append(
            f"Error expected by noise: {readable(part.expected)}; found between rows and noisy "
            f"counts: {readable(part.found)}."
        )
    apart = outside(one)
    if apart is not None and apart[1] > 1:
        words.append(
            f"{apart[0]:,} of {apart[1]:,} counts of the rows are outside their range."
            if apart[0]
            else f"All {apart[1]:,} counts of the rows are inside their range."
        )
    return CountSection(
        (one.name,) if one.is_query else one.columns,
        f"{one.which + ': ' if one.which else ''}{quantity(cells, 'noisy count')}, each "
        f"±{one.measurement.noise.half_width:,} with probability 95%",
        scale,
        tuple(
            (
                each.name,
                None
                if each.is_rest
                else scale.strip(
                    each.noisy,
                    ends=(each.noisy - each.half, each.noisy + each.half),
                    ring=each.found,
                ),
                (_whole(each.noisy), "" if each.found is None else _whole(each.found)),
            )
            for each in lines
        ),
        " ".join(words),
    )


def name_cell(spaces: Sequence[Space], place: int) -> str:
    """Return the values of one cell of a table of these columns."""
    codes = np.unravel_index(place, [space.size for space in spaces])
    named = zip(spaces, codes, strict=True)
    return ", ".join(shorten(_point(space.point(int(code))), longest=40) for space, code in named)


def _cell(sides: Sequence[_Side], place: int) -> str:
    codes = np.unravel_index(place, [len(side.names) for side in sides])
    named = zip(sides, codes, strict=True)
    return ", ".join(shorten(side.names[int(code)], longest=40) for side, code in named)


def _range(space: Space, places: Sequence[int]) -> str:
    first, last = (_point(space.point(place)) for place in (places[0], places[-1]))
    return first if first == last else f"{first} to {last}"


def _point(point: Any) -> str:
    if isinstance(point, bytes):
        return point.hex()
    return (
        str(point) if isinstance(point, str | bool | int | datetime.date) else f"{float(point):.6g}"
    )


def _whole(value: float) -> str:
    shown = f"{abs(value):,.0f}"
    return (MINUS if value < 0 and shown != "0" else "") + shown
