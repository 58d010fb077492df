"""What an answer is: values with standard errors and intervals, one for each group."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@final
@dataclass(frozen=True, eq=False)
class Answered:
    """Answers about groups, as arrays of one shape.

    `values` and the intervals `lows` … `highs` lie within what is `possible`; a value is NaN where
    there is none, such as the mean of a group that looks empty. Each interval covers the truth with
    probability `confidence` over the noise: the truth is about the rows themselves. `unbiased` are
    the values before anything was rounded or moved into what is possible: whole numbers of people
    and sums are unbiased, ratios of these nearly so. `notes` are sentences that belong to all.
    """

    what: str
    values: Array
    standard_errors: Array
    lows: Array
    highs: Array
    unbiased: Array
    possible: tuple[float, float]
    confidence: float
    notes: tuple[str, ...] = ()

    def pick(self, choose: Callable[[Array], Array]) -> Answered:
        """Return some of the answers: `choose` is applied to each array."""
        arrays = ("values", "standard_errors", "lows", "highs", "unbiased")
        return replace(self, **{name: choose(getattr(self, name)) for name in arrays})


def as_floats(numbers: Any) -> Array:
    """Return whole numbers, which may be Python's own, as floating point."""
    return np.asarray(numbers).astype(np.float64)
