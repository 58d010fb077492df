"""Soft edges: how many people lie below a number, where noise hides sharp edges.

    G_s(x) = 1 up to s + 1 − w, 0 above s, linear between

An average of a step is rough when noise is wide and the grid fine, that of a ramp of some width w
is not. Ramps from both sides enclose a step, G_t ≤ [x ≤ t] ≤ G_(t+w−1), so intervals from them
hold whatever the width, which is chosen from the mechanism and the number of people alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import normal_quantile
from noisewright.estimation.numbers.averages import planned_variances

Array = NDArray[np.float64]


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
