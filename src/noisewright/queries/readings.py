"""From the noisy numbers of a measurement to the columns of an answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.counts import answer_counts, answer_distinct
from noisewright.queries.asked import Reading
from noisewright.queries.measurements import Measurement
from noisewright.queries.noise import CellNoise


@final
@dataclass(frozen=True, eq=False)
class Column:
    """One column of an answer."""

    name: str
    answered: Answered

    def shown(self, values: NDArray[np.float64]) -> Any:
        """Return values as they are shown: whole numbers as such, dates as dates."""
        return values


def read_columns_of(
    reading: Reading,
    measurement: Measurement,
    noisy: NDArray[Any],
    noise: CellNoise,
    confidence: float,
) -> list[Column]:
    """Return the columns that answer one aggregate."""
    name = reading.name
    match reading.aggregate.function:
        case "count" | "count_people":
            return [Column(name, answer_counts(noisy[:, 0], noise, confidence=confidence))]
        case _:
            raise AssertionError
