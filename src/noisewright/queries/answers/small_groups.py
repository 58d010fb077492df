"""By how much tests of means and variances are sharpened where groups are as small as noise.

Tests in `ratio_tests.py` allow for a mean that is not known, and intervals hold all places between
those that pass. Both cost little for large groups. Of small ones intervals would cover 98% to 99.9%
and be wider than they have to be. So critical values are multiplied by a factor, which depends on
what is seen alone: on how many deviations of its noise the group seems to have rows, and on how far
its mean seems to be from the middle of the range.

The factors make coverage as near to 95% as they can, and nowhere less, over groups of 0 to 50
times the scale of the noise, with means and variances over all that is possible. They were found by
descent on simulated misses, for Laplace noise; `benchmarks/coverage_of_answers.py` measures them
again, also for other noise and other groups.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SIZES = np.array([0, 1, 2, 3, 4.5, 7, 12])
"""Deviations: the lines below. Columns are for means in the middle, half way, and at an end."""

_TOO_SMALL = np.array(
    [
        [0.10, 0.43, 0.80],
        [0.10, 0.94, 0.92],
        [0.99, 1.30, 1.11],
        [0.45, 1.18, 1.11],
        [0.80, 1.02, 1.08],
        [0.87, 1.00, 1.10],
        [1.00, 1.00, 1.00],
    ]
)
_TOO_LARGE = np.array(
    [
        [0.10, 0.10, 0.40],
        [0.95, 1.08, 0.90],
        [1.30, 1.30, 0.87],
        [1.30, 1.12, 0.83],
        [1.23, 0.84, 0.87],
        [1.27, 0.95, 0.90],
        [1.00, 1.00, 1.00],
    ]
)
_MEANS = np.array([0.92, 0.96, 1, 1, 1, 1, 1])


def factor_for_mean(deviations: Array) -> Array:
    """Return the factor for the mean of groups of so many deviations of the noise of their size."""
    return np.interp(deviations, _SIZES, _MEANS)


def factors_for_variance(
    deviations: Array, middle: Array, unit: Literal["epsilon", "rho"]
) -> tuple[Array, Array]:
    """Return the factors for a variance that is too small, and too large; `middle` is the mean.

    Normal noise has lighter tails: a tenth less is enough for it.
    """
    size, away = deviations, np.abs(2 * middle - 1)
    found: list[Array] = []
    for table in (_TOO_SMALL, _TOO_LARGE):
        near, half, far = (np.interp(size, _SIZES, table[:, k]) for k in range(3))
        inner, outer = near + 2 * away * (half - near), half + (2 * away - 1) * (far - half)
        factor = np.where(away < 0.5, inner, outer)
        found.append(factor if unit == "epsilon" else 0.1 + 0.9 * factor)
    return found[0], found[1]
