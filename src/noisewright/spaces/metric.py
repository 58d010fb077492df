"""Distances between points, exact."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.errors import SpaceError
from noisewright.exact import exactly
from noisewright.given import amount

Distance = int | Fraction

_TRIANGLES_CHECKED_UP_TO = 512
"""The triangle inequality of a supplied matrix is checked up to this many points (n³ work)."""


@dataclass(frozen=True)
class DistanceMatrix:
    """A supplied metric: exact distances between all points."""

    rows: tuple[tuple[Distance, ...], ...]

    def __repr__(self) -> str:
        return f"DistanceMatrix({len(self.rows)} × {len(self.rows)})"


Metric = str | DistanceMatrix


def read_metric(
    given: Any,
    *,
    names: Sequence[str],
    size: Callable[[], int],
    points: Callable[[], Sequence[Any]],
) -> Metric:
    """Read a metric: a name that the space knows, a matrix, or a function of two points."""
    if isinstance(given, DistanceMatrix):
        given = given.rows
    if isinstance(given, str):
        if given not in names:
            raise SpaceError(
                f"metric is {given!r}; this space knows {', '.join(map(repr, names))}. A matrix "
                "of distances or a function of two points is fine too."
            )
        return given
    if callable(given):
        listed = points()
        try:
            given = [[given(a, b) for b in listed] for a in listed]
        except TypeError as problem:
            raise SpaceError(
                "metric is a function that failed: it takes two points and returns their distance."
            ) from problem
    return _check(given, size())


def _check(given: Any, size: int) -> DistanceMatrix:
    try:
        rows = tuple(tuple(simplest(exactly(d, name="a distance")) for d in row) for row in given)
    except TypeError as problem:
        raise SpaceError(
            "metric must be a name, a square matrix of distances or a function of two points."
        ) from problem
    if len(rows) != size or any(len(row) != size for row in rows):
        raise SpaceError(
            f"the matrix of distances must have {amount(size)} rows and columns, one per point."
        )
    for a, row in enumerate(rows):
        for b, distance in enumerate(row):
            if distance < 0 or (a == b) != (distance == 0):
                raise SpaceError(
                    f"the distance of points {a} and {b} is {distance}; distances are positive "
                    "between different points and 0 from a point to itself."
                )
            if distance != rows[b][a]:
                raise SpaceError(f"the distances ({a}, {b}) and ({b}, {a}) differ.")
    if size <= _TRIANGLES_CHECKED_UP_TO:
        _check_triangles(rows)
    return DistanceMatrix(rows)


def _check_triangles(rows: tuple[tuple[Distance, ...], ...]) -> None:
    # Floats find candidates; the exact numbers decide, so rounding can't reject a metric.
    matrix = np.array([[float(d) for d in row] for row in rows])
    for middle in range(len(rows)):
        detour = matrix[:, middle, None] + matrix[None, middle, :]
        for a, b in np.argwhere(detour < matrix * (1 + 1e-12)):
            if rows[a][middle] + rows[middle][b] < rows[a][b]:
                raise SpaceError(
                    f"not a metric: from point {a} to point {b} is {rows[a][b]}, but by way of "
                    f"point {middle} it is {rows[a][middle] + rows[middle][b]}."
                )


def between_free(
    distances: Sequence[Sequence[Distance]],
) -> list[tuple[int, int]]:
    """Return the pairs (a, b), a < b, that no third point lies between.

    A point lies between two others when the way through it is no detour, d(a, m) + d(m, b) =
    d(a, b), decided exactly.
    """
    matrix = np.array([[float(d) for d in row] for row in distances])
    pairs: list[tuple[int, int]] = []
    for a in range(len(distances)):
        # Floats find candidates; the exact numbers decide.
        near = matrix[a, :, None] + matrix <= matrix[a][None, :] * (1 + 1e-12)
        for b in range(a + 1, len(distances)):
            middles = (int(m) for m in np.flatnonzero(near[:, b]) if m not in (a, b))
            whole = distances[a][b]
            if not any(distances[a][m] + distances[m][b] <= whole for m in middles):
                pairs.append((a, b))
    return pairs


def simplest(value: Fraction) -> Distance:
    """Return an int where the rational is whole."""
    return value.numerator if value.denominator == 1 else value
