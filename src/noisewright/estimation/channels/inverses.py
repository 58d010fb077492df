"""From a channel to the estimator that undoes it on average, and what cannot be undone.

Noise whose tails fall by a constant factor is undone without a matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnidentifiableError

Array = NDArray[np.float64]

_ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Singular values below this share of the largest, times the size, are rounding."""


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


def left_inverse(
    matrix: Array,
    *,
    unknown: Array,
    labels: Sequence[Any] | None = None,
    forgiving: bool = False,
) -> Array:
    """Return L, one row per output, with P L = I: the inverse, or the best of many.

    With more outputs than inputs many L are unbiased. This is the one of least variance when the
    inputs are uniform: L = Q⁻¹Pᵀ(P Q⁻¹Pᵀ)⁻¹ with Q the diagonal of the outputs' shares.
    `unknown` is the null space of P.
    Raises: UnidentifiableError when rows of P depend on each other, with what cannot be told;
    if `forgiving`, P L is then the nearest thing to I that there is.
    """
    if unknown.size and not forgiving:
        raise _unidentifiable(unknown, labels or range(len(matrix)))
    if not unknown.size and matrix.shape[0] == matrix.shape[1]:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    shares = matrix.mean(axis=0)
    # Outputs that never occur get no weight; a floor keeps the others finite.
    weights = np.sqrt(np.where(shares > 0, 1 / np.maximum(shares, 1e-300), 0.0))
    smallest = _ROUNDING * max(matrix.shape)
    weighted = np.asarray(np.linalg.pinv(matrix * weights, rcond=smallest), dtype=np.float64)
    return weights[:, None] * weighted


def left_inverse_for(matrix: Array, answers: Array, *, labels: Sequence[Any] | None) -> Array:
    """Return an L with P L a = a for these answers, even if P does not tell all inputs apart.

    Raises: UnidentifiableError when an answer depends on what cannot be told.
    """
    unknown = null_space(matrix)
    moved = np.abs(unknown @ answers).max(initial=0.0)
    if moved > 1e-9 * np.abs(answers).max(initial=1e-300):
        raise _unidentifiable(unknown, labels or range(len(matrix)))
    return left_inverse(matrix, unknown=unknown, labels=labels, forgiving=True)


def null_space(matrix: Array) -> Array:
    """Return an orthonormal basis, one row each, of the changes of p that leave Pᵀp as it is."""
    rotation, values, _ = np.linalg.svd(matrix, full_matrices=True)
    smallest = values.max(initial=0.0) * max(matrix.shape) * _ROUNDING
    return rotation[:, int((values > smallest).sum()) :].T


def _unidentifiable(unknown: Array, labels: Sequence[Any]) -> UnidentifiableError:
    combinations = [
        {labels[i]: float(change[i]) for i in np.flatnonzero(change).tolist()}
        for change in _sparse(unknown)
    ]
    shown = "; ".join(_sentence(change) for change in combinations[:3])
    more = f"; and {len(combinations) - 3} more" if len(combinations) > 3 else ""
    return UnidentifiableError(
        "the mechanism does not tell all its inputs apart, so no unbiased shares exist. These "
        f"changes of the shares leave every output as likely as before: {shown}{more}. Merge the "
        "inputs that look alike, or ask for method='likelihood', which says what remains "
        "undetermined.",
        combinations=combinations,
    )


def _sparse(unknown: Array) -> Array:
    """Return a basis of the same space with many zeros, by elimination with pivots."""
    rows = unknown.copy()
    for step in range(len(rows)):
        row, column = divmod(int(np.argmax(np.abs(rows[step:]))), rows.shape[1])
        rows[[step, step + row]] = rows[[step + row, step]]
        rows[step] /= rows[step, column]
        others = np.arange(len(rows)) != step
        rows[others] -= rows[others][:, [column]] * rows[step]
    rows[np.abs(rows) < 1e-9] = 0.0
    return rows


def _sentence(change: dict[Any, float]) -> str:
    parts = [f"{weight:+.3g} of {label!r}" for label, weight in list(change.items())[:4]]
    return " with ".join(parts) + (" …" if len(change) > 4 else "")
