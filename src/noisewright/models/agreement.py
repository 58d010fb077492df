"""A joint table whose two sides are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_PASSES = 200
_CLOSE = 1e-9


def agreeing(counts: Array, first: Array, second: Array) -> Array:
    """Scale rows and columns in turn until their sums are the two sides, or nearly so.

    Requires: positive counts; two sides with the same sum (iterative proportional fitting).
    """
    joint = counts / counts.sum()
    for _ in range(_PASSES):
        joint = joint * (first / joint.sum(axis=1))[:, None]
        below = joint.sum(axis=0)
        if np.abs(below - second).max() < _CLOSE:
            break
        joint = joint * (second / below)
    return joint
