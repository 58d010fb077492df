"""Quantiles of numbers that were released with noise, and the ramps that enclose them.

A point t is the quantile of a level when F(t) ≥ level and F(t − 1) < level, F(t) being the share of
people at t or below. Noise hides sharp edges, and an average of a step is rough when noise is wide
and the grid fine; that of a ramp of some width w is not:

    G_s(x) = 1 up to s + 1 − w, 0 above s, linear between

Ramps from both sides enclose a step, G_t ≤ [x ≤ t] ≤ G_(t+w−1), so intervals from them hold
whatever the width, which is chosen from the mechanism and the number of people alone. The interval
of a quantile holds every t for which neither half is rejected.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import Sample, normal_quantile
from noisewright.estimation.numbers.averages import averages, planned_variances
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
    thresholds = _thresholds(len(points))
    z = normal_quantile(sample.confidence)
    # Ramps from below and from above are the same ones, at other thresholds.
    ends = np.union1d(thresholds, thresholds + width - 1)
    shares = _below(observed, channel, ends, width, sample)
    below, above = (
        shares.at(np.searchsorted(ends, own)) for own in (thresholds, thresholds + width - 1)
    )
    places = _places(observed, channel, levels, width)
    found: list[tuple[int, int, int]] = []
    for level, value in zip(levels.tolist(), places.tolist(), strict=True):
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


def quantile_values(
    observed: Array, channel: Channel, points: Array, levels: Array, sample: Sample
) -> Array:
    """Return what `quantiles` estimates, without intervals, for each row of `observed`."""
    width = ramp_width(channel, sample.people, sample.confidence)
    return points[_thresholds(len(points))[_places(observed, channel, levels, width)]]


def _thresholds(size: int) -> NDArray[Any]:
    return np.unique(np.linspace(0, size - 1, min(size, _MOST_THRESHOLDS)).astype(int))


def _places(observed: Array, channel: Channel, levels: Array, width: int) -> NDArray[Any]:
    """Return which threshold is the quantile of each level, along a new last axis."""
    thresholds = _thresholds(channel.inputs)
    pieces = _pieces(channel.inputs, thresholds + (width - 1) / 2, width)
    below = np.concatenate([observed @ channel.undo(answers) for answers in pieces], axis=-1)
    counts = (below[..., None, :] < levels[:, None]).sum(axis=-1)
    return np.minimum(counts, len(thresholds) - 1)


@dataclass(frozen=True)
class _Below:
    """Shares below ramps, with the variance of one row's noise and how far one row moves them."""

    values: Array
    noise: Array
    jumps: Array

    def at(self, places: NDArray[Any]) -> _Below:
        """Return those at some of the ends."""
        return _Below(self.values[places], self.noise[places], self.jumps[places])

    def reach(self, level: float, sample: Sample) -> Array:
        """Return how far a share may be off if it is `level`: its sampling has no more variance."""
        errors = sample.errors(self.noise, np.full(self.noise.shape, level * (1 - level)))
        return normal_quantile(sample.confidence) * errors + sample.half_jumps(errors, self.jumps)


def _below(
    observed: Array, channel: Channel, ends: NDArray[Any], width: int, sample: Sample
) -> _Below:
    """Estimate the shares below ramps."""
    found = [
        averages(observed, sample.people, channel, answers)
        for answers in _pieces(channel.inputs, ends, width)
    ]
    joined = [
        np.concatenate([getattr(one, name) for one in found])
        for name in ("values", "noise", "jumps")
    ]
    return _Below(*joined)


def _pieces(size: int, ends: NDArray[Any], width: int) -> Iterator[Array]:
    """Yield the ramps at some ends in pieces that fit into memory."""
    piece = max(1, (1 << 22) // size)
    for start in range(0, len(ends), piece):
        yield ramps(size, ends[start : start + piece], width)


def ramps(size: int, ends: Sequence[int] | NDArray[Any], width: int) -> Array:
    """Return G_s for each end s, one column each: 1 up to s + 1 − width, 0 above s."""
    codes = np.arange(size)[:, None]
    return np.clip((np.asarray(ends)[None, :] + 1 - codes) / width, 0.0, 1.0)


def soften(inside: NDArray[np.bool_], width: int) -> tuple[Array, Array]:
    """Return functions below and above an indicator of consecutive points, with ramps for edges.

    There are no edges at the ends of the grid: nobody is beyond them.
    """
    size, held = len(inside), np.flatnonzero(inside)
    if not held.size:
        return np.zeros(size), np.zeros(size)
    first, last = int(held[0]), int(held[-1])
    ends = [last, last + width - 1, first + width - 2, first - 1]
    right_in, right_out, left_in, left_out = ramps(size, ends, width).T
    if last == size - 1:
        right_in = right_out = np.ones(size)
    if first == 0:
        left_in = left_out = np.zeros(size)
    return np.maximum(right_in - left_in, 0.0), right_out - np.minimum(left_out, right_out)


def ramp_width(channel: Channel, people: int, confidence: float) -> int:
    """Return the width with the shortest expected interval around the middle of even shares.

    It is the same about people and about a population, so that intervals of the one lie within
    those of the other.
    """
    size = channel.inputs
    shares = np.full(size, 1 / size)
    widths = [1 << power for power in range(max(size - 1, 1).bit_length())]
    expected: list[float] = []
    for width in widths:
        answers = ramps(size, [size // 2 + width // 2], width)
        variance = planned_variances(shares, channel, answers, "population")[0]
        reach = normal_quantile(confidence) * math.sqrt(variance / people)
        expected.append(width - 1 + 2 * reach * size)
    return widths[int(np.argmin(expected))]
