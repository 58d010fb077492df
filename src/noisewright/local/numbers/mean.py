"""The mean of numbers of people who do not trust you."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Estimate, Sample, mean_interval, read_about, read_confidence
from noisewright.exact import Epsilon, Number
from noisewright.given import one_of as read_word
from noisewright.local.collection import Collection, read_name
from noisewright.local.families.summed import sums_in
from noisewright.local.frequencies import describe_reading, encode_values, read_described_space
from noisewright.local.numbers.choosing_means import METHODS, MeanChoice, Way, choose_mean
from noisewright.local.numbers.grid import NumberGrid
from noisewright.local.numbers.moments import MeanLaw
from noisewright.local.numbers.poisoned_mean import (
    PoisonedMean,
    bound_poisoned_mean,
    least_square,
)
from noisewright.local.one_of_several import OneWayOfSeveral
from noisewright.local.shares import require_people
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import positive_epsilon
from noisewright.public import public
from noisewright.spaces import Counts, Interval


@public
def mean(
    space: Interval | Counts,
    *,
    epsilon: Number | Epsilon,
    method: str | None = None,
    name: str = "",
) -> MeanCollection:
    """Return a collection of one number from each person, for their mean.

    Requires: numbers on a declared grid of at least 2 points; epsilon > 0. `method` is "duchi" (one
    bit), "piecewise" or "hybrid"; without it the one with the least variance in the worst case is
    taken, and `.why` says why.
    Ensures: each report is ε-private for replacing the person's number by any other, proven; the
    mean is unbiased.
    Source: Duchi, Jordan and Wainwright 2018; Wang et al. 2019.
    """
    grid = NumberGrid.of(space)
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    if method is not None:
        method = read_word(method, METHODS, name="method")
    return MeanCollection(space, grid, choose_mean(grid.last, read, method), read_name(name))


@dataclass(frozen=True)
class MeanPlan:
    """What to expect of a mean, before anybody is asked.

    `standard_error` is the largest that any numbers give, from noise alone or, about a population,
    with sampling; `variance` is that of one person's report, in the unit of the numbers, squared.
    """

    people: int
    standard_error: float
    bytes_per_report: int
    variance: float

    def people_for(self, standard_error: float) -> int:
        """Return how many people a standard error needs, whatever their numbers are."""
        if not standard_error > 0:
            raise ParameterError(f"standard_error is {standard_error}; it must be above 0.")
        return math.ceil(self.variance / standard_error**2)

    def __str__(self) -> str:
        return (
            f"{self.people:,} people: standard error of the mean at most "
            f"{self.standard_error:.3g}, {self.bytes_per_report:,} bytes per report"
        )


@dataclass(frozen=True)
class MeanReading:
    """The mean of h and of h² over reports, in steps of the grid."""

    law: MeanLaw
    people: int
    first: float
    second: float

    @property
    def moments(self) -> tuple[float, float]:
        """The means of the numbers and of their squares, as they may be.

        One bit tells nothing of the squares; then they are as small as the mean allows, for which
        noise is largest.
        """
        c0, c1, c2 = map(float, self.law.squares)
        mean = min(max(self.first, 0.0), float(self.law.last))
        least = least_square(mean)
        if c2 == 0:
            return mean, least
        square = (self.second - c0 - c1 * self.first) / c2
        return mean, min(max(square, least), mean * self.law.last)

    @property
    def noise(self) -> float:
        """The variance of one report that is noise."""
        c0, c1, c2 = map(float, self.law.squares)
        mean, square = self.moments
        return max(c0 + c1 * mean + (c2 - 1) * square, 0.0)

    @property
    def sampling(self) -> float:
        """The variance of the numbers themselves."""
        mean, square = self.moments
        return max(square - mean**2, 0.0)

    def answer(self, grid: NumberGrid, sample: Sample, *, notes: tuple[str, ...] = ()) -> Estimate:
        """Return the mean with its error and interval."""
        step, law = float(grid.step), self.law
        error = sample.errors(np.asarray(self.noise), np.asarray(self.sampling)) * step
        value = np.asarray(grid.number(self.first))
        low, high = law.reach
        jump = max(self.first - low, high - self.first) * step
        more = max(float(law.worst) - self.noise, 0.0) * step**2 if law.squares[2] > 1 else 0.0
        ends = mean_interval(value, error, np.asarray(jump), grid.ends, sample, more=more)
        found = (value, error, *ends)
        return sample.estimate(
            "mean", (), *found, possible=grid.ends, dates=grid.dates, notes=notes
        )


@final
class MeanCollection(Collection):
    """One number from each person; the server estimates their mean."""

    randomizer: Way

    def __init__(
        self, space: Interval | Counts, grid: NumberGrid, choice: MeanChoice, name: str
    ) -> None:
        self.space = space
        self.grid = grid
        self.method = choice.method
        self.why = choice.why
        self.randomizer = choice.randomizer
        self.law = choice.law
        self.name = name

    def settings(self) -> dict[str, Any]:
        """Return the kind, the method, the numbers and, of a mixture, the weights."""
        found: dict[str, Any] = {
            "kind": "mean",
            "method": self.method,
            "values": self.space.describe(),
        }
        if isinstance(self.randomizer, OneWayOfSeveral):
            found["weights"] = list(self.randomizer.weights)
        return found

    def reading(self) -> dict[str, Any]:
        """Return how clients read one number."""
        return describe_reading(self.space)

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return the codes of numbers."""
        return encode_values(self.space, values)

    def read(self, tally: NDArray[np.int64], people: int) -> MeanReading:
        """Return what counts of so many reports say."""
        ways = self.randomizer
        if isinstance(ways, OneWayOfSeveral):
            counts = [ways.split(tally, number) for number in range(len(ways.parts))]
        else:
            counts = [(people, tally)]
        first = second = Fraction(0)
        for part, (some, own) in zip(self.law.parts, counts, strict=True):
            # Ends are counted, 0 and 1; outputs of windows are summed.
            sums = (int(own[1]), int(own[1])) if own.size == 2 else sums_in(own)
            of_part = part.sums(some, *sums)
            first, second = first + of_part[0], second + of_part[1]
        return MeanReading(self.law, people, float(first / people), float(second / people))

    def estimate_from(
        self,
        tally: NDArray[np.int64],
        people: int,
        *,
        about: str = "people",
        confidence: float = 0.95,
        **options: Any,
    ) -> Estimate:
        """Return the mean, unbiased; options are about= and confidence=.

        Intervals stay within the grid, unless the estimate itself is beyond it. Those about the
        people who reported one bit each allow for numbers that are all alike, whose noise is
        largest.
        """
        refuse_options(options, "about=, confidence=")
        sample = Sample(people, read_about(about), read_confidence(confidence))
        if sample.about == "population" and people < 2:
            raise InputError("one report does not tell how much people differ; add more.")
        return self.read(tally, people).answer(self.grid, sample)

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> PoisonedMean:
        """Return how far fake devices can push the mean, and whether reports look honest."""
        reading = self.read(tally, people)
        return bound_poisoned_mean(reading, self.grid, fakes=fakes, **options)

    def plan(self, *, people: int, about: str = "people", **options: Any) -> MeanPlan:
        """Return the largest standard error, and bytes, for so many people."""
        people = require_people(people)
        whole = read_about(about) == "population"
        steps = self.law.worst_of_population if whole else float(self.law.worst)
        variance = steps * float(self.grid.step) ** 2
        length = self.randomizer.length + OVERHEAD
        return MeanPlan(people, math.sqrt(variance / people), length, variance)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of the mean of {self.space!r} by {self.method}, "
            f"{self.guarantee} per report>"
        )


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> MeanCollection:
    """Return the collection with these settings."""
    space: Any = read_described_space(document)
    return mean(space, epsilon=epsilon, method=document["method"], name=document["name"])


def refuse_options(options: dict[str, Any], known: str) -> None:
    """Raise if there are options left that nobody takes."""
    if options:
        raise ParameterError(f"there is no option {next(iter(options))}=; there are {known}.")
