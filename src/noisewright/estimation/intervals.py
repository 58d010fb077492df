"""Intervals for shares, by turning a test around.

The estimate p̂ of a share is an average over n rows whose variance v depends on the share itself. A
value θ belongs to the interval when n (p̂ − θ)² ≤ z² v(θ), where

    v(θ) = own·θ + others·(1 − θ) − θ²    about a population
    v(θ) = own·θ + others·(1 − θ) − θ     about the people themselves

That is a quadratic in θ; without noise it is Wilson's interval. Unlike p̂ ± z·error it stays honest
for rare categories, where a low p̂ and a low error come together. Beyond 0 and 1, where no share
can be, v stays what it is at the end.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.result import About

Array = NDArray[np.float64]


def read_confidence(confidence: Any) -> float:
    """Read a confidence strictly between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float, np.floating)):
        raise ParameterError(f"confidence is {confidence!r}; it must be a number such as 0.95.")
    if not 0 < confidence < 1:
        raise ParameterError(f"confidence is {confidence}; it must lie strictly between 0 and 1.")
    return float(confidence)


def read_about(about: Any) -> About:
    """Read whom an estimate is about."""
    if about == "people" or about == "population":
        return about
    raise ParameterError(
        f"about is {about!r}; it must be 'people' (those whose data were released: only the noise "
        "is error) or 'population' (that they were sampled from: noise and sampling)."
    )


def normal_quantile(confidence: float) -> float:
    """Return z with P(|Z| ≤ z) = confidence for a standard normal Z."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def around(values: Any, errors: Any, confidence: float) -> tuple[Array, Array]:
    """Return value ± z·error."""
    reach = normal_quantile(confidence) * np.asarray(errors, dtype=np.float64)
    return np.asarray(values - reach), np.asarray(values + reach)


def score_interval(
    values: Array, own: Array, others: Array, people: int, about: About, confidence: float
) -> tuple[Array, Array]:
    """Return the lowest and the highest θ that the test accepts."""
    z = normal_quantile(confidence) ** 2 / people
    sampled, known = (1.0, 0.0) if about == "population" else (0.0, 1.0)
    # Inside: (1 + z·sampled) θ² − (2 p̂ + z (own − others − known)) θ + p̂² − z·others ≤ 0
    half = (values + z * (own - others - known) / 2) / (1 + z * sampled)
    last = (values**2 - z * others) / (1 + z * sampled)
    reach = np.sqrt(np.maximum(half**2 - last, 0.0))
    at_zero = np.sqrt(z * np.maximum(others, 0.0))
    at_one = np.sqrt(z * np.maximum(own - 1, 0.0))
    lows = np.where(values - at_one >= 1, values - at_one, np.clip(half - reach, 0.0, 1.0))
    lows = np.where(values - at_zero <= 0, values - at_zero, lows)
    highs = np.where(values + at_zero <= 0, values + at_zero, np.clip(half + reach, 0.0, 1.0))
    highs = np.where(values + at_one >= 1, values + at_one, highs)
    # Rounding may push the estimate itself out of its own interval by a hair.
    return np.minimum(lows, values), np.maximum(highs, values)


def with_half_a_row(lows: Array, highs: Array, errors: Array, people: int) -> tuple[Array, Array]:
    """Return intervals about these people that also hold when next to nobody's row was changed.

    The error is one row or none then, and half a row more on each side keeps intervals from missing
    just that one. From a standard error of two rows on it is not needed.
    """
    half = 0.5 * np.clip(2 - people * errors, 0.0, 1.0) / people
    return lows - half, highs + half


def require_people(people: int) -> None:
    """Raise unless there is somebody to speak about."""
    if people < 1:
        raise ParameterError("there are no released rows; an estimate needs at least one.")


def require_two(people: int) -> None:
    """Raise when one row is to tell how much rows vary."""
    if people < 2:
        raise ParameterError(
            "one released row cannot tell how much people differ. Ask about='people', whose error "
            "is the noise alone, or release more rows."
        )
