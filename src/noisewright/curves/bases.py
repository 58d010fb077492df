"""Families of functions that curves are written in: Fourier, B-splines, Bernstein, kernels.

A basis here is a span: K functions on the line, evaluated in floating point. Which
coordinates inside of the span get the noise is decided in `coordinates.py`. A kernel is
the covariance of a Gaussian process, with the norm that comes with it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError

Floats = NDArray[np.float64]

KERNELS = ("gaussian", "matern", "exponential")


class Functions(ABC):
    """K functions of a position."""

    count: int

    @abstractmethod
    def at(self, positions: Floats) -> Floats:
        """Return the values, one row for each position and one column for each function."""


@final
@dataclass(frozen=True)
class Fourier(Functions):
    """1, cos, sin, cos 2, sin 2, … with the given period."""

    count: int
    start: float
    period: float

    def at(self, positions: Floats) -> Floats:
        """Return the values of the waves."""
        angle = 2 * math.pi * (positions - self.start) / self.period
        waves = [np.ones_like(angle)]
        for k in range(1, self.count // 2 + 1):
            waves += [np.cos(k * angle), np.sin(k * angle)]
        return np.stack(waves[: self.count], axis=1)


@final
@dataclass(frozen=True)
class Bernstein(Functions):
    """The Bernstein polynomials of degree count − 1 on [start, start + length]."""

    count: int
    start: float
    length: float

    def at(self, positions: Floats) -> Floats:
        """Return the values of the polynomials."""
        u = ((positions - self.start) / self.length)[:, None]
        degree = self.count - 1
        k = np.arange(self.count)
        choose = np.array([float(math.comb(degree, i)) for i in range(self.count)])
        return choose * u**k * (1 - u) ** (degree - k)


@final
@dataclass(frozen=True, eq=False)
class BSplines(Functions):
    """Cubic B-splines (of a lower degree if there are few), clamped at the ends.

    The breaks between their pieces split the positions of the grid evenly.
    """

    count: int
    grid: Floats

    def at(self, positions: Floats) -> Floats:
        """Return the values of the splines (Cox and de Boor's recursion)."""
        degree = min(3, self.count - 1)
        pieces = self.count - degree
        breaks = np.quantile(self.grid, np.linspace(0, 1, pieces + 1))
        knots = np.concatenate([breaks[:1].repeat(degree), breaks, breaks[-1:].repeat(degree)])
        piece = np.clip(np.searchsorted(breaks, positions, side="right") - 1, 0, pieces - 1)
        values = np.zeros((positions.size, knots.size - 1))
        values[np.arange(positions.size), piece + degree] = 1.0
        for d in range(1, degree + 1):
            values = _raise_degree(values, knots, positions, d)
        return values


def _raise_degree(values: Floats, knots: Floats, u: Floats, d: int) -> Floats:
    count = knots.size - 1 - d
    left = knots[d : d + count] - knots[:count]
    right = knots[d + 1 : d + 1 + count] - knots[1 : 1 + count]
    # An empty piece carries no function: 0/0 counts as 0.
    rising = np.where(left > 0, (u[:, None] - knots[:count]) / np.where(left > 0, left, 1), 0)
    falling = np.where(
        right > 0, (knots[d + 1 : d + 1 + count] - u[:, None]) / np.where(right > 0, right, 1), 0
    )
    return rising * values[:, :count] + falling * values[:, 1 : 1 + count]


@final
@dataclass(frozen=True, eq=False)
class Hats(Functions):
    """One function for each position: 1 there, 0 at the others, straight lines between them."""

    knots: Floats

    @property
    def count(self) -> int:
        """How many positions there are."""
        return self.knots.size

    def at(self, positions: Floats) -> Floats:
        """Return the weights of linear interpolation."""
        if self.count == 1:
            return np.ones((positions.size, 1))
        right = np.clip(np.searchsorted(self.knots, positions), 1, self.count - 1)
        share = (positions - self.knots[right - 1]) / (self.knots[right] - self.knots[right - 1])
        values = np.zeros((positions.size, self.count))
        rows = np.arange(positions.size)
        values[rows, right - 1] = 1 - share
        values[rows, right] = share
        return values


@final
@dataclass(frozen=True, eq=False)
class Combined(Functions):
    """Linear combinations of other functions, one for each column of a matrix."""

    inner: Functions
    matrix: Floats

    @property
    def count(self) -> int:
        """How many combinations there are."""
        return self.matrix.shape[1]

    def at(self, positions: Floats) -> Floats:
        """Return the values of the combinations."""
        return self.inner.at(positions) @ self.matrix


@final
@dataclass(frozen=True)
class Kernel:
    """k(s, t) of |s − t| / length, with k(t, t) = 1.

    gaussian: e^(−r²/2), very smooth. matern: (1 + √3 r) e^(−√3 r), once differentiable.
    exponential: e^−r, continuous (Ornstein–Uhlenbeck).
    """

    name: str
    length: float

    def __post_init__(self) -> None:
        if self.name not in KERNELS:
            raise ParameterError(
                f"kernel is {self.name!r}; it must be one of {', '.join(map(repr, KERNELS))}."
            )
        if not (math.isfinite(self.length) and self.length > 0):
            raise ParameterError(
                f"the length of the kernel is {self.length}; it must be positive and finite: the "
                "distance over which the noise stays similar."
            )

    def matrix(self, s: Floats, t: Floats) -> Floats:
        """Return k(s_i, t_j)."""
        r = np.abs(s[:, None] - t[None, :]) / self.length
        if self.name == "gaussian":
            return np.exp(-r * r / 2)
        if self.name == "matern":
            return (1 + math.sqrt(3) * r) * np.exp(-math.sqrt(3) * r)
        return np.exp(-r)


@final
@dataclass(frozen=True, eq=False)
class KernelFunctions(Functions):
    """t → k(t, knot), one function for each knot."""

    kernel: Kernel
    knots: Floats

    @property
    def count(self) -> int:
        """How many knots there are."""
        return self.knots.size

    def at(self, positions: Floats) -> Floats:
        """Return the values of the kernel."""
        return self.kernel.matrix(positions, self.knots)
