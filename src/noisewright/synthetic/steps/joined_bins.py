"""Bins of a number joined into fewer, heavier ones: how fine a pair of columns is worth counting.

Noise is the same in every cell, however few rows it has. Where most bins of a number have fewer
rows than noise adds or removes, a pair is counted better in fewer cells. Bins are joined in a fixed
order: the lightest one with its lighter neighbor, again and again. How many such steps a pair takes
depends on its noise, so that any two ways to join the bins of a column are nested. Noisy counts of
the column decide it, so that it is post-processing, and a row is in one cell all the same: what one
person changes in the counts does not depend on how bins are joined.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Categories

Names = tuple[str, ...]


@final
@dataclass(frozen=True)
class JoinedBins:
    """The first code of each of the joined bins of a column, from 0 on, and their labels."""

    starts: tuple[int, ...]
    space: Categories


def joining_weights(weights: Sequence[float]) -> NDArray[np.float64]:
    """Return for each bin but the first the threshold above which it is joined to the one before.

    Bins are joined, the lightest of all with its lighter neighbor, until one is left.
    Requires: no negative weights.
    Ensures: with a given threshold, a bin is apart from the one before if its number is no less.
    """
    total = list(map(float, weights))
    before = list(range(-1, len(total) - 1))
    after = list(range(1, len(total) + 1))
    # A joined bin has the place of its first one.
    waiting = [(weight, place) for place, weight in enumerate(total)]
    heapq.heapify(waiting)
    found = np.zeros(max(len(total) - 1, 0))
    is_gone = [False] * len(total)
    joined = 0
    while joined < found.size:
        weight, place = heapq.heappop(waiting)
        if is_gone[place] or weight != total[place]:
            continue
        left, right = before[place], after[place]
        to_left = right == len(total) or (left >= 0 and total[left] <= total[right])
        first, second = (left, place) if to_left else (place, right)
        found[second - 1] = weight
        is_gone[second] = True
        after[first] = after[second]
        if after[second] < len(total):
            before[after[second]] = first
        total[first] += total[second]
        heapq.heappush(waiting, (total[first], first))
        joined += 1
    return found


def first_codes(weights: NDArray[np.float64], least: float) -> tuple[int, ...]:
    """Return the first bin of each joined one, if all that weigh less are joined."""
    return (0, *(np.flatnonzero(weights >= least) + 1).tolist())


def add_up(table: NDArray[Any], columns: Names, joined: Mapping[str, JoinedBins]) -> NDArray[Any]:
    """Return a table by these columns with the cells of joined bins added up."""
    for axis, name in enumerate(columns):
        if name in joined:
            table = np.add.reduceat(table, joined[name].starts, axis=axis)
    return table


def repeat(
    table: NDArray[Any],
    columns: Names,
    joined: Mapping[str, JoinedBins],
    sizes: Mapping[str, int],
) -> NDArray[Any]:
    """Return a table in joined bins with the same value in each of the bins that were joined."""
    for axis, name in enumerate(columns):
        if name in joined:
            many = np.diff([*joined[name].starts, sizes[name]])
            table = np.repeat(table, many, axis=axis)
    return table
