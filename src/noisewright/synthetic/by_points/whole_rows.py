"""Rows from weights of points: how often each point occurs, rounded so that all tables stay close.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

Each point occurs as often as its weight says, rounded down or up. Which points are rounded up is
first decided by one random offset along all points in their order (systematic sampling: within each
value of the first column, and of the second within it, the total is off by less than one). Then
some that were rounded up and some that were rounded down change places, those whose cells have most
rows too many and too few, as long as Σ (rows of a cell − its weight)² over the given tables falls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, source_or_default
from noisewright.synthetic.by_points.blocks import BlockedTables
from noisewright.synthetic.by_points.points import WeightedPoints

Array = NDArray[np.float64]
Names = tuple[str, ...]

_MOST_TRIES = 160
_MOST_WORK = 1 << 30
"""Points times tables times tries."""

_KEPT = 2.0
"""How many points that are rounded down are looked at, for each that is rounded up, or so."""


@final
@dataclass(frozen=True, eq=False)
class KeptCells:
    """The cell of each point, in rising order, and how many rows each cell gets, exactly.

    Requires: a cell with rows has points.
    """

    places: NDArray[np.int64]
    rows: NDArray[np.int64]

    def scale(self, logs: Array) -> Array:
        """Return how often each point occurs, as its share says of the rows of its cell."""
        top = np.full(self.rows.size, -np.inf)
        np.maximum.at(top, self.places, logs)
        shares = np.exp(logs - top[self.places])
        sums = np.bincount(self.places, weights=shares, minlength=self.rows.size)
        return shares * (self.rows / np.maximum(sums, 1.0))[self.places]

    def round(self, weights: Array, offset: float) -> Array:
        """Return whole numbers, those of each cell with the sum of its rows."""
        last = np.append(self.places[1:] != self.places[:-1], True)
        ends = np.cumsum(self.rows)[self.places].astype(np.float64)
        starts = ends - self.rows[self.places]
        marks = np.clip(np.floor(np.cumsum(weights) + offset), starts, ends)
        return np.diff(np.where(last, ends, marks), prepend=0.0)


def make_rows(
    points: WeightedPoints,
    rows: int,
    tables: Sequence[Names],
    source: Source | None = None,
    kept: KeptCells | None = None,
) -> dict[str, NDArray[Any]]:
    """Return codes of so many rows, in random order.

    Ensures: each point occurs within one of its share of the rows, or, with `kept`, of the rows of
    its cell; each of these cells then has as many rows as it gets.
    """
    bits = source_or_default(source)
    times = _round_weights(points, rows, tuple(tables), bits, kept)
    places = np.repeat(np.arange(times.size), times)
    places = places[np.argsort(bits.words(rows))]
    return {name: codes[places] for name, codes in points.codes.items()}


def _round_weights(
    points: WeightedPoints,
    rows: int,
    tables: tuple[Names, ...],
    bits: Source,
    kept: KeptCells | None,
) -> NDArray[np.int64]:
    one_cell = np.zeros(points.logs.size, dtype=np.int64)
    cells = KeptCells(one_cell, np.array([rows])) if kept is None else kept
    weights = cells.scale(points.logs)
    times = cells.round(weights, float(_uniform(1, bits)[0]))
    low = np.floor(weights)
    # Rounding of the running sums may put a point one further off: such a point stays as it is.
    may_move = (times >= low) & (times <= low + 1) & (weights > low)
    blocked = BlockedTables(points.sizes, points.codes, tables)
    state = _Rounding(blocked, weights, low, may_move, None if kept is None else kept.places)
    return state.improve(times, bits).astype(np.int64)


@final
@dataclass(frozen=True, eq=False)
class _Rounding:
    """Points with weights, each of which occurs `low` times or once more, where it may move."""

    blocked: BlockedTables
    weights: Array
    low: Array
    may_move: NDArray[np.bool_]
    cells: NDArray[np.int64] | None = None

    def improve(self, times: Array, bits: Source) -> Array:
        """Return how often each point occurs, after exchanges as long as they help."""
        if not self.blocked.tables:
            return times
        gaps = self.blocked.sums(times - self.weights)
        up = times > self.low
        # Of those rounded down, some stand for all, likelier ones rather: the more weight a point
        # has beyond a whole number, the more often it would be rounded up.
        likely = _uniform(times.size, bits) < _KEPT * (self.weights - self.low)
        (kept,) = np.nonzero(self.may_move & (up | likely))
        if not kept.size:
            return times
        few = BlockedTables(
            self.blocked.sizes,
            {name: codes[kept] for name, codes in self.blocked.codes.items()},
            self.blocked.tables,
        )
        found = times.copy()
        cells = None if self.cells is None else self.cells[kept]
        found[kept] = self.low[kept] + _exchange(few, gaps, up[kept], bits, cells)
        return found


def _exchange(
    blocked: BlockedTables,
    gaps: Sequence[Array],
    up: NDArray[np.bool_],
    bits: Source,
    cells: NDArray[np.int64] | None,
) -> NDArray[np.bool_]:
    """Return which points are rounded up, as many as before, so that the gaps become smaller.

    With `cells` there are as many as before in each of them.
    """
    size, excess = _size(gaps), blocked.spread(gaps)
    tries = min(_MOST_TRIES, _MOST_WORK // (up.size * len(blocked.tables)))
    batch = int(up.sum()) // 8
    for _ in range(tries):
        if not batch:
            break
        # Half of them at random: else the same ones would be tried again and again.
        drawn = _uniform(up.size, bits) < 0.5
        leave, enter = np.flatnonzero(drawn & up), np.flatnonzero(drawn & ~up)
        most = min(batch, leave.size // 2, enter.size // 2)
        if not most:
            batch //= 2
            continue
        change = np.zeros(up.size)
        if cells is None:
            leave = leave[np.argpartition(-excess[leave], most)[:most]]
            enter = enter[np.argpartition(excess[enter], most)[:most]]
        else:
            leave, enter = _within_cells(leave, enter, excess, cells, most)
        change[leave], change[enter] = -1, 1
        moved = blocked.sums(change)
        new = [gap + step for gap, step in zip(gaps, moved, strict=True)]
        new_size = _size(new)
        if new_size < size:
            gaps, size, excess = new, new_size, blocked.spread(new)
            up = (up + change).astype(np.bool_)
        else:
            batch //= 2
    return up


def _within_cells(
    leave: NDArray[np.int64],
    enter: NDArray[np.int64],
    excess: Array,
    cells: NDArray[np.int64],
    most: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the best of each kind, as many of one as of the other in each cell."""
    first = leave[np.lexsort((-excess[leave], cells[leave]))]
    second = enter[np.lexsort((excess[enter], cells[enter]))]
    keys = [cells[some] * (1 << 32) + _ranks(cells[some]) for some in (first, second)]
    _, one, other = np.intersect1d(*keys, assume_unique=True, return_indices=True)
    first, second = first[one], second[other]
    gains = excess[first] - excess[second]
    best = np.argsort(-gains, kind="stable")[:most]
    return first[best], second[best]


def _ranks(groups: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each among those of its group, for groups in rising order."""
    places = np.arange(groups.size)
    is_new = np.append(True, groups[1:] != groups[:-1])[: groups.size]
    return places - np.maximum.accumulate(np.where(is_new, places, 0))


def _size(gaps: Sequence[Array]) -> float:
    return sum(float(np.einsum("i,i", gap.reshape(-1), gap.reshape(-1))) for gap in gaps)


def _uniform(size: int, bits: Source) -> Array:
    return (bits.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53
