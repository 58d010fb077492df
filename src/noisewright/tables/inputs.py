"""What you pass to `sample`: read as codes, and returned in the same form."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.spaces import Counts, Space
from noisewright.tables.cells import Cells, look_up
from noisewright.tables.codec import as_column, column_codes, is_from
from noisewright.tables.field import Field

_PIECE = 1 << 18
"""Rows that are read, drawn and restored at a time: what is between stays in the cache."""


@dataclass(frozen=True)
class Inputs:
    """Inputs piece by piece, and how to give output codes back in the form of the inputs."""

    pieces: Callable[[], Iterator[NDArray[Any]]]
    restore: Callable[[list[NDArray[Any]], Space], Any]

    @property
    def codes(self) -> NDArray[Any]:
        """The codes of all inputs."""
        pieces = list(self.pieces())
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)


def read_inputs(space: Space, inputs: Any) -> Inputs:
    """Read one point, many points, codes, or an Arrow array.

    Raises OutsideSpaceError, with the row, when the codes are asked for.
    """
    if is_from("pyarrow", inputs) and hasattr(inputs, "as_py"):
        inputs = inputs.as_py()
    if inputs is None:
        raise InputError("there is no input to sample from; give a point or an array of points.")
    if isinstance(inputs, (int, np.integer)) and _are_codes(space, np.asarray(inputs)):
        code = space.read_codes(np.array([inputs]))
        return Inputs(lambda: iter([code]), lambda drawn, outputs: int(drawn[0][0]))
    if _is_one_point(space, inputs):
        code = np.array([space.code(inputs)], dtype=object if space.size >> 62 else np.intp)
        return Inputs(lambda: iter([code]), lambda drawn, outputs: outputs.point(int(drawn[0][0])))
    if is_from("pyarrow", inputs):
        from noisewright.tables.arrow_inputs import arrow_restorer

        column = as_column(inputs)
        return Inputs(lambda: _pieces(space, column), arrow_restorer(space, inputs))
    values = as_column(inputs)
    if isinstance(values, np.ndarray) and values.ndim != 1:
        if values.ndim == 2 and hasattr(space, "grid"):
            return Inputs(lambda: _pieces(space, list(map(tuple, values.tolist()))), _as_curves)
        shape: tuple[int, ...] = values.shape
        flat = values.reshape(-1)
    else:
        flat, shape = values, (len(values),)
    kind = flat.dtype if isinstance(flat, np.ndarray) else np.dtype(object)
    return Inputs(
        lambda: _pieces(space, flat),
        lambda drawn, outputs: as_given(space, kind, drawn, outputs).reshape(shape),
    )


def _pieces(space: Space, values: Any) -> Iterator[NDArray[Any]]:
    """Yield the codes of a column, piece by piece; of nothing one piece, so that it has a type."""
    cells = _cells(space)
    if _kind(values) in "iu" and not space.of_numbers:
        yield space.read_codes(
            values if isinstance(values, np.ndarray) else _numbers(space, values)
        )
        return
    for start in range(0, len(values) or 1, _PIECE):
        piece = values if len(values) <= _PIECE else values[start : start + _PIECE]
        yield _point_codes(space, column_codes(cells, piece, first_row=start))


def _cells(space: Space) -> Cells:
    field = Field.of(space)
    if not hasattr(space, "grid"):
        return field.cells
    from noisewright.tables.list_cells import PointCells

    # Curves of a table are points already; `Curves.read` rounds others.
    return PointCells(field)


def _kind(values: Any) -> str:
    """Return the kind of numpy type that a column has or would have."""
    if isinstance(values, np.ndarray):
        return values.dtype.kind
    if is_from("pyarrow", values):
        import pyarrow as pa

        return "i" if pa.types.is_integer(values.type) else "O"
    return "O"


def _numbers(space: Space, array: Any) -> NDArray[Any]:
    if array.null_count:
        row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
        raise space.outside(row=row, why="it is null")
    return array.to_numpy(zero_copy_only=False)


def _point_codes(space: Any, codes: Any) -> NDArray[Any]:
    """Return codes that a table over the space takes: sets are read as places of items."""
    if isinstance(codes, np.ndarray):
        return codes
    from noisewright.tables.outputs import codes_of

    return codes_of(space, codes)


def as_given(
    space: Space, kind: np.dtype[Any], drawn: list[NDArray[Any]], outputs: Space
) -> NDArray[Any]:
    """Return the outputs for inputs of a numpy type as an array.

    Whole numbers come back in the type they came in, if it can hold every output.
    """
    whole = kind.kind in "iu"
    if whole and (isinstance(outputs, Counts) or not space.of_numbers):
        wide_enough = outputs.size - 1 <= np.iinfo(kind).max
        return together(drawn, kind if wide_enough else np.dtype(np.int64))
    labels = _whole_labels(outputs, kind) if whole else None
    if labels is not None:
        return together(drawn, kind, lambda part: look_up(labels, part))
    # Without a draw there is a type all the same.
    return together(drawn, outputs.decode(drawn[0][:0]).dtype, outputs.decode)


def _whole_labels(outputs: Space, kind: np.dtype[Any]) -> NDArray[Any] | None:
    """Return labels that are whole numbers in a type that holds them all."""
    labels = getattr(outputs, "labels", ())
    if not labels or any(type(label) is not int for label in labels):
        return None
    limits = np.iinfo(kind)
    fit = limits.min <= min(labels) and max(labels) <= limits.max
    return np.array(labels, dtype=kind) if fit else None


def together(
    pieces: list[NDArray[Any]],
    kind: np.dtype[Any],
    convert: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> NDArray[Any]:
    """Return pieces as one array of a type, each of them converted while it is in the cache."""
    if len(pieces) == 1:
        whole = pieces[0] if convert is None else convert(pieces[0])
        return whole.astype(kind, copy=False)
    made = np.empty(sum(map(len, pieces)), dtype=kind)
    start = 0
    for piece in pieces:
        made[start : start + len(piece)] = piece if convert is None else convert(piece)
        start += len(piece)
    return made


def _as_curves(drawn: list[NDArray[Any]], outputs: Space) -> NDArray[Any]:
    """Give curves back as an array with one a row, as which they were given."""
    released = outputs.decode(np.concatenate(drawn))
    grid = getattr(outputs, "grid", None)
    if grid is None:
        return released
    return np.array(released.tolist()).reshape(len(released), len(grid))


def _is_one_point(space: Space, inputs: Any) -> bool:
    single = (str, bytes, int, float, np.generic, datetime.date, set, frozenset, dict)
    if isinstance(inputs, single):
        return True
    # A tuple is one point of a space of tuples and otherwise a sequence of inputs.
    return isinstance(inputs, tuple) and space.of_tuples and inputs in space


def _are_codes(space: Space, values: NDArray[Any]) -> bool:
    """Whole numbers are codes in spaces whose points are not numbers."""
    return values.dtype.kind in "iu" and not space.of_numbers
