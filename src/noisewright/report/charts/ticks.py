"""What stands along the axes of a heatmap: the names of points, and how many of them fit."""

from __future__ import annotations

from typing import Any

from noisewright.report.characters import shorten
from noisewright.spaces import Counts, Records, Rows, Space, Subsets

WIDTH_OF_A_LETTER = 6.5
HEIGHT_OF_A_LINE = 12
LONGEST = 150
"""Pixels of a label; what is longer ends in dots and stands in full in the tooltip."""

MOST_LETTERS = 200
"""Letters of a label; measuring the width of very long ones takes minutes."""

_ROUND = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)


def labels(space: Space) -> list[str]:
    """Return a name for each point, in the order of the codes."""
    return [shorten(_name(space, point), longest=MOST_LETTERS) for point in space.points]


def _name(space: Space, point: Any) -> str:
    if isinstance(space, Subsets):
        return "{" + ", ".join(str(item) for item in space.items if item in point) + "}"
    if isinstance(space, Rows):
        return ", ".join(_name(space.row, part) for part in point)
    if isinstance(space, Records):
        parts = zip(space.columns, point, strict=True)
        return ", ".join(_name(column, part) for (_, column), part in parts)
    if isinstance(point, float):
        return f"{point:.6g}"
    if isinstance(point, bytes):
        return point.hex()
    return str(point)


def noun(space: Space) -> str:
    """Return what one point is called in a sentence; it is the end of an axis title."""
    return "count" if isinstance(space, Counts) else "value"


def longest(names: list[str]) -> float:
    """Return the width of the longest name in pixels, as far as it is shown."""
    return min(LONGEST, WIDTH_OF_A_LETTER * max(map(len, names)))


def are_tilted(names: list[str], cell: int, *, ordered: bool) -> bool:
    """Tell whether names stand upright under columns: words that are wider than a cell.

    Numbers in order are thinned instead: one reads the ones between off the ones shown.
    """
    return not ordered and longest(names) + 4 > cell


def label_spacing(cell: float, *, room: float) -> int:
    """Return the k for which every k-th name has `room` pixels, a round number."""
    return next((step for step in _ROUND if step * cell >= room), _ROUND[-1])


def codes_named(names: list[str], cell: int, *, room: float) -> list[int]:
    """Return the codes whose names are written, so that each has `room` pixels for itself."""
    every = label_spacing(cell, room=room)
    codes = list(range(0, len(names), every))
    # The last point is an anchor for the eye when it does not crowd the one before it.
    if codes[-1] != len(names) - 1 and (len(names) - 1 - codes[-1]) * cell >= room:
        codes.append(len(names) - 1)
    return codes
