"""From the cells of one column to codes of its space: all at once, no Python for each row.

Whatever a cell holds, the field says what it counts as, or it raises BadCellError with its place
and never its value. The rule is the same for every kind of table, and for `mechanism.sample`:

- a cell that is empty counts as `null`, and so does one that holds nothing of the column's kind (a
  text among numbers, a number among lists, a curve of another length or with a gap);
- a label or an item that was not declared counts as `other`, of whatever kind it is;
- a number beyond the bounds, an infinite one too, is moved to the nearer bound by outside="clamp",
  which also moves a number that is not whole to the nearest count;
- a number between two steps is moved to the nearest by off_grid="round";
- a set with too many items is cut by outside="sample".

A field that says all of these never fails on a value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import OutsideSpaceError
from noisewright.on_use import pa
from noisewright.tables.field import Field

_T = TypeVar("_T")

_BLOCK = 1 << 15
"""Places that are looked up at a time."""


class BadCellError(Exception):
    """A cell that the field does not allow: its place in the column, what is wrong, what to do."""

    def __init__(self, row: int, why: str, advice: str) -> None:
        super().__init__(why)
        self.row = int(row)
        self.why = why
        self.advice = advice


class Cells(ABC):
    """Reads the cells of one column, as its field says."""

    needs: str
    """What the column must hold, in words."""

    def __init__(self, field: Field) -> None:
        self._space: Any = field.space

    @abstractmethod
    def accepts(self, kind: Any) -> bool:
        """Tell whether an Arrow type can hold such cells at all."""

    @property
    def type(self) -> Any:
        """The Arrow type of such cells where the table declares none: it follows from the space."""
        from noisewright.tables.released_types import released_type

        return released_type(self._space, pa.null())

    def encode(self, column: Any) -> Any:
        """Return the codes of an Arrow array, a numpy array or a list of cells.

        Ensures: the same cells have the same codes in all of these forms. Raises BadCellError.
        """
        if type(column).__module__.split(".")[0] == "pyarrow":
            return self._from_arrow(column)
        if not isinstance(column, np.ndarray):
            return self._from_plain(column)
        if column.dtype.kind in "iufb":
            native = column.dtype.newbyteorder("=")
            return self._from_numpy(column.astype(native, copy=False))
        # Dates and spans of time become whole numbers in `tolist`.
        return self._from_plain(list(column) if column.dtype.kind in "mM" else column.tolist())

    @abstractmethod
    def _from_arrow(self, array: Any) -> Any: ...

    def _from_numpy(self, values: NDArray[Any]) -> Any:
        """Return the codes of an array of numbers or truth values."""
        return self._from_plain(values.tolist())

    @abstractmethod
    def _from_plain(self, values: Sequence[Any]) -> Any:
        """Return the codes of cells of plain Python."""

    def plain(self, values: Sequence[Any]) -> Any:
        """Return cells of plain Python as the points they count as, in an Arrow array of `type`."""
        from noisewright.tables.outputs import outputs_for

        made = outputs_for(self._space, pa.null()).array(self._from_plain(values))
        return made if made.type.equals(self.type) else made.cast(self.type)

    def empty(self, row: int) -> BadCellError:
        """Return the error for an empty cell."""
        return BadCellError(
            row,
            "is empty",
            "Fill it or leave the row out; in a plan, null=… of the column declares what it "
            "counts as.",
        )

    def of_another_kind(self, row: int) -> BadCellError:
        """Return the error for a cell that holds nothing of the column's kind."""
        return BadCellError(
            row,
            f"does not hold {self.needs}",
            "Correct it; in a plan, null=… of the column declares what such cells count as.",
        )


def refusal(name: str | None, problem: BadCellError, first_row: int = 0) -> OutsideSpaceError:
    """Return what a user is told of a bad cell; `first_row` rows came before its batch.

    Messages count rows from 1; the attribute `row` is the position, from 0.
    """
    row = first_row + problem.row
    column = "the input" if name is None else f"the column {name!r}"
    return OutsideSpaceError(
        f"{column} at row {row + 1:,} {problem.why}. {problem.advice}", row=row, why=problem.why
    )


def read_or_refuse(read: Callable[[], _T], *, name: str | None, first_row: int) -> _T:
    """Return what is read of a column; a bad cell is told of as in `refusal`."""
    try:
        return read()
    except BadCellError as problem:
        failed = refusal(name, problem, first_row)
    # Outside of the handler: what lies behind may know the value.
    raise failed


def code_type(size: int) -> Any:
    """Return the narrowest type for codes below `size` and the two marks behind them."""
    if (size + 1) >> 32:
        # With a sign: numpy makes doubles of sums of other wide codes and noise.
        return np.dtype(object if (size + 1) >> 63 else np.int64)
    return np.min_scalar_type(size + 1)


def look_up(table: NDArray[Any], places: NDArray[Any]) -> NDArray[Any]:
    """Return `table[places]`; all places are known to be in the table.

    Without making eight bytes of every place first, as numpy would: a block at a time, or byte by
    byte where both are bytes.
    """
    if table.dtype.itemsize == places.dtype.itemsize == 1:
        whole = table.tobytes().ljust(256, b"\0")
        return np.frombuffer(bytearray(places).translate(whole), dtype=table.dtype)
    found = np.empty(len(places), dtype=table.dtype)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        np.take(table, places[part], out=found[part], mode="clip")
    return found
