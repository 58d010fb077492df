"""How the numbers of people who do not trust you are distributed: the square wave on a grid.

A report lies within b of the number, for numbers from 0 to 1, with more probability than elsewhere,
b = (ε e − e + 1) / (2 e (e − 1 − ε)) with e = e^ε, for which reports tell most about numbers (Li,
Wang, Lopuhaä-Zwakenberg, Li and Škorić 2020). On a grid these are windows. A fine grid is read in
bins of as many neighbors each, at most 512 of them: noise leaves nothing to see of a finer one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Axis, Estimate, Sample, read_about, read_confidence
from noisewright.exact import Epsilon, Number
from noisewright.given import brief
from noisewright.local.collection import Collection, read_name
from noisewright.local.families.windows import Windows
from noisewright.local.frequencies import describe_reading, encode_values, read_described_space
from noisewright.local.numbers.distribution_estimate import DistributionEstimate, DistributionPlan
from noisewright.local.numbers.enclosing import RampEnclosure, quantile_ends
from noisewright.local.numbers.grid import NumberGrid
from noisewright.local.numbers.mean import MeanReading, refuse_options
from noisewright.local.numbers.moments import Contribution, MeanLaw
from noisewright.local.numbers.poisoned_mean import PoisonedMean, bound_poisoned_mean
from noisewright.local.numbers.smoothing import SMOOTHED_FROM, most_likely_shares
from noisewright.local.numbers.window_channel import Array, WindowChannel
from noisewright.local.randomizer import BlockResponse, block_response
from noisewright.local.shares import require_people
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import positive_epsilon
from noisewright.public import public
from noisewright.spaces import Counts, Interval

MOST_BINS = 512
LEVELS = (0.05, 0.25, 0.5, 0.75, 0.95)


@public
def distribution(
    space: Interval | Counts, *, epsilon: Number | Epsilon, name: str = ""
) -> DistributionCollection:
    """Return a collection of one number from each person, for how these are distributed.

    Requires: numbers on a declared grid of at least 2 points; epsilon > 0.
    Ensures: each report is ε-private for replacing the person's number by any other, proven. The
    intervals of shares, of quantiles and of the mean hold for any distribution; the shares
    themselves are the most likely ones, smoothed, and not unbiased.
    Source: Li, Wang, Lopuhaä-Zwakenberg, Li and Škorić 2020 (square wave, EMS).
    """
    grid = NumberGrid.of(space)
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    group = -(-(grid.last + 1) // MOST_BINS)
    bins = -(-(grid.last + 1) // group)
    width = max(round(2 * half_width(read.floor()) * (bins - 1)), 1)
    windows = Windows(bins, width, 1)
    return DistributionCollection(
        space, grid, group, windows, block_response(windows, read), read_name(name)
    )


def half_width(epsilon: float) -> float:
    """Return b: how far from a number its window reaches, for numbers from 0 to 1."""
    if epsilon < 1e-3:
        return 0.5 - epsilon / 3
    epsilon = min(epsilon, 700.0)
    return (epsilon - 1 + math.exp(-epsilon)) / (2 * (math.expm1(epsilon) - epsilon))


@final
class DistributionCollection(Collection):
    """One number from each person; the server estimates shares, quantiles and the mean."""

    randomizer: BlockResponse

    def __init__(
        self,
        space: Interval | Counts,
        grid: NumberGrid,
        group: int,
        windows: Windows,
        response: BlockResponse,
        name: str,
    ) -> None:
        self.space = space
        self.grid = grid
        self.group = group
        self.windows = windows
        self.randomizer = response
        self.name = name

    def settings(self) -> dict[str, Any]:
        """Return the kind, the numbers, and how many neighbors are read as one."""
        return {"kind": "distribution", "values": self.space.describe(), "group": self.group}

    def reading(self) -> dict[str, Any]:
        """Return how clients find the bin of a number."""
        return {**describe_reading(self.space), "group": self.group}

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return the bins of numbers."""
        return encode_values(self.space, values) // self.group

    @property
    def bins(self) -> int:
        """How many bins, or points, are told apart."""
        return self.windows.values

    @cached_property
    def middles(self) -> NumberGrid:
        """The middles of the bins, as a grid."""
        low = self.grid.low + self.grid.step * Fraction(self.group - 1, 2)
        return NumberGrid(low, self.grid.step * self.group, self.bins - 1, self.grid.dates)

    @cached_property
    def law(self) -> MeanLaw:
        """What reports say about the mean, in bins."""
        return MeanLaw((Contribution.of(self.randomizer),), (Fraction(1),), self.bins - 1)

    @cached_property
    def _channel(self) -> WindowChannel:
        return WindowChannel(self.randomizer, self.windows)

    @cached_property
    def _enclosure(self) -> RampEnclosure:
        return RampEnclosure(self._channel)

    def _first_number(self, codes: Any) -> Array:
        """Return the lowest number of bins."""
        return np.asarray(self.grid.number(np.asarray(codes) * self.group), dtype=np.float64)

    def _last_number(self, codes: Any) -> Array:
        """Return the highest number of bins."""
        places = np.minimum((np.asarray(codes) + 1) * self.group - 1, self.grid.last)
        return np.asarray(self.grid.number(places), dtype=np.float64)

    def estimate_from(
        self,
        tally: NDArray[np.int64],
        people: int,
        *,
        about: str = "people",
        confidence: float = 0.95,
        levels: Sequence[float] = LEVELS,
        bins: int | Sequence[float] = 10,
        smooth: bool | None = None,
        **options: Any,
    ) -> DistributionEstimate:
        """Return shares of bins, quantiles and the mean.

        `bins` is how many bins to show shares of, or their edges; `levels` are those of the
        quantiles. `smooth` says whether neighbors are alike; without it they are taken to be from
        64 numbers on. No interval relies on that.
        """
        refuse_options(options, "about=, confidence=, levels=, bins=, smooth=")
        sample = Sample(people, read_about(about), read_confidence(confidence))
        if sample.about == "population" and people < 2:
            raise InputError("one report does not tell how much people differ; add more.")
        if smooth is None:
            smooth = self.bins >= SMOOTHED_FROM
        ratio = float(self.randomizer.ratio)
        density = most_likely_shares(self._channel, tally, smooth=smooth, ratio=ratio)
        observed = tally / people
        return DistributionEstimate(
            shares=self._shares(density, observed, sample, bins),
            quantiles=self._quantiles(density, observed, sample, levels),
            mean=self._mean(tally, sample),
            numbers=(self._first_number(range(self.bins)) + self._last_number(range(self.bins)))
            / 2,
            density=density,
        )

    def _read(self, tally: NDArray[np.int64], people: int) -> MeanReading:
        places = np.arange(tally.size, dtype=np.int64)
        (part,) = self.law.parts
        sums = part.sums(people, int(tally @ places), int(tally @ places**2))
        first, second = (float(one / people) for one in sums)
        return MeanReading(self.law, people, first, second)

    def _mean(self, tally: NDArray[np.int64], sample: Sample) -> Estimate:
        found = self._read(tally, sample.people).answer(self.middles, sample)
        spare = float(self.grid.step) * (self.group - 1) / 2
        if not spare:
            return found
        low, high = self.grid.ends
        return replace(
            found,
            lows=np.minimum(np.clip(found.lows - spare, low, high), found.values),
            highs=np.maximum(np.clip(found.highs + spare, low, high), found.values),
            possible=self.grid.ends,
            notes=(f"Numbers were read in bins of {self.group:,}; intervals allow for that.",),
        )

    def _shares(
        self, density: Array, observed: Array, sample: Sample, bins: int | Sequence[float]
    ) -> Estimate:
        edges, axis = self._edges(bins)
        lows, highs = self._enclosure.shares_of(edges, observed, sample)
        ends = np.concatenate([[0.0], np.cumsum(density)])
        values = np.clip(ends[edges[1:]] - ends[edges[:-1]], 0.0, 1.0)
        return _within("share", axis, values, lows, highs, sample)

    def _edges(self, bins: int | Sequence[float]) -> tuple[NDArray[np.int64], Axis]:
        """Return the codes at which bins start and end, and their labels."""
        if isinstance(bins, int) and not isinstance(bins, bool) and bins >= 1:
            few = self.bins <= 2 * bins and self.group == 1
            count = self.bins if few else min(bins, self.bins)
            edges = (np.arange(count + 1) * self.bins) // count
            if few:
                return edges, Axis("value", self.space.points)
        else:
            edges = self._edges_at(bins)
        show: Any = f"{{:.{15}g}}".format if self.grid.dates is None else self.grid.dates.show
        spans = [
            (show(float(self._first_number(a))), show(float(self._last_number(b - 1))))
            for a, b in pairwise(edges.tolist())
        ]
        return edges, Axis("bin", [a if a == b else f"{a} to {b}" for a, b in spans])

    def _edges_at(self, bins: Any) -> NDArray[np.int64]:
        try:
            at = np.asarray(bins, dtype=np.float64)
        except (TypeError, ValueError):
            at = np.empty(0)
        if at.ndim != 1 or at.size < 2 or not (np.diff(at) > 0).all():
            raise ParameterError(
                f"bins is {brief(bins)}; it must be how many bins to show, at least 1, or their "
                "edges, at least two rising numbers."
            )
        starts = self._first_number(range(self.bins))
        slack = float(self.grid.step) * 1e-6
        edges = np.searchsorted(starts, at - slack, side="left").astype(np.int64)
        edges[-1] = self.bins  # The last bin holds its upper edge.
        last = self.grid.ends[1]
        if at[-1] < last - slack or at[0] > starts[0] + slack or (np.diff(edges) < 1).any():
            raise ParameterError(
                "bins must hold all numbers of the grid, and each of them some: bins start at "
                f"multiples of {self.group:,} steps above the lowest number."
            )
        return edges

    def _quantiles(
        self, density: Array, observed: Array, sample: Sample, levels: Sequence[float]
    ) -> Estimate:
        at = np.asarray(levels, dtype=np.float64).reshape(-1)
        if not at.size or not ((at > 0) & (at < 1)).all():
            raise ParameterError("levels must be numbers strictly between 0 and 1.")
        below = self._enclosure.shares_below(observed, sample)
        first, last = quantile_ends(*below, at)
        ends = np.cumsum(density)
        codes = np.minimum(np.searchsorted(ends, at * ends[-1], side="left"), self.bins - 1)
        values = (self._first_number(codes) + self._last_number(codes)) / 2
        lows, highs = self._first_number(first), self._last_number(last)
        axis = Axis("level", at.tolist())
        found = _within("quantile", axis, values, lows, highs, sample)
        return replace(found, possible=self.grid.ends, dates=self.grid.dates)

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> PoisonedMean:
        """Return how far fake devices can push the mean, and whether reports look honest."""
        return bound_poisoned_mean(self._read(tally, people), self.middles, fakes=fakes, **options)

    def plan(
        self, *, people: int, about: str = "people", confidence: float = 0.95, **options: Any
    ) -> DistributionPlan:
        """Return the errors of the mean and of a share of one half, for so many people."""
        people = require_people(people)
        whole = read_about(about) == "population"
        steps = self.law.worst_of_population if whole else float(self.law.worst)
        variance = steps * float(self.middles.step) ** 2
        width = self._enclosure.width_for(people, read_confidence(confidence))
        reach = self._enclosure.reach(width, people, confidence)
        length = self.randomizer.length + OVERHEAD
        error = math.sqrt(variance / people)
        return DistributionPlan(people, error, min(reach, 0.5), length, variance)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of the distribution of {self.space!r}, {self.guarantee} "
            "per report>"
        )


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> DistributionCollection:
    """Return the collection with these settings."""
    space: Any = read_described_space(document)
    return distribution(space, epsilon=epsilon, name=document["name"])


def _within(
    what: str, axis: Axis, values: Array, lows: Array, highs: Array, sample: Sample
) -> Estimate:
    """Return most likely values with the intervals that enclose the truth, and the values."""
    lows, highs = np.minimum(lows, values), np.maximum(highs, values)
    errors = (highs - lows) / (2 * math.sqrt(sample.squared_quantile))
    return sample.estimate(what, (axis,), values, errors, lows, highs, method="likelihood")
