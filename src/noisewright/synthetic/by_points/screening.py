"""Which pairs are counted, and how often, by noisy distances of all of them from a model.

A distance is one number, so its noise is that of one count, where a table has noise in every cell:
distances of all pairs cost a twentieth of what counting them costs. What is counted then is what
the model gets wrong, and more than once where that is worth more than to count another pair.

Everything here sees noisy numbers only, so it is post-processing.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_SHRUNK = 2.0
"""Of the square of a noisy distance, so many times the variance of its noise is taken away."""


def shrink(distances: Array, deviation: float) -> Array:
    """Return noisy distances without what noise adds to them, and 0 where that is all there is."""
    squares = distances * np.abs(distances) - _SHRUNK * deviation**2
    return np.sqrt(np.maximum(squares, 0.0))


def noise_in(expected: Array, mean_size: float) -> float:
    """Return what noise adds to the error of a table: no more in a cell than the cell holds."""
    return float(np.minimum(mean_size, expected).sum())


def part_above_noise(expected: Array, mean_size: float) -> float:
    """Return which part of a distance counts can tell: that of the rows in cells that stand out.

    Rows in a cell of fewer than noise adds or removes are lost in it, in proportion.
    """
    told = np.minimum(1.0, expected / max(mean_size, 1e-9))
    return float((expected * told).sum() / max(expected.sum(), 1e-9))


def allot(distances: Array, noises: Array, weights: Sequence[int], slots: int) -> list[int]:
    """Return how often each table is counted, so that errors are expected to be least.

    A table that is off by d and that m counts would leave with an error of s/√m is off by about
    1/√(1/d² + m/s²) once it is counted m times and both are weighed. That is convex in m, so each
    slot goes where it gains most, and where that is the same, to what was counted least.
    Ensures: the counts add up to `slots`.
    """
    distance, noise = (np.maximum(each, 1e-9) for each in (distances, noises))

    def gain(place: int, times: int) -> float:
        before, after = (
            (distance[place] ** -2 + many * noise[place] ** -2) ** -0.5
            for many in (times, times + 1)
        )
        return float(weights[place] * (before - after))

    counts = [0] * len(distance)
    waiting = [(-gain(place, 0), 0, place) for place in range(len(counts))]
    heapq.heapify(waiting)
    for _ in range(slots):
        _, _, place = waiting[0]
        counts[place] += 1
        heapq.heapreplace(waiting, (-gain(place, counts[place]), counts[place], place))
    return counts
