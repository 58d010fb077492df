"""Tables without negative counts near tables that agree with each other.

Tables that agree have the same contrasts wherever they have parts in common. In each round every
table is moved to the nearest one without negative counts that has the same total (Euclidean, onto
a simplex), and then the contrasts of common parts are replaced by weighted means, which gives the
nearest tables that agree (alternating projections; both sets are convex). The first of the two is
the last step: no count is negative and totals are kept, whatever is left of disagreement.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product

import numpy as np

from noisewright.queries.planning.attribute import Attribute, Floats
from noisewright.queries.planning.contrasts import from_contrasts, part_places, to_contrasts

Names = tuple[str, ...]
Part = tuple[tuple[str, int], ...]

ROUNDS = 20
_AGREE = 0.05
"""Counts that differ by less than this agree."""


def make_non_negative(
    tables: Mapping[Names, Floats], axes: Mapping[Names, tuple[Attribute, ...]]
) -> dict[Names, Floats]:
    """Return tables of the same shapes, none of whose counts is negative.

    Requires: tables that agree with each other, whose attributes have one order in all of them.
    Ensures: all have the total of the given ones, or 0 if that is negative.
    """
    if not tables:
        return {}
    total = max(0.0, float(next(iter(tables.values())).sum()))
    found = {names: to_simplex(table, total) for names, table in tables.items()}
    for _ in range(ROUNDS if len(tables) > 1 else 0):
        agreeing = _agree(found, axes)
        if max(float(np.abs(agreeing[n] - found[n]).max()) for n in found) < _AGREE:
            break
        found = {names: to_simplex(table, total) for names, table in agreeing.items()}
    return found


def to_simplex(table: Floats, total: float) -> Floats:
    """Return the nearest table without negative counts and with this total, which is 0 or more."""
    falling = np.sort(table, axis=None)[::-1]
    above = (np.cumsum(falling) - total) / np.arange(1, falling.size + 1)
    # The largest k for which the k-th largest count stays above 0.
    last = np.flatnonzero(falling > above)
    if not last.size:
        return np.zeros_like(table)
    return np.maximum(table - above[last[-1]], 0.0)


def _agree(
    tables: Mapping[Names, Floats], axes: Mapping[Names, tuple[Attribute, ...]]
) -> dict[Names, Floats]:
    """Return the tables with the mean contrasts of all tables that have a part."""
    numbers = {names: to_contrasts(table, axes[names]) for names, table in tables.items()}
    sums: dict[Part, Floats] = {}
    weights: dict[Part, float] = {}
    places: list[tuple[Names, Part, tuple[slice, ...]]] = []
    for names, found in numbers.items():
        for levels in product(*(range(axis.height + 1) for axis in axes[names])):
            steps = list(zip(axes[names], levels, strict=True))
            part = tuple((axis.name, level) for axis, level in steps if level)
            place = part_places(axes[names], levels)
            # A contrast of a table adds its square over the cells that it is spread over.
            weight = 1 / math.prod(axis.block_sizes[level] for axis, level in steps)
            sums[part] = sums.get(part, 0.0) + weight * found[place].ravel()
            weights[part] = weights.get(part, 0.0) + weight
            places.append((names, part, place))
    for names, part, place in places:
        found = numbers[names]
        found[place] = (sums[part] / weights[part]).reshape(found[place].shape)
    return {names: from_contrasts(found, axes[names]) for names, found in numbers.items()}
