"""From a channel to the estimator that undoes it on average, and what cannot be undone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import UnidentifiableError

Array = NDArray[np.float64]

_ROUNDING = 64 * float(np.finfo(np.float64).eps)
"""Singular values below this share of the largest, times the size, are rounding."""


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
        f"the mechanism does not tell all its inputs apart, so no unbiased shares exist. These "
        f"changes of the shares leave every output as likely as before: {shown}{more}. Merge the "
        "inputs that look alike, or ask for method='likelihood', which says what remains open.",
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
