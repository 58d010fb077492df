"""Kernels: the covariance of a Gaussian process, and the norm that comes with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from noisewright.curves.bases import Floats, Functions
from noisewright.errors import ParameterError

KERNELS = ("gaussian", "matern", "exponential")


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
                "distance over which the noise stays alike."
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
