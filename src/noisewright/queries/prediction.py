"""How large errors will be, before anything is spent or read.

An assumed group stands in for the real ones: its rows are spread evenly over the range of each
column. Its numbers are read as if they had come out of the noise, and that gives the errors.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import show
from noisewright.given import brief
from noisewright.public import public_methods
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.readings import read_columns_of

if TYPE_CHECKING:
    from noisewright.queries.question import Priced, Question

_STEPS = 50
_LARGEST = Fraction(1 << 20)


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
    groups = math.prod(key.size for key in question.keys.values())
    each = people / groups
    names: list[str] = []
    errors: list[float] = []
    halves: list[float] = []
    for reading in question.asked.readings:
        measurement = priced.measurements[reading.place]
        noise = priced.noises[reading.place]
        numbers = _assumed_numbers(measurement, each, groups)
        for column in read_columns_of(reading, measurement, numbers, noise, confidence):
            answered = column.answered
            names.append(column.name)
            errors.append(float(answered.standard_errors.reshape(-1)[0]))
            widths = answered.highs - answered.lows
            halves.append(float(widths.reshape(-1)[0]) / 2)
    words = tuple(noise.describe() for noise in priced.noises)
    return Prediction(tuple(names), tuple(errors), tuple(halves), confidence, each, words)


def _assumed_numbers(measurement: QueryMeasurement, people: float, groups: int) -> NDArray[Any]:
    """Return the numbers of one group of so many people, without noise."""
    if measurement.adds == "moments":
        one_row = measurement.width**measurement.degree
        # Of evenly spread values, all Bernstein polynomials have the same mean.
        each = people * one_row / (measurement.degree + 1)
        numbers = [each] * (measurement.degree + 1) + [0.0] * measurement.gaps
        return np.array([numbers])
    if measurement.tree is not None:
        bins = measurement.tree.bins
        return measurement.tree.tally(np.full((1, bins), people / bins))
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
                f"{missing[0]!r} is no column of the answer; these are {', '.join(found.names)}."
            )
        return all(found[name] <= error for name, error in wanted.items())

    high = Fraction(1)
    while not is_enough(high):
        high *= 2
        if high > _LARGEST:
            raise ParameterError(
                f"not even epsilon {show(_LARGEST)} is enough for so small an error. Ask about "
                "more people, or fewer things at once."
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
