"""What was counted of the atoms of a query: each sum of atoms, with the noise of all its counts.

The number of rows is public. Where the noise of a table's cells is independent, that takes some of
it away: a sum of m of its K cells is moved by m/K of what the total is off, the least variance that
adding up can have. Of several tables that hold the same sum the mean is taken, weighted by their
variances.

Which tables were counted after a private choice, or after noisy distances, depends on noise drawn
before. So such counts are averaged with those alone that follow the same choice, which was made
before any of them: each stage has an interval of its own, and what it may miss is decided when it
begins. A sum of atoms that was counted by the list of steps alone has weights that are public, and
one interval.

Bins may be joined where a pair was chosen, by noise of the columns. What such a pair tells of both
columns is about the query cut by its bins alone, which were fixed before the pair was counted; what
the list of steps counts is never cut by them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import Any, final

import numpy as np

from noisewright.synthetic.bounds.question import ClassedQuery, Grid, Mask
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import Noise
from noisewright.synthetic.steps.run_budget import Spend
from noisewright.synthetic.steps.sum_law import add_laws, sum_law

_LEAST_WEIGHT = 0.02
"""Tables that would have less of the weight are left out."""

_SCHEDULED, _FIRST_CHOSEN = 0.4, 0.8
"""Which part of what may be missed goes to counts of the list of steps, where others may follow,
and to the first count that was chosen, where there are none."""


@final
@dataclass(frozen=True)
class CountedSum:
    """One unbiased number for a sum of atoms, and the noises that it is off by, with weights.

    `stage` is 0 where the list of steps alone decided that it is counted; otherwise it says after
    how many choices, or rounds of distances, it was counted.
    """

    value: float
    noises: tuple[tuple[float, Noise, int], ...]
    stage: int

    @property
    def variance(self) -> float:
        """The variance of the number."""
        return sum(weight**2 * noise.variance_of_sum(cells) for weight, noise, cells in self.noises)

    def of_others(self, rows: int) -> CountedSum:
        """Return the number for all other atoms."""
        return CountedSum(rows - self.value, self.noises, self.stage)


@final
@dataclass(frozen=True, eq=False)
class KnownSum:
    """All that was counted of one set of atoms."""

    atoms: Mask
    counted: list[CountedSum] = field(default_factory=list[CountedSum])

    @property
    def is_scheduled(self) -> bool:
        """Whether it was counted whatever was chosen."""
        return any(not one.stage for one in self.counted)

    def estimate(self) -> tuple[float, float]:
        """Return the mean of all counts, weighted by their variances, and its standard error."""
        value, used = _mean(self.counted)
        return value, math.sqrt(sum(weight**2 * one.variance for weight, one in used))

    def interval(self, miss: float, *, others_may_follow: bool) -> tuple[float, float]:
        """Return an interval that misses the true sum with at most this probability."""
        scheduled = [one for one in self.counted if not one.stage]
        stages = sorted({one.stage for one in self.counted if one.stage})
        low, high = -math.inf, math.inf
        first, left = _FIRST_CHOSEN, miss
        if scheduled:
            part = _SCHEDULED if others_may_follow else 1.0
            low, high = _interval(scheduled, miss * part)
            first, left = 0.5, miss * (1 - part)
        for stage in stages:
            # What each may miss is known when it begins, whatever follows.
            share, left, first = left * first, left * (1 - first), 0.5
            below, above = _interval([o for o in self.counted if o.stage == stage], share)
            low, high = max(low, below), min(high, above)
        # They are apart only if some noise is beyond what it may be.
        return min(low, high), max(low, high)


def _mean(counted: Sequence[CountedSum]) -> tuple[float, list[tuple[float, CountedSum]]]:
    """Return the weighted mean, and the counts with their weights."""
    certain = [one for one in counted if one.variance < 1e-12]
    if certain:
        return certain[0].value, [(1.0, certain[0])]
    inverse = [1 / one.variance for one in counted]
    heavy = [
        (weight, one)
        for weight, one in zip(inverse, counted, strict=True)
        if weight >= _LEAST_WEIGHT * max(inverse)
    ]
    whole = sum(weight for weight, _ in heavy)
    used = [(weight / whole, one) for weight, one in heavy]
    return sum(weight * one.value for weight, one in used), used


def _interval(counted: Sequence[CountedSum], miss: float) -> tuple[float, float]:
    value, used = _mean(counted)
    parts = tuple(
        (weight * inner, noise, cells) for weight, one in used for inner, noise, cells in one.noises
    )
    half = half_width(parts, miss)
    return value - half, value + half


@lru_cache(maxsize=1 << 12)
def half_width(parts: tuple[tuple[float, Noise, int], ...], miss: float) -> float:
    """Return how far a weighted sum of noises reaches; groups of one query share most of these."""
    law, lack = add_laws([(weight, sum_law(noise, cells)) for weight, noise, cells in parts])
    return law.half_width(miss) + lack


Sides = Mapping[int, tuple[Any, list[Mask]]]
"""For each axis of a table the group of each of its places, and the classes of each group."""


def stages_of_counts(spends: Sequence[Spend]) -> list[int]:
    """Return for each count after how many choices, or rounds of distances, it came."""
    found: list[int] = []
    stage, was_count = 0, True
    for spend in spends:
        stage += was_count and not spend.is_count
        was_count = spend.is_count
        if was_count:
            found.append(stage)
    return found


def split_by_joined(
    query: ClassedQuery,
    measurements: Sequence[Measurement],
    origins: Mapping[str, tuple[str, int]],
) -> ClassedQuery:
    """Return the same query, with classes for all sums that counts in joined bins tell of it."""
    finer = query
    for one in measurements:
        split = _split_for(query, one, _axes_of(query, one, origins))
        if split is not query:
            finer = finer.both(split)
    return finer


def known_sums(
    query: ClassedQuery,
    finer: ClassedQuery,
    measurements: Sequence[Measurement],
    spends: Sequence[Spend],
    origins: Mapping[str, tuple[str, int]],
) -> dict[bytes, KnownSum]:
    """Return every sum of atoms that some count is about, apart from all and none of them.

    Of a sum and that of all other atoms one is there: they are off by the same. The atoms are those
    of `finer`, which is the query split by the joined bins.
    `origins` says of which declared column each counted one is, in bins of how many points.
    """
    found: dict[bytes, KnownSum] = {}
    stages = stages_of_counts(spends)
    if len(stages) != len(measurements):
        # Steps of another kind: whatever they were, their counts are not averaged.
        stages = range(1, len(measurements) + 1)
    for one, stage in zip(measurements, stages, strict=True):
        told: set[bytes] = set()
        for own, mask, counted in _sums_of(query, one, stage, origins):
            atoms = mask if own is finer else own.lift(mask, finer)
            key, known = atoms, counted
            if atoms[-1]:
                key, known = ~atoms, counted.of_others(one.rows)
            # The same sum of the same table has the same noise: it counts once.
            if key.any() and key.tobytes() not in told:
                told.add(key.tobytes())
                found.setdefault(key.tobytes(), KnownSum(key)).counted.append(known)
    return found


Axes = Mapping[int, tuple[int, Grid]]
"""For axes of a table which axis of the query they are, and in which bins of its points."""


def _axes_of(query: ClassedQuery, one: Measurement, origins: Mapping[str, tuple[str, int]]) -> Axes:
    found: dict[int, tuple[int, Grid]] = {}
    for axis, name in enumerate(one.columns):
        declared, width = origins[name]
        if declared in query.place:
            joined = one.joined.get(name)
            grid = width if joined is None else tuple(width * code for code in joined.starts)
            found[axis] = query.place[declared], grid
    return found


def _split_for(query: ClassedQuery, one: Measurement, axes: Axes) -> ClassedQuery:
    """Return the query split by the joined bins of a table, where it has several of its columns."""
    if not one.joined or len(axes) < 2:
        return query
    return query.split_bins({query.columns[place]: grid for place, grid in axes.values()})


def _sums_of(
    query: ClassedQuery,
    one: Measurement,
    stage: int,
    origins: Mapping[str, tuple[str, int]],
) -> Iterator[tuple[ClassedQuery, Mask, CountedSum]]:
    """Yield sums of atoms that one measurement tells, and of which query they are atoms."""
    axes = _axes_of(query, one, origins)
    if not axes:
        return
    split = _split_for(query, one, axes)
    sides = _sides(split, axes)
    if one.cells is not None:
        for found in _query_sum(query, one, stage, axes, sides):
            yield query, *found
        return
    coarse = _sides(split, axes, is_coarse=True)
    ways = [sides]
    if any(len(coarse[axis][1]) < len(sides[axis][1]) for axis in axes):
        ways.append(coarse)
    for way in ways:
        for many in range(1, len(axes) + 1):
            for some in combinations(axes, many):
                # Of one column, what its own counts are not cut by would only be one more sum.
                own = split if many > 1 else query
                known = way if own is split else _sides(query, axes, is_coarse=way is coarse)
                for found in _cell_sums(
                    own, one, stage, {axis: axes[axis] for axis in some}, known
                ):
                    yield own, *found


def _sides(query: ClassedQuery, axes: Axes, *, is_coarse: bool = False) -> Sides:
    return {axis: query.components(*at, is_coarse=is_coarse) for axis, at in axes.items()}


def _cell_sums(
    query: ClassedQuery, one: Measurement, stage: int, axes: Axes, sides: Sides
) -> Iterator[tuple[Mask, CountedSum]]:
    """Yield each cell of these groups of classes of these axes; and all cells in the query.

    Where some cells of joined bins are partly in it, all that are in it or touch it follow. Counts
    in bins that are not joined tell the query, or no more of it than their cells do.
    """
    whole = float(one.counts.sum())
    away = tuple(axis for axis in range(one.counts.ndim) if axis not in axes)
    counts = one.counts.sum(axis=away).astype(np.float64)
    cells = np.full(counts.shape, one.counts.size // counts.size, dtype=np.int64)
    for place, axis in enumerate(axes):
        number, groups = sides[axis]
        counts = _add_up(counts, number, len(groups), place)
        cells = _add_up(cells, number, len(groups), place)
    target = query.counts.reshape(-1)
    inner, outer = _Union(query.atoms), _Union(query.atoms)
    for cell in np.ndindex(counts.shape):
        atoms = query.spread(
            {axes[axis][0]: sides[axis][1][group] for axis, group in zip(axes, cell, strict=True)}
        )
        value, size = float(counts[cell]), int(cells[cell])
        yield atoms, _count_of(one, value, size, whole, stage)
        if target[atoms].all():
            inner.add(atoms, value, size)
        if target[atoms].any():
            outer.add(atoms, value, size)
    if 1 < len(axes) == len(query.columns) and (one.joined or inner.cells == outer.cells):
        for union in (inner, outer):
            yield union.atoms, _count_of(one, union.noisy, union.cells, whole, stage)


class _Union:
    """Cells of one table that are apart, added up."""

    def __init__(self, atoms: int) -> None:
        self.atoms = np.zeros(atoms, dtype=np.bool_)
        self.noisy, self.cells = 0.0, 0

    def add(self, atoms: Mask, noisy: float, cells: int) -> None:
        self.atoms |= atoms
        self.noisy += noisy
        self.cells += cells


def _add_up(table: Any, number: Any, groups: int, axis: int) -> Any:
    found = np.zeros((*table.shape[:axis], groups, *table.shape[axis + 1 :]), dtype=table.dtype)
    np.add.at(np.moveaxis(found, axis, 0), number, np.moveaxis(table, axis, 0))
    return found


def _count_of(one: Measurement, noisy: float, cells: int, whole: float, stage: int) -> CountedSum:
    noise, every = one.noise, one.counts.size
    if noise.balanced_cells is not None:
        return CountedSum(noisy, ((1.0, noise, cells),), stage)
    part = cells / every
    return CountedSum(
        noisy - part * (whole - one.rows),
        ((1 - part, noise, cells), (part, noise, every - cells)),
        stage,
    )


def _query_sum(
    query: ClassedQuery,
    one: Measurement,
    stage: int,
    axes: Axes,
    sides: Sides,
) -> Iterator[tuple[Mask, CountedSum]]:
    """Yield what one counted query tells, if it is a sum of atoms."""
    assert one.cells is not None
    many, few = one.cells, one.cells
    for axis in range(one.cells.ndim):
        groups = (
            np.zeros(one.cells.shape[axis], dtype=np.int64) if axis not in axes else sides[axis][0]
        )
        size = int(groups.max()) + 1
        many = _reduce(many, groups, size, axis, np.logical_or)
        few = _reduce(few, groups, size, axis, np.logical_and)
    if (many != few).any():
        return
    atoms = np.zeros(query.atoms, dtype=np.bool_)
    for cell in np.argwhere(many):
        atoms |= query.spread(
            {
                axes[axis][0]: sides[axis][1][group]
                for axis, group in enumerate(cell.tolist())
                if axis in axes
            }
        )
    if not atoms.all():
        yield atoms, CountedSum(float(one.counts[0]), ((1.0, one.noise, 1),), stage)


def _reduce(table: Mask, groups: Any, size: int, axis: int, how: np.ufunc) -> Mask:
    start = np.full(
        (*table.shape[:axis], size, *table.shape[axis + 1 :]), how is np.logical_and, dtype=np.bool_
    )
    how.at(np.moveaxis(start, axis, 0), groups, np.moveaxis(table, axis, 0))
    return start
