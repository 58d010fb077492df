"""Squares in rows and columns: the probabilities of a mechanism, pairs of columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from noisewright.mechanisms import Table
from noisewright.report.characters import shorten
from noisewright.report.charts.ticks import (
    HEIGHT_OF_A_LINE,
    LONGEST,
    WIDTH_OF_A_LETTER,
    are_tilted,
    codes_named,
    labels,
    longest,
    noun,
)

_VIRIDIS = (
    "440154 481a6c 472f7d 414487 39568c 31688e 2a788e 23888e "
    "1f988b 22a884 35b779 54c568 7ad151 a5db36 d2e21b fde725"
)
_COLORS = [bytes.fromhex(color) for color in _VIRIDIS.split()]
"""Every 17th of viridis's 256 colors (van der Walt and Smith 2015); those between are mixed."""

_DARK_BELOW = 0.43
"""Viridis is darker than middle gray below this fraction of its range; white reads better there."""

_SIDE, _MOST_WITH_NUMBERS = 300, 12
_LEAST_WITH_NUMBER, _MOST_OF_A_CELL = 34, 56
_KEY_PARTS, _KEY_HEIGHT = 24, 32
_ROOM_OF_NUMBERS = 36
_LETTERS = int(LONGEST / WIDTH_OF_A_LETTER)


@dataclass(frozen=True)
class GridCell:
    """A square: its place in pixels, its color or its kind, and what is written in it."""

    x: int
    y: int
    fill: str = ""
    kind: str = ""
    text: str = ""
    is_dark: bool = False


@dataclass(frozen=True)
class SquareGrid:
    """Squares with the names of rows and columns; `filled` is how much of a side is painted."""

    left: int
    top: int
    side: int
    filled: int
    shape: tuple[int, int]
    tilt: int
    room_below: int
    cells: list[GridCell]
    down: list[tuple[int, str]]
    across: list[tuple[int, str]]
    x_title: str = ""
    y_title: str = ""
    key: list[tuple[float, str]] = field(default_factory=list)
    key_width: float = 0
    key_words: list[tuple[float, str]] = field(default_factory=list)

    @property
    def width(self) -> int:
        """The width of all squares."""
        return self.side * self.shape[1]

    @property
    def height(self) -> int:
        """The height of all squares."""
        return self.side * self.shape[0]

    @property
    def size(self) -> tuple[int, int]:
        """Width and height with all that stands around."""
        return self.left + self.width + 20, self.top + self.height + self.room_below


def draw_heatmap(mechanism: Table) -> SquareGrid:
    """Lay out the probabilities of a small mechanism: rows are true values, columns published.

    Cells carry their numbers when there are at most 12 of each: 0 is a probability that is exactly
    zero, <.01 one that is not. Larger ones have a key of colors, which set small ones apart.
    """
    inputs, outputs = labels(mechanism.space), labels(mechanism.outputs)
    many = max(len(inputs), len(outputs))
    numbered = many <= _MOST_WITH_NUMBERS
    side = min(_MOST_OF_A_CELL, max(round(_SIDE / many), _LEAST_WITH_NUMBER if numbered else 1))
    matrix = mechanism.matrix
    largest = float(matrix.max())
    shades = (matrix / largest) ** (1 if numbered else 0.5)
    left = round(min(longest(inputs), LONGEST)) + 28
    top = 0 if numbered else _KEY_HEIGHT
    ordered = mechanism.outputs.ordered
    tilted = are_tilted(outputs, side, ordered=ordered)
    tilt = 0 if not tilted else 90 if side < 2 * HEIGHT_OF_A_LINE else 45
    below = 16 if not tilt else round(longest(outputs) * math.sin(math.radians(tilt))) + 12
    # Long axes of numbers are read between the ones that are written.
    sparse = 0 if numbered or not ordered else _ROOM_OF_NUMBERS
    room = HEIGHT_OF_A_LINE if tilted else max(longest(outputs) + 6, sparse)
    key = [left + side * len(outputs) * part / _KEY_PARTS for part in range(_KEY_PARTS + 1)]
    return SquareGrid(
        left=left,
        top=top,
        side=side,
        filled=side,
        shape=(len(inputs), len(outputs)),
        tilt=tilt,
        room_below=below + 24,
        cells=[
            GridCell(
                left + side * column,
                top + side * row,
                fill=_color(float(shades[row, column])),
                text=_number(float(matrix[row, column]), mechanism.weights[row, column] == 0)
                if numbered
                else "",
                is_dark=bool(shades[row, column] < _DARK_BELOW),
            )
            for row in range(len(inputs))
            for column in range(len(outputs))
        ],
        down=[
            (top + side * code + side // 2, shorten(inputs[code], longest=_LETTERS))
            for code in codes_named(inputs, side, room=max(HEIGHT_OF_A_LINE, sparse))
        ],
        across=[
            (left + side * code + side // 2, shorten(outputs[code], longest=_LETTERS))
            for code in codes_named(outputs, side, room=room)
        ],
        x_title=f"published {noun(mechanism.outputs)}",
        y_title=f"true {noun(mechanism.space)}",
        key=[]
        if numbered
        else [(round(x, 1), _color(part / _KEY_PARTS)) for part, x in enumerate(key[:-1])],
        key_width=round(key[1] - key[0] + 0.5, 1),
        key_words=[]
        if numbered
        else [
            (round(key[round(_KEY_PARTS * share)], 1), f"{largest * share**2:.2g}")
            for share in (0, 0.5, 1)
        ],
    )


def draw_pairs(names: Sequence[str], known: Collection[frozenset[int]]) -> SquareGrid:
    """Lay out all pairs of things by name, below the diagonal; `known` pairs are painted."""
    count = len(names) - 1
    # Narrow drawings would be shown larger, letters and all.
    side = max(16, min(60, 300 // count))
    reach = max(WIDTH_OF_A_LETTER * len(name) for name in names)
    left = round(reach) + 14
    return SquareGrid(
        left=left,
        top=2,
        side=side,
        filled=side - 4,
        shape=(count, count),
        tilt=45,
        room_below=round(0.71 * reach) + 20,
        cells=[
            GridCell(
                left + side * column,
                2 + side * (row - 1),
                kind="known" if frozenset((row, column)) in known else "blank",
            )
            for row in range(1, len(names))
            for column in range(row)
        ],
        down=[(side * place + side // 2, name) for place, name in enumerate(names[1:])],
        across=[(left + side * place + side // 2, name) for place, name in enumerate(names[:-1])],
    )


@lru_cache(1024)
def _color(share: float) -> str:
    at = min(max(share, 0.0), 1.0) * (len(_COLORS) - 1)
    low = min(int(at), len(_COLORS) - 2)
    ends = zip(_COLORS[low], _COLORS[low + 1], strict=True)
    return "#" + bytes(round(a + (at - low) * (b - a)) for a, b in ends).hex()


def _number(probability: float, impossible: bool) -> str:
    if impossible:
        return "0"
    if probability < 0.005:
        return "<.01"
    if 0.995 < probability < 1:
        return ">.99"
    return "1" if probability == 1 else f"{probability:.2f}"
