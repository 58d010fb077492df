"""What noisy counts say about the true ones: the best estimate of a count, when only it is known.

    n   rows        K   cells of the table        c   the count of a cell        z   with noise

If every table of n rows in K cells is equally likely, c has the weights C(n − c + K − 2, K − 2).
The estimate is the mean of c given z, so it has the least mean squared error of all. For
independent two-sided geometric noise more is true: noise and estimate together are the count
mechanism that has the least squared error for this prior among *all* that are as private (Ghosh–
Roughgarden–Sundararajan 2009). So designing one for each cell could not do better. Noise for the
table as a whole does: it adds up to 0, as `synthetic/steps/balanced_law.py` has it.

It sees z only, so it is post-processing, and floating point is fine.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Number, exactly
from noisewright.synthetic import MARGINAL, Measurement, Noise

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


LEAST = 1e-100
"""With next to no noise variances are 0, and so are sums of cells in which nobody is."""


def column_counts(name: str, tables: Sequence[Measurement]) -> Array:
    """Return the counts of a column, not negative and adding up to the rows.

    Each table knows them with some error: a sum over k cells has up to k times the variance of
    one. They are weighted by one over that. What is left of the noise is nearly normal, being a sum
    of many, and is taken as such.
    """
    sums: list[Array] = []
    weights: list[float] = []
    for table in tables:
        if name in table.columns:
            others = tuple(axis for axis, column in enumerate(table.columns) if column != name)
            counts = table.counts.sum(axis=others).astype(np.float64)
            sums.append(counts)
            variance = table.noise.variance_of_sum(table.counts.size // counts.size)
            weights.append(1 / max(variance, LEAST))
    together = np.rint(np.average(sums, axis=0, weights=weights)).astype(np.int64)
    noise = Noise(MARGINAL * Fraction(sum(weights)) / 2, "rho", MARGINAL)
    rows = tables[0].rows
    found = expected_counts(together, noise, rows=rows)
    return found * (rows / max(found.sum(), LEAST))


def read_smoothing(smoothing: Number) -> float:
    """Return a number above 0."""
    value = exactly(smoothing, name="smoothing")
    if value <= 0:
        raise ParameterError(
            f"smoothing is {smoothing}; it must be above 0, or a value that was never seen "
            "would be impossible."
        )
    return float(value)
