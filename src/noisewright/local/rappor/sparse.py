"""Least squares with a penalty and without negative coefficients: the lasso, by one coordinate at
a time.

It minimizes ½ ‖y − Xβ‖² + Σ λ_j β_j over β ≥ 0. Each coordinate has its minimum in closed form,
max(0, (x_j'r − λ_j)/‖x_j‖²) with r the residual without it; going around until nothing moves finds
the one minimum of this convex problem (Friedman, Hastie, Tibshirani 2010).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ROUNDS = 1000
_STILL = 1e-9
"""Steps below this part of the largest coefficient are none."""


def lasso(gram: Array, product: Array, penalties: Array) -> Array:
    """Return the coefficients, from X'X and X'y.

    Requires: a penalty ≥ 0 for each coefficient; columns of zeros get the coefficient 0.
    """
    found = np.zeros(product.size)
    slope = product.copy()  # X'(y − Xβ)
    scale = np.diagonal(gram)
    active = np.flatnonzero(scale > 0)
    for _ in range(_ROUNDS):
        largest = _go_around(active, gram, scale, penalties, found, slope)
        if largest <= _STILL * max(float(found.max(initial=0.0)), 1e-300):
            break
        # Most of the time only what is above 0 moves; all are looked at in between.
        positive = np.flatnonzero(found > 0)
        for _ in range(_ROUNDS):
            if _go_around(positive, gram, scale, penalties, found, slope) <= _STILL * found.max():
                break
    return found


def _go_around(
    places: NDArray[np.intp],
    gram: Array,
    scale: Array,
    penalties: Array,
    found: Array,
    slope: Array,
) -> float:
    """Minimize along each of these coordinates in turn; return the largest step."""
    largest = 0.0
    for place in places.tolist():
        old = float(found[place])
        new = max(0.0, old + float((slope[place] - penalties[place]) / scale[place]))
        if new != old:
            slope -= gram[place] * (new - old)
            found[place] = new
            largest = max(largest, abs(new - old))
    return largest
