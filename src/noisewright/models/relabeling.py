"""The best estimate of a count from a noisy one, when nothing else is known.

    n   rows        K   cells of the table        c   the count of a cell        z   with noise

If every table of n rows in K cells is equally likely, c has the weights C(n − c + K − 2, K − 2).
The estimate is the mean of c given z, so it has the least mean squared error of all. For
independent two-sided geometric noise more is true: noise and estimate together are the count
mechanism that has the least squared error for this prior among *all* that are as private (Ghosh–
Roughgarden–Sundararajan 2009). So designing one for each cell could not do better. Noise for the
table as a whole does: it adds up to 0, as `synthetic/balanced.py` has it.

It sees z only, so it is post-processing, and floating point is fine.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic import Noise

Array = NDArray[np.float64]

_POINTS = 4096
"""At most so many counts are weighed against each other for one cell."""

_REACH = 30
"""Counts further away than so many deviations have no weight in double precision."""

_CELLS_AT_ONCE = 256
_LISTED = 1 << 20


def expected_counts(noisy: NDArray[np.int64], noise: Noise, *, rows: int) -> Array:
    """Return the mean of each count given the noisy ones, cell by cell."""
    if noisy.size == 1:
        return np.full(noisy.shape, float(rows))
    values, where = np.unique(noisy, return_inverse=True)
    log_prior = _LogPrior(rows, noisy.size)
    found = np.concatenate(
        [
            _means(values[start : start + _CELLS_AT_ONCE].astype(np.float64), noise, log_prior)
            for start in range(0, values.size, _CELLS_AT_ONCE)
        ]
    )
    return found[where].reshape(noisy.shape)


class _LogPrior:
    """The logarithms of the weights of counts, up to a constant."""

    def __init__(self, rows: int, cells: int) -> None:
        self.rows = rows
        self._others = cells - 2
        self._listed: Array | None = None
        if rows <= _LISTED:
            left = np.arange(rows, 0, -1, dtype=np.float64)
            self._listed = np.concatenate([[0.0], np.cumsum(np.log(left / (left + self._others)))])

    def of(self, counts: Array) -> Array:
        if self._listed is not None:
            return self._listed[counts.astype(np.intp)]
        # The product of (n − c + i)/(n + i) over i = 1 … K − 2, by its middle factor.
        middle = (self._others + 1) / 2
        return self._others * np.log((self.rows - counts + middle) / (self.rows + middle))


def _means(values: Array, noise: Noise, log_prior: _LogPrior) -> Array:
    rows = log_prior.rows
    reach = min(float(rows), np.ceil(_REACH * noise.deviation) + 1)
    near = np.clip(values, 0, rows)
    low = np.maximum(near - reach, 0)
    width = np.minimum(near + reach, rows) - low
    step = np.maximum(1.0, np.ceil(width.max() / _POINTS))
    offsets = np.arange(0, width.max() + 1, step)
    counts = low[:, None] + offsets
    inside = offsets <= width[:, None]
    counts = np.where(inside, counts, low[:, None])
    logs = log_prior.of(counts) + noise.log_chances(values[:, None] - counts)
    logs = np.where(inside, logs, -np.inf)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return (weights * counts).sum(axis=1) / weights.sum(axis=1)
