"""Rows of numbers as people hold them: arrays, lists, Arrow columns of lists."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError


class RowError(Exception):
    """A row that is no curve: what is wrong with it, never what is in it."""

    def __init__(self, why: str, *, row: int | None) -> None:
        super().__init__(why)
        self.row = row


def read_rows(curves: Any, *, length: int) -> NDArray[np.float64]:
    """Return rows of `length` numbers each as doubles, or raise RowError."""
    if type(curves).__module__.split(".")[0] == "pyarrow":
        return _from_arrow(curves, length)
    if not isinstance(curves, np.ndarray) and hasattr(curves, "to_numpy"):
        curves = curves.to_numpy()
    if isinstance(curves, np.ndarray) and curves.dtype != object:
        return _from_array(curves, length)
    if isinstance(curves, (str, bytes)) or not isinstance(curves, Iterable):
        raise InputError(
            f"curves are a {type(curves).__name__}; give a two-dimensional array, a list of "
            "curves or an Arrow column of lists."
        )
    listed = list(curves)
    if listed and not any(_is_sequence(row) for row in listed):
        listed = [listed]
    rows = np.empty((len(listed), length))
    for place, row in enumerate(listed):
        rows[place] = _one(row, place, length)
    return rows


def _from_array(array: NDArray[Any], length: int) -> NDArray[np.float64]:
    if array.size == 0:
        return np.empty((0, length))
    rows = array[None, :] if array.ndim == 1 else array
    if rows.ndim != 2 or rows.dtype.kind not in "iuf":
        raise InputError(
            f"curves are an array of type {array.dtype} with {array.ndim} dimensions; give "
            "numbers, one row for each curve."
        )
    if rows.shape[1] != length:
        raise RowError(f"it has {rows.shape[1]:,} values and the grid {length:,} positions", row=0)
    return rows.astype(np.float64)


def _is_sequence(row: Any) -> bool:
    return hasattr(row, "__len__") and not isinstance(row, (str, bytes))


def _one(row: Any, place: int, length: int) -> NDArray[np.float64]:
    if not _is_sequence(row):
        raise RowError("it is not a sequence of numbers", row=place)
    if len(row) != length:
        raise RowError(f"it has {len(row):,} values and the grid {length:,} positions", row=place)
    values = np.asarray(row)
    if values.ndim != 1 or values.dtype.kind not in "iufO":
        raise RowError("it is not a sequence of numbers", row=place)
    with contextlib.suppress(TypeError, ValueError):
        return values.astype(np.float64)
    raise RowError("it is not a sequence of numbers", row=place)


def _from_arrow(column: Any, length: int) -> NDArray[np.float64]:
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if hasattr(column, "num_chunks"):
        parts = [_from_arrow(chunk, length) for chunk in column.chunks]
        return np.concatenate(parts) if parts else np.empty((0, length))
    if not hasattr(column, "flatten") or not hasattr(getattr(column, "type", None), "value_type"):
        raise InputError("curves are an Arrow array that holds no lists; give a column of lists.")
    if column.null_count:
        missing = column.is_null().to_numpy(zero_copy_only=False)
        raise RowError("it is null", row=int(np.argmax(missing)))
    fixed = getattr(column.type, "list_size", None)
    lengths = (
        np.full(len(column), fixed)
        if fixed is not None
        else column.value_lengths().to_numpy(zero_copy_only=False)
    )
    if (lengths != length).any():
        row = int(np.argmax(lengths != length))
        raise RowError(f"it has {lengths[row]:,} values and the grid {length:,} positions", row=row)
    inner = column.flatten()
    with contextlib.suppress(TypeError, ValueError):
        # A null inside becomes NaN, which the space refuses by its row and position.
        return inner.to_numpy(zero_copy_only=False).astype(np.float64).reshape(-1, length)
    raise InputError("curves are lists of something else than numbers.")
