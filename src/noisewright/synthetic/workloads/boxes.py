"""Ranges and prefixes: columns with an order, each between two points.

With several columns a query is a box. All of them are answered from running sums of the histogram:
2^d lookups for a box of d columns, however many cells it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Records
from noisewright.synthetic.workloads.counting_queries import (
    Histogram,
    Queries,
    Shape,
    column,
    range_label,
)

Ends = tuple[tuple[int, int], ...]
"""A box: the codes of both ends for each column, which belong to it."""


@final
@dataclass(frozen=True)
class Ranges(Queries):
    """Boxes of these columns: those listed, or all."""

    columns: tuple[str, ...]
    ends: tuple[Ends, ...] | None = None

    def count(self, domain: Records) -> int:
        """Return the number of boxes."""
        if self.ends is not None:
            return len(self.ends)
        sizes = [column(domain, name).size for name in self.columns]
        return prod(size * (size + 1) // 2 for size in sizes)

    def _sides(self, shape: Shape) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the lower and the upper codes of all boxes, one row for each."""
        if self.ends is not None:
            listed = np.array(self.ends, dtype=np.intp).reshape(-1, len(shape), 2)
            return listed[:, :, 0], listed[:, :, 1]
        pairs = [np.triu_indices(size) for size in shape]
        places = np.indices([len(low) for low, _ in pairs]).reshape(len(shape), -1)
        lows = [low[place] for (low, _), place in zip(pairs, places, strict=True)]
        highs = [high[place] for (_, high), place in zip(pairs, places, strict=True)]
        return np.stack(lows, axis=1), np.stack(highs, axis=1)

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return sums and differences of the corners: no box is added up by itself."""
        running = np.pad(_running(histogram), (1, 0))
        lows, highs = self._sides(histogram.shape)
        found = np.zeros(len(lows), dtype=running.dtype)
        for corner in product((True, False), repeat=histogram.ndim):
            upper = np.array(corner)
            places = np.where(upper, highs + 1, lows)
            found += (-1) ** int((~upper).sum()) * running[tuple(places.T)]
        return found

    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return the cells inside each box."""
        lows, highs = self._sides(shape)
        inside = np.ones((len(lows), *shape), dtype=np.bool_)
        for axis, places in enumerate(np.indices(shape)):
            bounds = [side[:, axis].reshape(-1, *[1] * len(shape)) for side in (lows, highs)]
            inside &= (bounds[0] <= places) & (places <= bounds[1])
        return inside.reshape(len(lows), -1)

    def labels(self, domain: Records) -> list[str]:
        """Return '20 ≤ age ≤ 29' for each range, with ', ' between columns."""
        spaces = [column(domain, name) for name in self.columns]
        lows, highs = self._sides(tuple(space.size for space in spaces))
        return [
            ", ".join(
                range_label(name, space, a, b)
                for name, space, a, b in zip(self.columns, spaces, low, high, strict=True)
            )
            for low, high in zip(lows.tolist(), highs.tolist(), strict=True)
        ]


@final
@dataclass(frozen=True)
class Prefixes(Queries):
    """At most v in each column, for all points v but the one that counts everybody."""

    columns: tuple[str, ...]

    def count(self, domain: Records) -> int:
        """Return the number of points but one."""
        return prod(column(domain, name).size for name in self.columns) - 1

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return the running sums."""
        return _running(histogram).reshape(-1)[:-1]

    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return the cells at or below each point."""
        below = [np.tril(np.ones((size, size), dtype=np.bool_)) for size in shape]
        return reduce(np.kron, below)[:-1]

    def labels(self, domain: Records) -> list[str]:
        """Return 'age ≤ 29, income ≤ 100' for each point."""
        names = self.columns
        points = product(*(column(domain, name).points for name in names))
        texts = [
            ", ".join(f"{n} ≤ {v}" for n, v in zip(names, point, strict=True)) for point in points
        ]
        return texts[:-1]


def _running(histogram: Histogram) -> NDArray[Any]:
    """Return the sums of all cells at or below each."""
    return reduce(lambda sums, axis: np.cumsum(sums, axis=axis), range(histogram.ndim), histogram)
