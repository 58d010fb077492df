"""Squares in rows and columns: the probabilities of a mechanism, pairs of columns."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from noisewright.mechanisms import Table
from noisewright.report.charts.ticks import (
    DARK_BELOW,
    LONGEST,
    WIDTH_OF_A_LETTER,
    HeatmapLayout,
    cell_text,
    has_numbers,
    longest,
)
from noisewright.report.texts import shorten

_VIRIDIS = (
    "440154 481a6c 472f7d 414487 39568c 31688e 2a788e 23888e "
    "1f988b 22a884 35b779 54c568 7ad151 a5db36 d2e21b fde725"
)
_COLORS = [bytes.fromhex(color) for color in _VIRIDIS.split()]
"""Every 17th of viridis's 256 colors (van der Walt and Smith 2015); those between are mixed."""

_LEAST_FOR_TEXT = 30
_SIDE, _KEY_PARTS, _KEY_HEIGHT = 300, 24, 32
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
    layout = HeatmapLayout.of(mechanism, side=_SIDE)
    inputs, outputs, side, tilt = layout.inputs, layout.outputs, layout.cell, layout.tilt
    numbered = has_numbers(mechanism)
    matrix = mechanism.matrix
    largest = float(matrix.max())
    shades = (matrix / largest) ** (1 if numbered else 0.5)
    left = round(longest(inputs)) + 28
    top = 0 if numbered else _KEY_HEIGHT
    below = 16 if not tilt else round(longest(outputs) * math.sin(math.radians(tilt))) + 12
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
                text=cell_text(
                    float(matrix[row, column]), impossible=mechanism.weights[row, column] == 0
                )
                if numbered
                else "",
                is_dark=bool(shades[row, column] < DARK_BELOW),
            )
            for row in range(len(inputs))
            for column in range(len(outputs))
        ],
        down=[
            (top + side * code + side // 2, shorten(inputs[code], longest=_LETTERS))
            for code in layout.down
        ],
        across=[
            (left + side * code + side // 2, shorten(outputs[code], longest=_LETTERS))
            for code in layout.across
        ],
        x_title=layout.x_title,
        y_title=layout.y_title,
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


def draw_pairs(
    names: Sequence[str],
    known: Collection[frozenset[int]],
    wrong: Collection[frozenset[int]] = (),
    texts: Mapping[frozenset[int], str] | None = None,
) -> SquareGrid:
    """Lay out all pairs of things by name, below the diagonal; `known` pairs are painted.

    Those that are `wrong` have another color, and a mark for who cannot tell colors apart. `texts`
    are written into their squares if these are large enough.
    """

    def cell(x: int, y: int, pair: frozenset[int]) -> GridCell:
        mark = "!" if pair in wrong else ""
        text = (texts or {}).get(pair, "") if side >= _LEAST_FOR_TEXT else ""
        kind = "wrong" if mark else "known" if pair in known else "blank"
        return GridCell(x, y, kind=kind, text=text + mark)

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
            cell(left + side * column, 2 + side * (row - 1), frozenset((row, column)))
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
