"""Means, variances, histograms and quantiles of numbers that were released with noise.

All but quantiles are averages of functions of the true number (see `linear.py`), estimated without
bias. A quantile is found from estimates of how many people lie below a number. These are rough when
noise is wide and the grid fine, because a sharp edge is what noise hides best; but a share below a
*ramp* of some width is easy. Ramps from both sides enclose the share below t,

    G_t ≤ F(t) ≤ G_(t+w−1),     G_s(x) = 1 up to s + 1 − w, 0 above s, linear between,

so a quantile whose test rejects neither side lies in the interval, whatever the width w, which is
chosen from the mechanism and the number of people alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation.channels import Channel
from noisewright.estimation.intervals import around, normal_quantile, require_people, require_two
from noisewright.estimation.likelihood import most_likely
from noisewright.estimation.linear import averages, planned_variances
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.estimation.simplex import projected
from noisewright.mechanisms import Additive
from noisewright.spaces import Counts, Interval, Space

Array = NDArray[np.float64]

QUESTIONS = ("mean", "variance", "histogram", "quantiles")

_MOST_THRESHOLDS = 512
_LEVELS = (0.25, 0.5, 0.75)


def are_numbers(space: Space) -> bool:
    """Tell whether points of this space are numbers."""
    return isinstance(space, (Counts, Interval))


def numbers_of(space: Space) -> Array:
    """Return the points of a space of numbers."""
    if not are_numbers(space):
        raise InputError(f"means and quantiles need numbers; {space!r} has none.")
    space.require_enumerable("its points")
    return space.decode(np.arange(space.size)).astype(np.float64)


def answers_asked_for(of: str, points: Array, at: Any) -> int:
    """Return how many answers a question has."""
    if of == "quantiles":
        return len(read_levels(at))
    return len(bins(points, at)[1].labels) if of == "histogram" else 1


def answer_about_numbers(
    counts: NDArray[Any],
    channel: Channel,
    points: Array,
    *,
    of: str,
    at: Any,
    about: About,
    method: str,
    confidence: float,
) -> Estimate:
    """Answer one of the questions from the counts of the released outputs."""
    people = int(counts.sum())
    require_people(people)
    observed = counts / people
    if of == "histogram":
        return _histogram(observed, people, channel, *bins(points, at), about, method, confidence)
    if of == "quantiles":
        levels = read_levels(at)
        found = _quantiles(observed, people, channel, points, levels, about, confidence)
        if method == "unbiased":
            return found
        if method == "projected":
            raise ParameterError("quantiles are found by method='unbiased' or 'likelihood'.")
        below = np.cumsum(most_likely(observed, [channel], people))
        values = points[np.minimum(np.searchsorted(below, levels - 1e-12), len(points) - 1)]
        lows, highs = np.minimum(found.lows, values), np.maximum(found.highs, values)
        return replace(found, values=values, lows=lows, highs=highs, method=method)
    if at is not None:
        raise InputError(f"at goes with quantiles and histograms; a {of} needs none.")
    if method != "unbiased":
        raise ParameterError(f"a {of} is estimated without bias; method={method!r} is for shares.")
    middle = averages(observed, people, channel, points[:, None], about)
    value, variance = middle.values[0], middle.variances[0]
    low_end, high_end = -math.inf, math.inf
    if of == "variance":
        spread = averages(observed, people, channel, (points[:, None] - value) ** 2, about)
        # The square of the estimated mean is too large by its variance.
        value, variance = spread.values[0] + variance, spread.variances[0]
        low_end = 0.0
    else:
        low_end, high_end = points[0], points[-1]
    error = math.sqrt(variance)
    low, high = (float(end) for end in around(value, error, confidence))
    low, high = min(max(low, low_end), value), max(min(high, high_end), value)
    value, error, low, high = (np.asarray(number) for number in (value, error, low, high))
    return Estimate(of, (), value, error, low, high, people, about, "unbiased", confidence)


def plain_mean(numbers: Array, mechanism: Additive, about: About, confidence: float) -> Estimate:
    """Estimate a mean by the mean of numbers with unbounded noise, on a grid of any fineness."""
    people = len(numbers)
    require_people(people)
    if about == "people":
        steps = float(mechanism.error_enclosure(0, 2, 128).high)
        variance = steps * float(mechanism.space.step) ** 2
    else:
        require_two(people)
        variance = float(numbers.var(ddof=1))
    value, error = float(numbers.mean()), math.sqrt(variance / people)
    low, high = around(value, error, confidence)
    return Estimate(
        "mean",
        (),
        np.asarray(value),
        np.asarray(error),
        low,
        high,
        people,
        about,
        "unbiased",
        confidence,
    )


def _histogram(
    observed: Array,
    people: int,
    channel: Channel,
    answers: Array,
    axis: Axis,
    about: About,
    method: str,
    confidence: float,
) -> Estimate:
    found = averages(observed, people, channel, answers, about)
    values, errors = found.values, np.sqrt(found.variances)
    lows, highs = around(values, errors, confidence)
    if method != "unbiased":
        if method == "projected":
            values = projected(values)
        else:
            values = most_likely(observed, [channel], people) @ answers
        lows, highs = _enclosed(observed, people, channel, answers, about, confidence)
        lows = np.minimum(np.clip(lows, 0.0, 1.0), values)
        highs = np.maximum(np.clip(highs, 0.0, 1.0), values)
        errors = (highs - lows) / (2 * normal_quantile(confidence))
    return Estimate(
        "share", (axis,), values, errors, lows, highs, people, about, method, confidence
    )


def _enclosed(
    observed: Array, people: int, channel: Channel, answers: Array, about: About, confidence: float
) -> tuple[Array, Array]:
    """Return intervals from a function below and one above the indicator of each bin.

    Their edges are ramps, which noise hides less than the sharp edges of the bin.
    """
    width = ramp_width(channel, people, about, confidence)
    inner, outer = np.empty_like(answers), np.empty_like(answers)
    for place, indicator in enumerate(answers.T):
        inner[:, place], outer[:, place] = softened(indicator > 0, width)
    least = averages(observed, people, channel, inner, about)
    most = averages(observed, people, channel, outer, about)
    lows, _ = around(least.values, np.sqrt(least.variances), confidence)
    _, highs = around(most.values, np.sqrt(most.variances), confidence)
    return lows, highs


def softened(inside: NDArray[np.bool_], width: int) -> tuple[Array, Array]:
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


def bins(points: Array, at: Any) -> tuple[Array, Axis]:
    """Return one indicator per bin, and the bins as an axis; the last bin holds its upper edge."""
    edges = np.asarray(at if at is not None else _ten_bins(points), dtype=np.float64)
    if edges.ndim != 1 or len(edges) < 2 or not (np.diff(edges) > 0).all():
        raise ParameterError("at must be the edges of the bins, at least two rising numbers.")
    if edges[0] > points[0] or edges[-1] < points[-1]:
        raise ParameterError(
            f"the bins go from {edges[0]:g} to {edges[-1]:g}; they must hold all numbers from "
            f"{points[0]:g} to {points[-1]:g}."
        )
    place = np.minimum(np.searchsorted(edges, points, side="right"), len(edges) - 1) - 1
    answers = np.zeros((len(points), len(edges) - 1))
    answers[np.arange(len(points)), place] = 1.0
    texts = [f"[{a:g}, {b:g})" for a, b in pairwise(edges.tolist())]
    return answers, Axis("bin", [*texts[:-1], texts[-1][:-1] + "]"])


def _ten_bins(points: Array) -> Array:
    return np.linspace(points[0], points[-1], min(10, len(points)) + 1)


def read_levels(at: Any) -> Array:
    """Read the levels of quantiles, strictly between 0 and 1."""
    levels = np.atleast_1d(np.asarray(_LEVELS if at is None else at, dtype=np.float64))
    if levels.ndim != 1 or not levels.size or not ((levels > 0) & (levels < 1)).all():
        raise ParameterError("at must be levels of quantiles strictly between 0 and 1.")
    return levels


def _quantiles(
    observed: Array,
    people: int,
    channel: Channel,
    points: Array,
    levels: Array,
    about: About,
    confidence: float,
) -> Estimate:
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


def ramps(size: int, ends: Sequence[int] | NDArray[Any], width: int) -> Array:
    """Return G_s for each end s, one column each: 1 up to s + 1 − width, 0 above s."""
    codes = np.arange(size)[:, None]
    return np.clip((np.asarray(ends)[None, :] + 1 - codes) / width, 0.0, 1.0)


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


def ramp_width(channel: Channel, people: int, about: About, confidence: float) -> int:
    """Return the width with the shortest expected interval around the middle of even shares."""
    size = channel.inputs
    shares = np.full(size, 1 / size)
    widths = [1 << power for power in range(max(size - 1, 1).bit_length())]
    expected: list[float] = []
    for width in widths:
        answers = ramps(size, [size // 2 + width // 2], width)
        variance = planned_variances(shares, channel, answers, about)[0]
        reach = normal_quantile(confidence) * math.sqrt(variance / people)
        expected.append(width - 1 + 2 * reach * size)
    return widths[int(np.argmin(expected))]
