"""How large errors will be, before anything is spent or read.

An assumed group stands in for the real ones: its rows are spread evenly over the range of each
column. Counts and sums have the error of their noise. Means and variances of large groups have that
of the delta method, as an answer states it. Of small groups, where noise is no longer small beside
them, and of quantiles the errors are simulated: noise of the law is added to the numbers of the
assumed group many times, and the answers are compared with that of the numbers without noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import show
from noisewright.given import brief
from noisewright.public import public_methods
from noisewright.queries.answers.answered import Answered
from noisewright.queries.asked import AggregateReading
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.queries.readings import NoisyNumbers
from noisewright.sampling import SeededSource, simulation

if TYPE_CHECKING:
    from noisewright.queries.question import Priced, Question

ColumnError = tuple[str, float, float]
"""The name of a column, its standard error, and the half width of its intervals."""

_STEPS = 50
_LARGE = 40
"""Beside groups of so many times the deviation of noise, noise is small."""

_RUNS, _FEWEST = 1_000, 60
_MOST_DRAWS = 2_000_000
_MOVED = np.arange(0.1, 1, 0.2)
_LARGEST = Fraction(1 << 20)
_SLOW = 1e-8
"""Geometric noise of a slower decay is too wide for integers of 64 bits."""


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class Prediction:
    """Expected errors of each column of an answer: standard errors, and half widths of intervals.

    They are for groups of `people_per_group` people each, whose values are spread evenly over what
    is declared.
    """

    names: tuple[str, ...]
    standard_errors: tuple[float, ...]
    half_widths: tuple[float, ...]
    confidence: float
    people_per_group: float
    noise: tuple[str, ...]

    @property
    def table(self) -> Any:
        """The errors as an Arrow table, one row for each column of the answer."""
        import pyarrow as pa

        return pa.table(
            {
                "column": list(self.names),
                "standard_error": list(self.standard_errors),
                "half_width": list(self.half_widths),
            }
        )

    def __getitem__(self, name: str) -> float:
        return self.standard_errors[self.names.index(name)]

    def __repr__(self) -> str:
        width = max(map(len, self.names))
        percent = f"{100 * self.confidence:g}%"
        lines = [
            f"{name:{width}}  ± {half:.4g} ({percent}), standard error {error:.4g}"
            for name, error, half in zip(
                self.names, self.standard_errors, self.half_widths, strict=True
            )
        ]
        return "\n".join(
            [*lines, f"for groups of {self.people_per_group:,.4g} people each; nothing was spent"]
        )


def predict(question: Question, priced: Priced, people: float, confidence: float) -> Prediction:
    """Return the errors of groups among which so many people are divided evenly."""
    found = [
        error
        for reading in question.asked.readings
        for error in expect_errors(
            question,
            reading,
            priced.measurements[reading.place],
            priced.noises[reading.place],
            people,
            confidence,
        )
    ]
    words = tuple(noise.describe() for noise in priced.noises)
    return as_prediction(question, found, people, confidence, words)


def expect_errors(
    question: Question,
    reading: AggregateReading,
    measurement: QueryMeasurement,
    noise: CellNoise,
    people: float,
    confidence: float,
) -> list[ColumnError]:
    """Return the errors of the columns that are read of a measurement."""
    groups = math.prod(key.size for key in question.keys.values())
    each = people / groups
    numbers = _assumed_numbers(measurement, each, groups)
    exact = NoisyNumbers(measurement, noise, numbers).read(reading, confidence)
    drawn = exact
    if _needs_simulation(reading, measurement, noise, each):
        times = max(_FEWEST, min(_RUNS, _MOST_DRAWS // numbers.shape[1])) // len(numbers)
        z = _imitation(noise, times * numbers.size)
        noisy = np.tile(numbers, (times, 1)) + z.reshape(-1, numbers.shape[1])
        drawn = NoisyNumbers(measurement, noise, noisy).read(reading, confidence)
    return [
        (column.name, _error(column.answered, truth.answered), half_width(column.answered))
        for truth, column in zip(exact, drawn, strict=True)
    ]


def _imitation(noise: CellNoise, size: int) -> NDArray[Any]:
    if noise.unit == "epsilon" and noise.decay < _SLOW:
        return noise.draw(size, SeededSource("prediction"))
    return noise.imitate(size, simulation("prediction"))


def half_width(answered: Answered) -> float:
    """Return the half width of intervals, on average."""
    return float((answered.highs - answered.lows).mean()) / 2


def as_prediction(
    question: Question,
    errors: Sequence[ColumnError],
    people: float,
    confidence: float,
    words: tuple[str, ...],
) -> Prediction:
    """Return the errors of all columns of an answer."""
    names, standard_errors, halves = zip(*errors, strict=True)
    each = people / math.prod(key.size for key in question.keys.values())
    return Prediction(names, standard_errors, halves, confidence, each, words)


def _needs_simulation(
    reading: AggregateReading, measurement: QueryMeasurement, noise: CellNoise, people: float
) -> bool:
    if measurement.adds != "moments":
        return measurement.adds == "levels"
    one_row = measurement.width**measurement.degree
    is_ratio = reading.aggregate.function not in ("count", "sum")
    return is_ratio and people * one_row < _LARGE * noise.deviation


def _error(drawn: Answered, exact: Answered) -> float:
    """Return the standard error that is stated, or how far many answers were off."""
    if drawn.values.size == exact.values.size:
        return float(drawn.standard_errors.reshape(-1)[0])
    off = drawn.values - np.tile(exact.unbiased, drawn.values.size // exact.values.size)
    # A group that mostly seems empty is as wide as its interval.
    known = off[~np.isnan(off)]
    return float(np.sqrt((known**2).mean() if known.size else (drawn.highs - drawn.lows)[0] ** 2))


def _assumed_numbers(measurement: QueryMeasurement, people: float, groups: int) -> NDArray[Any]:
    """Return the numbers of one group of so many people, without noise."""
    if measurement.adds == "moments":
        one_row = measurement.width**measurement.degree
        # Of evenly spread values, all Bernstein polynomials have the same mean.
        each = people * one_row / (measurement.degree + 1)
        numbers = [each] * (measurement.degree + 1) + [0.0] * measurement.gaps
        return np.array([numbers])
    if measurement.tree is not None:
        # A bit less in the first bin and more in the last: quantiles lie anywhere within a bin.
        counts = np.full((len(_MOVED), measurement.tree.bins), people / measurement.tree.bins)
        counts[:, 0] *= 1 - _MOVED
        counts[:, -1] += _MOVED * people / measurement.tree.bins
        return measurement.tree.tally(counts)
    if measurement.adds == "distinct":
        assert measurement.of is not None
        values = measurement.of.high - measurement.of.low + 1
        return np.array([[min(people, values) / 2]])
    parts = measurement.cells // groups  # bins of a histogram, or labels
    return np.full((parts, 1), people / parts)


def least_epsilon(wanted: dict[str, Any], errors_at: Callable[[Fraction], Prediction]) -> Fraction:
    """Return the least ε, to 1 in 1,000, at which no predicted error is above what is wanted."""
    for name, error in wanted.items():
        is_number = isinstance(error, int | float | Fraction) and not isinstance(error, bool)
        if not is_number or not error > 0:
            raise ParameterError(f"{name} is {brief(error)}; it must be a standard error above 0.")

    def is_enough(epsilon: Fraction) -> bool:
        found = errors_at(epsilon)
        missing = [name for name in wanted if name not in found.names]
        if missing:
            raise ParameterError(
                f"{missing[0]!r} is not a column of the answer, which has {', '.join(found.names)}."
            )
        return all(found[name] <= error for name, error in wanted.items())

    high = Fraction(1)
    while not is_enough(high):
        high *= 2
        if high > _LARGEST:
            raise ParameterError(
                f"not even epsilon {show(_LARGEST)} is enough for such a small error. Ask about "
                "more people, or for fewer answers at once."
            )
    low = Fraction(0)
    if high == 1:
        low = Fraction(1, 2)
        while is_enough(low):
            high, low = low, low / 2
            if low < Fraction(1, 1 << 40):
                break
    else:
        low = high / 2
    for _ in range(_STEPS):
        if high - low <= high / 1000:
            break
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    # Four digits, rounded up, as one would type it.
    power = Fraction(10) ** (math.floor(math.log10(high)) - 3)
    return Fraction(math.ceil(high / power)) * power
