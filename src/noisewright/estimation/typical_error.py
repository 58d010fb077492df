"""Typical errors: the same release simulated many times, from what was estimated.

The formulas of this room say what error to expect. Here the release is played again instead: as if
the estimated shares were the true ones, rows are randomized, estimated, and compared. Only released
data go in, so this costs no privacy. Counts of rows are drawn, not rows: ten million take as long
as a thousand.

    n_x    people with input x: the estimated share of n, to whole people
    c_y    released rows y: Σ_x of multinomial counts of n_x over P(· | x), about these people;
           multinomial counts of n over Pᵀ p about the population that they were sampled from
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.curves import CurveNoise
from noisewright.errors import NoisewrightError
from noisewright.estimation.channels.channel import (
    Channel,
    DenseChannel,
    ResponseChannel,
    channel_of,
)
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.intervals.spread import plausible, project_to_simplex
from noisewright.estimation.numbers.noisy_quantiles import quantile_values
from noisewright.estimation.numbers.number_estimates import are_numbers, bins, numbers_of
from noisewright.estimation.result import Estimate
from noisewright.estimation.sets.item_shares import coins_of
from noisewright.mechanisms import Additive, Mechanism, SetMechanism
from noisewright.sampling import SeededSource, simulation
from noisewright.spaces import MOST_POINTS, Lattice, Space

Array = NDArray[np.float64]

_MOST_DRAWS = 800_000
"""Binomial counts drawn for one column: an eighth of a second."""

_MOST_ROWS = 400_000
"""Numbers drawn one by one where there are no counts to draw: unbounded noise, and curves."""

_FEWEST = 24

_MOST_FOR_MEDIANS = 512
"""Outputs of a mechanism for which a median is found in a millisecond or two."""


@final
@dataclass(frozen=True)
class TypicalError:
    """The root mean square of the errors that `releases` simulated releases made.

    `errors` has the shape of the estimate's values. Each is itself known to about a fraction
    `precision` of it: one standard deviation.
    """

    errors: Array
    releases: int

    @property
    def precision(self) -> float:
        """The relative standard deviation of each of the errors."""
        return 1 / math.sqrt(2 * self.releases)


def typical_error(
    mechanism: Mechanism | CurveNoise,
    estimate: Estimate,
    *,
    releases: int = 400,
    histogram: Estimate | None = None,
    seed: int | str = "typical error",
) -> TypicalError | None:
    """Simulate releases as if this estimate were the truth; return how far their estimates miss it.

    Large spaces get fewer releases than asked for, so that it stays quick. The mean of numbers does
    not say which numbers there were: `histogram`, an estimate of the same column over bins, does.
    None when what was estimated does not say enough to be simulated.
    Requires: an estimate without bias, of shares, of items, or of a mean, by this mechanism.
    """
    if isinstance(mechanism, CurveNoise):
        return _curves(mechanism, estimate, releases, seed)
    if estimate.what == "share" and isinstance(mechanism, SetMechanism):
        return _items(mechanism, estimate, releases, seed)
    if estimate.what == "share" and estimate.values.size == mechanism.space.size:
        channel = _channel(mechanism)
        if channel is None:
            return None
        # The shares at which the formulas take their errors, so that the two can be compared.
        shares = plausible(estimate.values.reshape(-1), estimate.people, [channel])
        return _averages(channel, shares, None, estimate, releases, seed)
    if estimate.what == "mean" and not estimate.axes:
        return _mean(mechanism, estimate, histogram, releases, seed)
    return None


def _channel(mechanism: Mechanism) -> Channel | None:
    """Return the channel of a mechanism, if it has one that tells all inputs apart."""
    try:
        channel = channel_of(mechanism)
        return None if isinstance(channel, DenseChannel) and channel.open_inputs.any() else channel
    except NoisewrightError:
        return None


def _averages(
    channel: Channel,
    shares: Array,
    answers: Array | None,
    estimate: Estimate,
    releases: int,
    seed: int | str,
) -> TypicalError | None:
    """Play multinomial counts through the channel; `answers` is a(x), None for shares."""
    people = estimate.people
    # Counts are drawn once, or for each row of the matrix that is used.
    once = estimate.about == "population" or isinstance(channel, ResponseChannel)
    draws = channel.outputs * (1 if once else max(1, int((shares > 0).sum())))
    times = max(_FEWEST, min(releases, _MOST_DRAWS // draws))
    if times * draws > 4 * _MOST_DRAWS:
        return None
    generator = simulation(seed)
    if estimate.about == "population":
        truth, outputs = shares, np.maximum(channel.push(shares, 0), 0.0)
        counts = generator.multinomial(people, outputs / outputs.sum(), size=times)
    else:
        inputs = _whole(shares, people)
        truth = inputs / people
        counts = _release_counts(channel, inputs, times, generator)
    if answers is None:
        misses = channel.solve(counts / people, 1) - truth
    else:
        misses = counts / people @ channel.undo(answers[:, None])[:, 0] - truth @ answers
    return _root_mean_square(misses, estimate.values.shape)


def typical_median_error(
    mechanism: Mechanism, *, people: int, releases: int = 60, seed: int | str = "typical error"
) -> float | None:
    """Return how far the median of so many numbers is off, by simulated releases.

    The numbers are spread evenly, and their quartiles are found as well: noise alone puts a median
    into the middle, where that of evenly spread numbers is, and few others are.
    None where the mechanism does not tell all numbers apart, or there are too many of them.
    """
    channel = _channel(mechanism)
    if channel is None or not are_numbers(mechanism.space) or channel.outputs > _MOST_FOR_MEDIANS:
        return None
    points, sample = numbers_of(mechanism.space), Sample(people, "people", 0.95)
    inputs = _whole(np.full(points.size, 1 / points.size), people)
    levels = np.array([0.25, 0.5, 0.75])
    truth = points[np.searchsorted(np.cumsum(inputs), levels * people)]
    counts = _release_counts(channel, inputs, releases, simulation(seed))
    found = quantile_values(counts / people, channel, points, levels, sample)
    return float(np.sqrt(np.mean((found - truth) ** 2)))


def _whole(shares: Array, people: int) -> NDArray[np.int64]:
    """Return shares as whole people: rounded down, and the rest to the largest remainders."""
    exact = shares * people
    whole = np.floor(exact).astype(np.int64)
    rest = people - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:rest]] += 1
    return whole


def _release_counts(
    channel: Channel, inputs: NDArray[np.int64], times: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Return counts of released outputs, a row for each simulated release."""
    if isinstance(channel, ResponseChannel) and channel.gap > 0:
        # Keep the truth, or draw any point: two steps instead of a matrix.
        kept = generator.binomial(inputs, channel.gap, size=(times, inputs.size))
        others = inputs.sum() - kept.sum(axis=1)
        even = np.full(inputs.size, 1 / inputs.size)
        return kept + generator.multinomial(others, even)
    present = np.flatnonzero(inputs)
    if isinstance(channel, DenseChannel):
        matrix = channel.matrix[present]
    else:
        matrix = np.maximum(channel.push(np.eye(channel.inputs)[present], 1), 0.0)
    rows = matrix / matrix.sum(axis=1, keepdims=True)
    counts = np.zeros((times, channel.outputs), dtype=np.int64)
    for place, row in zip(present.tolist(), rows, strict=True):
        counts += generator.multinomial(int(inputs[place]), row, size=times)
    return counts


def _items(
    mechanism: SetMechanism, estimate: Estimate, releases: int, seed: int | str
) -> TypicalError | None:
    """Play the two coins of each item; items are treated alike, so that each goes by itself."""
    if len(estimate.axes) != 1 or estimate.values.size != len(mechanism.space.items):
        return None
    coins, people = coins_of(mechanism), estimate.people
    times = max(_FEWEST, min(releases, _MOST_DRAWS // (2 * estimate.values.size)))
    generator = simulation(seed)
    shares = np.clip(estimate.values, 0.0, 1.0)
    size = (times, shares.size)
    if estimate.about == "population":
        inside, truth = generator.binomial(people, shares, size=size), shares
    else:
        inside = np.broadcast_to(np.rint(shares * people).astype(np.int64), size)
        truth = inside[0] / people
    released = generator.binomial(inside, coins.present) + generator.binomial(
        people - inside, coins.absent
    )
    found = (released / people - coins.absent) / coins.gap
    return _root_mean_square(found - truth, estimate.values.shape)


def _mean(
    mechanism: Mechanism,
    estimate: Estimate,
    histogram: Estimate | None,
    releases: int,
    seed: int | str,
) -> TypicalError | None:
    """Release numbers spread over the bins of a histogram; on a fine grid average the noise."""
    if isinstance(mechanism, Additive) and mechanism.space.size > MOST_POINTS:
        if estimate.about != "people" or not isinstance(mechanism.outputs, Lattice):
            return None
        # It does not depend on the numbers it is added to.
        rows, times = _rows_and_times(estimate.people, 1, releases)
        noise = mechanism.noise(times * rows, SeededSource(seed)).astype(np.float64)
        means = noise.reshape(times, rows).mean(axis=1) * float(mechanism.space.step)
        return _root_mean_square(means * math.sqrt(rows / estimate.people), ())
    channel = _channel(mechanism)
    if channel is None or histogram is None or not are_numbers(mechanism.space):
        return None
    points = numbers_of(mechanism.space)
    shares = _spread_over(histogram, mechanism.space)
    if shares is None:
        return None
    return _averages(channel, shares, points, estimate, releases, seed)


def _spread_over(histogram: Estimate, space: Space) -> Array | None:
    """Return shares of points: those of a histogram over the usual bins, evenly within each bin."""
    shares = project_to_simplex(histogram.values)
    if histogram.values.shape == (space.size,):
        return shares
    inside, axis = bins(space, None)
    if list(axis.labels) != list(histogram.axes[0].labels):
        return None
    spread = inside @ (shares / np.maximum(inside.sum(axis=0), 1))
    return spread / spread.sum()


def _curves(
    mechanism: CurveNoise, estimate: Estimate, releases: int, seed: int | str
) -> TypicalError | None:
    """Release flat curves: what comes back besides them is noise."""
    if estimate.what != "mean" or estimate.about != "people" or len(estimate.axes) != 1:
        return None
    width = max(len(mechanism.space.grid), mechanism.coordinates.count)
    rows, times = _rows_and_times(estimate.people, width, releases)
    middle = mechanism.space.steps // 2
    flat = mechanism.space.values(np.full((times * rows, len(mechanism.space.grid)), middle))
    drawn = mechanism.sample(flat, source=SeededSource(seed)).at(list(estimate.axes[0].labels))
    expected = float(mechanism.space.low + middle * mechanism.space.step)
    means = drawn.reshape(times, rows, -1).mean(axis=1) - expected
    return _root_mean_square(means * math.sqrt(rows / estimate.people), estimate.values.shape)


def _rows_and_times(people: int, width: int, releases: int) -> tuple[int, int]:
    """Return rows and releases that can be drawn one by one.

    Independent noise averages out with the root of the rows, so fewer rows stand for more.
    """
    times = max(_FEWEST, min(releases, _MOST_ROWS // width))
    return max(1, min(people, _MOST_ROWS // (times * width))), times


def _root_mean_square(misses: Any, shape: tuple[int, ...]) -> TypicalError:
    return TypicalError(np.sqrt((misses**2).mean(axis=0)).reshape(shape), len(misses))
