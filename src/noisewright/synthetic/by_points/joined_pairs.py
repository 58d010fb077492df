"""In how many bins each pair of columns is counted: by its noise, and noisy counts of its columns.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine. The
numbers are measured (decision 0027).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.synthetic.bins import Bins
from noisewright.synthetic.steps.joined_bins import (
    JoinedBins,
    add_up,
    first_codes,
    joining_weights,
    repeat,
)
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import Noise

Array = NDArray[np.float64]
Names = tuple[str, ...]

ROWS_OF_BIN = 5
"""Bins are joined until each has this many times σ √(values of the other column) rows."""

BINS_BESIDE = 10
"""But the threshold is at most the rows outside the heaviest bin divided by this number."""

_FEWEST_ROWS = 1e-6
"""But it is no less than this, so that bins without rows are joined."""

_PASSES = 2
"""Of two numbers, each is joined by how many bins the other has."""


def join_bins(
    singles: Sequence[Measurement], pairs: Sequence[Names], grid: Bins, noise: Noise
) -> dict[Names, dict[str, JoinedBins]]:
    """Return for each pair which bins of its columns are joined, if any: neighbors of numbers.

    Requires: noisy counts of each column of the pairs; the noise that pairs will have.
    """
    rows = {one.columns[0]: project_to_simplex(one.counts / one.rows) * one.rows for one in singles}
    ordered = {name for name in rows if name in grid.ordered}
    weights = {name: joining_weights(rows[name].tolist()) for name in ordered}
    # Bins without rows are joined, however few there are beside the heaviest.
    most = {
        name: max((rows[name].sum() - rows[name].max()) / BINS_BESIDE, _FEWEST_ROWS)
        for name in ordered
    }
    made: dict[tuple[str, tuple[int, ...]], JoinedBins] = {}
    found: dict[Names, dict[str, JoinedBins]] = {}
    for pair in pairs:
        starts = {name: tuple(range(rows[name].size)) for name in pair}
        for _ in range(_PASSES):
            for name, other in (pair, pair[::-1]):
                if name in ordered:
                    least = ROWS_OF_BIN * noise.deviation * sqrt(len(starts[other]))
                    starts[name] = first_codes(weights[name], min(least, most[name]))
        for name, codes in starts.items():
            if len(codes) < rows[name].size:
                if (name, codes) not in made:
                    made[name, codes] = grid.join(name, codes)
                found.setdefault(pair, {})[name] = made[name, codes]
    return found


def spread_out(one: Measurement, shares: Mapping[str, Array]) -> Measurement:
    """Return counts in joined bins as counts of all bins: each has its share of the joined one.

    `shares` are those of the single columns, none of them 0.
    """
    if not one.joined:
        return one
    sizes = {name: shares[name].size for name in one.columns}
    counts = repeat(one.counts, one.columns, one.joined, sizes)
    for axis, name in enumerate(one.columns):
        if name in one.joined:
            own = {name: one.joined[name]}
            whole = repeat(add_up(shares[name], (name,), own), (name,), own, sizes)
            part = (shares[name] / whole).reshape([-1 if n == axis else 1 for n in range(2)])
            counts = counts * part
    return replace(one, counts=counts, joined={})
