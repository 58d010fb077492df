"""Cells that hold numbers: counts, and numbers of a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.tables.cell_types import is_number, plain_array
from noisewright.tables.cells import BadCellError, Cells, code_type
from noisewright.tables.plain_cells import double, is_missing, number_of

if TYPE_CHECKING:
    from noisewright.tables.field import Field

_LISTED = 1 << 16
"""Points of grids that are no longer than this are listed, to recognize numbers quickly."""


@final
class CountCells(Cells):
    """Whole numbers from 0 to n."""

    needs = "whole numbers"

    def __init__(self, field: Field) -> None:
        space: Any = field.space
        self._largest: int = space.n
        self._clamps = field.outside == "clamp"
        self._null = None if field.null is None else int(field.null)

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be counts."""
        return is_number(kind)

    def encode(self, array: Any) -> NDArray[Any]:
        """Return the counts themselves, in the narrowest type."""
        values, missing = numbers(self, array, self._null)
        if values.dtype.kind == "f":
            wrong = ~(np.isfinite(values) & (values == np.floor(values)))
            if wrong.any() and not self._clamps:
                raise self._broken(int(np.argmax(wrong)))
            # The upper one in a tie, as on grids; infinite ones stay so until they are clamped.
            values = np.where(wrong, np.floor(values + 0.5), values)
        low, high = 0, self._largest
        if values.size and not (values.min() >= low and values.max() <= high):
            if not self._clamps:
                raise BadCellError(
                    int(np.argmax((values < low) | (values > high))),
                    f"is outside of 0 to {high:,}",
                    "Declare a larger n, or say outside='clamp' to move it to the bound.",
                )
            values = np.clip(values, low, min(high, _most(values.dtype)))
        codes = values.astype(code_type(high + 1))
        if missing is not None:
            codes[missing] = self._null
        return codes

    def _broken(self, row: int) -> BadCellError:
        return BadCellError(
            row,
            "is not a whole number",
            "Round the column first, or say outside='clamp' to move it to the nearest count.",
        )

    @property
    def type(self) -> Any:
        """Whole numbers."""
        import pyarrow as pa

        return pa.int64()

    def plain(self, values: Sequence[Any]) -> Any:
        """Return the counts, those that are too large or too small as ones just beyond."""
        import pyarrow as pa

        found = [self._count(row, cell) for row, cell in enumerate(values)]
        return pa.array(found, pa.int64())

    def _count(self, row: int, cell: Any) -> int | None:
        if is_missing(cell):
            return None
        number = number_of(cell)
        if number is None:
            if self._null is None:
                raise self.of_another_kind(row)
            return None
        if isinstance(number, float) and not number.is_integer():
            if not self._clamps:
                raise self._broken(row)
            number = math.floor(number + 0.5) if math.isfinite(number) else number
        return int(min(max(number, -1), self._largest + 1))


def _most(kind: Any) -> int:
    return int(np.iinfo(kind).max) if kind.kind in "iu" else 1 << 62


def numbers(cells: Cells, array: Any, null: Any) -> tuple[NDArray[Any], NDArray[np.bool_] | None]:
    """Return the numbers of a column, and where they are missing if that is allowed.

    NaN is a missing number. Missing ones are given as 0.
    """
    array = plain_array(array)
    missing = None
    if array.null_count:
        missing = array.is_null().to_numpy(zero_copy_only=False)
        array = array.fill_null(0)
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype.kind == "f" and np.isnan(np.min(values, initial=0.0)):
        absent = np.isnan(values)
        missing = absent if missing is None else missing | absent
        values = np.where(absent, 0, values)
    if missing is not None and null is None and missing.any():
        raise cells.empty(int(np.argmax(missing)))
    return values, missing


@final
class NumberCells(Cells):
    """Numbers on a grid between two bounds."""

    needs = "numbers"

    def __init__(self, field: Field) -> None:
        self._space: Any = field.space
        self._null = None if field.null is None else float(field.null)
        self._type = code_type(self._space.size)
        self._points: NDArray[Any] | None = None
        if self._space.size <= _LISTED:
            self._points = self._space.decode(np.arange(self._space.size))

    def accepts(self, kind: Any) -> bool:
        """Tell whether cells of this type can be numbers."""
        return is_number(kind)

    def encode(self, array: Any) -> NDArray[Any]:
        """Return the places of the numbers on the grid."""
        values, missing = numbers(self, array, self._null)
        if missing is not None and self._null is not None:
            values = np.where(missing, self._null, values)
        exact = self._recognized(values)
        if exact is not None:
            return exact.astype(self._type)
        try:
            return self._space.encode(values).astype(self._type)
        except OutsideSpaceError as problem:
            bad = self._named(problem.row or 0, problem.why)
        raise bad

    @property
    def type(self) -> Any:
        """Doubles, which is what grids are read as."""
        import pyarrow as pa

        return pa.float64()

    def plain(self, values: Sequence[Any]) -> Any:
        """Return the numbers as doubles."""
        import pyarrow as pa

        found = [self._number(row, cell) for row, cell in enumerate(values)]
        return pa.array(found, pa.float64())

    def _number(self, row: int, cell: Any) -> float | None:
        if is_missing(cell):
            return None
        number = number_of(cell)
        if number is None:
            if self._null is None:
                raise self.of_another_kind(row)
            return None
        return double(number)

    def _recognized(self, values: NDArray[Any]) -> NDArray[Any] | None:
        """Return the codes if every number is a point of the grid to the last bit.

        Doubles propose them, and comparing the numbers with the points decides.
        """
        if self._points is None:
            return None
        steps = values - float(self._space.low)
        steps *= 1 / float(self._space.step)
        np.rint(steps, out=steps)
        np.clip(steps, 0, len(self._points) - 1, out=steps)
        codes = steps.astype(np.intp)
        return codes if (np.take(self._points, codes) == values).all() else None

    def _named(self, row: int, why: str) -> BadCellError:
        if "finite" in why:
            return BadCellError(
                row,
                "is not a finite number",
                "Mend it, leave the cell empty, or say outside='clamp' to move it to the bound.",
            )
        if "grid" in why:
            return BadCellError(
                row,
                f"is not a multiple of the step {self._space.step} from {self._space.low}",
                "Round the column, or say off_grid='round'.",
            )
        return BadCellError(
            row,
            f"is outside of {self._space.low} to {self._space.high}",
            "Declare wider bounds, or say outside='clamp' to move it to the bound.",
        )
