"""From drawn codes to the cells of a released column."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.on_use import pa
from noisewright.spaces import Categories, Counts, Curves, Dates, Interval, Lattice, Space, Subsets
from noisewright.tables.cells import look_up
from noisewright.tables.item_sets import ItemSets, arrow_lists
from noisewright.tables.released_types import curve_type, released_type

_BITS = 62
"""Sets of at most so many items have masks that fit into a whole number of 64 bits."""

_LISTED = 1 << 16
"""Grids of fewer points than this are decoded by looking each number up."""


class Outputs(ABC):
    """Makes the cells of one released column; `type` is what they are released as."""

    type: Any

    @abstractmethod
    def array(self, drawn: Any) -> Any:
        """Return the released cells; texts as dictionaries of the declared labels."""


def outputs_for(space: Space, given: Any) -> Outputs:
    """Return the maker of the released cells of a column whose input has the type `given`."""
    if isinstance(space, Categories):
        return LabelOutputs(space, given)
    if isinstance(space, Subsets):
        return SetOutputs(space, given)
    if isinstance(space, Curves):
        return CurveOutputs(len(space.grid), given)
    return (DateOutputs if isinstance(space, Dates) else NumberOutputs)(space, given)


@final
class LabelOutputs(Outputs):
    """Declared labels; the dictionary holds all of them in the order of the plan."""

    def __init__(self, space: Categories, given: Any) -> None:
        self.type = released_type(space, given)
        self._encoded = pa.types.is_dictionary(self.type)
        values = self.type.value_type if self._encoded else self.type
        self._labels = pa.array(space.labels, values)
        # Dictionaries that are to be plain texts have narrow indices, which are quicker to write.
        narrow = not self._encoded and space.size <= 256
        self._indices = np.uint8 if narrow else np.int32
        fixed = pa.types.is_boolean(values) or pa.types.is_primitive(values)
        self._values = self._labels.to_numpy(zero_copy_only=False) if fixed else None

    def array(self, drawn: NDArray[Any]) -> Any:
        """Return labels for codes."""
        if self._values is not None and not self._encoded:
            found = look_up(self._values, drawn)
            return _pack(found) if found.dtype == np.bool_ else pa.array(found, self.type)
        indices = pa.array(drawn.astype(self._indices, copy=False))
        # The codes are those of a mechanism: there is nothing to check.
        return pa.DictionaryArray.from_arrays(indices, self._labels, safe=False)


def _pack(truths: NDArray[np.bool_]) -> Any:
    """Return an Arrow array of booleans, several times as quickly as pyarrow makes it."""
    import pyarrow as pa

    bits = np.packbits(truths, bitorder="little")
    return pa.BooleanArray.from_buffers(pa.bool_(), len(truths), [None, pa.py_buffer(bits)])


@final
class NumberOutputs(Outputs):
    """Counts and numbers of a grid."""

    def __init__(self, space: Space, given: Any) -> None:
        self.type = released_type(space, given)
        self._space = space
        self._kind: Any = self.type.to_pandas_dtype()
        self._points: NDArray[Any] | None = None
        if isinstance(space, Interval) and space.size < _LISTED:
            self._points = space.decode(np.arange(space.size)).astype(self._kind)

    def array(self, drawn: NDArray[Any]) -> Any:
        """Return numbers for codes."""
        if self._points is not None:
            return pa.array(look_up(self._points, drawn), self.type)
        if isinstance(self._space, Counts):
            return pa.array(drawn.astype(self._kind, copy=False), self.type)
        if not np.issubdtype(self._kind, np.integer):
            return pa.array(self._space.decode(drawn).astype(self._kind, copy=False), self.type)
        return pa.array(self._whole(drawn).astype(self._kind), self.type)

    def _whole(self, drawn: NDArray[Any]) -> NDArray[Any]:
        assert isinstance(self._space, (Interval, Lattice))
        origin = self._space.low if isinstance(self._space, Interval) else self._space.origin
        first, step = int(origin), int(self._space.step)
        largest = int(max(abs(drawn.max()), abs(drawn.min()))) if drawn.size else 0
        if abs(first) + step * largest < 1 << 62:
            return first + step * drawn.astype(np.int64)
        # Beyond 64 bits a number is moved to the last one: that sees only what was drawn.
        limits = np.iinfo(np.int64)
        moved = [min(max(first + step * code, limits.min), limits.max) for code in drawn.tolist()]
        return np.array(moved, dtype=np.int64)


@final
class DateOutputs(Outputs):
    """Dates and times."""

    def __init__(self, space: Space, given: Any) -> None:
        self.type = released_type(space, given)
        self._space = space

    def array(self, drawn: NDArray[Any]) -> Any:
        """Return dates for codes."""
        return pa.array(self._space.decode(drawn), self.type)


@final
class SetOutputs(Outputs):
    """Lists of items, in the order in which they were declared."""

    def __init__(self, space: Subsets, given: Any) -> None:
        self.type = released_type(space, given)
        self._space = space
        item = self.type.value_type
        self._encoded = pa.types.is_dictionary(item)
        self._items = pa.array(space.items, item.value_type if self._encoded else item)

    def array(self, drawn: ItemSets | NDArray[Any]) -> Any:
        """Return lists for drawn sets, or for their codes."""
        if not isinstance(drawn, ItemSets):
            drawn = _sets_of(self._space, drawn)
        large = pa.types.is_large_list(self.type)
        return arrow_lists(drawn, self._items, encoded=self._encoded, large=large)


def _sets_of(space: Subsets, codes: NDArray[Any]) -> ItemSets:
    """Return the sets with these codes; each different code is looked at once."""
    different, places = np.unique(codes, return_inverse=True)
    masks = [space.mask(code) for code in different.tolist()]
    bits = np.array(
        [[mask >> item & 1 for item in range(len(space.items))] for mask in masks], dtype=np.bool_
    )
    rows, items = np.nonzero(bits[places])
    ends = np.searchsorted(rows, np.arange(len(codes) + 1)).astype(np.int64)
    return ItemSets(items.astype(np.int32), ends)


def codes_of(space: Subsets, sets: ItemSets) -> NDArray[Any]:
    """Return the codes of sets, for mechanisms that are tables over all sets."""
    if len(space.items) > _BITS:
        # Few sets of many items, as of one item each: their masks need more than 64 bits.
        listed, ends = sets.indices.tolist(), sets.offsets.tolist()
        masks = [sum(1 << item for item in listed[a:b]) for a, b in pairwise(ends)]
        return np.array([space.code_of_mask(mask) for mask in masks], dtype=np.intp)
    masks = np.zeros(len(sets), dtype=np.int64)
    rows = np.repeat(np.arange(len(sets)), sets.sizes)
    np.add.at(masks, rows, np.left_shift(np.int64(1), sets.indices.astype(np.int64)))
    different, places = np.unique(masks, return_inverse=True)
    codes = [space.code_of_mask(mask) for mask in different.tolist()]
    return np.array(codes, dtype=np.intp)[places] if codes else masks.astype(np.intp)


@final
class CurveOutputs(Outputs):
    """Released curves at the positions of the grid."""

    def __init__(self, length: int, given: Any) -> None:
        self.type = curve_type(given, length)
        self._length = length

    def array(self, drawn: NDArray[np.float64]) -> Any:
        """Return lists of doubles for a matrix with a curve in each row."""
        values = pa.array(np.ascontiguousarray(drawn, dtype=np.float64).reshape(-1))
        if pa.types.is_fixed_size_list(self.type):
            return pa.FixedSizeListArray.from_arrays(values, type=self.type)
        ends = np.arange(len(drawn) + 1, dtype=np.int64) * self._length
        if pa.types.is_large_list(self.type):
            return pa.LargeListArray.from_arrays(pa.array(ends), values, type=self.type)
        return pa.ListArray.from_arrays(pa.array(ends.astype(np.int32)), values, type=self.type)
