"""From the noisy numbers of a measurement to the columns of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.counts import answer_counts, answer_distinct
from noisewright.queries.asked import Reading
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise


@final
@dataclass(frozen=True, eq=False)
class AnswerColumn:
    """One column of an answer."""

    name: str
    answered: Answered

    def show(self, values: NDArray[np.float64]) -> Any:
        """Return values as they are shown: whole numbers as such, dates as dates."""
        return values


def read_columns_of(
    reading: Reading,
    measurement: QueryMeasurement,
    noisy: NDArray[Any],
    noise: CellNoise,
    confidence: float,
) -> list[AnswerColumn]:
    """Return the columns that answer one aggregate."""
    name, labels = reading.name, reading.labels
    match reading.aggregate.function:
        case "histogram":
            counts = noisy.reshape(-1, len(labels))
            return [
                AnswerColumn(
                    f"{name} {label}", answer_counts(counts[:, place], noise, confidence=confidence)
                )
                for place, label in enumerate(labels)
            ]
        case "count_distinct":
            assert reading.of is not None
            found = answer_distinct(
                noisy[:, 0], noise, declared=reading.of.size, confidence=confidence
            )
            return [AnswerColumn(name, found)]
        case _:
            return [AnswerColumn(name, answer_counts(noisy[:, 0], noise, confidence=confidence))]
