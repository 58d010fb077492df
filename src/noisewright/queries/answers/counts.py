"""Noisy counts: whole numbers, never below 0, with intervals by the exact law of the noise.

Of a noisy count y = c + z the interval is the shortest run of whole numbers, y − k … y + l, that
holds c with at least the confidence: l is k, or k + 1 where that is enough. z is a whole number, so
that it may cover more often than asked for: at ε = 10, where z is hardly ever anything but 0,
nearly always. No count is below 0, so that 0 can be missed by large noise alone: it has the whole
of what may be missed to itself, and is left out as soon as y is that much larger. The same goes for
the largest count there can be.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from noisewright.queries.answers.answered import Answered, as_floats
from noisewright.queries.noise import CellNoise


def answer_counts(
    counts: Any,
    noise: CellNoise,
    *,
    confidence: float = 0.95,
    most: float = np.inf,
    what: str = "count",
    run: tuple[int, int] | None = None,
) -> Answered:
    """Return what noisy counts, of any shape, say about the true ones, which are in 0 … most.

    `run` is how far intervals go down and up, where that is not the shortest run.
    """
    unbiased = as_floats(counts)
    below, above = run or noise.shortest_run(confidence)
    lows, highs = unbiased - below, unbiased + above
    one_side = below if run else noise.half_width(2 * confidence - 1)
    lows = np.where(unbiased > one_side, np.maximum(lows, 1), lows)
    highs = np.where(
        (unbiased < most - one_side) & (run is None), np.minimum(highs, most - 1), highs
    )
    return Answered(
        what=what,
        values=np.clip(unbiased, 0, most),
        standard_errors=np.full(unbiased.shape, noise.deviation),
        lows=np.clip(lows, 0, most),
        highs=np.clip(highs, 0, most),
        unbiased=unbiased,
        possible=(0.0, float(most)),
        confidence=confidence,
    )


def answer_distinct(
    counts: Any, noise: CellNoise, *, declared: int, confidence: float = 0.95
) -> Answered:
    """Return how many of so many declared values are present, from noisy numbers of them."""
    return answer_counts(counts, noise, confidence=confidence, most=declared, what="count_distinct")
