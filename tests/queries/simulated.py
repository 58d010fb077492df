"""Groups of known values, their noisy sums, and how often intervals hold the truth."""

import math
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.answered import Answered
from noisewright.queries.noise import CellNoise
from noisewright.sampling import SeededSource

Values = NDArray[np.int64]


def noise_of(epsilon: Any, change: int, unit: Literal["epsilon", "rho"] = "epsilon") -> CellNoise:
    """Noise for numbers that one person changes by so much: ε, or a deviation of change / ε."""
    amount = Fraction(epsilon)
    return CellNoise(unit, amount / change if unit == "epsilon" else change / amount)


def sums_of(k: Values, low: int, high: int, degree: int) -> list[int]:
    """The sums of a group, by their definition."""
    return [
        sum(math.comb(degree, j) * (x - low) ** j * (high - x) ** (degree - j) for x in k.tolist())
        for j in range(degree + 1)
    ]


def noisy(sums: Any, noise: CellNoise, runs: int, seed: str) -> NDArray[Any]:
    """The sums with noise, in a row for each run."""
    true = np.asarray(sums)
    return true + noise.draw(runs * true.size, SeededSource(seed)).reshape(runs, *true.shape)


def misses(answers: Answered, truth: Any) -> tuple[Any, Any]:
    """How often the truth lies below an interval, and above it, over the first axis."""
    close = 1e-9 * (1 + np.abs(truth))
    return (
        (answers.lows > truth + close).mean(axis=0),
        (answers.highs < truth - close).mean(axis=0),
    )
