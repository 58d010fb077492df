"""Many sets at once, as positions of items: from what you pass to `sample`, and back.

A set per row as Python sets or lists, as Arrow lists (of labels or dictionary-encoded), as a pair
of arrays (indices, offsets), or as a matrix of booleans with one column per item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import InputError
from noisewright.given import several
from noisewright.on_use import pa
from noisewright.spaces import Subsets
from noisewright.tables.cell_types import is_list


@dataclass(frozen=True)
class ItemSets:
    """Set r is `indices[offsets[r] : offsets[r + 1]]`: positions of items, sorted, each once."""

    indices: NDArray[np.int32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many items each set has."""
        return np.diff(self.offsets)


Restore = Callable[[ItemSets], Any]


def read_sets(space: Subsets, inputs: Any) -> tuple[ItemSets, Restore]:
    """Read sets in any form, and how to give sets back in the same form.

    How many items a set may have is not asked here.
    """
    if inputs is None:
        raise InputError("there is no input to sample from; give a set or many sets.")
    if type(inputs).__module__.split(".")[0] == "pyarrow":
        if hasattr(inputs, "as_py"):
            one = inputs.as_py()
            return read_sets(space, set(one) if isinstance(one, list) else one)
        from noisewright.tables.codec import as_column

        # A table has no type, and is refused as what it is; a column of something else by its type.
        column = as_column(inputs)
        restore = _arrow_restorer(space, inputs)
        return _codes(space, column), restore
    if isinstance(inputs, (set, frozenset)):
        return _codes(space, [inputs]), lambda drawn: _as_points(space, drawn)[0]
    if isinstance(inputs, np.ndarray) and inputs.ndim == 2:
        return _from_matrix(space, inputs)
    if isinstance(inputs, tuple) and len(inputs) == 2 and _are_arrays(inputs):
        indices, offsets = inputs
        return _from_pair(space, indices, offsets), lambda drawn: (drawn.indices, drawn.offsets)
    if isinstance(inputs, (str, bytes, int, float, dict)) or not isinstance(inputs, Iterable):
        raise space.outside(why="it is not a set of items")
    listed = several(inputs, name="inputs", of="sets")
    return _codes(space, listed), lambda drawn: _as_points(space, drawn)


def _codes(space: Subsets, column: Any) -> ItemSets:
    from noisewright.tables.codec import column_codes
    from noisewright.tables.field import Field

    return column_codes(Field(space, outside="sample").cells, column)


def _are_arrays(pair: tuple[Any, ...]) -> bool:
    return all(isinstance(part, np.ndarray) and part.dtype.kind in "iu" for part in pair)


def _from_pair(space: Subsets, indices: NDArray[Any], offsets: NDArray[Any]) -> ItemSets:
    ends = offsets.astype(np.int64)
    if not len(ends) or ends[0] != 0 or ends[-1] != len(indices) or (np.diff(ends) < 0).any():
        raise InputError(
            f"offsets must rise from 0 to the number of indices ({len(indices):,}), one more than "
            "there are sets."
        )
    inside = (indices >= 0) & (indices < len(space.items))
    if not inside.all():
        row = int(np.searchsorted(ends, int(np.argmin(inside)), side="right")) - 1
        raise space.outside(row=row, why="it holds an item that was not declared")
    return sorted_sets(space, indices, ends)


def sorted_sets(space: Subsets, indices: NDArray[Any], offsets: NDArray[np.int64]) -> ItemSets:
    """Sort the items of each set and drop repetitions."""
    items = len(space.items)
    row = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    places = row * items + indices
    if (places[1:] > places[:-1]).all():
        return ItemSets(indices.astype(np.int32), offsets)
    places = np.unique(places)
    firsts = np.arange(len(offsets), dtype=np.int64) * items
    ends = np.searchsorted(places, firsts).astype(np.int64)
    return ItemSets((places - np.repeat(firsts[:-1], np.diff(ends))).astype(np.int32), ends)


def cut_sets(sets: ItemSets, most: int, source: sampling.Source | None) -> ItemSets:
    """Return a uniformly random part of at most so many items of each set."""
    above = np.flatnonzero(sets.sizes > most)
    if not above.size:
        return sets
    bits = sampling.source_or_default(source)
    keep = np.ones(len(sets.indices), dtype=np.bool_)
    size = np.array([most], dtype=np.intp)
    for row in above.tolist():
        start, end = int(sets.offsets[row]), int(sets.offsets[row + 1])
        keep[start:end] = sampling.choose_sets(end - start, size, bits)[0]
    sizes = np.minimum(sets.sizes, most)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
    return ItemSets(sets.indices[keep], offsets)


def _as_points(space: Subsets, drawn: ItemSets) -> list[frozenset[Any]]:
    labels = list(map(space.items.__getitem__, drawn.indices.tolist()))
    ends = drawn.offsets.tolist()
    return [frozenset(labels[a:b]) for a, b in pairwise(ends)]


def _from_matrix(space: Subsets, matrix: NDArray[Any]) -> tuple[ItemSets, Restore]:
    items = len(space.items)
    if matrix.dtype != bool or matrix.shape[1] != items:
        raise InputError(
            f"the matrix has type {matrix.dtype} and {matrix.shape[1]:,} columns; it must hold "
            f"booleans, one column for each of the {items:,} items."
        )
    row, item = np.nonzero(matrix)
    ends = np.searchsorted(row, np.arange(len(matrix) + 1)).astype(np.int64)

    def restore(drawn: ItemSets) -> NDArray[np.bool_]:
        out = np.zeros((len(drawn), items), dtype=np.bool_)
        out[np.repeat(np.arange(len(drawn)), drawn.sizes), drawn.indices] = True
        return out

    return ItemSets(item.astype(np.int32), ends), restore


def _arrow_restorer(space: Subsets, inputs: Any) -> Restore:
    kind = inputs.type
    if not is_list(kind):
        raise InputError(
            f"inputs is an Arrow {type(inputs).__name__}; give one column of lists of items."
        )
    encoded = pa.types.is_dictionary(kind.value_type)

    def restore(drawn: ItemSets) -> Any:
        large = pa.types.is_large_list(kind) or len(drawn.indices) >= 1 << 31
        made = arrow_lists(drawn, _labels(space), encoded=encoded, large=large)
        return pa.chunked_array([made]) if isinstance(inputs, pa.ChunkedArray) else made

    return restore


def _labels(space: Subsets) -> Any:
    try:
        return pa.array(list(space.items))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise InputError(
            "the items are of several types, which an Arrow array cannot hold. Sample from a "
            "list, or declare items of one type."
        ) from problem


def arrow_lists(sets: ItemSets, labels: Any, *, encoded: bool, large: bool) -> Any:
    """Return sets as an Arrow array of lists of their labels, as a dictionary if `encoded`."""
    indices = pa.array(sets.indices)
    values = pa.DictionaryArray.from_arrays(indices, labels) if encoded else labels.take(indices)
    if large:
        return pa.LargeListArray.from_arrays(pa.array(sets.offsets), values)
    return pa.ListArray.from_arrays(pa.array(sets.offsets.astype(np.int32)), values)
