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

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise, CurveRelease
from noisewright.errors import InputError
from noisewright.estimation.intervals import normal_quantile, require_people, require_two
from noisewright.estimation.result import About, Axis, Estimate

Array = NDArray[np.float64]


def mean_of_release(
    release: CurveRelease, at: Any, about: About, confidence: float, together: bool
) -> Estimate:
    """Estimate the mean curve of released curves at positions, by default those of the grid."""
    positions = release.grid if at is None else np.atleast_1d(np.asarray(at, dtype=np.float64))
    values = release.at(positions)
    if len(release) == 1 and about == "people":
        # The noise of one release may be far from normal, and the release knows how far.
        band = release.band(positions, level=confidence, simultaneous=together)
        return Estimate(
            "mean",
            (Axis("position", positions.tolist()),),
            band.values,
            release.standard_error(positions),
            band.low,
            band.high,
            1,
            about,
            "unbiased",
            confidence,
            together,
        )
    noise = release.covariance(positions)
    return mean_curve(values, noise, positions, about, confidence, together)


def mean_curve(
    values: Array,
    noise: Array,
    positions: Array,
    about: About,
    confidence: float,
    together: bool,
) -> Estimate:
    """Estimate a mean curve from released values, a row each, whose noise has this covariance."""
    people, places = values.shape
    require_people(people)
    if noise.shape != (places, places) or len(positions) != places:
        raise InputError(
            f"the curves have {places} values; the covariance of their noise is {noise.shape} and "
            f"there are {len(positions)} positions."
        )
    center = values.mean(axis=0)
    covariance = noise
    if about == "population":
        require_two(people)
        moved = values - center
        covariance = moved.T @ moved / (people - 1)
    return mean_with_band(center, covariance, positions, people, about, confidence, together)


def mean_with_band(
    center: Array,
    covariance: Array,
    positions: Array,
    people: int,
    about: About,
    confidence: float,
    together: bool,
) -> Estimate:
    """Return a mean curve with its band, from the covariance that one curve has around it."""
    errors = np.sqrt(np.maximum(np.diagonal(covariance), 0.0) / people)
    factor = factor_together(covariance, confidence) if together else normal_quantile(confidence)
    return Estimate(
        "mean",
        (Axis("position", positions.tolist()),),
        center,
        errors,
        center - factor * errors,
        center + factor * errors,
        people,
        about,
        "unbiased",
        confidence,
        together,
    )


def planned_mean_curve(mechanism: CurveNoise, at: Any, people: int, confidence: float) -> Estimate:
    """Return the error of a mean of so many released curves, each with noise of its own."""
    positions = mechanism.space.positions if at is None else np.atleast_1d(np.asarray(at, float))
    errors = mechanism.standard_error(positions) / np.sqrt(people)
    values = np.full(len(positions), float(mechanism.space.low + mechanism.space.high) / 2)
    reach = normal_quantile(confidence) * errors
    axes = (Axis("position", positions.tolist()),)
    return Estimate(
        "mean",
        axes,
        values,
        errors,
        values - reach,
        values + reach,
        people,
        "people",
        "planned",
        confidence,
    )


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

    def missed(c: float) -> float:
        return length / np.pi * float(np.exp(-c * c / 2)) + 2 * (1 - normal.cdf(c))

    low, high = 0.0, 40.0
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if missed(middle) > 1 - confidence else (low, middle)
    return min(apart, high)
