"""Tables as codes: each declared column of any kind of table, a batch at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.mechanisms.inputs import read_inputs
from noisewright.spaces import Records, Space

Codes = dict[str, NDArray[np.intp]]


def coded_batches(table: Any, domain: Records, columns: Sequence[str]) -> Iterator[Codes]:
    """Yield the codes of these columns: once for a table, once per batch for an iterator.

    A table is a mapping of columns, an Arrow table or batch, a pandas or Polars frame, or a list of
    records (tuples in the order of the domain's columns, or mappings).
    """
    spaces = dict(domain.columns)
    first = 0
    for batch in _batches(table):
        codes = {
            name: _codes(_column(batch, name, domain), name, spaces[name], first)
            for name in columns
        }
        lengths = {len(each) for each in codes.values()}
        if len(lengths) > 1:
            raise InputError("the columns of the table have different lengths.")
        yield codes
        first += max(lengths, default=0)


def _batches(table: Any) -> Iterable[Any]:
    if isinstance(table, Iterator) or type(table).__name__ == "RecordBatchReader":
        return table
    return (table,)


def _column(batch: Any, name: str, domain: Records) -> Any:
    names = [column for column, _ in domain.columns]
    if isinstance(batch, (list, tuple)):
        if batch and isinstance(batch[0], Mapping):
            return [record[name] for record in batch]
        place = names.index(name)
        return [record[place] for record in batch]
    try:
        return batch[name]
    except (KeyError, ValueError, IndexError, TypeError) as problem:
        raise InputError(
            f"the table has no column {name!r}. Give a mapping of columns, an Arrow table, a data "
            "frame, or a list of records."
        ) from problem


def _codes(values: Any, name: str, space: Space, first: int) -> NDArray[np.intp]:
    try:
        return np.asarray(read_inputs(space, _quick(values)).codes).astype(np.intp, copy=False)
    except OutsideSpaceError as problem:
        row = None if problem.row is None else first + problem.row
        where = "" if row is None else f" at row {row + 1:,}"
        why = f" ({problem.why})" if problem.why else ""
        raise OutsideSpaceError(
            f"column {name!r}{where}: the value is not a point of {space!r}{why}. Declare it in "
            "the domain, or map it to a declared one.",
            row=row,
            why=problem.why,
        ) from None


def _quick(values: Any) -> Any:
    """Turn texts into Arrow arrays, whose labels are looked up once each."""
    if type(values).__module__.startswith("pyarrow"):
        return values
    if hasattr(values, "to_arrow"):
        return values.to_arrow()
    if isinstance(values, (list, tuple)):
        values = _as_objects(list(values))
    plain = values.to_numpy() if hasattr(values, "to_numpy") else values
    if not isinstance(plain, np.ndarray) or plain.dtype != object:
        return plain
    if not (len(plain) and isinstance(plain[0], str)):
        return plain
    try:
        import pyarrow as pa
    except ImportError:
        return plain
    try:
        return pa.array(plain)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return plain


def _as_objects(values: list[Any]) -> NDArray[Any]:
    if values and {type(value) for value in values} <= {int}:
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
