"""From the noisy numbers of a measurement to the columns of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, cast, final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.counts import answer_counts, answer_distinct
from noisewright.queries.answers.moments import Aggregate as Moment, answer_moments, answer_total
from noisewright.queries.answers.quantiles import answer_quantiles
from noisewright.queries.answers.top import answer_top
from noisewright.queries.asked import AggregateReading
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.relations import Kind, Numbers, Truth


@final
@dataclass(frozen=True, eq=False)
class AnswerColumn:
    """One column of an answer; `kind` says how its numbers are shown."""

    name: str
    answered: Answered
    kind: Kind | None = None
    labels: list[Any] | None = None
    """Of labels that are listed by their counts: the label of each group."""

    def pair_with_name(self, values: Any, end: str = "") -> list[tuple[str, Any]]:
        """Return values by the name of their column in a table; labels go before their counts."""
        if self.labels is None:
            return [(self.name + end, values)]
        return [
            *([(self.name, self.labels)] if not end else []),
            (f"{self.name}_count{end}", values),
        ]

    def show(self, values: NDArray[np.float64]) -> Any:
        """Return values as they are shown: whole numbers as such, dates as dates, no NaN."""
        if self.kind is None:
            return [int(value) for value in values.tolist()]
        dates = self.kind.dates if isinstance(self.kind, Numbers) else None
        if dates is None:
            return values
        known = np.where(np.isnan(values), 0, np.floor(values))
        days = dates.dates_at(known).astype(object).tolist()
        return [None if gap else day for gap, day in zip(np.isnan(values), days, strict=True)]


class Measured(Protocol):
    """What was measured, from which aggregates can be read."""

    def read(self, reading: AggregateReading, confidence: float) -> list[AnswerColumn]:
        """Return the columns that answer one aggregate."""
        ...


@final
@dataclass(frozen=True, eq=False)
class NoisyNumbers:
    """The numbers of one measurement with noise of its own."""

    measurement: QueryMeasurement
    noise: CellNoise
    numbers: NDArray[Any]

    def read(self, reading: AggregateReading, confidence: float) -> list[AnswerColumn]:
        """Return the columns that answer one aggregate."""
        return _read_columns(reading, self.measurement, self.numbers, self.noise, confidence)


def _read_columns(
    reading: AggregateReading,
    measurement: QueryMeasurement,
    noisy: NDArray[Any],
    noise: CellNoise,
    confidence: float,
) -> list[AnswerColumn]:
    name, labels, of = reading.name, reading.labels, reading.of
    function = reading.aggregate.function
    if measurement.adds == "moments":
        if function == "count" and of is None:
            # All numbers of a group together: rows with a value, and those without.
            one_row = measurement.width**measurement.degree
            return [AnswerColumn(name, answer_total(noisy, noise, one_row, confidence))]
        assert of is not None
        found = answer_moments(
            noisy[:, : measurement.degree + 1],
            noise,
            low=of.node.low,
            high=of.node.high,
            unit=of.kind.unit if isinstance(of.kind, Numbers) else 1,
            what=cast(Moment, function),
            confidence=confidence,
        )
        is_whole = function == "count" or (function == "sum" and isinstance(of.kind, Truth))
        return [AnswerColumn(name, found, None if is_whole else of.kind)]
    if function == "quantiles":
        return _quantiles(reading, measurement, noisy, noise, confidence)
    if function == "top":
        return _top(reading, noisy, noise, confidence)
    if function == "histogram":
        counts = noisy.reshape(-1, len(labels))
        return histogram_columns(reading, answer_counts(counts, noise, confidence=confidence))
    if function == "count_distinct":
        assert of is not None
        most = answer_distinct(noisy[:, 0], noise, declared=of.size, confidence=confidence)
        return [AnswerColumn(name, most)]
    return [AnswerColumn(name, answer_counts(noisy[:, 0], noise, confidence=confidence))]


def _quantiles(
    reading: AggregateReading,
    measurement: QueryMeasurement,
    noisy: NDArray[Any],
    noise: CellNoise,
    confidence: float,
) -> list[AnswerColumn]:
    shares, of = reading.aggregate.parameters, reading.of
    assert of is not None
    assert reading.binning is not None
    assert measurement.tree is not None
    found = answer_quantiles(
        noisy,
        noise,
        tree=measurement.tree,
        binning=reading.binning,
        unit=of.kind.unit if isinstance(of.kind, Numbers) else 1,
        at=shares,
        confidence=confidence,
    )
    single = len(shares) == 1
    return [
        AnswerColumn(
            reading.name if single else f"{reading.name}_{share:g}",
            found.pick(lambda array, place=place: array[:, place]),
            of.kind,
        )
        for place, share in enumerate(shares)
    ]


def _top(
    reading: AggregateReading, noisy: NDArray[Any], noise: CellNoise, confidence: float
) -> list[AnswerColumn]:
    (k,) = reading.aggregate.parameters
    found = answer_top(noisy.reshape(-1, len(reading.labels)), noise, k=k, confidence=confidence)
    return top_columns(reading, found.places, found.counts)


def top_columns(
    reading: AggregateReading, places: NDArray[Any], counts: Answered, kind: Kind | None = None
) -> list[AnswerColumn]:
    """Return the columns of the most frequent labels, whose places and counts are listed."""
    columns: list[AnswerColumn] = []
    for rank in range(places.shape[1]):
        labels = [reading.labels[one] for one in places[:, rank].tolist()]
        one = counts.pick(lambda array, rank=rank: array[:, rank])
        columns.append(AnswerColumn(f"{reading.name}_{rank + 1}", one, kind, labels))
    return columns


def histogram_columns(
    reading: AggregateReading, counts: Answered, kind: Kind | None = None
) -> list[AnswerColumn]:
    """Return a column for each bin of a histogram, from the counts of groups and bins."""
    return [
        AnswerColumn(
            f"{reading.name} {label}",
            counts.pick(lambda array, place=place: array[:, place]),
            kind,
        )
        for place, label in enumerate(reading.labels)
    ]
