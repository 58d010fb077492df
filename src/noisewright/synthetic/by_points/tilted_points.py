"""Weights of points, fitted to noisy counts of any cliques of columns.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

The fit is that of `graph_fit.py`: of all shares p of these points those that are near to the
counts y, each weighted by its noise, and near to the shares q that the points have,

    least   Σ (N p_cell − y_cell)² / 2σ²  +  τ N KL(p ‖ q)

which is q times e^θ for each counted cell, where θ makes least

    N log Σ q e^θ  −  Σ θ y  +  τ/2 Σ σ² θ²        with gradient   N p − y + τ σ² θ.

Only the sums over all points differ: here they are taken point by point. A fit may start from the θ
of an earlier one, with fewer counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.synthetic.by_points.blocks import BlockedTables
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.graphs.descent import dot, lowest
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Array = NDArray[np.float64]
Names = tuple[str, ...]

_LEAST_DEVIATION = 2.0**-4
"""Counts without noise: certain, but not so much that nothing else counts."""

_CLOSE = 1e-4
"""How far from the best, for each count: the ten-thousandth part of what its noise adds."""

PULL = 2.5
"""How strongly weights are held near those of the points: τ times σ of the noisiest counts."""


@final
@dataclass(frozen=True, eq=False)
class Tilt:
    """The numbers θ of each table that was counted, and the points with their new shares."""

    numbers: Mapping[Names, Array]
    points: WeightedPoints


def tilt_points(
    points: WeightedPoints,
    measurements: Sequence[Measurement],
    *,
    steps: int,
    start: Mapping[Names, Array] | None = None,
    pull: float | None = None,
    progress: Progress | None = None,
) -> Tilt:
    """Fit the shares of the points to noisy counts of whole marginals.

    `start` has the numbers of an earlier fit. `pull` is τ; left out, it follows from the noise.
    Requires: measurements of whole marginals of the same rows.
    Ensures: nearly the least of what stands at the top of the file, or the best that so many steps
    come to; the same counts give the same shares, in whatever order they come.
    """
    problem = _Problem(points, measurements, pull)

    def is_enough(done: int, gradient: Array) -> bool:
        if progress is not None:
            progress("fit", done, steps)
        gap = float((gradient * gradient / problem.variances).sum()) / 2
        return gap <= _CLOSE * gradient.size

    first = problem.join([(start or {}).get(names) for names in problem.tables])
    found = lowest(problem.value, first, problem.scales, steps=steps, is_enough=is_enough)
    if not np.isfinite(found).all():
        raise FloatingPointError("no finite weights were found")
    if progress is not None:
        progress("fit", steps, steps)
    numbers = dict(zip(problem.tables, problem.parts(found), strict=True))
    return Tilt(numbers, points.reweigh(problem.logs(found)))


@final
@dataclass(frozen=True, eq=False)
class _Problem:
    """The function to be made least, of one number for each cell that was counted."""

    points: WeightedPoints
    measurements: Sequence[Measurement]
    tau: float | None = None

    @cached_property
    def _seen(self) -> dict[Names, tuple[Array, float]]:
        """What was counted of each table, and its variance: all counts of it together."""
        weighted: dict[Names, tuple[Array, float]] = {}
        for one in self.measurements:
            names = tuple(sorted(one.columns))
            order = [one.columns.index(name) for name in names]
            counts = one.counts.transpose(order).astype(np.float64)
            weight = max(one.noise.fit_deviation, _LEAST_DEVIATION) ** -2
            total, weights = weighted.get(names, (np.zeros(counts.shape), 0.0))
            weighted[names] = (total + weight * counts, weights + weight)
        return {
            names: (weighted[names][0] / weighted[names][1], 1 / weighted[names][1])
            for names in sorted(weighted)
        }

    @property
    def tables(self) -> tuple[Names, ...]:
        """What was counted."""
        return tuple(self._seen)

    @cached_property
    def _blocked(self) -> BlockedTables:
        return BlockedTables(self.points.sizes, self.points.codes, self.tables)

    @cached_property
    def counts(self) -> Array:
        """All counts, one after the other."""
        return np.concatenate([counts.reshape(-1) for counts, _ in self._seen.values()])

    @cached_property
    def variances(self) -> Array:
        """The variance of each."""
        return np.concatenate(
            [np.full(counts.size, variance) for counts, variance in self._seen.values()]
        )

    @property
    def _rows(self) -> int:
        return self.measurements[0].rows

    @cached_property
    def _pull(self) -> Array:
        """What holds each number near zero: τ σ²."""
        usual = PULL / np.sqrt(self.variances.max())
        return (usual if self.tau is None else self.tau) * self.variances

    @cached_property
    def scales(self) -> Array:
        """About the second derivatives: the rows that a cell seems to have, and the pull."""
        likely = [project_to_simplex(counts / self._rows) for counts, _ in self._seen.values()]
        expected = self._rows * np.concatenate([shares.reshape(-1) for shares in likely])
        return expected + self._pull

    def join(self, parts: Sequence[Array | None]) -> Array:
        """Return numbers of all tables, one after the other; zeros where there are none."""
        shapes = [counts.shape for counts, _ in self._seen.values()]
        return np.concatenate(
            [
                np.zeros(shape).reshape(-1) if part is None else part.reshape(-1)
                for part, shape in zip(parts, shapes, strict=True)
            ]
        )

    def parts(self, numbers: Array) -> list[Array]:
        """Return the numbers of each table."""
        found: list[Array] = []
        place = 0
        for counts, _ in self._seen.values():
            found.append(numbers[place : place + counts.size].reshape(counts.shape))
            place += counts.size
        return found

    def logs(self, numbers: Array) -> Array:
        """Return the logarithms of the points' weights."""
        return self._blocked.spread(self.parts(numbers)) + self.points.logs

    def value(self, numbers: Array) -> tuple[float, Array]:
        """Return the function and its gradient."""
        logs = self.logs(numbers)
        top = float(logs.max())
        logs -= top
        weights = np.exp(logs, out=logs)
        total = float(weights.sum())
        weights *= self._rows / total
        sums = self._blocked.sums(weights)
        expected = np.concatenate([each.reshape(-1) for each in sums])
        pull = self._pull * numbers
        whole = self._rows * (top + np.log(total))
        value = whole - dot(numbers, self.counts) + dot(numbers, pull) / 2
        return float(value), expected - self.counts + pull
