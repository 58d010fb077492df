"""How much one released row's contribution to a share varies, and the intervals that follow.

A row y contributes h(y) = L a to the share of the inputs with a(x) = 1, E[h | x] = a(x). The noise
of a mechanism is known, so E[h² | x] and E[|h|³ | x] are too; only how often each x occurs is not,
for which plausible shares are put in.

Unbiased shares can be wild when noise dominates: far below zero, far above one. An error computed
from them would be as wild. Each table is therefore drawn towards the product of its margins, and
each margin towards equal shares, by as much as its noise exceeds what it shows. The answers
themselves are left alone; only their errors are computed at these plausible shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.channels.channel import Channel, joint_second_moments
from noisewright.estimation.intervals.intervals import Sample, score_interval
from noisewright.estimation.result import About

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spread:
    """How much one row's contribution to each share varies, when the shares are `at`.

    `second` is E h²; `own` and `others` are E[h² | x] on average over who belongs and who does not,
    so that second = own·at + others·(1 − at). `jumps` is E|h|³ / E h²: by how much, divided by the
    number of rows, one row may move the answer.
    """

    at: Array
    second: Array
    own: Array
    others: Array
    jumps: Array

    def variances(self, about: About) -> Array:
        """Return the variances of one row; those of the estimate are smaller by 1/n."""
        known = self.at**2 if about == "population" else self.at
        return np.maximum(self.second - known, 0.0)

    def answers(self, values: Array, sample: Sample) -> tuple[Array, Array, Array]:
        """Return the standard errors of these shares, and the ends of their intervals."""
        noise = np.maximum(self.second - self.at, 0.0)
        errors = sample.errors(noise, self.at * (1 - self.at))
        alone = sample.errors(noise, np.zeros_like(noise))
        return (
            errors,
            *score_interval(values, self.own, self.others, self.jumps, errors, alone, sample),
        )


def spread(shares: Array, channels: Sequence[Channel]) -> Spread:
    """Return the exact spread of the unbiased shares of cells, at these shares of the inputs."""
    second = third = shares
    for axis, channel in enumerate(channels):
        second = channel.solve_powers(channel.push(second, axis), axis, 2)
        third = channel.solve_powers(channel.push(third, axis), axis, 3)
    own, least, most = joint_second_moments(channels)
    with np.errstate(divide="ignore", invalid="ignore"):
        others = (second - own * shares) / (1 - shares)
    # Next to a share of one there are no others to average over.
    others = np.where(shares < 1 - 1e-6, np.clip(others, least, most), (least + most) / 2)
    return Spread(shares, second, own, others, _ratio(third, second))


def spread_of_groups(
    shares: Array, observed: Array, people: int, channel: Channel, members: Array
) -> Spread:
    """Return the same for groups of inputs, such as bins; `members` has a column of 0/1 for each.

    Who belongs to a group, and who does not, is averaged as if one row more were spread evenly:
    a group that nobody seems to be in has an average too. But noise differs within a group, most at
    its edges, and plausible shares are smooth: if the `observed` rows vary more, that counts.
    """
    rows = channel.undo(members)
    weights = shares + 1 / (people * shares.size)
    inside = weights[:, None] * members
    seen_inside = channel.push(inside, 0)
    seen_outside = channel.push(weights[:, None] - inside, 0)
    share = np.maximum(inside.sum(axis=0), 1e-300)
    rest = np.maximum(weights.sum() - share, 1e-300)
    own = (seen_inside * rows**2).sum(axis=0) / share
    others = (seen_outside * rows**2).sum(axis=0) / rest
    third = ((seen_inside + seen_outside) * np.abs(rows) ** 3).sum(axis=0)
    at = np.clip(shares @ members, 0.0, 1.0)
    second = own * at + others * (1 - at)
    jumps = _ratio(third, own * share + others * rest)
    more = np.maximum(observed @ rows**2 / np.maximum(second, 1e-300), 1.0)
    second, own, others = more * second, more * own, more * others
    return Spread(at, second, own, others, jumps)


def _ratio(third: Array, second: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(second > 0, third / second, 0.0)


def plausible(values: Array, people: int, channels: Sequence[Channel]) -> Array:
    """Return non-negative shares that sum to one, near the unbiased ones where these say much."""
    margins = [_margin(values, people, axis, channel) for axis, channel in enumerate(channels)]
    expected = reduce(np.multiply.outer, margins)
    return expected if len(channels) == 1 else _shrink(values, expected, people, channels)


def _margin(values: Array, people: int, axis: int, channel: Channel) -> Array:
    others = tuple(place for place in range(values.ndim) if place != axis)
    margin = values.sum(axis=others)
    return _shrink(margin, np.full(margin.size, 1 / margin.size), people, [channel])


def _shrink(values: Array, towards: Array, people: int, channels: Sequence[Channel]) -> Array:
    """Mix the nearest shares with the expected ones, by noise against signal."""
    second = towards
    for axis, channel in enumerate(channels):
        second = channel.solve_powers(channel.push(second, axis), axis, 2)
    noise = float(np.maximum(second - towards**2, 0.0).sum()) / people
    nearest = project_to_simplex(values)
    shown = float(((nearest - towards) ** 2).sum())
    weight = noise / (noise + shown) if noise > 0 else 0.0
    return (1 - weight) * nearest + weight * towards


def project_to_simplex(values: Array) -> Array:
    """Return the non-negative shares that sum to one and are nearest to the values.

    They are max(v − λ, 0) for the one λ that makes them sum to one, found after one sort
    (Held, Wolfe and Crowder 1974).
    """
    # Only differences matter. Where a unit is lost in the rounding of these numbers, the largest
    # is all there is.
    values = values - values.max()
    flat = np.sort(values.reshape(-1))[::-1]
    excess = np.cumsum(flat) - 1
    ranks = np.arange(1, flat.size + 1)
    last = int(np.flatnonzero(flat * ranks > excess)[-1])
    return np.maximum(values - excess[last] / ranks[last], 0.0)
