"""Noisy counts of several tables as one list of cells, and the fit of one number for each cell.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

Wanted is the distribution p that is near to the counts y, each weighted by its noise, and near to
a simpler one q that was found before:

    least   Σ (N p_cell − y_cell)² / 2σ²  +  τ N KL(p ‖ q)

That p is q times e^θ for each counted cell, and θ is where this convex function is least:

    N log Σ q e^θ  −  Σ θ y  +  τ/2 Σ σ² θ²        with gradient   N p − y + τ σ² θ

Half the sum of (gradient / σ)² is how far p is from the best at most (the gap of duality), so one
knows when to stop. With τ = 1/σ of the noisiest counts, a count that is off by one deviation
changes a cell by a factor e at most: cells that are counted well become what was counted, and cells
below the noise stay near the simpler model.

Where pairs were counted although they may be independent, τ is larger for those that look so. With
counts e if their columns were independent, a deviation of variance κ e in each cell would be
estimated best by τ = 1/κ, and Σ (y − e)² − K σ², over the K cells, is expected to be κ N.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.synthetic.graphs.descent import dot, lowest
from noisewright.synthetic.steps.joined_bins import JoinedBins, add_up
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Array = NDArray[np.float64]
Names = tuple[str, ...]

_LEAST_DEVIATION = 2.0**-4
"""Counts without noise: certain, but not so much that nothing else counts."""

_FEWEST_CELLS = 16
"""Smaller pairs are not held more strongly: their deviations are far from κ e in each cell."""

_CLOSE = 1e-4
"""How far from the best, for each count: the ten-thousandth part of what its noise adds."""


@final
@dataclass(frozen=True, eq=False)
class JoinedCounts:
    """What was counted, table by table; `pull` is τ times σ of the noisiest counts, where no τ is.

    With `holds_unlinked`, and no τ, it is more for pairs that look independent.
    One query is a table of a column of its own, of those that it does not count and those it does.
    Requires: measurements of the same rows, and those of the same columns in the same bins.
    """

    measurements: Sequence[Measurement]
    pull: float = 1.0
    tau: float | None = None
    holds_unlinked: bool = False

    @cached_property
    def _seen(self) -> dict[Names, tuple[Array, float]]:
        """What was counted of each table, and its variance: all counts of it together."""
        weighted: dict[Names, tuple[Array, float]] = {}
        for one in self.measurements:
            weight = max(one.noise.fit_deviation, _LEAST_DEVIATION) ** -2
            if one.cells is None:
                names, counts = in_order(one.columns, one.counts)
            else:
                # Noise moves one of the two cells up as it moves the other down.
                names, weight = (column_of_query(one),), weight / 2
                counts = np.array([one.rows - one.counts[0], one.counts[0]], dtype=np.float64)
            total, weights = weighted.get(names, (np.zeros(counts.shape), 0.0))
            weighted[names] = (total + weight * counts, weights + weight)
        return {
            names: (weighted[names][0] / weighted[names][1], 1 / weighted[names][1])
            for names in sorted(weighted)
        }

    @property
    def shapes(self) -> dict[Names, tuple[int, ...]]:
        """The tables that were counted, and how many cells each column of them has."""
        return {names: counts.shape for names, (counts, _) in self._seen.items()}

    @cached_property
    def joined(self) -> dict[Names, Mapping[str, JoinedBins]]:
        """The bins that were joined, for those tables that were counted in fewer of them."""
        return {tuple(sorted(one.columns)): one.joined for one in self.measurements if one.joined}

    @property
    def rows(self) -> int:
        """Of how many rows the counts are."""
        return self.measurements[0].rows

    @cached_property
    def _counts(self) -> Array:
        return join(counts for counts, _ in self._seen.values())

    @cached_property
    def _variances(self) -> Array:
        return join(np.full(counts.shape, variance) for counts, variance in self._seen.values())

    @cached_property
    def _pulls(self) -> Array:
        """What holds each number near zero: τ σ²."""
        if self.tau is not None:
            return self.tau * self._variances
        usual = self.pull / np.sqrt(self._variances.max())
        found = {names: max(usual, self._least_pull(names)) for names in self._seen}
        return join(
            np.full(counts.shape, found[names] * variance)
            for names, (counts, variance) in self._seen.items()
        )

    def _least_pull(self, names: Names) -> float:
        """Return τ of a pair as if it were as linked as it may be: a deviation beyond.

        It is 0 where a column is better known from the pair than by itself: that would be lost.
        """
        counts, variance = self._seen[names]
        if not self.holds_unlinked or len(names) != 2 or counts.size < _FEWEST_CELLS:
            return 0.0
        alone = [self._seen[name,] for name in names if (name,) in self._seen]
        if len(alone) < 2 or any(own * each.size > variance * counts.size for each, own in alone):
            return 0.0
        apart = np.outer(*(project_to_simplex(each / self.rows) for each, _ in alone)) * self.rows
        gaps = counts - add_up(apart, names, self.joined.get(names, {}))
        linked = max(float((gaps**2).sum()) - counts.size * variance, 0.0)
        return self.rows / (linked + float(np.sqrt(2 * counts.size)) * variance)

    @cached_property
    def _scales(self) -> Array:
        """About the second derivatives: the rows that a cell seems to have, and the pull."""
        likely = join(project_to_simplex(counts / self.rows) for counts, _ in self._seen.values())
        return self.rows * likely + self._pulls

    def parts(self, numbers: Array) -> dict[Names, Array]:
        """Return the numbers of each table."""
        ends = np.cumsum([counts.size for counts, _ in self._seen.values()])[:-1]
        return {
            names: part.reshape(shape)
            for (names, shape), part in zip(
                self.shapes.items(), np.split(numbers, ends), strict=True
            )
        }

    def fit(
        self,
        model: Callable[[dict[Names, Array]], tuple[float, Array]],
        *,
        steps: int,
        start: Mapping[Names, Array] | None = None,
        progress: Progress | None = None,
    ) -> dict[Names, Array]:
        """Return the numbers of each table that make the function above nearly least.

        `model` returns log Σ q e^θ for the numbers of each table, and the shares p of all cells,
        joined in the same order. `start` has numbers of an earlier fit.
        Ensures: the best that so many steps come to, in finite numbers; the same counts give the
        same ones, in whatever order they come.
        """

        def value(numbers: Array) -> tuple[float, Array]:
            whole, shares = model(self.parts(numbers))
            pull = self._pulls * numbers
            found = self.rows * whole - dot(numbers, self._counts) + dot(numbers, pull) / 2
            return found, self.rows * shares - self._counts + pull

        def is_enough(done: int, gradient: Array) -> bool:
            if progress is not None:
                progress("fit", done, steps)
            gap = float((gradient * gradient / self._variances).sum()) / 2
            return gap <= _CLOSE * gradient.size

        known = start or {}
        first = join(known.get(names, np.zeros(shape)) for names, shape in self.shapes.items())
        found = lowest(value, first, self._scales, steps=steps, is_enough=is_enough)
        if not np.isfinite(found).all():
            raise FloatingPointError("no finite model was found")
        if progress is not None:
            progress("fit", steps, steps)
        return self.parts(found)


def join(tables: Iterable[Array]) -> Array:
    """Return the cells of all tables, one after the other."""
    return np.concatenate([table.reshape(-1) for table in tables])


def column_of_query(one: Measurement) -> str:
    """Return a name for the column that says whether a row is counted by this query."""
    assert one.cells is not None
    return f"{one.query!r} of {one.columns!r}: {crc32(one.cells.tobytes())}"


def in_order(columns: Names, values: NDArray[np.generic]) -> tuple[Names, Array]:
    """Return columns and values with the columns sorted: no order of theirs matters."""
    names = tuple(sorted(columns))
    order = [columns.index(name) for name in names]
    return names, values.transpose(order).astype(np.float64)
