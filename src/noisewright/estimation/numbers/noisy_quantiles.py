"""Quantiles of numbers that were released with noise.

A point t is the quantile of a level when F(t) ≥ level and F(t − 1) < level, F(t) being the share of
people at t or below. Ramps enclose F (see `ramps.py`); the interval holds every t for which neither
half is rejected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import Sample, normal_quantile
from noisewright.estimation.numbers.averages import Averages, averages
from noisewright.estimation.numbers.ramps import ramp_width, ramps
from noisewright.estimation.result import Axis, Estimate

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
    observed: Array, channel: Channel, points: Array, levels: Array, sample: Sample
) -> Estimate:
    """Estimate the quantiles of these levels from shares of released outputs."""
    width = ramp_width(channel, sample.people, sample.confidence)
    size = len(points)
    thresholds = np.unique(np.linspace(0, size - 1, min(size, _MOST_THRESHOLDS)).astype(int))
    z = normal_quantile(sample.confidence)
    below = _below(observed, channel, thresholds, width, sample)
    above = _below(observed, channel, thresholds + width - 1, width, sample)
    middle = _below(observed, channel, thresholds + (width - 1) / 2, width, sample).values
    found: list[tuple[int, int, int]] = []
    for level in levels.tolist():
        value = min(int((middle < level).sum()), len(thresholds) - 1)
        # At its quantile F(t) ≥ level, and just below it F < level: neither may be rejected.
        # Shares are taken for what they can be, so that noise alone rejects nothing far from it.
        enough = np.maximum(above.values, 0) + above.reach(level, sample) >= level
        too_many = (np.minimum(below.values, 1) - below.reach(level, sample) >= level)[:-1]
        little = np.concatenate([[True], ~too_many])
        held = np.flatnonzero(enough & little)
        first = min(int(held[0]) if held.size else value, value)
        last = max(int(held[-1]) if held.size else value, value)
        # Between two thresholds nothing was asked, so the lower end is the one before.
        start = thresholds[first - 1] + 1 if first else 0
        found.append((int(thresholds[value]), int(start), int(thresholds[last])))
    values, lows, highs = (points[list(part)] for part in zip(*found, strict=True))
    axes, errors = (Axis("level", levels.tolist()),), (highs - lows) / (2 * z)
    return sample.estimate("quantile", axes, values, errors, lows, highs)


@dataclass(frozen=True)
class _Below:
    """Shares below ramps, with the variance of one row's noise and how far one row moves them."""

    values: Array
    noise: Array
    jumps: Array

    def reach(self, level: float, sample: Sample) -> Array:
        """Return how far a share may be off if it is `level`: its sampling has no more variance."""
        errors = sample.errors(self.noise, np.full(self.noise.shape, level * (1 - level)))
        return normal_quantile(sample.confidence) * errors + sample.half_jumps(errors, self.jumps)


def _below(
    observed: Array, channel: Channel, ends: NDArray[Any], width: int, sample: Sample
) -> _Below:
    """Estimate the shares below ramps, in pieces that fit into memory."""
    piece = max(1, (1 << 22) // channel.inputs)
    found: list[Averages] = []
    for start in range(0, len(ends), piece):
        answers = ramps(channel.inputs, ends[start : start + piece], width)
        found.append(averages(observed, sample.people, channel, answers))
    joined = [
        np.concatenate([getattr(one, name) for one in found])
        for name in ("values", "noise", "jumps")
    ]
    return _Below(*joined)
