"""Many sets at once, as positions of items: from what people pass to `sample`, and back.

A set per row as Python sets or lists, as Arrow lists (of labels or dictionary-encoded), as a pair
of arrays (indices, offsets), or as a matrix of booleans with one column per item.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.given import several
from noisewright.spaces import Subsets, label_key

if TYPE_CHECKING:
    from noisewright.sampling import Source


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


def read_sets(space: Subsets, inputs: Any, *, other: int | None = None) -> tuple[ItemSets, Restore]:
    """Read sets in any form, and how to give sets back in the same form.

    `other` is the place of the item that undeclared ones of an Arrow column count as.
    """
    if inputs is None:
        raise InputError("there is no input to sample from; give a set or many sets.")
    if type(inputs).__module__.split(".")[0] == "pyarrow":
        return _from_arrow(space, inputs, other)
    if isinstance(inputs, (set, frozenset)):
        sets, _ = _from_iterable(space, [inputs])
        return sets, lambda drawn: _as_points(space, drawn)[0]
    if isinstance(inputs, np.ndarray) and inputs.ndim == 2:
        return _from_matrix(space, inputs)
    if isinstance(inputs, tuple) and len(inputs) == 2 and _are_arrays(inputs):
        indices, offsets = inputs
        return _from_pair(space, indices, offsets), lambda drawn: (drawn.indices, drawn.offsets)
    if isinstance(inputs, (str, bytes, int, float, dict)) or not isinstance(inputs, Iterable):
        raise space.outside(why="it is not a set of items")
    return _from_iterable(space, inputs)


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
    return _sorted_sets(space, indices, ends)


def _sorted_sets(space: Subsets, indices: NDArray[Any], offsets: NDArray[np.int64]) -> ItemSets:
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


def _from_iterable(space: Subsets, inputs: Iterable[Any]) -> tuple[ItemSets, Restore]:
    known = {label_key(item): place for place, item in enumerate(space.items)}
    indices: list[int] = []
    offsets = [0]
    for row, one in enumerate(several(inputs, name="inputs", of="sets")):
        if isinstance(one, (str, bytes)) or not isinstance(one, Iterable):
            raise space.outside(row=row, why="it is not a set of items")
        try:
            indices.extend(known[label_key(item)] for item in one)
            declared = True
        except (KeyError, TypeError):
            declared = False
        if not declared:
            raise space.outside(row=row, why="it holds an item that was not declared")
        offsets.append(len(indices))
    found = np.array(indices, dtype=np.int32)
    sets = _sorted_sets(space, found, np.array(offsets, dtype=np.int64))
    return sets, lambda drawn: _as_points(space, drawn)


def cut_sets(sets: ItemSets, most: int, source: Source | None) -> ItemSets:
    """Return a uniformly random part of at most so many items of each set."""
    from noisewright.sampling import chosen, source_or_default

    above = np.flatnonzero(sets.sizes > most)
    if not above.size:
        return sets
    bits = source_or_default(source)
    keep = np.ones(len(sets.indices), dtype=np.bool_)
    for row in above.tolist():
        start, end = int(sets.offsets[row]), int(sets.offsets[row + 1])
        keep[start:end] = chosen(end - start, np.array([most], dtype=np.intp), bits)[0]
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


def _from_arrow(space: Subsets, inputs: Any, other: int | None) -> tuple[ItemSets, Restore]:
    import pyarrow as pa

    if isinstance(inputs, pa.ChunkedArray):
        chunks = inputs.combine_chunks()
        joined = pa.concat_arrays(chunks.chunks) if isinstance(chunks, pa.ChunkedArray) else chunks
        sets, restore = _from_arrow(space, joined, other)
        return sets, lambda drawn: pa.chunked_array([restore(drawn)])
    if isinstance(inputs, pa.Scalar):
        return read_sets(space, set(inputs.as_py()))
    if not isinstance(inputs, pa.Array) or not _is_list(inputs.type):
        raise InputError(
            f"inputs is an Arrow {type(inputs).__name__}; give one column of lists of items."
        )
    if inputs.null_count:
        row = int(np.argmax(inputs.is_null().to_numpy(zero_copy_only=False)))
        raise space.outside(row=row, why="it is null")
    lengths = inputs.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(lengths)])
    values = inputs.flatten()
    sets = _sorted_sets(space, _positions(space, values, offsets, other), offsets)
    encoded = isinstance(values, pa.DictionaryArray)
    return sets, lambda drawn: _arrow_lists(space, drawn, inputs.type, encoded=encoded)


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return (
        pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)
    )


def _positions(
    space: Subsets, values: Any, offsets: NDArray[np.int64], other: int | None
) -> NDArray[np.int64]:
    """Translate the dictionary of the values once, and then only indices."""
    import pyarrow as pa

    encoded = values if isinstance(values, pa.DictionaryArray) else values.dictionary_encode()
    known = {label_key(item): place for place, item in enumerate(space.items)}
    # A dictionary may carry labels that no set uses; only a used one is an error.
    unknown = -1 if other is None else other
    places = [known.get(label_key(label), unknown) for label in encoded.dictionary.to_pylist()]
    indices = encoded.indices.fill_null(len(places)).to_numpy(zero_copy_only=False)
    found = np.array([*places, unknown], dtype=np.int64)[indices]
    if (found < 0).any():
        row = int(np.searchsorted(offsets, int(np.argmax(found < 0)), side="right")) - 1
        raise space.outside(row=row, why="it holds an item that was not declared")
    return found


def _arrow_lists(space: Subsets, drawn: ItemSets, kind: Any, *, encoded: bool) -> Any:
    import pyarrow as pa

    try:
        labels = pa.array(list(space.items))
    except (pa.ArrowInvalid, pa.ArrowTypeError) as problem:
        raise InputError(
            "the items are of several types, which an Arrow array cannot hold. Sample from a "
            "list, or declare items of one type."
        ) from problem
    indices = pa.array(drawn.indices)
    values = pa.DictionaryArray.from_arrays(indices, labels) if encoded else labels.take(indices)
    if pa.types.is_large_list(kind) or len(drawn.indices) >= 1 << 31:
        return pa.LargeListArray.from_arrays(pa.array(drawn.offsets), values)
    return pa.ListArray.from_arrays(pa.array(drawn.offsets.astype(np.int32)), values)
