"""The layout that turns random bits into the outputs of an integer table.

A row of weights w_0 … w_(m−1) with total T is laid out on an axis of 2^b cells of T units each,
on which output y owns w_y 2^b units:

    | 0 0 0 0 | 1 1 | 2 2 2 | 0 1 | 1 2 |
      whole cells, output by output   remainders, in order

First come the cells that belong to one output, ⌊w_y 2^b / T⌋ of them for output y. The
remainders, (w_y 2^b) mod T units each, fill the last few cells (fewer than m). Each output owns
the fraction w_y / T of the axis, so a uniform point of it has exactly the row's distribution,
whether or not T is a power of two. Random bits are the binary digits of that point. The first b
of them name a cell: a table look-up. In a shared cell 64 more are compared with the first 64
binary digits of each boundary, and only a tie needs further ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling.arguments import smallest_unsigned

_LARGEST_TABLE = 1 << 20
"""Bytes that the look-up table may take: it is read at random, so it should stay in cache."""

_WORD = 64


@dataclass(frozen=True, eq=False)
class CellLayout:
    """The axis of every row of a table, ready for look-up.

    `lookup[row << bits | cell]` is the output, or `shared` for a cell with several of them.
    The shared cells of a row are its last ones; number them through all rows, from
    `first_shared[row]` on. Boundary i ends the stretch of `owner[i]`, and those of shared cell c
    are first[c] … first[c + 1] − 1 of its row; `key` holds the first 64 binary digits of where
    in its cell a boundary lies, and `may_tie` tells whether some boundary has more of them.
    """

    bits: int
    may_tie: bool
    shared: int
    lookup: NDArray[Any]
    whole_cells: NDArray[np.intp]
    first_shared: NDArray[np.intp]
    first: NDArray[np.intp]
    last: NDArray[np.intp]
    key: NDArray[np.uint64]
    owner: NDArray[Any]

    @property
    def shared_fraction(self) -> float:
        """The share of cells that the look-up does not settle, over all rows."""
        return self.first.size / self.lookup.size


def cell_bits(rows: int, outputs: int) -> int:
    """Choose b: few shared cells (at most one in 512, if it fits), and a table that fits."""
    wanted = (512 * outputs - 1).bit_length()
    room = _LARGEST_TABLE // (rows * smallest_unsigned(outputs).itemsize)
    return max(8, min(16, wanted, room.bit_length() - 1))


def layout(weights: NDArray[Any], total: int, bits: int) -> CellLayout:
    """Lay out a table of Python integers whose rows sum to the total."""
    rows, outputs = weights.shape
    dtype = smallest_unsigned(outputs)
    lookup = np.full((rows, 1 << bits), outputs, dtype=dtype)
    whole_cells = np.empty(rows, dtype=np.intp)
    first, last, keys, owners = _Grown(np.intp), _Grown(np.intp), _Grown(np.uint64), _Grown(dtype)
    first_shared = np.empty(rows, dtype=np.intp)
    may_tie = False
    for row in range(rows):
        cells, owner, boundaries = shares(weights[row], total, bits)
        settled = np.repeat(np.arange(outputs, dtype=dtype), cells)
        lookup[row, : settled.size] = settled
        whole_cells[row] = settled.size
        first_shared[row] = first.size
        count = (1 << bits) - settled.size
        cell = boundaries // total
        starts = keys.size + np.searchsorted(cell.astype(np.intp), np.arange(count + 1))
        first.add(starts[:-1])
        last.add(starts[1:])
        offsets = (boundaries - cell * total) << _WORD
        key = offsets // total
        keys.add(key)
        may_tie = may_tie or bool((key * total != offsets).any())
        owners.add(owner)
    return CellLayout(
        bits=bits,
        may_tie=may_tie,
        shared=outputs,
        lookup=lookup.reshape(-1),
        whole_cells=whole_cells,
        first_shared=first_shared,
        first=first.join(),
        last=last.join(),
        key=keys.join(),
        owner=owners.join(),
    )


def shares(
    row: NDArray[Any], total: int, bits: int
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Return how many whole cells each output has; who owns each stretch of the others; its end."""
    units = row << bits
    cells = units // total
    rest = units - cells * total
    owner = np.flatnonzero(rest)
    return cells.astype(np.intp), owner, np.cumsum(rest[owner])


class _Grown:
    """Pieces of one array, joined at the end."""

    def __init__(self, dtype: Any) -> None:
        self.size = 0
        self._dtype = np.dtype(dtype)
        self._pieces: list[NDArray[Any]] = []

    def add(self, piece: NDArray[Any]) -> None:
        self._pieces.append(piece.astype(self._dtype))
        self.size += piece.size

    def join(self) -> NDArray[Any]:
        return np.concatenate([*self._pieces, np.empty(0, dtype=self._dtype)])
