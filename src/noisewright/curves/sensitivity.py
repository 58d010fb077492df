"""How far one curve can move its coordinates: proven in whole numbers.

    d      the difference of two curves, each |d_j| ≤ m (m steps from low to high)
    A      the matrix of the coordinates, whole numbers
    Δ1     max over d of Σ_k |(A d)_k|, for Laplace noise
    Δ2     max over d of √(Σ_k (A d)_k²), for normal noise

Both maxima are reached at corners, d_j = ±m. Δ1 is found exactly from the signs of A d: it is
m · max over signs s of Σ_j |Σ_k s_k A_kj|, one sum for each of 2^(K−1) sign patterns. For many
coordinates it is bounded by Σ |A_kj| and by √K · Δ2, whichever is less.

Δ2 is found exactly from the corners for few positions, and else bounded: for positive z_j,
|A d|² ≤ λ(A Z A') · Σ_j d_j² / z_j, where λ, the largest eigenvalue, is at most the largest sum
of absolute entries of a row (Gershgorin). z_j are the inverse quadrature weights, for which
A Z A' is diagonal up to rounding. For an orthonormal basis that can represent a constant the
bound is reached by two flat curves, up to rounding.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import sqrt_bounds

BY_ROOT = "√K times the bound on Δ2"
MOST_PATTERNS = 15
_MOST_CORNERS = 12
_BLOCK = 1 << 9
_WEIGHT_BITS = 40
_ROOT_BITS = 64


@dataclass(frozen=True)
class CurveSensitivity:
    """An upper bound on Δ1 or Δ2 in units of A, and how it was found."""

    value: Fraction
    exact: bool
    how: str


def l1_sensitivity(matrix: NDArray[Any], steps: int, l2: CurveSensitivity) -> CurveSensitivity:
    """Return Δ1, or a bound on it, for a matrix of whole numbers."""
    count, positions = matrix.shape
    if min(count, positions) <= MOST_PATTERNS:
        # The largest entry of signs · A · signs' does not care which side is listed.
        rows = matrix if count <= positions else matrix.T
        return CurveSensitivity(Fraction(steps * _largest_sum(rows)), True, "all sign patterns")
    plain = Fraction(steps * int(np.abs(matrix).astype(object).sum()))
    by_root = _root_above(Fraction(count)) * l2.value
    if plain <= by_root:
        return CurveSensitivity(plain, _one_entry_a_row(matrix), "sum of all entries")
    return CurveSensitivity(by_root, False, BY_ROOT)


def l2_sensitivity(
    matrix: NDArray[Any], steps: int, weights: tuple[Fraction, ...]
) -> CurveSensitivity:
    """Return Δ2, or a bound on it, for a matrix of whole numbers."""
    if _one_entry_a_row(matrix):
        square = sum(int(x) ** 2 for x in matrix.astype(object).ravel())
        return CurveSensitivity(steps * _root_above(Fraction(square)), True, "one position each")
    if matrix.shape[1] <= _MOST_CORNERS:
        return CurveSensitivity(steps * _longest(matrix), True, "all corners")
    square = min(_by_weights(matrix, weights), _by_entries(matrix))
    return CurveSensitivity(steps * _root_above(square), False, "Gershgorin's bound")


def _root_above(square: Fraction) -> Fraction:
    return Fraction(sqrt_bounds(square, _ROOT_BITS)[1], 1 << _ROOT_BITS)


def _one_entry_a_row(matrix: NDArray[Any]) -> bool:
    """Whether each coordinate looks at one position of its own."""
    used = matrix != 0
    return bool((used.sum(axis=1) <= 1).all() and (used.sum(axis=0) <= 1).all())


def patterns(count: int) -> NDArray[np.int64]:
    """Return all patterns of `count` signs that start with +1, one a row."""
    codes = np.arange(1 << (count - 1))[:, None]
    bits = codes >> np.arange(count - 1) & 1
    return np.hstack([np.ones((codes.size, 1), dtype=np.int64), 1 - 2 * bits])


def widest_signs(matrix: NDArray[np.float64], power: int, *, tries: int = 32) -> NDArray[Any]:
    """Return signs s for which Σ_k |(A s)_k|^power is large: a search, for showing what is reached.

    Both sums are convex in s, so going to the signs of the slope never makes them smaller.
    """
    positions = matrix.shape[1]
    starts = np.linalg.svd(matrix, full_matrices=False)[2]
    varied = np.cos(np.outer(np.arange(1, tries + 1), np.arange(positions) + 0.5))
    best, longest = np.ones(positions), -1.0
    for start in [np.ones(positions), *starts, *varied]:
        signs = np.where(start >= 0, 1.0, -1.0)
        for _ in range(50):
            moved = matrix @ signs
            slope = matrix.T @ (np.sign(moved) if power == 1 else moved)
            following = np.where(slope >= 0, 1.0, -1.0)
            if (following == signs).all():
                break
            signs = following
        size = float((np.abs(matrix @ signs) ** power).sum())
        if size > longest:
            best, longest = signs, size
    return best


def _largest_sum(rows: NDArray[Any]) -> int:
    """Return the largest Σ_j |Σ_k s_k A_kj| over signs s, in whole numbers."""
    exact = _wide(rows)
    signs = patterns(rows.shape[0])
    best = 0
    for start in range(0, len(signs), _BLOCK):
        sums = np.abs(signs[start : start + _BLOCK].astype(exact.dtype) @ exact).sum(axis=1)
        best = max(best, int(sums.max()))
    return best


def _longest(matrix: NDArray[Any]) -> Fraction:
    """Return the largest |A s| over corners s, rounded up."""
    exact = matrix.astype(object)
    signs = patterns(matrix.shape[1])
    # Doubles say which corners may be longest; whole numbers say how long they are.
    moved = signs.astype(np.float64) @ matrix.T.astype(np.float64)
    near = (moved * moved).sum(axis=1)
    candidates = signs[near >= near.max() * (1 - 1e-9)].astype(object)
    return _root_above(Fraction(max(int((row * row).sum()) for row in candidates @ exact.T)))


def _wide(matrix: NDArray[Any]) -> NDArray[Any]:
    """Return the matrix in a type that holds every sum of its entries."""
    total = int(np.abs(matrix.astype(object)).sum())
    return matrix.astype(np.int64) if total.bit_length() <= 62 else matrix.astype(object)


def inverse_weights(weights: tuple[Fraction, ...]) -> list[int]:
    """Return z_j, in proportion to the inverse weights: whole numbers from 1 on."""
    total = sum(weights, Fraction(0))
    return [max(1, math.floor(total / w * (1 << _WEIGHT_BITS))) for w in weights]


def _by_weights(matrix: NDArray[Any], weights: tuple[Fraction, ...]) -> Fraction:
    """Bound max |A s|² over corners by the quadrature weights."""
    inverse = inverse_weights(weights)
    exact = matrix.astype(object)
    gram = (exact * np.array(inverse, dtype=object)) @ exact.T
    largest = max(sum(abs(int(x)) for x in row) for row in gram)
    return largest * sum((Fraction(1, z) for z in inverse), Fraction(0))


def _by_entries(matrix: NDArray[Any]) -> Fraction:
    """Bound max |A s|² by Σ_k (Σ_j |A_kj|)²: no coordinate can be larger than that."""
    rows = np.abs(matrix.astype(object)).sum(axis=1)
    return Fraction(sum(int(row) ** 2 for row in rows))
