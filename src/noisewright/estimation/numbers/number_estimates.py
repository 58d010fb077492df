"""Means, variances and histograms of numbers that were released with noise.

All are averages of functions of the true number (see `averages.py`), estimated without bias.
Quantiles are in `noisy_quantiles.py`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation.channels.channel import Channel
from noisewright.estimation.intervals.intervals import (
    Sample,
    mean_interval,
    normal_quantile,
    require_two,
)
from noisewright.estimation.intervals.spread import plausible, project_to_simplex, spread_of_groups
from noisewright.estimation.numbers.averages import Averages, averages
from noisewright.estimation.numbers.noisy_quantiles import (
    quantiles,
    ramp_width,
    read_levels,
    soften,
)
from noisewright.estimation.result import Axis, Estimate
from noisewright.estimation.shares.likelihood import most_likely
from noisewright.estimation.shares.share_estimates import forgiving
from noisewright.mechanisms import Additive
from noisewright.spaces import Counts, Dates, Interval, Space

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
    codes = np.arange(space.size)
    return space.numbers(codes) if isinstance(space, Interval) else codes.astype(np.float64)


def answers_asked_for(of: str, space: Space, at: Any) -> int:
    """Return how many answers a question has."""
    if of == "quantiles":
        return len(read_levels(at))
    return len(bins(space, at)[1].labels) if of == "histogram" else 1


def answer_about_numbers(
    counts: NDArray[Any],
    channel: Channel,
    space: Space,
    sample: Sample,
    *,
    of: str,
    at: Any = None,
    method: str = "unbiased",
) -> Estimate:
    """Answer one of the questions from the counts of the released outputs, the rows of a sample."""
    people = sample.people
    points, dates = numbers_of(space), space if isinstance(space, Dates) else None
    observed = counts / people
    if of == "histogram":
        return _histogram(observed, channel, *bins(space, at), method, sample)
    if of == "quantiles":
        levels = read_levels(at)
        found = replace(quantiles(observed, channel, points, levels, sample), dates=dates)
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
    found = averages(observed, people, channel, points[:, None])
    numbers = (found.values, *found.answers(sample))
    if of == "variance":
        numbers = _variance(observed, channel, points, found, sample)
    value, error, low, high = (np.asarray(array[0]) for array in numbers)
    first, last = float(points[0]), float(points[-1])
    possible = (first, last) if of == "mean" else (0.0, (last - first) ** 2 / 4)
    dates = dates if of == "mean" else None
    return sample.estimate(of, (), value, error, low, high, possible=possible, dates=dates)


def _variance(
    observed: Array, channel: Channel, points: Array, mean: Averages, sample: Sample
) -> tuple[Array, Array, Array, Array]:
    """Estimate the variance V = E(x − c)² − (μ − c)², for c near the mean if that is well known.

    Around the estimated mean squares are too small on average, by the variance of that mean; and
    how far the mean may be off is a bound of the second term. Where the mean may be anywhere, c is
    the middle of all numbers, and both terms have their intervals. A population is no better known
    than its people, whose variance is estimated apart from that of their mean.
    """
    middle, error, low, high = (float(array[0]) for array in (mean.values, *mean.answers(sample)))
    first, last = float(points[0]), float(points[-1])
    known = normal_quantile(sample.confidence) * error < (last - first) / 4
    center = min(max(middle, first), last) if known else (first + last) / 2
    squares = averages(observed, sample.people, channel, (points[:, None] - center) ** 2)
    values = squares.values - (middle - center) ** 2 + error**2
    if known:
        squares = replace(squares, values=squares.values + error**2)
    errors, lows, highs = squares.answers(sample)
    errors = np.sqrt(errors**2 + (2 * (middle - center) * error) ** 2 + 2 * error**4)
    ends = (min(max(end, first), last) - center for end in (low, high))
    lows = lows - max(end**2 for end in ends)
    most = (last - first) ** 2 / 4
    lows = np.minimum(np.clip(lows, 0.0, most), values)
    highs = np.maximum(np.clip(highs, 0.0, most), values)
    if sample.about == "population":
        alone = replace(sample, about="people")
        _, known, low_known, high_known = _variance(observed, channel, points, mean, alone)
        errors = np.maximum(errors, known)
        lows, highs = np.minimum(lows, low_known), np.maximum(highs, high_known)
    return values, errors, lows, highs


def mean_with_noise(
    value: float, spread: float | None, mechanism: Additive, sample: Sample
) -> Estimate:
    """Return a mean of released numbers with its error; `spread` is their variance, if known.

    The noise is known, so that less than its variance is never taken for theirs.
    """
    noise = mechanism.variance
    if sample.about == "population":
        require_two(sample.people)
    sampling = 0.0 if spread is None else max(spread - noise, 0.0)
    error = sample.errors(np.asarray(noise), np.asarray(sampling))
    ends = float(mechanism.space.low), float(mechanism.space.high)
    lows, highs = mean_interval(np.asarray(value), error, np.zeros(()), ends, sample)
    dates = mechanism.space if isinstance(mechanism.space, Dates) else None
    found = (np.asarray(value), error, lows, highs)
    return sample.estimate("mean", (), *found, possible=ends, dates=dates)


def _histogram(
    observed: Array, channel: Channel, answers: Array, axis: Axis, method: str, sample: Sample
) -> Estimate:
    values, errors, lows, highs = shares_of_groups(observed, channel, answers, sample)
    if method != "unbiased":
        if method == "projected":
            values = project_to_simplex(values)
        else:
            values = most_likely(observed, [channel], sample.people) @ answers
        lows, highs = _enclose(observed, channel, answers, sample)
        lows = np.minimum(np.clip(lows, 0.0, 1.0), values)
        highs = np.maximum(np.clip(highs, 0.0, 1.0), values)
        errors = (highs - lows) / (2 * normal_quantile(sample.confidence))
    return sample.estimate("share", (axis,), values, errors, lows, highs, method=method)


def shares_of_groups(
    observed: Array, channel: Channel, members: Array, sample: Sample
) -> tuple[Array, Array, Array, Array]:
    """Estimate the shares of groups of inputs: values, standard errors, and ends of intervals."""
    values = observed @ channel.undo(members)
    likely = plausible(forgiving(channel).solve(observed, 0), sample.people, [forgiving(channel)])
    found = spread_of_groups(likely, observed, sample.people, channel, members)
    return (values, *found.answers(values, sample))


def _enclose(
    observed: Array, channel: Channel, answers: Array, sample: Sample
) -> tuple[Array, Array]:
    """Return intervals from a function below and one above the indicator of each bin.

    Their edges are ramps, which noise hides less than the sharp edges of the bin.
    """
    width = ramp_width(channel, sample.people, sample.confidence)
    inner, outer = np.empty_like(answers), np.empty_like(answers)
    for place, indicator in enumerate(answers.T):
        inner[:, place], outer[:, place] = soften(indicator > 0, width)
    _, lows, _ = averages(observed, sample.people, channel, inner).possible.answers(sample)
    _, _, highs = averages(observed, sample.people, channel, outer).possible.answers(sample)
    return lows, highs


def bins(space: Space, at: Any) -> tuple[Array, Axis]:
    """Return one indicator per bin, and the bins as an axis; the last bin holds its upper edge."""
    points = numbers_of(space)
    if isinstance(space, Dates):
        at = _ten_spans(points) if at is None else [space.steps_in(one) for one in at]
        if None in at:
            raise ParameterError("at must be the edges of the bins, which are dates.")
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
    if isinstance(space, Dates):
        inside = [points[column > 0] for column in answers.T]
        if not all(len(one) for one in inside):
            raise ParameterError("a bin holds no date; give edges that are further apart.")
        spans = [(space.show(one[0]), space.show(one[-1])) for one in inside]
        return answers, Axis("bin", [a if a == b else f"{a} to {b}" for a, b in spans])
    texts = [f"[{a:g}, {b:g})" for a, b in pairwise(edges.tolist())]
    return answers, Axis("bin", [*texts[:-1], texts[-1][:-1] + "]"])


def _ten_spans(points: Array) -> list[int]:
    """Return the edges of up to ten bins of dates, each of whole steps."""
    edges = np.linspace(points[0], points[-1] + 1, min(len(points), 10) + 1)
    return np.floor(edges).astype(int).tolist()


def _ten_bins(points: Array) -> Array:
    """Return the edges of about ten bins at round numbers; few points have a bin each."""
    low, high = float(points[0]), float(points[-1])
    if len(points) <= 10:
        return np.linspace(low, high, len(points) + 1)
    magnitude = 10.0 ** math.floor(math.log10((high - low) / 10))
    width = next(w for w in (1, 2, 2.5, 5, 10) if (high - low) / (w * magnitude) <= 12) * magnitude
    first, last = math.floor(low / width + 1e-9), math.ceil(high / width - 1e-9)
    return np.asarray(width * np.arange(first, last + 1), dtype=np.float64)
