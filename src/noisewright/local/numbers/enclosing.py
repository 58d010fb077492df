"""Intervals of shares and quantiles that hold whatever the distribution is.

The share of the numbers below a point is the mean of a step, which reports tell badly: noise blurs
it. A ramp beside the step they tell well. With R_j(x) = (j − x) / δ, cut to [0, 1],

    R_j(x) ≤ [x < j] ≤ R_{j+δ−1}(x)

so that the mean of the first is at most the share, and that of the second at least. Both have
unbiased estimates (see `window_channel.py`); the lower end of an interval of the one and the upper
end of one of the other enclose the share, with no assumption on smoothness. A wide ramp has little
noise and much room between the two; δ is chosen for the number of people, not by what they said.

A quantile of level p is the least x with a share of at least p up to it. It is enclosed by where
the upper bound reaches p first, and where the lower bound stays at p or above.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import Sample, mean_interval, normal_quantile
from noisewright.local.numbers.window_channel import Array, WindowChannel


def ramps(codes: int, at: NDArray[np.int64], width: int) -> Array:
    """Return R_j for each of the places j, as columns."""
    return np.clip((at[None, :] - np.arange(codes)[:, None]) / width, 0.0, 1.0)


@dataclass
class RampEnclosure:
    """Bounds from ramps, kept for each width that was asked for."""

    channel: WindowChannel
    _steps: dict[int, Array] = field(default_factory=dict[int, Array], init=False)
    _widths: dict[tuple[int, float], int] = field(
        default_factory=dict[tuple[int, float], int], init=False
    )

    def width_for(self, people: int, confidence: float) -> int:
        """Return the width whose bounds are nearest for a share of one half of even numbers."""
        key = people, confidence
        if key not in self._widths:
            codes = self.channel.codes
            tried = [1]
            while tried[-1] < codes // 4:
                tried.append(max(tried[-1] + 1, tried[-1] * 5 // 4))
            reach = [self.reach(width, people, confidence) for width in tried]
            self._widths[key] = tried[int(np.argmin(reach))]
        return self._widths[key]

    def reach(self, width: int, people: int, confidence: float) -> float:
        """Return half of the length to expect of the interval of a share of one half."""
        codes = self.channel.codes
        middle = ramps(codes, np.array([(codes + width) // 2]), width)
        h = self.channel.undo(middle)[:, 0]
        law = self.channel.push(np.full(codes, 1 / codes))
        spread = float(law @ h**2) - float(law @ h) ** 2
        noise = normal_quantile(confidence) * math.sqrt(max(spread, 0.0) / people)
        return noise + (width - 1) / (2 * codes)

    def shares_below(self, observed: Array, sample: Sample) -> tuple[Array, Array]:
        """Return bounds of the share of codes below each of 0 … codes."""
        codes = self.channel.codes
        width = self.width_for(sample.people, sample.confidence)
        if width not in self._steps:
            self._steps[width] = self.channel.undo(ramps(codes, np.arange(codes + width), width))
        low, high = _bounds(observed, self._steps[width], sample)
        lows, highs = low[: codes + 1].copy(), high[width - 1 :].copy()
        lows[[0, -1]] = highs[[0, -1]] = 0.0, 1.0
        return lows, highs

    def shares_of(
        self, edges: NDArray[np.int64], observed: Array, sample: Sample
    ) -> tuple[Array, Array]:
        """Return bounds of the share of codes from each edge to below the next."""
        codes = self.channel.codes
        width = self.width_for(sample.people, sample.confidence)
        starts, ends = edges[:-1], edges[1:]
        # No code is below the first edge or beyond the last: no ramp is needed there.
        far = np.where(ends >= codes, codes + width, ends)
        near = np.where(starts <= 0, -width, starts)
        inner = ramps(codes, far, width) - ramps(codes, near + width - 1, width)
        outer = ramps(codes, far + width - 1, width) - ramps(codes, near, width)
        both = self.channel.undo(np.clip(np.concatenate([inner, outer], axis=1), 0.0, 1.0))
        low, high = _bounds(observed, both, sample)
        return low[: len(starts)], high[len(starts) :]


def _bounds(observed: Array, h: Array, sample: Sample) -> tuple[Array, Array]:
    """Return intervals of the means of functions of outputs, which lie between 0 and 1."""
    values = observed @ h
    # The people's own spread is in it, so that there is no less than the noise.
    errors = np.sqrt(np.maximum(observed @ h**2 - values**2, 0.0) / sample.people)
    jumps = np.abs(h).max(axis=0)
    lows, highs = mean_interval(values, errors, jumps, (0.0, 1.0), sample)
    return np.clip(lows, 0.0, 1.0), np.clip(highs, 0.0, 1.0)


def quantile_ends(
    lows: Array, highs: Array, levels: Array
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the least and the largest code that may be the quantile of each level."""
    stays = np.minimum.accumulate(lows[::-1])[::-1]
    reaches = np.maximum.accumulate(highs)
    first = np.searchsorted(reaches[1:], levels, side="left")
    last = np.searchsorted(stays[1:], levels, side="left")
    return np.minimum(first, len(lows) - 2), np.minimum(last, len(lows) - 2)
