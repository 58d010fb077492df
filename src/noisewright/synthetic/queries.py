"""Counting queries as data: how many records satisfy a condition on some columns.

Every kind of query answers from the histogram of its columns, so a table is grouped once for each
set of columns, however many queries share it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Records, Space

Histogram = NDArray[Any]
"""Counts of the cells of some columns, one axis for each."""


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
    def labels(self, domain: Records) -> list[str]:
        """Return what each query counts, in words."""


@final
@dataclass(frozen=True)
class Marginal(Queries):
    """Every cell of these columns."""

    columns: tuple[str, ...]

    def count(self, domain: Records) -> int:
        """Return the number of cells."""
        return reduce(lambda size, name: size * column(domain, name).size, self.columns, 1)

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return the cells."""
        return histogram.reshape(-1)

    def labels(self, domain: Records) -> list[str]:
        """Return 'sex=F, job=clerk' for each cell."""
        texts = [""]
        for name in self.columns:
            points = column(domain, name).points
            texts = [
                f"{text}, {name}={p}" if text else f"{name}={p}" for text in texts for p in points
            ]
        return texts


@final
@dataclass(frozen=True)
class Ranges(Queries):
    """A column between two points, both included, given by their codes."""

    columns: tuple[str]
    ends: tuple[tuple[int, int], ...]

    def count(self, domain: Records) -> int:
        """Return the number of ranges."""
        return len(self.ends)

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Return differences of the running sum: no range is added up by itself."""
        running = np.concatenate([[0], np.cumsum(histogram)])
        ends = np.array(self.ends, dtype=np.intp).reshape(-1, 2)
        return running[ends[:, 1] + 1] - running[ends[:, 0]]

    def labels(self, domain: Records) -> list[str]:
        """Return '20 ≤ age ≤ 29' for each range."""
        (name,) = self.columns
        space = column(domain, name)
        return [
            f"{name} ≤ {space.point(high)}"
            if low == 0
            else f"{space.point(low)} ≤ {name} ≤ {space.point(high)}"
            for low, high in self.ends
        ]


@final
@dataclass(frozen=True)
class Conjunction(Queries):
    """Each column has one of the listed codes."""

    columns: tuple[str, ...]
    allowed: tuple[tuple[int, ...], ...]

    def count(self, domain: Records) -> int:
        """Return 1."""
        return 1

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Add up the cells that are allowed in every column."""
        return np.atleast_1d(histogram[np.ix_(*self.allowed)].sum())

    def labels(self, domain: Records) -> list[str]:
        """Return 'sex=F, job in (clerk, cook)'."""
        parts: list[str] = []
        for name, codes in zip(self.columns, self.allowed, strict=True):
            points = [str(column(domain, name).point(code)) for code in codes]
            parts.append(
                f"{name}={points[0]}" if len(points) == 1 else f"{name} in ({', '.join(points)})"
            )
        return [", ".join(parts)]


@final
@dataclass(frozen=True)
class Predicate(Queries):
    """A condition that the caller wrote, looked up for each cell of its columns once."""

    columns: tuple[str, ...]
    cells: tuple[int, ...]
    name: str

    def count(self, domain: Records) -> int:
        """Return 1."""
        return 1

    def answers(self, histogram: Histogram) -> NDArray[Any]:
        """Add up the cells for which it is true."""
        return np.atleast_1d(histogram.reshape(-1)[list(self.cells)].sum())

    def labels(self, domain: Records) -> list[str]:
        """Return the name that the caller gave."""
        return [self.name]


def column(domain: Records, name: str) -> Space:
    """Return the space of a column."""
    return dict(domain.columns)[name]
