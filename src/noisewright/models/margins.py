"""The counts of one column, on which all tables that have it agree best."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.models.relabeling import expected_counts
from noisewright.synthetic import MARGINAL, Measurement, Noise

Array = NDArray[np.float64]

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
