"""The nearest shares: the Euclidean projection on the simplex."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def project_to_simplex(values: Array) -> Array:
    """Return the non-negative shares that sum to one and are nearest to the values.

    They are max(v − λ, 0) for the one λ that makes them sum to one, found after one sort
    (Held, Wolfe and Crowder 1974).
    """
    # Only differences matter. Where a unit is lost in the rounding of these numbers, the largest
    # is all there is.
    values = values - values.max()
    flat = np.sort(values.reshape(-1))[::-1]
    excess = np.cumsum(flat) - 1
    ranks = np.arange(1, flat.size + 1)
    last = int(np.flatnonzero(flat * ranks > excess)[-1])
    return np.maximum(values - excess[last] / ranks[last], 0.0)
