"""Weights of points, fitted to noisy counts of any cliques of columns.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

The fit is that of `joined_counts.py`: the simpler distribution has the shares that the points have,
and sums over all points are taken point by point. A fit may start from the numbers of an earlier
one, with fewer counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.by_points.blocks import BlockedTables
from noisewright.synthetic.by_points.points import WeightedPoints
from noisewright.synthetic.graphs.joined_counts import JoinedCounts, column_of_query, join
from noisewright.synthetic.steps.joined_bins import add_up, repeat
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Array = NDArray[np.float64]
Names = tuple[str, ...]

PULL, PULL_OF_FEW = 2.5, 1.5
"""How strongly weights are held near those of the points: τ times σ of the noisiest counts. Less
where few pairs were chosen, each because it is linked."""


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
    hold: float = PULL,
    holds_unlinked: bool = False,
    progress: Progress | None = None,
) -> Tilt:
    """Fit the shares of the points to noisy counts of whole marginals, and of single queries.

    `start` has the numbers of an earlier fit. `pull` is τ; left out, it is `hold` times 1/σ, and
    with `holds_unlinked` more for pairs that look independent.
    Requires: measurements of the same rows.
    Ensures: nearly the least of what `joined_counts.py` says, or the best that so many steps come
    to; the same counts give the same shares, in whatever order they come.
    """
    counts = JoinedCounts(measurements, hold, tau=pull, holds_unlinked=holds_unlinked)
    inside = {
        column_of_query(one): _is_inside(points, one)
        for one in measurements
        if one.cells is not None
    }
    sizes = {**points.sizes, **dict.fromkeys(inside, 2)}
    blocked = BlockedTables(sizes, {**points.codes, **inside}, tuple(counts.shapes))
    joined = [(names, counts.joined.get(names, {})) for names in counts.shapes]

    def logs(numbers: Mapping[Names, Array]) -> Array:
        # Blocks hold tables in all bins, so that tables in other bins share them.
        values = [repeat(numbers[names], names, own, sizes) for names, own in joined]
        return blocked.spread(values) + points.logs

    def model(numbers: Mapping[Names, Array]) -> tuple[float, Array]:
        weights = logs(numbers)
        top = float(weights.max())
        weights -= top
        np.exp(weights, out=weights)
        total = float(weights.sum())
        weights /= total
        sums = zip(blocked.sums(weights), joined, strict=True)
        return top + float(np.log(total)), join(add_up(table, *own) for table, own in sums)

    numbers = counts.fit(model, steps=steps, start=start, progress=progress)
    return Tilt(numbers, points.reweigh(logs(numbers)))


def _is_inside(points: WeightedPoints, one: Measurement) -> NDArray[np.uint8]:
    """Return for each point whether a query counts it; a column that points lack is constant."""
    assert one.cells is not None
    codes = (points.codes.get(name, np.zeros(points.logs.size, np.uint8)) for name in one.columns)
    return one.cells[tuple(codes)].astype(np.uint8)
