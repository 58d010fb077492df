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

from noisewright.report.characters import shorten
from noisewright.report.markup import (
    Heading,
    Markup,
    joined,
    label,
    paragraph,
    table,
    text,
)
from noisewright.report.numerals import MINUS, readable
from noisewright.report.strips import StripScale, axis, ringed
from noisewright.report.synthesis.facts import NoisyCounts, SynthesisFacts
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


def counted_sections(facts: SynthesisFacts) -> Markup:
    """Return a small table with pictures for each noisy count, and a list of what is too much."""
    by_name = {part.name: part for part in facts.errors.parts}
    shown = facts.counted[:MOST_SECTIONS]
    rest = facts.counted[MOST_SECTIONS:]
    scaled = "" if facts.rows == facts.people else f", as so many of {facts.people:,}"
    key = (
        '<ul class="key"><li><svg aria-hidden="true" viewBox="0 0 12 12"><circle class="dot" '
        'cx="6" cy="6" r="5"/></svg>noisy count, with the range that holds the true count with '
        'probability 95%</li><li><svg aria-hidden="true" viewBox="0 0 12 12"><circle class="naive" '
        f'cx="6" cy="6" r="4"/></svg>count of the synthetic rows{text(scaled)}</li></ul>'
    )
    return joined(
        [
            Markup(key),
            '<div class="counts">',
            *(_section(one, place, by_name.get(one.name)) for place, one in enumerate(shown, 1)),
            "</div>",
            _listed(rest) if rest else "",
        ]
    )


def lines_of(one: NoisyCounts) -> list[Line]:
    """Return what is shown of a count: all of it, or its largest and the rest together."""
    seen = one.measurement
    half = float(seen.noise.half_width)
    if one.is_query:
        value = None if one.found is None else float(one.found[0])
        return [Line(seen.query, float(seen.counts[0]), half, value)]
    spaces = dict(seen.domain.columns)
    sides = [_Side.of(spaces[name], alone=len(seen.columns) == 1) for name in seen.columns]
    noisy, sizes = _added(seen.counts, sides), _added(np.ones(seen.counts.shape), sides)
    found = None if one.found is None else _added(one.found, sides)

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


def _added(counts: NDArray[Any], sides: Sequence[_Side]) -> NDArray[np.float64]:
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


def _section(one: NoisyCounts, place: int, part: PartError | None) -> Markup:
    lines = lines_of(one)
    # All the rest together is far larger than any of the others, and would press them to zero.
    drawn = [each for each in lines if not each.is_rest]
    numbers = [n for each in drawn for n in (each.noisy - each.half, each.noisy + each.half)]
    numbers += [each.found for each in drawn if each.found is not None]
    scale = StripScale.over(numbers)
    rows = [
        [
            label(each.name, longest=60),
            text("")
            if each.is_rest
            else ringed(
                scale, each.noisy, each.noisy - each.half, each.noisy + each.half, each.found
            ),
            text(_whole(each.noisy)),
            text("" if each.found is None else _whole(each.found)),
        ]
        for each in lines
    ]
    headings = (
        Heading(text("")),
        Heading(axis(scale, percent=False), kind="strip"),
        Heading(text("noisy"), number=True),
        Heading(text("rows"), number=True),
    )
    cells = one.measurement.counts.size
    caption = Markup(
        f"{cells:,} noisy {'count' if cells == 1 else 'counts'}, each ±"
        f"{one.measurement.noise.half_width:,} with probability 95%"
    )
    apart = outside(one)
    words = "" if part is None or part.found is None else _error_words(part)
    if apart is not None and apart[1] > 1:
        words += (
            f" {apart[0]:,} of {apart[1]:,} counts of the rows lie outside of their range."
            if apart[0]
            else f" All {apart[1]:,} counts of the rows lie inside of their range."
        )
    title = Markup(" × ".join(label(name, longest=40) for name in one.columns))
    if one.is_query:
        title = label(one.name, longest=80)
    return joined(
        [
            f'<section id="count-{place}">',
            f"<h4>{title}</h4>",
            table(headings, rows, caption=caption),
            paragraph(text(words.strip()), kind="soft small") if words else "",
            "</section>",
        ]
    )


def _error_words(part: PartError) -> str:
    return (
        f"Error expected by noise: {readable(part.expected)}; found between rows and noisy counts: "
        f"{readable(part.found or 0.0)}."
    )


def _listed(rest: Sequence[NoisyCounts]) -> Markup:
    names = ", ".join(shorten(one.name, longest=60) for one in rest[:200])
    more = f" and {len(rest) - 200:,} more" if len(rest) > 200 else ""
    return paragraph(
        text(f"NoisyCounts too, and listed in the file beside the table: {names}{more}."),
        kind="soft small",
    )


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
