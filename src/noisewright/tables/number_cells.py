"""Cells that hold numbers: counts, and numbers of a grid."""

from __future__ import annotations

import contextlib
import math
from abc import abstractmethod
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.on_use import pa
from noisewright.tables.cell_types import is_number, plain_array
from noisewright.tables.cells import BadCellError, Cells, code_type
from noisewright.tables.field import Field
from noisewright.tables.plain_cells import double, is_missing, number_of

_PIECE = 1 << 13
"""So many numbers are recognized at a time: what is worked out for them stays in the cache."""

_LISTED = 1 << 16
"""Points of grids that are no longer than this are listed, to recognize numbers quickly."""


class OfNumbers(Cells):
    """Cells that hold numbers; those that are missing are given as 0 and marked."""

    _null: Any

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be numbers."""
        return is_number(kind)

    @abstractmethod
    def _codes(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]: ...

    @property
    def type(self) -> Any:
        """Doubles, which is what grids are read as."""
        return pa.float64()

    def _number(self, row: int, number: int | float, cell: Any) -> Any:
        """Return the number of a cell as the array of all numbers can hold it."""
        return double(number)

    def _from_arrow(self, array: Any) -> NDArray[Any]:
        if not is_number(array.type):
            return self._from_plain(array.to_pylist())
        array = plain_array(array)
        missing = None
        if array.null_count:
            missing = array.is_null().to_numpy(zero_copy_only=False)
            array = array.fill_null(0)
        return self._with_gaps(array.to_numpy(zero_copy_only=False), missing)

    def _from_numpy(self, values: NDArray[Any]) -> NDArray[Any]:
        if values.dtype.kind == "b":
            return self._from_plain(values.tolist())
        return self._with_gaps(values, None)

    def _from_plain(self, values: Sequence[Any]) -> NDArray[Any]:
        numbers: list[Any] = []
        gaps: list[int] = []
        for row, cell in enumerate(values):
            number = None if is_missing(cell) else number_of(cell)
            if number is None:
                if self._null is None:
                    raise self.empty(row) if is_missing(cell) else self.of_another_kind(row)
                gaps.append(row)
            numbers.append(0 if number is None else self._number(row, number, cell))
        missing = np.zeros(len(numbers), dtype=np.bool_)
        missing[gaps] = True
        return self._codes(self._array(numbers), missing if gaps else None)

    def _array(self, numbers: list[Any]) -> NDArray[Any]:
        return np.array(numbers, dtype=np.float64)

    def _with_gaps(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
        # NaN is a missing number.
        if values.dtype.kind == "f" and np.isnan(np.min(values, initial=0.0)):
            absent = np.isnan(values)
            missing = absent if missing is None else missing | absent
            values = np.where(absent, 0, values)
        if missing is not None and self._null is None and missing.any():
            raise self.empty(int(np.argmax(missing)))
        return self._codes(values, missing)


@final
class CountCells(OfNumbers):
    """Whole numbers from 0 to n."""

    needs = "whole numbers"

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._largest: int = self._space.n
        self._clamps = field.outside == "clamp"
        self._null = None if field.null is None else int(field.null)

    @property
    def type(self) -> Any:
        """Whole numbers."""
        return pa.int64()

    def _codes(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
        """Return the counts themselves, in the narrowest type."""
        if values.dtype.kind == "f":
            wrong = ~(np.isfinite(values) & (values == np.floor(values)))
            if wrong.any() and not self._clamps:
                raise self._not_whole(int(np.argmax(wrong)))
            # The upper one in a tie, as on grids; infinite ones stay so until they are clamped.
            values = np.where(wrong, np.floor(values + 0.5), values)
        low, high = 0, self._largest
        if values.size and not (values.min() >= low and values.max() <= high):
            if not self._clamps:
                raise BadCellError(
                    int(np.argmax((values < low) | (values > high))),
                    f"is outside of 0 to {high:,}",
                    "Declare a larger n, or clip it: in a plan, the column's outside='clamp' does.",
                )
            values = np.clip(values, low, min(high, _most(values.dtype)))
        codes = values.astype(code_type(high + 1))
        if missing is not None:
            codes[missing] = self._null
        return codes

    def _number(self, row: int, number: int | float, cell: Any) -> int:
        """Return a count, one that is too large or too small as one just beyond."""
        if isinstance(number, float) and not number.is_integer():
            if not self._clamps:
                raise self._not_whole(row)
            number = math.floor(number + 0.5) if math.isfinite(number) else number
        return int(min(max(number, -1), self._largest + 1))

    def _array(self, numbers: list[Any]) -> NDArray[Any]:
        return np.array(numbers, dtype=np.int64 if self._largest < 1 << 62 else object)

    def _not_whole(self, row: int) -> BadCellError:
        return BadCellError(
            row,
            "is not a whole number",
            "Round it; in a plan, the column's outside='clamp' moves it to the nearest count.",
        )


def _most(kind: Any) -> int:
    return int(np.iinfo(kind).max) if kind.kind in "iu" else 1 << 62


@final
class NumberCells(OfNumbers):
    """Numbers on a grid between two bounds."""

    needs = "numbers"

    def __init__(self, field: Field) -> None:
        super().__init__(field)
        self._null = None if field.null is None else float(field.null)
        self._type = code_type(self._space.size)
        self._points: NDArray[Any] | None = None
        if self._space.size <= _LISTED:
            self._points = self._space.decode(np.arange(self._space.size))

    def _codes(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
        """Return the places of the numbers on the grid."""
        if missing is not None and self._null is not None:
            values = np.where(missing, self._null, values)
        exact = self._recognize(values)
        if exact is not None:
            return exact
        try:
            return self._space.encode(values).astype(self._type)
        except OutsideSpaceError as problem:
            bad = self._describe(problem.row or 0, problem.why)
        raise bad

    def _number(self, row: int, number: int | float, cell: Any) -> float:
        if isinstance(cell, (Fraction, Decimal)):
            # What lies between two steps is rounded exactly, before it is a double.
            with contextlib.suppress(OutsideSpaceError):
                return self._space.point(self._space.code(cell))
        return double(number)

    def _recognize(self, values: NDArray[Any]) -> NDArray[Any] | None:
        """Return the codes if every number is a point of the grid to the last bit.

        Doubles propose them, and comparing the numbers with the points decides.
        """
        if self._points is None:
            return None
        found = np.empty(len(values), dtype=self._type)
        for start in range(0, len(values), _PIECE):
            piece = values[start : start + _PIECE]
            steps = piece - float(self._space.low)
            steps *= 1 / float(self._space.step)
            np.rint(steps, out=steps)
            np.clip(steps, 0, len(self._points) - 1, out=steps)
            codes = steps.astype(np.intp)
            if not (np.take(self._points, codes) == piece).all():
                return None
            found[start : start + _PIECE] = codes
        return found

    def _describe(self, row: int, why: str) -> BadCellError:
        if "finite" in why:
            return BadCellError(
                row,
                "is not a finite number",
                "Correct it or leave the cell empty; in a plan, the column's outside='clamp' moves "
                "it to the bound.",
            )
        if "grid" in why:
            return BadCellError(
                row,
                f"is not a multiple of the step {self._space.step} from {self._space.low}",
                "Round it, or let off_grid='round' of nw.Column or of Interval.reading do it.",
            )
        return BadCellError(
            row,
            f"is outside of {self._space.low} to {self._space.high}",
            "Declare wider bounds, or let outside='clamp' of nw.Column, or of Interval.reading, "
            "move it to the bound.",
        )


@final
class LatticeCells(OfNumbers):
    """Numbers on a grid without bounds, as they are released: whole steps from its origin."""

    needs = "numbers"
    _null = None

    def _codes(self, values: NDArray[Any], missing: NDArray[np.bool_] | None) -> NDArray[Any]:
        """Return steps as doubles, since there may be any number of them."""
        steps = (values.astype(np.float64) - float(self._space.origin)) / float(self._space.step)
        nearest = np.rint(steps)
        with np.errstate(invalid="ignore"):
            wrong = ~(np.abs(steps - nearest) <= 1e-6 * np.maximum(1, np.abs(steps) * 1e-6))
        if wrong.any():
            raise BadCellError(int(np.argmax(wrong)), "is not on the lattice", "Correct it.")
        return nearest
