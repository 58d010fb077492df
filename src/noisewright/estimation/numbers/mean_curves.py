"""The mean of released curves, with bands.

At each position the mean over n released curves has the variance of the noise over n about these
people, and the variance of the released curves over n about their population. A band that holds at
all positions *together* needs a larger factor c in place of the normal quantile. Two bounds on
P(some |Z_t| > c) hold for any jointly normal Z of variance one, and the better is taken:

    Šidák                 1 − (2Φ(c) − 1)^positions, best for few positions far apart
    Hotelling and Naiman  κ/π · e^(−c²/2) + 2(1 − Φ(c)), κ = Σ arccos corr(Z_t, Z_(t+1)): the length
                          of the path that Z draws on the sphere, best for smooth curves
"""

from __future__ import annotations

from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveRelease
from noisewright.errors import InputError
from noisewright.estimation.intervals.intervals import (
    Sample,
    mean_interval,
    normal_quantile,
    require_two,
)
from noisewright.estimation.result import Axis, Estimate
from noisewright.exact import halve

Array = NDArray[np.float64]


def mean_of_release(release: CurveRelease, at: Any, sample: Sample, *, together: bool) -> Estimate:
    """Estimate the mean curve of released curves at positions, by default those of the grid."""
    positions = release.grid if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
    values, ends = release.at(positions), release.bounds
    if sample.people == 1 and sample.about == "people":
        # The noise of one release may be far from normal, and the release knows how far.
        band = release.band(positions, level=sample.confidence, simultaneous=together)
        arrays = band.values, release.standard_error(positions), band.low, band.high
        return sample.estimate("mean", _axes(positions), *arrays, together=together, possible=ends)
    noise = release.covariance(positions)
    return mean_curve(values, noise, positions, ends, sample, together=together)


def _axes(positions: Array) -> tuple[Axis, ...]:
    return (Axis("position", positions.tolist()),)


def mean_curve(
    values: Array,
    noise: Array,
    positions: Array,
    ends: tuple[float, float],
    sample: Sample,
    *,
    together: bool,
) -> Estimate:
    """Estimate a mean curve from released values, a row each, whose noise has this covariance."""
    people, places = values.shape
    if noise.shape != (places, places) or len(positions) != places:
        raise InputError(
            f"the curves have {places} values; the covariance of their noise is {noise.shape} and "
            f"there are {len(positions)} positions."
        )
    center = values.mean(axis=0)
    moved = values - center
    released = moved.T @ moved / (people - 1) if people > 1 else None
    return mean_with_band(center, noise, released, positions, ends, sample, together=together)


def mean_with_band(
    center: Array,
    noise: Array,
    released: Array | None,
    positions: Array,
    ends: tuple[float, float],
    sample: Sample,
    *,
    together: bool,
) -> Estimate:
    """Return a mean curve with its band.

    `noise` is the known covariance of one curve's noise, `released` the one that released curves
    show, of at least two. Less than that of the noise is never taken for theirs.
    """
    known = np.maximum(np.diagonal(noise), 0.0)
    sampling = np.zeros_like(known)
    level = sample.confidence
    if sample.about == "population":
        require_two(sample.people)
        assert released is not None
        sampling = np.maximum(np.diagonal(released) - known, 0.0)
    if together:
        shape = noise if sample.about == "people" else released
        assert shape is not None
        level = 2 * NormalDist().cdf(factor_together(shape, level)) - 1
    errors = sample.errors(known, sampling)
    # What coordinates can show of a curve may lie beyond what its values lie between: no clipping.
    lows, highs = mean_interval(
        center, errors, np.zeros_like(errors), ends, replace(sample, confidence=level), clip=False
    )
    arrays = center, errors, lows, highs
    return sample.estimate("mean", _axes(positions), *arrays, together=together, possible=ends)


def factor_together(covariance: Array, confidence: float) -> float:
    """Return c such that all |Z_t| ≤ c with at least the confidence, whatever the dependence."""
    normal = NormalDist()
    moving = np.flatnonzero(np.diagonal(covariance) > 0)
    if moving.size == 0:
        return normal_quantile(confidence)
    apart = normal.inv_cdf((1 + confidence ** (1 / moving.size)) / 2)
    scale = np.sqrt(np.diagonal(covariance)[moving])
    after = covariance[moving[:-1], moving[1:]] / (scale[:-1] * scale[1:])
    length = float(np.arccos(np.clip(after, -1.0, 1.0)).sum())

    def chance_beyond(c: float) -> float:
        return length / np.pi * float(np.exp(-c * c / 2)) + 2 * (1 - normal.cdf(c))

    _, high = halve(0.0, 40.0, lambda c: chance_beyond(c) > 1 - confidence, times=100)
    return min(apart, high)
