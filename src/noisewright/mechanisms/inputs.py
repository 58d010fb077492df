"""From what people pass to `sample` to codes, and back to the same form."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.spaces import (
    Categories,
    Counts,
    Curves,
    Interval,
    Lattice,
    Records,
    Rows,
    Space,
    Subsets,
    amount,
)


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
        return _from_arrow(space, inputs)
    if isinstance(inputs, (int, np.integer)) and _are_codes(space, np.asarray(inputs)):
        code = _checked_codes(space, np.array([inputs]))
        return Inputs(code, lambda codes, outputs: int(codes[0]))
    if _is_one_point(space, inputs):
        return Inputs(
            np.array([space.code(inputs)], dtype=object if space.size >> 62 else np.intp),
            lambda codes, outputs: outputs.point(int(codes[0])),
        )
    values = _as_array(inputs)
    if isinstance(space, Curves) and values.ndim == 2:
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
    return (
        isinstance(inputs, tuple) and isinstance(space, (Curves, Records, Rows)) and inputs in space
    )


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
    listed: list[Any] = list(inputs)
    kinds = {type(value) for value in listed}
    if len(kinds) == 1 and issubclass(kinds.pop(), (str, bool, int, float, np.generic)):
        return np.array(listed)
    values = np.empty(len(listed), dtype=object)
    for row, value in enumerate(listed):
        values[row] = value
    return values


def _are_codes(space: Space, values: NDArray[Any]) -> bool:
    """Whole numbers are codes in spaces whose points are not numbers."""
    if values.dtype.kind not in "iu":
        return False
    if isinstance(space, Categories):
        return not any(type(label) in (int, float) for label in space.labels)
    return not isinstance(space, (Counts, Interval))


def _checked_codes(space: Space, codes: NDArray[Any]) -> NDArray[Any]:
    if codes.size and not (codes.min() >= 0 and codes.max() < space.size):
        row = int(np.argmax((codes < 0) | (codes >= space.size)))
        raise OutsideSpaceError(
            f"the code at row {row + 1:,} is outside the {amount(space.size)} codes of {space!r}.",
            row=row,
        )
    return codes


def _from_arrow(space: Space, inputs: Any) -> Inputs:
    import pyarrow as pa

    if isinstance(inputs, pa.ChunkedArray):
        chunks = inputs.combine_chunks()
        joined = pa.concat_arrays(chunks.chunks) if isinstance(chunks, pa.ChunkedArray) else chunks
        read = _from_arrow(space, joined)
        return Inputs(
            read.codes, lambda codes, outputs: pa.chunked_array([read.restore(codes, outputs)])
        )
    if isinstance(inputs, pa.Scalar):
        return read_inputs(space, inputs.as_py())
    if not isinstance(inputs, pa.Array):
        raise InputError(
            f"inputs is an Arrow {type(inputs).__name__}; give one column, an Arrow array."
        )
    if inputs.null_count:
        row = int(np.argmax(inputs.is_null().to_numpy(zero_copy_only=False)))
        raise space.outside(row=row, why="it is null")
    if isinstance(inputs, pa.DictionaryArray):
        codes = _dictionary_codes(space, inputs)
    elif pa.types.is_string(inputs.type) or pa.types.is_large_string(inputs.type):
        encoded = inputs.dictionary_encode()
        codes = _dictionary_codes(space, encoded)
    elif pa.types.is_nested(inputs.type):
        codes = read_inputs(space, inputs.to_pylist()).codes
    else:
        values = inputs.to_numpy(zero_copy_only=False)
        read = read_inputs(space, values)
        if values.dtype.kind in "iu":
            return Inputs(
                read.codes, lambda drawn, outputs: _arrow_array(read.restore(drawn, outputs))
            )
        codes = read.codes

    def restore(drawn: NDArray[Any], outputs: Space) -> Any:
        if isinstance(inputs, pa.DictionaryArray) and not isinstance(outputs, Lattice):
            indices = pa.array(drawn.astype(np.int32))
            return pa.DictionaryArray.from_arrays(indices, _arrow_points(outputs))
        if isinstance(outputs, Records) and pa.types.is_struct(inputs.type):
            names = [name for name, _ in outputs.columns]
            points = [map(_plain, point) for point in outputs.decode(drawn).tolist()]
            return pa.array([dict(zip(names, point, strict=True)) for point in points])
        if isinstance(space, Subsets) or pa.types.is_nested(inputs.type):
            return _arrow_array([_plain(point) for point in outputs.decode(drawn).tolist()])
        if not outputs.ordered and outputs.size <= 1 << 16:
            released = _arrow_points(outputs).take(pa.array(drawn.astype(np.int32)))
            both_texts = pa.types.is_string(released.type) and pa.types.is_large_string(inputs.type)
            return released.cast(inputs.type) if both_texts else released
        return _arrow_array(outputs.decode(drawn))

    return Inputs(codes, restore)


def _dictionary_codes(space: Space, array: Any) -> NDArray[np.intp]:
    """Translate a dictionary once and then only its indices: no work per value."""
    known: list[int] = []
    for label in array.dictionary.to_pylist():
        try:
            known.append(space.code(label))
        except OutsideSpaceError:
            # A dictionary may carry labels that no row uses; only a used one is an error.
            known.append(-1)
    indices = array.indices.to_numpy(zero_copy_only=False)
    codes = np.array(known, dtype=np.intp)[indices] if known else np.empty(0, dtype=np.intp)
    if (codes < 0).any():
        raise space.outside(row=int(np.argmax(codes < 0)))
    return codes


def _arrow_points(space: Space) -> Any:
    return _arrow_array([_plain(point) for point in space.points])


def _arrow_array(values: Any) -> Any:
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise InputError(
            "the outputs are of several types, which an Arrow array cannot hold. Declare outputs "
            "of one type, or sample from a list."
        ) from problem


def _plain(point: Any) -> Any:
    if isinstance(point, (frozenset, set)):
        return sorted(point, key=str)
    return list(point) if isinstance(point, tuple) else point
