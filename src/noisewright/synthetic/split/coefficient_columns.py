"""Curves as a column for each of their coefficients in a declared basis.

    s     a curve as whole steps above low, from 0 to m at each position
    A     the matrix of the basis (`curves`), in multiples of 2^-12
    C     = A (2 s − m), whole numbers, with |C| ≤ m Σ |A| for every possible curve
    code  the nearest point to C of a grid of 513 points that reaches as far as C can

So the declared curves alone decide the grid, and every curve has exactly one code in each column.
All of that is whole numbers; curves are drawn again from codes in floating point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import floor, log10
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import Coordinates
from noisewright.sampling import Source
from noisewright.spaces import Curves, Interval, Space
from noisewright.synthetic.split.split_column import SplitColumn
from noisewright.synthetic.tables_in_databases import WeightedCode
from noisewright.tables import Codes

_BITS = 12
_HALF = 256
"""Points of the grid of a coefficient on each side of 0."""


@final
class CoefficientColumns(SplitColumn):
    """A column of curves."""

    def __init__(self, space: Curves, names: Sequence[str], coordinates: Coordinates) -> None:
        self.space, self._coordinates = space, coordinates
        bits = min(coordinates.log2_scale, _BITS)
        down = coordinates.log2_scale - bits
        matrix = coordinates.matrix.astype(object)
        # Each product is far below 2^62: 40 bits of steps would need more than 2^10 positions.
        self._matrix = np.array(
            [[int(x) + (1 << down >> 1) >> down for x in row] for row in matrix]
        )
        unit = space.step / (2 << bits)
        widest = [space.steps * sum(map(abs, row)) for row in self._matrix.tolist()]
        self._steps = [_short(max(unit * far, unit) / _HALF) for far in widest]
        self._ratios = [unit / step for step in self._steps]
        self.columns: Mapping[str, Space] = {
            name: Interval(-_HALF * step, _HALF * step, step=step)
            for name, step in zip(names, self._steps, strict=True)
        }

    def split(self, cells: NDArray[np.int64], source: Source | None) -> dict[str, NDArray[Any]]:
        """Return the codes of the coefficients of curves, given as steps above low."""
        found = (2 * cells - self.space.steps) @ self._matrix.T
        made: dict[str, NDArray[Any]] = {}
        for place, (name, ratio) in enumerate(zip(self.columns, self._ratios, strict=True)):
            up, below = ratio.numerator, ratio.denominator
            far = int(np.abs(found[:, place]).max(initial=0)) * 2 * up + (2 * _HALF + 1) * below
            whole = found[:, place].astype(np.int64 if far.bit_length() < 63 else object)
            codes = (2 * up * whole + (2 * _HALF + 1) * below) // (2 * below)
            made[name] = codes.astype(np.int64)
        return made

    def sums(self, fields: Sequence[str]) -> dict[str, WeightedCode]:
        """Return how a database computes the codes, from fields with the steps at each position."""
        made: dict[str, WeightedCode] = {}
        rows = zip(self.columns.items(), self._matrix.tolist(), self._ratios, strict=True)
        for (name, space), row, ratio in rows:
            up, below = 2 * ratio.numerator, ratio.denominator
            constant = (2 * _HALF + 1) * below - up * self.space.steps * sum(row)
            weights = {field: 2 * up * one for field, one in zip(fields, row, strict=True)}
            made[name] = WeightedCode(weights, constant, 2 * below, space.size)
        return made

    def join(self, codes: Codes, source: Source | None) -> NDArray[np.float64]:
        """Return the values of the curves with these coefficients, within their bounds."""
        coefficients = np.stack(
            [
                (np.asarray(codes[name]).astype(np.float64) - _HALF) * float(step)
                for name, step in zip(self.columns, self._steps, strict=True)
            ],
            axis=1,
        )
        space, shapes = self.space, self._coordinates.functions.at(self.space.positions)
        above = float((space.high - space.low) / 2) + coefficients @ shapes.T
        steps = np.clip(np.rint(above / float(space.step)), 0, space.steps)
        return space.values(steps.astype(np.int64))

    def words(self) -> str:
        """Return what a curve loses, in a sentence."""
        if self._coordinates.is_identity:
            return ""
        return (
            f"curves are drawn from their coefficients in a basis ({self._coordinates.name}). What "
            "these cannot show, such as short spikes, is lost"
        )

    def describe(self) -> dict[str, Any]:
        """Return the grid, the bounds and the basis."""
        space, basis = self.space, self._coordinates.name.split(",")[0]
        return {
            "kind": "curves",
            "columns": list(self.columns),
            "grid": [str(place) for place in space.grid],
            "low": str(space.low),
            "high": str(space.high),
            "step": str(space.step),
            "basis": basis,
            "coefficients": None if basis == "values" else len(self.columns),
        }


def _short(step: Fraction) -> Fraction:
    """Return the next number above a step that has two digits."""
    ten = Fraction(10) ** (floor(log10(step)) - 1)
    return -(-step // ten) * ten
