"""Averages of a function over people: means, histograms, and what lies below a number.

    a(x)   the function; Σ p_x a(x) is the answer
    h      = L a, what one released row contributes: E[h | x] = a(x)

The answer is the average of h over the released rows. Its variance is that of h about the
population, and E h² − E a² about these people, over n; E a² is estimated like any other answer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.channels import Channel
from noisewright.estimation.intervals import require_two
from noisewright.estimation.result import About

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Averages:
    """Answers Σ p_x a(x), one for each column of `answers`, with their variances."""

    values: Array
    variances: Array


def averages(
    observed: Array, people: int, channel: Channel, answers: Array, about: About
) -> Averages:
    """Estimate averages without bias, and the variances of these estimates without bias."""
    rows = channel.undo(answers)
    values = observed @ rows
    if about == "people":
        variances = (observed @ rows**2 - observed @ channel.undo(answers**2)) / people
    else:
        require_two(people)
        variances = (observed @ rows**2 - values**2) / (people - 1)
    return Averages(values, np.maximum(variances, 0.0))


def planned_variances(shares: Array, channel: Channel, answers: Array, about: About) -> Array:
    """Return the exact variances of one row, when the inputs have these shares."""
    rows = channel.undo(answers)
    second = channel.push(shares, 0) @ rows**2
    known = shares @ answers**2 if about == "people" else (shares @ answers) ** 2
    return np.maximum(second - known, 0.0)


def worst_variances(channel: Channel, answers: Array, about: About) -> Array:
    """Return the largest variances of one row over all shares of the inputs.

    About the people it is reached when all have the input with the largest Var(h | x). About the
    population, max over p of E h² − (E a)² is min over c of max over x of E[h² | x] − 2c a(x) + c²
    (a saddle point, concave in p and convex in c), and c is found by thirds.
    """
    second = channel.pull(channel.undo(answers) ** 2, 0)
    if about == "people":
        return np.asarray((second - answers**2).max(axis=0))
    low, high = answers.min(axis=0), answers.max(axis=0)

    def worst(c: Array) -> Array:
        return np.asarray((second - 2 * c * answers + c**2).max(axis=0))

    for _ in range(100):
        third = (high - low) / 3
        down = worst(low + third) < worst(high - third)
        low, high = np.where(down, low, low + third), np.where(down, high - third, high)
    return worst((low + high) / 2)
