"""How a heatmap is laid out: its cells, what they carry, and which names fit beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from noisewright.mechanisms import Mechanism
from noisewright.report.texts import shorten
from noisewright.spaces import Counts, Records, Rows, Space, Subsets

WIDTH_OF_A_LETTER = 6.5
HEIGHT_OF_A_LINE = 12
LONGEST = 150
"""Pixels of a label; what is longer ends in dots and stands in full in the tooltip."""

MOST_LETTERS = 200
"""Letters of a label; measuring the width of very long ones takes minutes."""

MOST_WITH_NUMBERS = 12
"""Inputs or outputs of a heatmap whose cells carry their numbers."""

DARK_BELOW = 0.43
"""Viridis is darker than middle gray below this fraction of its range; white reads better there."""

_CELL_WITH_NUMBER, _CELL_OF_A_FEW, _ROOM_OF_A_NUMBER = 34, 56, 36
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


def longest(names: list[str]) -> float:
    """Return the width of the longest name in pixels, as far as it is shown."""
    return min(LONGEST, WIDTH_OF_A_LETTER * max(map(len, names)))


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


@dataclass(frozen=True)
class HeatmapLayout:
    """Names of inputs and outputs, the side of a cell in whole pixels, and which codes are named.

    `down` are named beside rows, `across` under columns, where names are turned by `tilt` degrees.
    """

    inputs: list[str]
    outputs: list[str]
    cell: int
    tilt: int
    down: list[int]
    across: list[int]
    x_title: str
    y_title: str

    @classmethod
    def of(cls, mechanism: Mechanism, *, side: int) -> HeatmapLayout:
        """Lay out a heatmap about as wide as `side`."""
        space, published = mechanism.space, mechanism.outputs
        inputs, outputs = labels(space), labels(published)
        most = max(len(inputs), len(outputs))
        cell = max(1, min(_CELL_OF_A_FEW, round(side / most)))
        if has_numbers(mechanism):
            cell = max(cell, _CELL_WITH_NUMBER)
        elif most <= 80 and not (space.ordered and published.ordered):
            # Words cannot be thinned without loss, so their cells leave room for a line each.
            cell = max(cell, HEIGHT_OF_A_LINE)
        # Numbers in order are thinned instead: one reads the ones between off the ones shown.
        tilted = not published.ordered and longest(outputs) + 4 > cell
        room = HEIGHT_OF_A_LINE if tilted else max(longest(outputs) + 6, _sparse(published))
        return cls(
            inputs,
            outputs,
            cell,
            0 if not tilted else 90 if cell < 2 * HEIGHT_OF_A_LINE else 45,
            codes_named(inputs, cell, room=max(HEIGHT_OF_A_LINE, _sparse(space))),
            codes_named(outputs, cell, room=room),
            f"published {_noun(published)}",
            f"true {_noun(space)}",
        )


def has_numbers(mechanism: Mechanism) -> bool:
    """Tell whether there are so few cells that each carries its number."""
    return max(mechanism.space.size, mechanism.outputs.size) <= MOST_WITH_NUMBERS


def cell_text(probability: float, *, impossible: bool) -> str:
    """Return what a cell carries: 0 is a probability that is exactly zero, <.01 one that is not."""
    if impossible:
        return "0"
    if probability < 0.005:
        return "<.01"
    if 0.995 < probability < 1:
        return ">.99"
    return "1" if probability == 1 else f"{probability:.2f}"


def _noun(space: Space) -> str:
    return "count" if isinstance(space, Counts) else "value"


def _sparse(space: Space) -> float:
    """Return the room of a tick where few are enough: long axes of numbers."""
    return _ROOM_OF_A_NUMBER if space.ordered and space.size > MOST_WITH_NUMBERS else 0
