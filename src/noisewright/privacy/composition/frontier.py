"""Curves as points (Q, P) over a total, and the questions that are asked of them.

A point is an event: its probability Q under x' and P under x. δ(ε) is the largest P − e^ε Q,
so a set of points and its concave hull have the same curve; see `profile`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.privacy.composition.pairs import Atom, Pair
from noisewright.privacy.profile import Point, Profile, event_points, hull

Frontier = tuple[list[Point], int]
"""Points (Q, P), and the total that they are relative to."""


def frontier_of(atoms: Iterable[Atom], total: int) -> Frontier:
    """Add up atoms, given with the largest ratio first."""
    return event_points(atoms), total


def concave(points: list[Point], total: int) -> Profile:
    """Return the curve of points that are those of a hull already, up to its two ends.

    Requires: slopes that fall strictly, as those of an exact product do.
    """
    start = [] if points and points[0][0] == 0 else [(0, 0)]
    stop = [] if points and points[-1] == (total, total) else [(total, total)]
    return Profile((*start, *points, *stop), total)


def mirror(frontier: Frontier) -> Frontier:
    """Return the curve with the two inputs exchanged: events become their complements."""
    points, total = frontier
    return [(total - p, total - q) for q, p in points], total


def highest(frontiers: Sequence[Frontier]) -> Profile:
    """Return the curve that is highest over all of the given ones."""
    total = math.lcm(*(own for _, own in frontiers))
    scaled = ((total // own, points) for points, own in frontiers)
    return hull(((q * by, p * by) for by, points in scaled for q, p in points), total)


def dominating_pair(curve: Profile) -> Pair:
    """Return the pair of distributions whose curve this is."""
    return Pair.of(curve.masses(), curve.total)


def sketch(frontier: Frontier, deltas: Sequence[float]) -> NDArray[np.float64]:
    """About the ε at each δ, in floating point: for deciding where to look more closely."""
    points, total = frontier
    # Ratios of integers are rounded correctly however long the integers are.
    q = np.array([point[0] / total for point in points])
    p = np.array([point[1] / total for point in points])
    result = np.empty(len(deltas))
    for index, delta in enumerate(deltas):
        above = p > delta
        if np.any(q[above] <= 0):
            result[index] = np.inf
            continue
        slopes = (p[above] - delta) / q[above]
        result[index] = np.log(max(float(slopes.max()), 1.0)) if slopes.size else 0.0
    return result
