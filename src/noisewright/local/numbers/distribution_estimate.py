"""What reports tell about a distribution of numbers, and what to expect of them beforehand."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.estimation import Estimate


@dataclass(frozen=True, eq=False)
class DistributionEstimate:
    """Shares of bins, quantiles and the mean, each with intervals that hold for any distribution.

    The mean is unbiased. Shares and quantiles are those of the most likely `density`, one share for
    each of the `numbers` (points, or middles of bins), smoothed where the grid is fine. Smoothing
    has a bias, and the density has no intervals; those of shares and quantiles do not use it. They
    cover with the stated confidence or more, each for itself, and their standard errors are what
    such intervals of a normal law would have. None of them allows for people who do not report, or
    not honestly.
    """

    shares: Estimate
    quantiles: Estimate
    mean: Estimate
    numbers: NDArray[np.float64]
    density: NDArray[np.float64]

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, (self.mean, self.quantiles, self.shares)))


@dataclass(frozen=True)
class DistributionPlan:
    """What to expect of a distribution, before anybody is asked.

    `standard_error` is the largest of the mean; `share_reach` is half of the length of the interval
    of the share below the middle, if all numbers are equally frequent.
    """

    people: int
    standard_error: float
    share_reach: float
    bytes_per_report: int
    variance: float

    def people_for(self, standard_error: float) -> int:
        """Return how many people a standard error of the mean needs, whatever their numbers are."""
        if not standard_error > 0:
            raise ParameterError(f"standard_error is {standard_error}; it must be above 0.")
        return math.ceil(self.variance / standard_error**2)

    def __str__(self) -> str:
        return (
            f"{self.people:,} people: standard error of the mean at most "
            f"{self.standard_error:.3g}, a share of one half ± {100 * self.share_reach:.3g} "
            f"points, {self.bytes_per_report:,} bytes per report"
        )
