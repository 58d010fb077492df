"""Intervals for shares and means, by turning a test around.

An estimate T is an average over n rows, each of which contributes h. Its variance has a part that
is known, because the noise is, and a part from sampling people, which depends on what is asked for.

**Shares.** A value θ belongs to the interval when n (T − θ)² ≤ z² v(θ), where

    v(θ) = own·θ + others·(1 − θ) − θ + k·θ(1 − θ)

own and others are E h² of who belongs and who does not; k is 0 about the people themselves, 1 about
a population, and the most rows of one person if that is more. It is a quadratic in θ; without noise
it is Wilson's interval. Unlike T ± z·error it stays honest for rare shares, where a low T and a low
error come together. Beyond 0 and 1, where no share can be, v stays what it is at the end.

**Means** of numbers from `low` to `high`. About a population the variance s² is estimated, and what
was not seen is not in it: a few people at the far end. A mean θ = T + d needs a share d/(high − T)
of them, who add d·(high − θ) to the variance, so that

    n d² ≤ t² (s² + k·d·(high − T − d))        and so for low, with Student's t for n/k people

But more than t² people are not overlooked, so that what is added is at most t²·k²(high − T)²/n.
With s = 0 this is Wilson's interval again, and with large n it is T ± z·s/√n. Where some inputs get
more noise than others, those people may also have more of it, up to m more in the variance of a
row: d·m/(high − T) is added, at most m·t²/n, about the people themselves, too.

**Jumps.** One row may move T by J/n, J = E|h|³ / E h², and when that is not small beside the error
no normal law holds: Wilson's interval for a share of 0.17/n misses in 16 of 100 cases. Half a jump
on each side, Yates' correction, repairs that; it fades out between errors of 1.5 and 3.5 jumps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation.result import About, Axis, Estimate
from noisewright.given import brief

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """What intervals are made for: so many rows, about whom, with which confidence.

    `rows` is how many of them may be of one person, and then all alike.
    """

    people: int
    about: About
    confidence: float = 0.95
    rows: int = 1

    def __post_init__(self) -> None:
        require_people(self.people)

    def estimate(
        self,
        what: str,
        axes: tuple[Axis, ...],
        values: Array,
        errors: Array,
        lows: Array,
        highs: Array,
        *,
        method: str = "unbiased",
        **more: Any,
    ) -> Estimate:
        """Return values, standard errors and both ends of the intervals as an estimate."""
        whom = self.people, self.about, method, self.confidence
        return Estimate(what, axes, values, errors, lows, highs, *whom, **more)

    @property
    def sampled(self) -> int:
        """How often the variance of sampling one row counts: not at all about the people."""
        return self.rows if self.about == "population" else 0

    @property
    def squared_quantile(self) -> float:
        """z²: shares have variances that follow from the share."""
        return normal_quantile(self.confidence) ** 2

    @property
    def squared_student_quantile(self) -> float:
        """t² where a variance is estimated, from as many people as there are at least; else z²."""
        if self.about == "people":
            return self.squared_quantile
        return student_quantile(self.confidence, max(self.people // self.rows - 1, 1)) ** 2

    def errors(self, noise: Array, sampling: Array) -> Array:
        """Return standard errors of averages, from the two variances that one row has."""
        return np.sqrt((noise + self.sampled * sampling) / self.people)

    def half_jumps(self, errors: Array, jumps: Array) -> Array:
        """Return half of what one person moves an average by, where errors are few such jumps."""
        jumps = jumps * max(self.sampled, 1) / self.people
        with np.errstate(divide="ignore", invalid="ignore"):
            faded = np.clip(1.75 - errors / (2 * jumps), 0.0, 1.0)
        return np.where(jumps > 0, faded * jumps / 2, 0.0)


def read_confidence(confidence: Any) -> float:
    """Read a confidence strictly between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, (int, float, np.floating)):
        raise ParameterError(
            f"confidence is {brief(confidence)}; it must be a number such as 0.95."
        )
    if not 0 < confidence < 1:
        raise ParameterError(
            f"confidence is {brief(confidence)}; it must lie strictly between 0 and 1."
        )
    return float(confidence)


def read_about(about: Any) -> About:
    """Read whom an estimate is about."""
    if isinstance(about, str) and about in ("people", "population"):
        return about
    raise ParameterError(
        f"about is {brief(about)}; it must be 'people' (those in the file: only noise is counted "
        "as error) or 'population' (which they were sampled from: sampling is counted too)."
    )


def normal_quantile(confidence: float) -> float:
    """Return z with P(|Z| ≤ z) = confidence for a standard normal Z."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def student_quantile(confidence: float, freedom: int) -> float:
    """Return t with P(|T| ≤ t) = confidence for Student's T (Hill 1970, Algorithm 396)."""
    missed = 1 - confidence
    if freedom == 1:
        return 1 / math.tan(missed * math.pi / 2)
    if freedom == 2:
        return math.sqrt(2 / (missed * (2 - missed)) - 2)
    n = freedom
    a = 1 / (n - 0.5)
    b = 48 / a**2
    c = ((20700 * a / b - 98) * a - 16) * a + 96.36
    d = ((94.5 / (b + c) - 3) / b + 1) * math.sqrt(a * math.pi / 2) * n
    y = (d * missed) ** (2 / n)
    if y <= 0.05 + a:
        tail = 1 / (((n + 6) / (n * y) - 0.089 * d - 0.822) * (n + 2) * 3) + 0.5 / (n + 4)
        return math.sqrt(n * ((tail * y - 1) * (n + 1) / (n + 2) + 1 / y))
    x = -normal_quantile(confidence)
    y = x**2
    c += 0.3 * (n - 4.5) * (x + 0.6) if n < 5 else 0
    c += (((0.05 * d * x - 5) * x - 7) * x - 2) * x + b
    y = (((((0.4 * y + 6.3) * y + 36) * y + 94.5) / c - y - 3) / b + 1) * x
    return math.sqrt(n * math.expm1(a * y**2))


def score_interval(
    values: Array,
    own: Array,
    others: Array,
    jumps: Array,
    errors: Array,
    noise_errors: Array,
    sample: Sample,
) -> tuple[Array, Array]:
    """Return the lowest and the highest share that the test accepts.

    `errors` are standard errors, `noise_errors` the part of them that noise alone would leave.
    """
    half_jumps = sample.half_jumps(errors, jumps)
    lows, _ = _acceptance_ends(values - half_jumps, own, others, sample)
    _, highs = _acceptance_ends(values + half_jumps, own, others, sample)
    if sample.about == "population":
        # Beyond 0 and 1 sampling adds nothing, and an interval must not be narrower for it.
        people = replace(sample, about="people")
        known = score_interval(values, own, others, jumps, noise_errors, noise_errors, people)
        lows, highs = np.minimum(lows, known[0]), np.maximum(highs, known[1])
    # Rounding may push the estimate itself just out of its own interval.
    return np.minimum(lows, values), np.maximum(highs, values)


def _acceptance_ends(
    values: Array, own: Array, others: Array, sample: Sample
) -> tuple[Array, Array]:
    z, k = sample.squared_quantile / sample.people, sample.sampled
    # Inside: (1 + z·k) θ² − (2 T + z (own − others − 1 + k)) θ + T² − z·others ≤ 0
    half = (values + z * (own - others - 1 + k) / 2) / (1 + z * k)
    last = (values**2 - z * others) / (1 + z * k)
    reach = np.sqrt(np.maximum(half**2 - last, 0.0))
    at_zero = np.sqrt(z * np.maximum(others, 0.0))
    at_one = np.sqrt(z * np.maximum(own - 1, 0.0))
    lows = np.where(values - at_one >= 1, values - at_one, np.clip(half - reach, 0.0, 1.0))
    lows = np.where(values - at_zero <= 0, values - at_zero, lows)
    highs = np.where(values + at_zero <= 0, values + at_zero, np.clip(half + reach, 0.0, 1.0))
    highs = np.where(values + at_one >= 1, values + at_one, highs)
    return lows, highs


def mean_interval(
    values: Array,
    errors: Array,
    jumps: Array,
    ends: tuple[Any, Any],
    sample: Sample,
    *,
    more: Array | float = 0.0,
    clip: bool = True,
) -> tuple[Array, Array]:
    """Return intervals of averages of numbers between the ends, which hold for the rare too.

    `more` is by how much the variance of a row's noise may exceed what it seems to be.
    """
    half_jumps = sample.half_jumps(errors, jumps)
    low, high = ends
    squared, k = sample.squared_student_quantile, sample.sampled
    unseen = min(squared / sample.people, 1.0)
    reaches: list[Array] = []
    for whole_way in (values - low, high - values):
        room = np.clip(whole_way, 0.0, high - low)
        # (n + t²k) d² − t²(k·room + m/room)·d − t²·n·error² ≤ 0, as long as there is room for d
        with np.errstate(over="ignore"):  # what overflows reaches farther than there is room
            noisier = np.where(room > 0, more / np.maximum(room, 1e-300), 0.0)
            whole, half = sample.people + squared * k, squared * (k * room + noisier) / 2
            reach = half + np.sqrt(half**2 + whole * squared * sample.people * errors**2)
        reach = reach / whole
        farthest = np.maximum(whole_way, np.sqrt(squared) * errors)
        reach = np.where(reach <= room, reach, np.maximum(room, farthest))
        overlooked = squared * (k * room / sample.people) ** 2
        overlooked = overlooked + np.where(room > 0, unseen * more / sample.people, 0.0)
        most = np.sqrt(squared * (errors**2 + overlooked))
        reaches.append(np.minimum(reach, most) + half_jumps)
    lows, highs = values - reaches[0], values + reaches[1]
    if clip:
        # What no mean can be is left out, but never the estimate itself.
        lows, highs = np.clip(lows, low, high), np.clip(highs, low, high)
    return np.minimum(lows, values), np.maximum(highs, values)


def require_people(people: int) -> None:
    """Raise unless there is somebody to speak about."""
    if people < 1:
        raise ParameterError("there are no released rows; an estimate needs at least one.")


def require_two(people: int) -> None:
    """Raise when one row is to tell how much rows vary."""
    if people < 2:
        raise ParameterError(
            "one released row cannot tell how much people differ, so no honest interval about a "
            "population exists. Ask about='people', who are not sampled, or release more rows."
        )
