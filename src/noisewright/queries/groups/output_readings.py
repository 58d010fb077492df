"""What the released count of a group says about the true one, by the mechanism of its size.

    unbiased    f(y) with Σ_y P(y | i) f(y) = i for every true count i, where there is such an f
    errors      the true count is not known, so squared errors are averaged over all counts i, each
                with the weight P(y | i): how likely it makes the output y
    intervals   for each count i the fewest neighboring outputs that have the confidence together,
                the likeliest of these; then from the least to the largest i among whose outputs y
                is (Sterne 1954, on the rows of the table, in runs). Whatever the true count is,
                that often at least it is among them.

The geometric mechanism as a formula has all of these in closed form, for groups of any size: noise
of variance 2α/(1−α)², and beyond an end the expectation of a clamped count is α/(1−α) further out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnidentifiableError
from noisewright.estimation import channel_of
from noisewright.mechanisms import Geometric, Table
from noisewright.queries.noise import CellNoise

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class OutputReadings:
    """What outputs of one mechanism say, one entry for each; `unbiased` is NaN if nothing is."""

    standard_errors: Array
    unbiased: Array
    unbiased_errors: Array
    lows: Whole
    highs: Whole


def read_outputs(
    mechanism: Table | Geometric, outputs: Whole, confidence: Fraction
) -> OutputReadings:
    """Return what each of the outputs says about the true count."""
    if isinstance(mechanism, Geometric):
        return _by_formula(mechanism, outputs, confidence)
    unbiased = _unbiased_counts(mechanism)
    lows, highs = _intervals(mechanism, confidence)
    return OutputReadings(
        _typical_errors(mechanism, squared_errors(mechanism))[outputs],
        unbiased[outputs],
        _typical_errors(mechanism, squared_errors(mechanism, unbiased))[outputs],
        lows[outputs],
        highs[outputs],
    )


def squared_errors(mechanism: Table | Geometric, shown: Array | None = None) -> Array:
    """Return the mean squared error of what is shown for an output, for each true count.

    Of the formula one number: that of noise that is not clamped, which is not smaller.
    """
    if isinstance(mechanism, Geometric):
        return np.array([1 / (2 * math.sinh(float(mechanism.epsilon) / 2) ** 2)])
    counts = np.arange(mechanism.space.size, dtype=float)
    away = (counts if shown is None else shown) - counts[:, None]
    return (mechanism.matrix * away**2).sum(axis=1)


def _by_formula(mechanism: Geometric, outputs: Whole, confidence: Fraction) -> OutputReadings:
    n, epsilon = mechanism.space.n, float(mechanism.epsilon)
    beyond = 1 / math.expm1(epsilon)
    errors = np.full(len(outputs), math.sqrt(squared_errors(mechanism)[0]))
    # Clamped noise moves an output towards the count, never away from it.
    below, above = CellNoise("epsilon", Fraction(epsilon)).shortest_run(float(confidence))
    return OutputReadings(
        errors,
        outputs + beyond * (outputs == n) - beyond * (outputs == 0),
        errors,
        np.maximum(outputs - min(below, n), 0),
        outputs + np.minimum(n - outputs, min(above, n)),
    )


def _unbiased_counts(table: Table) -> Array:
    counts = np.arange(table.space.size, dtype=float)
    try:
        return channel_of(table).undo(counts[:, None])[:, 0]
    except UnidentifiableError:
        return np.full(len(counts), np.nan)


def _typical_errors(table: Table, by_count: Array) -> Array:
    """Average squared errors over the counts that an output leaves possible, and take the root."""
    likely: Any = table.matrix.sum(axis=0)
    mean = np.full(len(by_count), by_count.max())  # of outputs that never come
    return np.sqrt(np.divide(by_count @ table.matrix, likely, out=mean, where=likely > 0))


def _intervals(table: Table, confidence: Fraction) -> tuple[Whole, Whole]:
    """Return the least and the largest count among whose outputs each output is.

    An output that is among those of no count has the count that makes it likeliest.
    """
    enough = math.ceil(confidence * table.total)
    lows = table.matrix.argmax(axis=0)
    highs, some = lows.copy(), np.zeros(len(lows), dtype=bool)
    for count, row in enumerate(table.weights.tolist()):
        first, last = _likely_run(row, enough)
        for y in range(first, last + 1):
            if not some[y]:
                lows[y], some[y] = count, True
            highs[y] = count
    return lows, highs


def _likely_run(weights: list[int], enough: int) -> tuple[int, int]:
    """Return the ends of the shortest run with so much weight, the heaviest of these."""
    upto = [0, *accumulate(weights)]
    best = (len(weights), 0, 0)
    first = 0
    for last in range(len(weights)):
        while upto[last + 1] - upto[first + 1] >= enough:
            first += 1
        weight = upto[last + 1] - upto[first]
        if weight >= enough:
            best = min(best, (last - first, -weight, first))
    return best[2], best[2] + best[0]
