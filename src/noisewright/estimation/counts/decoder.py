"""Batches of a released table as numbers: codes, whole numbers of curves, positions of items.

The values of a public column are not declared anywhere; they are numbered as they appear.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.estimation.counts.released_columns import (
    not_released,
    released_codes,
    released_numbers,
)
from noisewright.estimation.questions.table_layout import TableLayout
from noisewright.estimation.sets.item_shares import released_sets
from noisewright.on_use import pa
from noisewright.tables import ItemSets

MOST_VALUES = 1 << 16
"""A public column with more different values than this is no column to group by."""


class Vocabulary:
    """The values of a public column, numbered in the order they appear."""

    def __init__(self, name: str, most: int = MOST_VALUES) -> None:
        self.name, self.most = name, most
        self._known: dict[Any, int] = {}
        self._nested = False

    @property
    def problem(self) -> str | None:
        """Say why the column cannot be tabulated, if so; its values are not told apart then."""
        if self._nested:
            return f"the public column {self.name!r} holds lists"
        if len(self._known) > self.most:
            return f"the public column {self.name!r} has more than {self.most:,} different values"
        return None

    @property
    def values(self) -> list[Any]:
        """The values seen so far; None stands for an empty cell."""
        return list(self._known)

    def codes(self, column: Any) -> NDArray[Any]:
        """Return the numbers of a column's values; new ones are appended."""
        if not isinstance(column, (pa.Array, pa.ChunkedArray)):
            column = pa.array(column)
        if isinstance(column, pa.ChunkedArray):
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([])
        if not pa.types.is_dictionary(column.type):
            if pa.types.is_nested(column.type):
                self._nested = True
                return np.zeros(len(column), dtype=np.intp)
            column = column.dictionary_encode()
        labels = [*map(_plain, column.dictionary.to_pylist()), None]
        indices = column.indices.fill_null(len(labels) - 1).to_numpy(zero_copy_only=False)
        if not column.null_count:
            labels.pop()
        places = np.array([self._place(label) for label in labels], dtype=np.intp)
        return places[indices] if len(places) else np.empty(0, dtype=np.intp)

    def _place(self, value: Any) -> int:
        return (
            0 if len(self._known) > self.most else self._known.setdefault(value, len(self._known))
        )


def _plain(value: Any) -> Any:
    """Return one and the same object for all that is not a number, which equals nothing."""
    return math.nan if isinstance(value, float) and math.isnan(value) else value


class Decoder:
    """Reads batches of the columns that are needed, each column at most once a batch."""

    def __init__(
        self, layout: TableLayout, names: Sequence[str], *, few: Mapping[str, int] | None = None
    ) -> None:
        self.layout = layout
        self.names = list(names)
        self.vocabularies = {
            name: Vocabulary(name, (few or {}).get(name, MOST_VALUES))
            for name in names
            if layout.kind(name) == "public"
        }
        self.rows = 0
        self._batch: dict[str, Any] = {}

    def read(self, batch: Mapping[str, Any]) -> int:
        """Decode the next batch, and return how many rows it has."""
        self._batch = {name: self._decode(name, batch[name]) for name in self.names}
        lengths = {len(part) for part in self._batch.values()}
        if len(lengths) > 1:
            raise InputError(f"the columns have different lengths: {sorted(lengths)}.")
        rows = lengths.pop()
        self.rows += rows
        return rows

    def codes(self, names: Sequence[str]) -> list[NDArray[Any]]:
        """Return the codes of columns in this batch."""
        return [self._batch[name] for name in names]

    def sizes(self, names: Sequence[str]) -> tuple[int, ...]:
        """Return how many values each of these columns can have, or has had so far."""
        return tuple(
            max(len(self.vocabularies[name].values), 1)
            if name in self.vocabularies
            else self.layout.cells(name)
            for name in names
        )

    def problem(self, name: str) -> str | None:
        """Say why a public column cannot be tabulated, if so."""
        return self.vocabularies[name].problem if name in self.vocabularies else None

    def sets(self, name: str) -> ItemSets:
        """Return the released sets of a column in this batch."""
        return self._batch[name]

    def vectors(self, name: str) -> NDArray[np.float64]:
        """Return released numbers, or the coordinates of curves, a row each, in this batch."""
        found = self._batch[name]
        return found if found.ndim == 2 else found[:, None]

    def _decode(self, name: str, column: Any) -> Any:
        if name in self.vocabularies:
            return self.vocabularies[name].codes(column)
        mechanism = self.layout.part(name).mechanism
        match self.layout.kind(name):
            case "curves":
                return _coordinates(column, mechanism, name, self.rows)
            case "sets":
                return released_sets(column, mechanism.outputs, self.rows, name=name)
            case "numbers":
                return released_numbers(column, mechanism, name=name, first_row=self.rows)
            case _:
                return released_codes(
                    column,
                    self.layout.space(name),
                    self.layout.outputs(name),
                    name=name,
                    first_row=self.rows,
                )


def _coordinates(column: Any, mechanism: CurveNoise, name: str, first: int) -> NDArray[np.float64]:
    try:
        return mechanism.recover(column).coordinates
    except OutsideSpaceError as problem:
        raise not_released(problem, mechanism.space, name, first) from problem
