"""Draws from the rows of an integer table, exactly as its weights say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.errors import ParameterError, TableError
from noisewright.exact import show_total
from noisewright.sampling.arguments import (
    CHUNK,
    as_codes,
    check_codes,
    check_room,
    checked_size,
    whole,
)
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.response import KeepOrUniform
from noisewright.sampling.table_cells import CellLayout, cell_bits, layout, shares

_LONGEST_TOTAL = 100_000
"""Bits of the largest total that is laid out."""
_FLUSH = 1 << 12
"""Draws that share a cell are settled together, this many at a time, to spread the overhead."""
_WORTHWHILE = 1 / 16
"""Above this share of shared cells, keep-or-uniform is quicker where it applies."""


_Settle = Callable[[NDArray[np.intp], NDArray[np.intp], Source], NDArray[Any]]


class TableSampler:
    """A table of non-negative integers, one row for each input, ready to be drawn from.

    Requires: each row of `weights` sums to exactly `total`, an integer of at least 1.
    Ensures: P(output y | code x) = weights[x][y] / total, exactly. Draws are codes of type
    `dtype`: the smallest unsigned type that holds the number of outputs. A draw uses
    2 bytes of entropy, and 8 more in the rare case that these do not settle it.
    Source: inversion with a guide table (Chen and Asau 1974), in integers; see `cells`.

    The sampler is immutable: it may be shared by threads and sent to other processes.
    """

    __slots__ = ("_keep", "_layout", "_weights", "outputs", "rows", "total")

    def __init__(
        self,
        weights: Sequence[Sequence[int]] | NDArray[Any],
        total: SupportsIndex,
        *,
        bits: int | None = None,
    ) -> None:
        """Check and lay out the table; `bits` sets the size of the look-up, else it is chosen."""
        self.total = whole(total, name="total", least=1)
        if self.total.bit_length() > _LONGEST_TOTAL:
            raise ParameterError(
                f"the total has {self.total.bit_length():,} bits; at most {_LONGEST_TOTAL:,} are "
                "supported. Round the table to a smaller total."
            )
        self._weights = _check(weights, self.total)
        self.rows, self.outputs = self._weights.shape
        if bits is not None and not 1 <= bits <= 16:
            raise ParameterError(f"bits is {bits}; it must be between 1 and 16.")
        chosen = bits or cell_bits(self.rows, self.outputs)
        self._layout: CellLayout = layout(self._weights, self.total, chosen)
        self._keep: KeepOrUniform | None = None
        if self._layout.shared_fraction > _WORTHWHILE and bits is None:
            self._keep = _as_keep_or_uniform(self._weights, self.total)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the codes that are drawn."""
        return self._layout.lookup.dtype

    def draw(self, codes: ArrayLike, source: Source | None = None) -> NDArray[Any]:
        """Return one output code for each input code.

        Requires: a one-dimensional array of integers in 0 … rows − 1.
        Ensures: independent draws, output i from row codes[i].
        """
        inputs = as_codes(codes)
        out = np.empty(inputs.shape, dtype=self.dtype)
        self.draw_into(inputs, out, source)
        return out

    @redone_after_fork
    def draw_into(
        self, codes: NDArray[Any], out: NDArray[Any], source: Source | None = None
    ) -> None:
        """Draw as `draw` does, into an array of type `dtype`; extra memory does not grow.

        Requires: `out` is as long as `codes` and does not overlap it. After an error, what it
        holds is not to be used.
        """
        codes = as_codes(codes)
        check_room(codes, out, dtype=self.dtype)
        bits = source_or_default(source)
        if self._keep is not None:
            self._keep.draw_into(codes, out, bits)
            return
        work = _Work(self._layout, self._settle, out, bits)
        for start in range(0, codes.size, CHUNK):
            part = codes[start : start + CHUNK]
            check_codes(part, count=self.rows, offset=start)
            work.draw(part, start)
        work.settle()

    @redone_after_fork
    def draw_row(
        self, row: SupportsIndex, size: SupportsIndex, source: Source | None = None
    ) -> NDArray[Any]:
        """Return `size` independent output codes from one row.

        Requires: 0 ≤ row < rows; size ≥ 0.
        """
        code = whole(row, name="row", least=0)
        if code >= self.rows:
            raise ParameterError(f"row is {code}; the table has rows 0..{self.rows - 1}.")
        count = checked_size(size)
        out = np.empty(count, dtype=self.dtype)
        work = _Work(self._layout, self._settle, out, source_or_default(source))
        same = np.full(min(count, CHUNK), code, dtype=np.intp)
        for start in range(0, count, CHUNK):
            work.draw(same[: count - start], start)
        work.settle()
        return out

    def _settle(
        self, rows: NDArray[np.intp], cells: NDArray[np.intp], source: Source
    ) -> NDArray[Any]:
        """Return the outputs of draws that fell into these shared cells of these rows."""
        plan = self._layout
        shared = cells - plan.whole_cells[rows]
        shared += plan.first_shared[rows]
        words = source.words(rows.size)
        start = plan.first[shared]
        place = _upper_bound(plan.key, words, start, plan.last[shared])
        outputs = plan.owner[place]
        if plan.may_tie:
            ties = np.flatnonzero((place > start) & (plan.key[place - 1] == words))
            for tie in ties.tolist():
                outputs[tie] = self._exactly(
                    int(rows[tie]), int(cells[tie]), int(words[tie]), source
                )
        return outputs

    def _exactly(self, row: int, cell: int, word: int, source: Source) -> int:
        """Settle a draw whose first 64 bits in the cell equal those of a boundary.

        More bits are looked at until no boundary is left between the least and the largest place
        that they allow: 64 more nearly always do.
        """
        plan = self._layout
        _, owner, boundaries = shares(self._weights[row], self.total, plan.bits)
        start = (cell - int(plan.whole_cells[row])) * self.total
        prefix, known = word, 64
        while True:
            least = (start << known) + prefix * self.total
            first = np.searchsorted(boundaries, least >> known, side="right")
            last = np.searchsorted(boundaries, (least + self.total - 1) >> known, side="right")
            if first == last:
                return int(owner[first])
            prefix, known = prefix << 64 | int(source.words(1)[0]), known + 64

    def __repr__(self) -> str:
        total = show_total(self.total)
        return f"TableSampler({self.rows} rows, {self.outputs} outputs, total {total})"


class _Work:
    """One call's buffers, and the draws that it still has to settle."""

    def __init__(
        self, plan: CellLayout, settle: _Settle, out: NDArray[Any], source: Source
    ) -> None:
        self._plan = plan
        self._settle = settle
        self._out = out
        self._source = source
        self._index = np.empty(min(out.size, CHUNK), dtype=np.intp)
        self._random = np.empty(min(out.size, CHUNK), dtype=np.uint16)
        self._pending: list[tuple[NDArray[np.intp], NDArray[np.intp]]] = []
        self._waiting = 0

    def draw(self, codes: NDArray[np.integer[Any]], start: int) -> None:
        """Draw one chunk; its first output goes to place `start`."""
        plan = self._plan
        index, random = self._index[: codes.size], self._random[: codes.size]
        self._source.fill(random)
        if plan.bits < 16:
            np.right_shift(random, 16 - plan.bits, out=random)
        index[:] = codes
        np.left_shift(index, plan.bits, out=index)
        np.bitwise_or(index, random, out=index)
        out = self._out[start : start + codes.size]
        # "clip" only spares a check: codes were checked, so the index is inside.
        np.take(plan.lookup, index, out=out, mode="clip")
        if plan.first.size == 0:
            return
        shared = np.flatnonzero(out == plan.shared)
        if shared.size:
            self._pending.append((shared + start, index[shared]))
            self._waiting += shared.size
            if self._waiting >= _FLUSH:
                self.settle()

    def settle(self) -> None:
        """Settle all draws that fell into shared cells."""
        if not self._pending:
            return
        places = np.concatenate([place for place, _ in self._pending])
        index = np.concatenate([each for _, each in self._pending])
        bits = self._plan.bits
        cells = index & ((1 << bits) - 1)
        self._out[places] = self._settle(index >> bits, cells, self._source)
        self._pending.clear()
        self._waiting = 0


def _upper_bound(
    keys: NDArray[np.uint64],
    words: NDArray[np.uint64],
    start: NDArray[np.intp],
    stop: NDArray[np.intp],
) -> NDArray[np.intp]:
    """Return, for each word, the first place in start … stop whose key is greater."""
    low, high = start.copy(), stop.copy()
    while True:
        # `high` may lie just behind the last key, but then the search there is over.
        open_ = low < high
        if not open_.any():
            return low
        middle = (low + high) >> 1
        right = open_ & (np.take(keys, middle, mode="clip") <= words)
        np.add(middle, 1, out=low, where=right)
        np.copyto(high, middle, where=open_ & ~right)


def _check(weights: Sequence[Sequence[int]] | NDArray[Any], total: int) -> NDArray[Any]:
    """Return the weights as an object array of Python integers with the right row sums."""
    rows = [list(row) for row in weights]
    width = len(rows[0]) if rows else 0
    if width == 0 or any(len(row) != width for row in rows):
        raise TableError(
            "weights must be a rectangle with at least one row and one column; rows of different "
            "lengths, or none, were given."
        )
    table = np.empty((len(rows), width), dtype=object)
    for number, row in enumerate(rows):
        table[number] = [_weight(value, number) for value in row]
        excess = sum(table[number]) - total
        if excess:
            raise TableError(
                f"row {number} of the weights sums to {'more' if excess > 0 else 'less'} than "
                f"{show_total(total)}; each row must sum to exactly that total. Scale and round "
                "the row so that it does."
            )
    table.setflags(write=False)
    return table


def _weight(value: SupportsIndex, row: int) -> int:
    if type(value) is int and value >= 0:
        return value
    try:
        return whole(value, name="the weight", least=0)
    except ParameterError as problem:
        raise TableError(
            f"row {row} of the weights has an unusable entry: {problem} Weights count units of "
            "the total; round probabilities to such units first."
        ) from None


def _as_keep_or_uniform(weights: NDArray[Any], total: int) -> KeepOrUniform | None:
    """Return the equivalent keep-or-uniform draw, if the table is of that kind."""
    rows, outputs = weights.shape
    if rows != outputs or rows < 2:
        return None
    diagonal, other = weights[0, 0], weights[0, 1]
    expected = np.full(weights.shape, other, dtype=object)
    np.fill_diagonal(expected, diagonal)
    if diagonal < other or not np.array_equal(weights, expected):
        return None
    return KeepOrUniform(outputs, diagonal - other, total)
