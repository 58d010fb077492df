"""Counting queries as data: how many records satisfy a condition on some columns.

Every kind of query answers from the histogram of its columns, so a table is grouped once for each
set of columns, however many queries share it. Ranges and prefixes of several columns are boxes,
answered from running sums of the histogram: 2^d lookups for a box of d columns, however many cells
it has.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce
from itertools import product
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Records, Space

Histogram = NDArray[Any]
"""Counts of the cells of some columns, one axis for each."""

Shape = tuple[int, ...]
Ends = tuple[tuple[int, int], ...]
"""A box: the codes of both ends for each column, which belong to it."""


class Queries(ABC):
    """Some counting queries about the same columns."""

    columns: tuple[str, ...]

    @abstractmethod
    def count(self, domain: Records) -> int:
        """Return how many queries there are."""

    @abstractmethod
    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return one count for each query, from the histogram of the columns."""

    @abstractmethod
    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return which cells of the columns each query counts: one row for each query."""

    @abstractmethod
    def labels(self, domain: Records) -> list[str]:
        """Return what each query counts, in words."""


@final
@dataclass(frozen=True)
class Marginal(Queries):
    """Every cell of these columns."""

    columns: tuple[str, ...]

    def count(self, domain: Records) -> int:
        """Return the number of cells."""
        return reduce(lambda size, name: size * domain.by_name[name].size, self.columns, 1)

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return the cells."""
        return histogram.reshape(-1)

    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return each cell by itself."""
        return np.eye(prod(shape), dtype=np.bool_)

    def labels(self, domain: Records) -> list[str]:
        """Return 'sex=F, job=clerk' for each cell."""
        texts = [""]
        for name in self.columns:
            points = domain.by_name[name].points
            texts = [
                f"{text}, {name}={p}" if text else f"{name}={p}" for text in texts for p in points
            ]
        return texts


@final
@dataclass(frozen=True)
class Conjunction(Queries):
    """Each column has one of the listed codes."""

    columns: tuple[str, ...]
    allowed: tuple[tuple[int, ...], ...]
    name: str = ""

    def count(self, domain: Records) -> int:
        """Return 1."""
        return 1

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Add up the cells that are allowed in every column."""
        return np.atleast_1d(histogram[np.ix_(*self.allowed)].sum())

    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return the cells that are allowed in every column."""
        sides = [np.isin(np.arange(n), c) for n, c in zip(shape, self.allowed, strict=True)]
        return reduce(np.logical_and.outer, sides).reshape(1, -1)

    def labels(self, domain: Records) -> list[str]:
        """Return its name, or 'sex=F, 20 ≤ age ≤ 29, job in (clerk, cook)'."""
        named = zip(self.columns, self.allowed, strict=True)
        return [self.name or ", ".join(_side(name, domain.by_name[name], c) for name, c in named)]


def _side(name: str, space: Space, codes: tuple[int, ...]) -> str:
    if len(codes) == 1:
        return f"{name}={space.point(codes[0])}"
    if space.ordered and is_run(codes):
        return range_label(name, space, codes[0], codes[-1])
    return f"{name} in ({', '.join(str(space.point(code)) for code in codes)})"


def is_run(codes: tuple[int, ...]) -> bool:
    """Tell whether sorted codes follow each other without a gap."""
    return codes[-1] - codes[0] == len(codes) - 1


def range_label(name: str, space: Space, low: int, high: int) -> str:
    """Return '20 ≤ age ≤ 29', without what says nothing."""
    above = f"{space.point(low)} ≤ " if low else ""
    return f"{above}{name}" + ("" if low and high == space.size - 1 else f" ≤ {space.point(high)}")


@final
@dataclass(frozen=True)
class Predicate(Queries):
    """A condition that the caller wrote, looked up for each cell of its columns once.

    `bits` holds the answers, eight cells in a byte.
    """

    columns: tuple[str, ...]
    bits: bytes
    name: str

    @classmethod
    def of(cls, columns: tuple[str, ...], holds: NDArray[np.bool_], name: str) -> Predicate:
        """Return the query that counts the cells where it holds."""
        return cls(columns, np.packbits(holds.reshape(-1)).tobytes(), name)

    def count(self, domain: Records) -> int:
        """Return 1."""
        return 1

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Add up the cells for which it is true."""
        return np.atleast_1d(histogram.reshape(-1)[self.masks(histogram.shape)[0]].sum())

    def masks(self, shape: Shape) -> NDArray[np.bool_]:
        """Return the cells for which it is true."""
        packed = np.frombuffer(self.bits, dtype=np.uint8)
        return np.unpackbits(packed, count=prod(shape)).astype(np.bool_).reshape(1, -1)

    def labels(self, domain: Records) -> list[str]:
        """Return the name that the caller gave."""
        return [self.name]


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
        sizes = [domain.by_name[name].size for name in self.columns]
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
        spaces = [domain.by_name[name] for name in self.columns]
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
        return prod(domain.by_name[name].size for name in self.columns) - 1

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
        points = product(*(domain.by_name[name].points for name in names))
        texts = [
            ", ".join(f"{n} ≤ {v}" for n, v in zip(names, point, strict=True)) for point in points
        ]
        return texts[:-1]


def _running(histogram: Histogram) -> NDArray[Any]:
    """Return the sums of all cells at or below each."""
    return reduce(lambda sums, axis: np.cumsum(sums, axis=axis), range(histogram.ndim), histogram)
