"""From what people pass to `sample` to codes, and back to the same form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.given import several
from noisewright.spaces import Counts, Space, amount

if TYPE_CHECKING:
    from noisewright.spaces import Curves


@dataclass(frozen=True)
class Inputs:
    """Input codes, and how to give output codes back in the form of the inputs."""

    codes: NDArray[Any]
    restore: Callable[[NDArray[Any], Space], Any]


def read_inputs(space: Space, inputs: Any) -> Inputs:
    """Read one point, many points, codes, or an Arrow array."""
    if inputs is None:
        raise InputError("there is no input to sample from; give a point or an array of points.")
    if type(inputs).__module__.split(".")[0] == "pyarrow":
        from noisewright.tables.arrow_inputs import read_arrow

        return read_arrow(space, inputs)
    if isinstance(inputs, (int, np.integer)) and _are_codes(space, np.asarray(inputs)):
        code = _checked_codes(space, np.array([inputs]))
        return Inputs(code, lambda codes, outputs: int(codes[0]))
    if _is_one_point(space, inputs):
        return Inputs(
            np.array([space.code(inputs)], dtype=object if space.size >> 62 else np.intp),
            lambda codes, outputs: outputs.point(int(codes[0])),
        )
    values = _as_array(inputs)
    if values.ndim == 2:
        from noisewright.spaces import Curves

        if isinstance(space, Curves):
            return _from_curves(space, values)
    shape = values.shape
    flat = values.reshape(-1)
    given_codes = _are_codes(space, flat)
    codes = _checked_codes(space, flat) if given_codes else space.encode(flat)

    def restore(drawn: NDArray[Any], outputs: Space) -> NDArray[Any]:
        numbers = given_codes or isinstance(outputs, Counts)
        if not numbers or flat.dtype.kind not in "iu":
            return outputs.decode(drawn).reshape(shape)
        # Whole numbers come back in the type they came in, if it can hold every output.
        wide_enough = outputs.size - 1 <= np.iinfo(flat.dtype).max
        kind = flat.dtype if wide_enough else np.int64
        return drawn.astype(kind, copy=False).reshape(shape)

    return Inputs(codes, restore)


def _from_curves(space: Curves, rows: NDArray[Any]) -> Inputs:
    """Read an array with one curve a row, and give curves back as such an array."""
    from noisewright.spaces import Curves

    points = np.empty(len(rows), dtype=object)
    for place, row in enumerate(rows.tolist()):
        points[place] = tuple(row)

    def restore(drawn: NDArray[Any], outputs: Space) -> NDArray[Any]:
        released = outputs.decode(drawn)
        if not isinstance(outputs, Curves):
            return released
        return np.array(released.tolist()).reshape(len(rows), len(outputs.grid))

    return Inputs(space.encode(points), restore)


def _is_one_point(space: Space, inputs: Any) -> bool:
    if isinstance(inputs, (str, bytes, int, float, np.generic, set, frozenset, dict)):
        return True
    # A tuple is one point of a space of tuples and otherwise a sequence of inputs.
    return isinstance(inputs, tuple) and space.of_tuples and inputs in space


def _as_array(inputs: Any) -> NDArray[Any]:
    if isinstance(inputs, np.ndarray):
        return inputs
    if hasattr(inputs, "to_numpy"):
        return np.asarray(inputs.to_numpy())
    if not isinstance(inputs, Iterable):
        raise InputError(
            f"inputs is a {type(inputs).__name__}; give a point, a list, a numpy array or an "
            "Arrow array."
        )
    listed = several(inputs, name="inputs", of="points")
    kinds = {type(value) for value in listed}
    if len(kinds) == 1 and issubclass(kinds.pop(), (str, bool, int, float, np.generic)):
        return np.array(listed)
    values = np.empty(len(listed), dtype=object)
    for row, value in enumerate(listed):
        values[row] = value
    return values


def _are_codes(space: Space, values: NDArray[Any]) -> bool:
    """Whole numbers are codes in spaces whose points are not numbers."""
    return values.dtype.kind in "iu" and not space.of_numbers


def _checked_codes(space: Space, codes: NDArray[Any]) -> NDArray[Any]:
    if codes.size and not (codes.min() >= 0 and codes.max() < space.size):
        row = int(np.argmax((codes < 0) | (codes >= space.size)))
        raise OutsideSpaceError(
            f"the code at row {row + 1:,} is outside the {amount(space.size)} codes of {space!r}.",
            row=row,
        )
    return codes
