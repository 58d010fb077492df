"""From Arrow arrays to codes, and back to Arrow arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.spaces import Lattice, Records, Space, Subsets
from noisewright.tables.inputs import Inputs, read_inputs


def read_arrow(space: Space, inputs: Any) -> Inputs:
    """Read an Arrow array, and give an Arrow array back."""
    import pyarrow as pa

    if isinstance(inputs, pa.ChunkedArray):
        chunks = inputs.combine_chunks()
        joined = pa.concat_arrays(chunks.chunks) if isinstance(chunks, pa.ChunkedArray) else chunks
        read = read_arrow(space, joined)
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
