"""Rows of bits: bit i of a row is bit i mod 8 of its byte i // 8."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROWS = 255
"""So many bits add up in a byte without overflow."""


def pack_rows(cells: NDArray[np.bool_]) -> NDArray[np.uint8]:
    """Return rows of booleans as rows of bytes."""
    return np.packbits(cells, axis=1, bitorder="little")


def count_bits(rows: NDArray[Any], bits: int) -> NDArray[np.int64]:
    """Return in how many rows each of the first `bits` bits is set."""
    found = np.zeros(bits, dtype=np.int64)
    for start in range(0, len(rows), _ROWS):
        cells = np.unpackbits(rows[start : start + _ROWS], axis=1, bitorder="little", count=bits)
        found += np.add.reduce(cells, axis=0, dtype=np.uint8)
    return found
