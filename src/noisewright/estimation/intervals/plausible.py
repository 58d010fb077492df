"""Shares that are plausible enough to compute an error from.

Unbiased shares can be wild when noise dominates: far below zero, far above one. An error computed
from them would be as wild. Each table is therefore drawn towards the product of its margins, and
each margin towards equal shares, by as much as its noise exceeds what it shows. The answers
themselves are left alone; only their errors are computed at these shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation.channels.channel import Channel

Array = NDArray[np.float64]


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
