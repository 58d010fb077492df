"""Noisy counts: whole numbers, never below 0, with intervals by the exact law of the noise.

A count c + z with a symmetric law of z is in [c − k, c + k] with P(|z| ≤ k), and k is the least
that reaches the confidence: z is a whole number, so that intervals cover a little more often than
that; at ε = 10, where z is hardly ever anything but 0, nearly always.
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
) -> Answered:
    """Return what noisy counts, of any shape, say about the true ones, which are in 0 … most."""
    unbiased = as_floats(counts)
    half = noise.half_width(confidence)
    return Answered(
        what=what,
        values=np.clip(unbiased, 0, most),
        standard_errors=np.full(unbiased.shape, noise.deviation),
        lows=np.clip(unbiased - half, 0, most),
        highs=np.clip(unbiased + half, 0, most),
        unbiased=unbiased,
        possible=(0.0, float(most)),
        confidence=confidence,
    )


def answer_distinct(
    counts: Any, noise: CellNoise, *, declared: int, confidence: float = 0.95
) -> Answered:
    """Return how many of so many declared values are present, from noisy numbers of them."""
    return answer_counts(counts, noise, confidence=confidence, most=declared, what="count_distinct")
