"""How the error of an estimate falls with ε, for planning: sampled once, then read off.

    M(ε)    what one person's released row adds to a squared error: the mean over the answers of
            E[g²], where g is the unbiased contribution of a row, at even shares of the inputs

In logarithms of both, M falls nearly along a line, so few samples describe it well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ErrorCurve:
    """A falling positive function of ε, between samples a cubic in logarithms that falls too.

    Ensures: the samples themselves are met exactly, and the curve falls wherever they fall
    (slopes after Fritsch and Carlson 1980).
    """

    places: Array
    heights: Array
    slopes: Array

    @classmethod
    def from_samples(
        cls, error: Callable[[float], float], *, low: float, high: float, samples: int
    ) -> ErrorCurve:
        """Sample `error` at this many places from low to high, evenly in the logarithm."""
        places = np.linspace(math.log(low), math.log(high), samples)
        # The ends are taken as they are: beyond `high` there may be nothing to ask.
        epsilons = [low, *np.exp(places[1:-1]).tolist(), high]
        tiny = np.finfo(np.float64).tiny
        heights = np.log(np.maximum([error(epsilon) for epsilon in epsilons], tiny))
        return cls(places, heights, _slopes(places, heights))

    def at(self, epsilon: float) -> tuple[float, float]:
        """Return log M at ε, and its derivative by log ε."""
        t = math.log(epsilon)
        i = int(np.clip(np.searchsorted(self.places, t) - 1, 0, len(self.places) - 2))
        width = float(self.places[i + 1] - self.places[i])
        u = (t - float(self.places[i])) / width
        y0, y1 = float(self.heights[i]), float(self.heights[i + 1])
        d0, d1 = float(self.slopes[i]) * width, float(self.slopes[i + 1]) * width
        if u < 0 or u > 1:
            # Outside of what was sampled the curve goes on along its last line.
            end, slope, over = (y0, d0, u) if u < 0 else (y1, d1, u - 1)
            return end + slope * over, slope / width
        a, b = 2 * (y0 - y1) + d0 + d1, 3 * (y1 - y0) - 2 * d0 - d1
        return ((a * u + b) * u + d0) * u + y0, ((3 * a * u + 2 * b) * u + d0) / width


def _slopes(places: Array, heights: Array) -> Array:
    steps = np.diff(heights) / np.diff(places)
    inner = (steps[:-1] + steps[1:]) / 2
    ends = [steps[0], steps[-1]]
    if len(steps) > 1:
        ends = [2 * steps[0] - inner[0], 2 * steps[-1] - inner[-1]]
    slopes = np.array([ends[0], *inner, ends[1]])
    # A cubic falls between two samples if its slopes there are at most 3 times the chord's.
    limits = 3 * np.minimum(
        np.abs(np.concatenate([steps[:1], steps])), np.abs(np.concatenate([steps, steps[-1:]]))
    )
    return np.clip(slopes, -limits, limits)


def response_error(inputs: int, kept: float, *, of: int | None = None) -> float:
    """Return M of randomized response that keeps the truth with probability `kept`.

    With probability 1 − kept it draws any of the `inputs` points evenly, the truth included. `of`
    is the number of cells of a table that the points are counted by (a column of a joint
    response): which cell a uniform point falls in is uniform too, so the same formula holds.
    """
    cells = inputs if of is None else of
    stray = (1 - kept) / cells
    return ((1 - stray) ** 2 + (cells - 1) * stray**2) / (cells * kept**2)


def kept_by_response(inputs: int, epsilon: float, delta: float) -> float:
    """Return the probability with which the optimal response keeps the truth.

    Holohan–Leith–Mason 2016, Theorem 10: another point with p = (1−δ)/(e^ε + m), m = inputs − 1;
    a point drawn evenly hits each of them equally, so kept = 1 − (m + 1) p.
    """
    # 1 − inputs · p in a form that loses no digits when ε is small.
    gain = math.expm1(epsilon)
    return (gain + delta * inputs) / (gain + inputs)
