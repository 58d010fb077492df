"""Means, variances and histograms of numbers that were released with noise.

All are averages of functions of the true number (see `linear.py`), estimated without bias.
Quantiles are in `quantiles.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation.channels import Channel
from noisewright.estimation.intervals import around, normal_quantile, require_people, require_two
from noisewright.estimation.likelihood import most_likely
from noisewright.estimation.linear import averages
from noisewright.estimation.quantiles import quantiles, read_levels
from noisewright.estimation.ramps import ramp_width, softened
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.estimation.simplex import projected
from noisewright.mechanisms import Additive
from noisewright.spaces import Counts, Interval, Space

Array = NDArray[np.float64]

QUESTIONS = ("mean", "variance", "histogram", "quantiles")


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
        found = quantiles(observed, people, channel, points, levels, about, confidence)
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
    require_people(len(numbers))
    spread = float(numbers.var(ddof=1)) if len(numbers) > 1 else None
    return mean_with_noise(
        float(numbers.mean()), spread, len(numbers), mechanism, about, confidence
    )


def mean_with_noise(
    value: float,
    spread: float | None,
    people: int,
    mechanism: Additive,
    about: About,
    confidence: float,
) -> Estimate:
    """Return a mean of released numbers with its error; `spread` is their variance, if known."""
    if about == "people":
        variance = mechanism.variance
    else:
        require_two(people)
        assert spread is not None
        variance = spread
    error = math.sqrt(variance / people)
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
    """Return the edges of about ten bins at round numbers; few points have a bin each."""
    low, high = float(points[0]), float(points[-1])
    if len(points) <= 10:
        return np.linspace(low, high, len(points) + 1)
    magnitude = 10.0 ** math.floor(math.log10((high - low) / 10))
    width = next(w for w in (1, 2, 2.5, 5, 10) if (high - low) / (w * magnitude) <= 12) * magnitude
    first, last = math.floor(low / width + 1e-9), math.ceil(high / width - 1e-9)
    return np.asarray(width * np.arange(first, last + 1), dtype=np.float64)
