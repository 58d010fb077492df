"""Counting queries as data: how many records satisfy a condition on some columns.

Every kind of query answers from the histogram of its columns, so a table is grouped once for each
set of columns, however many queries share it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.spaces import Records, Space

Histogram = NDArray[Any]
"""Counts of the cells of some columns, one axis for each."""

Shape = tuple[int, ...]


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
        return reduce(lambda size, name: size * column(domain, name).size, self.columns, 1)

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
            points = column(domain, name).points
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
        return [self.name or ", ".join(_side(name, column(domain, name), c) for name, c in named)]


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


def column(domain: Records, name: str) -> Space:
    """Return the space of a column."""
    return domain.by_name[name]
