"""Quantiles of numbers that were released with noise.

A point t is the quantile of a level when F(t) ≥ level and F(t − 1) < level, F(t) being the share of
people at t or below. Ramps enclose F (see `ramps.py`); the interval holds every t for which neither
half is rejected.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.channels import Channel
from noisewright.estimation.intervals import normal_quantile
from noisewright.estimation.linear import averages
from noisewright.estimation.ramps import ramp_width, ramps
from noisewright.estimation.result import About, Axis, Estimate

Array = NDArray[np.float64]

_MOST_THRESHOLDS = 512
_LEVELS = (0.25, 0.5, 0.75)


def read_levels(at: Any) -> Array:
    """Read the levels of quantiles, strictly between 0 and 1."""
    levels = np.atleast_1d(np.asarray(_LEVELS if at is None else at, dtype=np.float64))
    if levels.ndim != 1 or not levels.size or not ((levels > 0) & (levels < 1)).all():
        raise ParameterError("at must be levels of quantiles strictly between 0 and 1.")
    return levels


def quantiles(
    observed: Array,
    people: int,
    channel: Channel,
    points: Array,
    levels: Array,
    about: About,
    confidence: float,
) -> Estimate:
    """Estimate the quantiles of these levels from shares of released outputs."""
    width = ramp_width(channel, people, about, confidence)
    size = len(points)
    thresholds = np.unique(np.linspace(0, size - 1, min(size, _MOST_THRESHOLDS)).astype(int))
    z = normal_quantile(confidence)
    below, slack = _below(observed, people, channel, thresholds, width, about)
    above, reach = _below(observed, people, channel, thresholds + width - 1, width, about)
    middle, _ = _below(observed, people, channel, thresholds + (width - 1) / 2, width, about)
    found: list[tuple[int, int, int]] = []
    for level in levels.tolist():
        value = min(int((middle < level).sum()), len(thresholds) - 1)
        # At its quantile F(t) ≥ level, and just below it F < level: neither may be rejected.
        enough = above + z * reach >= level
        little = np.concatenate([[True], below[:-1] - z * slack[:-1] < level])
        held = np.flatnonzero(enough & little)
        first = min(int(held[0]) if held.size else value, value)
        last = max(int(held[-1]) if held.size else value, value)
        # Between two thresholds nothing was asked, so the lower end is the one before.
        start = thresholds[first - 1] + 1 if first else 0
        found.append((int(thresholds[value]), int(start), int(thresholds[last])))
    values, lows, highs = (points[list(part)] for part in zip(*found, strict=True))
    return Estimate(
        "quantile",
        (Axis("level", levels.tolist()),),
        values,
        (highs - lows) / (2 * z),
        lows,
        highs,
        people,
        about,
        "unbiased",
        confidence,
    )


def _below(
    observed: Array, people: int, channel: Channel, ends: NDArray[Any], width: int, about: About
) -> tuple[Array, Array]:
    """Estimate the shares below ramps, in pieces that fit into memory, with standard errors."""
    piece = max(1, (1 << 22) // channel.inputs)
    values, errors = np.empty(len(ends)), np.empty(len(ends))
    for start in range(0, len(ends), piece):
        part = slice(start, start + piece)
        answers = ramps(channel.inputs, ends[part], width)
        found = averages(observed, people, channel, answers, about)
        values[part], errors[part] = found.values, np.sqrt(found.variances)
    return values, errors
