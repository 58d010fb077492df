"""Output codes as an Arrow array, in the form in which the inputs came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.on_use import pa, pc
from noisewright.spaces import Lattice, Records, Space, Subsets
from noisewright.tables.inputs import as_given, together

_MOST_LISTED = 1 << 16
"""Points of spaces that are no larger are written once, and then looked up."""


def arrow_restorer(space: Space, inputs: Any) -> Callable[[list[NDArray[Any]], Space], Any]:
    """Return what makes an Arrow array, or a chunked one, of output codes."""

    def restore(drawn: list[NDArray[Any]], outputs: Space) -> Any:
        made = _array(space, inputs.type, drawn, outputs)
        return pa.chunked_array([made]) if isinstance(inputs, pa.ChunkedArray) else made

    return restore


def _array(space: Space, given: Any, pieces: list[NDArray[Any]], outputs: Space) -> Any:
    if pa.types.is_integer(given):
        return _to_arrow(as_given(space, np.dtype(given.to_pandas_dtype()), pieces, outputs))
    if pa.types.is_dictionary(given) and not isinstance(outputs, Lattice):
        # The codes are those of a mechanism: all of them are there.
        indices = pa.array(together(pieces, np.dtype(np.int32)))
        return pa.DictionaryArray.from_arrays(indices, _points(outputs), safe=False)
    if not outputs.ordered and not pa.types.is_nested(given) and outputs.size <= _MOST_LISTED:
        points = _points(outputs)
        if pa.types.is_string(points.type) and pa.types.is_large_string(given):
            points = points.cast(given)
        places = pa.array(together(pieces, np.result_type(*pieces)))
        # As above: there is nothing to check.
        unchecked = pc.TakeOptions(boundscheck=False)
        return pc.call_function("array_take", [points, places], unchecked)
    drawn = np.concatenate(pieces)
    if isinstance(outputs, Records) and pa.types.is_struct(given):
        names = [name for name, _ in outputs.columns]
        points = [map(_plain, point) for point in outputs.decode(drawn).tolist()]
        return pa.array([dict(zip(names, point, strict=True)) for point in points])
    if isinstance(space, Subsets) or pa.types.is_nested(given):
        return _to_arrow([_plain(point) for point in outputs.decode(drawn).tolist()])
    return _to_arrow(outputs.decode(drawn))


def _points(space: Space) -> Any:
    return _to_arrow([_plain(point) for point in space.points])


def _to_arrow(values: Any) -> Any:
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
