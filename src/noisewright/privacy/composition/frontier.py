"""Curves as points (Q, P) over a total, and the questions that are asked of them.

A point is an event: its probability Q under x' and P under x. δ(ε) is the largest P − e^ε Q,
so a set of points and its concave hull have the same curve; see `profile`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.privacy.composition.pairs import Atom, Pair
from noisewright.privacy.profile import Profile

Frontier = tuple[list[tuple[int, int]], int]
"""Points (Q, P), and the total that they are relative to."""


def frontier_of(atoms: Iterable[Atom], total: int) -> Frontier:
    """Add up atoms, given with the largest ratio first."""
    q = p = 0
    points: list[tuple[int, int]] = []
    for mass_p, mass_q in atoms:
        p += mass_p
        q += mass_q
        points.append((q, p))
    return points, total


def concave(points: list[tuple[int, int]], total: int) -> Profile:
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


def hull(frontiers: Sequence[Frontier]) -> Profile:
    """Return the curve that is highest over all of the given ones."""
    total = math.lcm(*(total for _, total in frontiers)) if frontiers else 1
    merged = {(0, 0), (total, total)}
    for points, own in frontiers:
        scale = total // own
        merged.update((q * scale, p * scale) for q, p in points)
    kept: list[tuple[int, int]] = []
    for q, p in sorted(merged):
        if kept and kept[-1][0] == q:
            kept.pop()
        while len(kept) > 1 and not _bends_down(kept[-2], kept[-1], (q, p)):
            kept.pop()
        kept.append((q, p))
    return Profile(tuple(kept), total)


def _bends_down(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> bool:
    return (b[1] - a[1]) * (c[0] - b[0]) > (c[1] - b[1]) * (b[0] - a[0])


def dominating_pair(curve: Profile) -> Pair:
    """Return the pair of distributions whose curve this is."""
    return Pair.of(curve.masses(), curve.total)


def steepest(curve: Profile, delta: Fraction) -> Fraction | None:
    """Return e^ε for the least ε at this δ, at least 1; None when none is finite.

    It is the slope of the tangent from (0, δ) to the hull. The edges of a hull meet the line
    Q = 0 higher and higher, so the point of contact is found by bisection.
    """
    spare, unit = delta.numerator * curve.total, delta.denominator
    points = curve.points
    if points[0][1] * unit > spare:
        return None
    low, high = 1, len(points) - 1
    while low < high:
        middle = (low + high) // 2
        (q, p), (next_q, next_p) = points[middle], points[middle + 1]
        if (next_p - p) * unit * q <= (p * unit - spare) * (next_q - q):
            high = middle
        else:
            low = middle + 1
    q, p = points[low]
    return Fraction(max(p * unit - spare, q * unit), q * unit)


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
