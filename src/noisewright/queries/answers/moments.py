"""Counts, sums, means, variances and shares from noisy sums of Bernstein polynomials.

    k      a whole number in a … b, Δ = b − a, that stands for the value unit · k
    u      (k − a) / Δ, in 0 … 1
    S_j    Σ C(d, j) (k − a)^j (b − k)^(d−j) + z_j over the rows of a group, j = 0 … d

The z_j are independent, and a row adds Δ^d to all S_j together, so that each has the noise of the
whole budget (Kulesza et al. 2024 for d = 1; the Bézier mechanism, 2025, for d = 2). With s_j =
S_j / Δ^d all moments follow, each a weighted sum of the s_j:

    n = Σ_j s_j        Σ u = Σ_j (j / d) s_j        Σ u² = s_2 for d = 2

Counts and sums have the exact law of their noise; means and variances are ratios of such sums, see
`ratio_tests.py`. Variances have n in the denominator: they are of these rows, not of a population.
A group that seems to have less than half a row has no mean and no variance: the value is NaN, as
SQL says NULL, and the interval says what the numbers still tell, mostly that all is possible.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.given import one_of
from noisewright.queries.answers.answered import Answered, as_floats
from noisewright.queries.answers.counts import answer_counts
from noisewright.queries.answers.equal_sums import half_width_of_sum
from noisewright.queries.answers.ratio_tests import RatioTests
from noisewright.queries.answers.weighted_sums import quantile_of_sum
from noisewright.queries.noise import CellNoise

Array = NDArray[np.float64]

Aggregate = Literal["count", "sum", "mean", "share", "var", "std"]

_LEAST_DEGREE = {"count": 0, "sum": 1, "mean": 1, "share": 1, "var": 2, "std": 2}


def answer_moments(
    sums: Any,
    noise: CellNoise,
    *,
    low: int,
    high: int,
    unit: Fraction | float,
    what: Aggregate,
    confidence: float = 0.95,
) -> Answered:
    """Return an aggregate of each group from its noisy sums, of shape (groups, d + 1).

    Requires: low < high, unless d = 0; d ≥ 1 for sums and means; d = 2 for variances.
    """
    one_of(what, get_args(Aggregate), name="what")
    degree = np.shape(sums)[-1] - 1
    if not _LEAST_DEGREE[what] <= degree <= 2 or (degree and low >= high):
        raise ParameterError(
            f"{what} was asked of sums of degree {degree} of numbers in {low:,} … {high:,}; it "
            f"takes a degree of {_LEAST_DEGREE[what]} to 2, and low < high."
        )
    if degree == 0:
        return answer_counts(np.asarray(sums)[..., 0], noise, confidence=confidence)
    if what == "count":
        return answer_total(sums, noise, (high - low) ** degree, confidence)
    one_row = float((high - low) ** degree)
    s = as_floats(sums) / one_row
    if what == "sum":
        weights = low + (high - low) * np.arange(degree + 1) / degree
        half = float(quantile_of_sum(noise, weights, (1 - confidence) / 2)) / one_row
        error = noise.deviation * float(np.sqrt((weights**2).sum())) / one_row
        ends = (0.0 if low >= 0 else -np.inf, 0.0 if high <= 0 else np.inf)
        return _answer_whole("sum", s @ weights, error, half, ends, float(unit), confidence)
    tests = RatioTests(noise, degree, one_row, (1 - confidence) / 2)
    if what in ("mean", "share"):
        return _mean(s, tests, what, low, high, float(unit), confidence)
    return _variance(s, tests, what, (high - low) * float(unit), confidence)


def answer_total(sums: Any, noise: CellNoise, one_row: int, confidence: float) -> Answered:
    """Return how many rows each group has, from numbers of which a row adds `one_row` to all.

    Requires: sums of shape (groups, numbers).
    """
    numbers = np.asarray(sums)
    half = half_width_of_sum(noise, numbers.shape[-1], confidence) / one_row
    error = noise.deviation * numbers.shape[-1] ** 0.5 / one_row
    found = as_floats(numbers.sum(axis=-1)) / one_row
    return _answer_whole("count", found, error, half, (0.0, np.inf), 1.0, confidence)


def _answer_whole(
    what: str,
    found: Array,
    error: float,
    half: float,
    possible: tuple[float, float],
    unit: float,
    confidence: float,
) -> Answered:
    """Answer what is a whole number of units."""
    values = np.clip(np.round(found), *possible)
    # No whole number may lie within a narrow interval: then it is the nearest one.
    lows = np.minimum(np.ceil(found - half - 1e-9), values)
    highs = np.maximum(np.floor(found + half + 1e-9), values)
    return Answered(
        what=what,
        values=values * unit,
        standard_errors=np.full(found.shape, error * unit),
        lows=np.clip(lows, *possible) * unit,
        highs=np.clip(highs, *possible) * unit,
        unbiased=found * unit,
        possible=possible,
        confidence=confidence,
    )


def _mean(
    s: Array, tests: RatioTests, what: str, low: int, high: int, unit: float, confidence: float
) -> Answered:
    people, raw = s.sum(axis=-1), tests.means(s)
    lows, highs = tests.mean_interval(s)
    errors = np.minimum(tests.mean_deviation(np.clip(raw, 0, 1)) / np.maximum(people, 0.5), 0.5)
    first, width = low * unit, (high - low) * unit
    return Answered(
        what=what,
        values=np.where(people < 0.5, np.nan, first + width * np.clip(raw, 0, 1)),
        standard_errors=np.where(people < 0.5, np.nan, width * errors),
        lows=first + width * lows,
        highs=first + width * highs,
        unbiased=first + width * raw,
        possible=(first, first + width),
        confidence=confidence,
    )


def _variance(s: Array, tests: RatioTests, what: str, width: float, confidence: float) -> Answered:
    people, middle = s.sum(axis=-1), tests.means(s)
    raw = tests.squares(s) - middle**2
    inside, lows, highs = np.clip(raw, 0, 0.25), *tests.variance_interval(s)
    spread = tests.variance_deviation(inside, np.clip(middle, 0, 1))
    errors = np.minimum(spread / np.maximum(people, 0.5), 0.125)
    scale = width**2
    if what == "std":
        # The delta method, and where it would divide by 0 the root of what it starts from.
        root = np.sqrt(inside)
        errors = np.minimum(errors / np.maximum(2 * root, np.sqrt(errors)), 0.25)
        inside, lows, highs, scale = root, np.sqrt(lows), np.sqrt(highs), width
        raw = np.sign(raw) * np.sqrt(np.abs(raw))
    return Answered(
        what=what,
        values=np.where(people < 0.5, np.nan, inside * scale),
        standard_errors=np.where(people < 0.5, np.nan, errors * scale),
        lows=lows * scale,
        highs=highs * scale,
        unbiased=raw * scale,
        possible=(0.0, scale * (0.5 if what == "std" else 0.25)),
        confidence=confidence,
    )
