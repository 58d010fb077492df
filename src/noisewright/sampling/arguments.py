"""What draws accept, checked in one place."""

from __future__ import annotations

from functools import partial
from math import inf
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.errors import OutsideSpaceError, ParameterError
from noisewright.given import whole_number

CHUNK = 1 << 16
"""Values handled at once: enough to spread the overhead, few enough to stay in cache."""


MOST = 1 << 29
"""Draws at once: more take gigabytes, and belong into parts."""


whole = partial(whole_number, longest=inf)
"""Totals of tables may be as long as they like."""


def checked_size(size: SupportsIndex) -> int:
    """Return the number of draws asked for."""
    return whole(size, name="size", least=0, most=MOST)


def as_codes(codes: ArrayLike) -> NDArray[np.integer[Any]]:
    """Return codes as a one-dimensional integer array, without a copy where possible."""
    array = np.asarray(codes)
    if array.size == 0 and array.ndim == 1 and not isinstance(codes, np.ndarray):
        # An empty list has no type of its own; numpy would call it a list of floats.
        return np.empty(0, dtype=np.intp)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ParameterError(
            f"codes have {array.ndim} dimensions and type {array.dtype}; they must be a "
            "one-dimensional array of integers. Turn labels into codes first, and flatten."
        )
    return array


def check_codes(codes: NDArray[np.integer[Any]], *, count: int, offset: int) -> None:
    """Refuse codes that are not in 0 … count − 1; `offset` is the position of the first."""
    inside = codes.max() < count and (codes.dtype.kind == "u" or codes.min() >= 0)
    if not inside:
        row = offset + int(np.argmax((codes < 0) | (codes >= count)))
        raise OutsideSpaceError(
            f"the code at row {row + 1:,} is outside 0..{count - 1}. Check that the codes were "
            "made from the same space, and replace missing values first.",
            row=row,
        )


def check_room(codes: NDArray[Any], out: NDArray[Any], *, dtype: np.dtype[Any]) -> None:
    """Refuse an output array that cannot take the draws for these codes."""
    if out.shape != codes.shape or out.dtype != dtype:
        raise ParameterError(
            f"out has shape {out.shape} and type {out.dtype}; it must have shape {codes.shape} "
            f"and type {dtype}, like the codes."
        )
    if np.may_share_memory(codes, out):
        raise ParameterError(
            "out overlaps codes; a draw that is restarted needs them unchanged. Give a separate "
            "array."
        )


def smallest_unsigned(largest: int) -> np.dtype[Any]:
    """Return the smallest of uint8, uint16, uint32 and uint64 that holds `largest`."""
    return np.min_scalar_type(largest)
