"""Intervals of 95% cover 93% to 97% of the time: a reduced version of the promise, seeded.

Releases are simulated by their counts. The whole of it, every cell by itself in 2,000 releases, is
a matter of a minute and was done when the intervals were chosen; here fewer are asked to be near
95% on average, and no cell far from it.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.estimation.channels.channel import channel_of
from noisewright.estimation.intervals.intervals import Sample
from noisewright.estimation.result import About, Axis
from noisewright.estimation.shares.share_estimates import shares_from_counts

RELEASES = 600

ONE_WAY = np.array([0.4, 0.25, 0.15, 0.1, 0.05, 0.03, 0.01, 0.006, 0.003, 0.001])
JOINT = np.outer([0.6, 0.3, 0.08, 0.02], [0.7, 0.25, 0.05])


def coverage(shares: NDArray[np.float64], people: int, epsilon: float, about: About) -> Any:
    """How often the interval of each cell holds the truth."""
    mechanisms = [
        nw.randomized_response(nw.Categories(range(size)), epsilon=epsilon) for size in shares.shape
    ]
    channels = [channel_of(mechanism) for mechanism in mechanisms]
    axes = tuple(Axis(str(i), range(size)) for i, size in enumerate(shares.shape))
    random = np.random.default_rng(people + int(10 * epsilon))
    rows = mechanisms[0].matrix
    for mechanism in mechanisms[1:]:
        rows = np.kron(rows, mechanism.matrix)
    truth = random.multinomial(people, shares.reshape(-1))
    hits = np.zeros(shares.shape)
    for _ in range(RELEASES):
        if about == "population":
            counts = random.multinomial(people, shares.reshape(-1) @ rows)
        else:
            counts = random.multinomial(truth, rows).sum(axis=0)
        found = shares_from_counts(
            counts.reshape(shares.shape),
            channels,
            axes,
            Sample(people, about),
        )
        target = shares if about == "population" else (truth / people).reshape(shares.shape)
        hits += (found.lows <= target) & (target <= found.highs)
    return hits / RELEASES


@pytest.mark.parametrize("about", ["population", "people"])
@pytest.mark.parametrize("epsilon", [0.5, 3])
@pytest.mark.parametrize("people", [500, 50_000])
@pytest.mark.parametrize("shares", [ONE_WAY, JOINT], ids=["one column", "two columns"])
def test_intervals_cover(
    shares: NDArray[np.float64], people: int, epsilon: float, about: About
) -> None:
    covered = coverage(shares, people, epsilon, about)
    assert 0.94 <= covered.mean() <= 0.96
    assert 0.92 <= covered.min() <= covered.max() <= 0.98


@pytest.mark.parametrize("epsilon", [5, 7, 8, 9])
@pytest.mark.parametrize("people", [50, 500])
def test_intervals_cover_when_next_to_nobody_was_changed(people: int, epsilon: float) -> None:
    """The error is one row, or none: then no interval holds exactly 95% of the time."""
    covered = coverage(np.array([0.6, 0.3, 0.1]), people, epsilon, "people")
    assert covered.min() >= 0.92
