"""Noise whose tails fall by a constant factor, undone without a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class GeometricChannel:
    """Two-sided geometric noise clamped to 0..n, for any n: the inverse has three diagonals.

    P[j, i] = w_i α^|i−j|, w = 1/(1+α) at the ends and (1−α)/(1+α) inside. The inverse of
    α^|i−j| has 1 (at the ends), 1+α² and −α around the diagonal, over 1−α². `gap` is 1 − α.
    """

    inputs: int
    alpha: float
    gap: float

    @property
    def outputs(self) -> int:
        """As many as inputs."""
        return self.inputs

    @cached_property
    def _weights(self) -> Array:
        weights = np.full(self.inputs, self.gap / (1 + self.alpha))
        weights[[0, -1]] = 1 / (1 + self.alpha)
        return weights

    @cached_property
    def _diagonals(self) -> tuple[Array, float]:
        spread = self.gap * (1 + self.alpha)
        diagonal = np.full(self.inputs, (1 + self.alpha**2) / spread)
        diagonal[[0, -1]] = 1 / spread
        return diagonal, -self.alpha / spread

    def _decay(self, values: Array) -> Array:
        """Return Σ_j α^|i−j| v_j along the first axis, by one sweep in each direction."""
        return self._sweep(values) + self._sweep(values[::-1])[::-1] - values

    def _sweep(self, values: Array) -> Array:
        """Return y_i = v_i + α y_(i−1), doubling the reach of each y until nothing is left."""
        swept, reach, decay = values.copy(), 1, self.alpha
        while reach < len(values) and decay > 1e-18:
            swept[reach:] = swept[reach:] + decay * swept[:-reach]
            reach, decay = 2 * reach, decay**2
        return swept

    def push(self, shares: Array, axis: int) -> Array:
        """Return Pᵀ p along an axis."""
        first = np.moveaxis(shares, axis, 0)
        return np.moveaxis(_scale(self._weights, self._decay(first)), 0, axis)

    def pull(self, values: Array, axis: int) -> Array:
        """Return P v along an axis."""
        first = np.moveaxis(values, axis, 0)
        return np.moveaxis(self._decay(_scale(self._weights, first)), 0, axis)

    def solve(self, shares: Array, axis: int) -> Array:
        """Return Lᵀ q along an axis."""
        diagonal, beside = self._diagonals
        first = _scale(1 / self._weights, np.moveaxis(shares, axis, 0))
        return np.moveaxis(_three_diagonals(diagonal, beside, first), 0, axis)

    def solve_powers(self, shares: Array, axis: int, power: int) -> Array:
        """Return (|L|^power)ᵀ q along an axis."""
        diagonal, beside = self._diagonals
        first = _scale(1 / self._weights**power, np.moveaxis(shares, axis, 0))
        return np.moveaxis(_three_diagonals(diagonal**power, abs(beside) ** power, first), 0, axis)

    def undo(self, answers: Array) -> Array:
        """Return L a."""
        diagonal, beside = self._diagonals
        return _scale(1 / self._weights, _three_diagonals(diagonal, beside, answers))

    def second_moments(self) -> tuple[Array, Array, Array]:
        """Return S[i, i] and bounds of S[x, i]: none is negative, and S falls away from i."""
        diagonal, beside = self._diagonals
        own = _three_diagonals(diagonal**2, self.alpha * beside**2, 1 / self._weights)
        near = _three_diagonals(diagonal**2, beside**2, 1 / self._weights)
        return own, np.zeros(self.inputs), near


def _scale(factors: Array, values: Array) -> Array:
    return factors.reshape(-1, *[1] * (values.ndim - 1)) * values


def _three_diagonals(diagonal: Array, beside: float, values: Array) -> Array:
    result = _scale(diagonal, values)
    result[1:] += beside * values[:-1]
    result[:-1] += beside * values[1:]
    return result
