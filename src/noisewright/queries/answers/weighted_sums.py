"""Quantiles of weighted sums of a few independent draws of noise, w_1 z_1 + … + w_J z_J.

**Wide noise**, of a small decay λ, is as good as Laplace noise of scale 1/λ. With different
scales b_j = |w_j| / λ the characteristic function falls into partial fractions, so that

    P(sum ≥ t) = Σ_j A_j e^(−t / b_j) / 2   for t ≥ 0,   A_j = Π_{i≠j} b_j² / (b_j² − b_i²)

Scales that are equal are moved apart by 1 in 10,000, which moves no quantile by more than that and
leaves eight digits to the A_j. Sums of normal noise are normal.

**Narrow noise** takes few values. All draws but that with the largest weight are gone through one
by one, for the least t with P(sum > t) ≤ the chance asked for; and again with the largest draw
spread evenly around whole numbers, so that the quantile does not fall where the weights change a
little and sums that were equal are no longer. The larger one counts. Where sums have few values,
intervals cover more often than asked for: nearly always at λ = 10, where noise is mostly 0.
"""

from __future__ import annotations

from functools import partial
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.queries.noise import CellNoise

Array = NDArray[np.float64]

_NARROW = {2: 8.0, 3: 2.0}
"""Noise of a smaller deviation is gone through draw by draw: by how many draws there are."""

_UNSEEN = 1e-7
_APART = 1e-4
_STEPS = 40


def quantile_of_sum(noise: CellNoise, weights: Array, beyond: float | Array) -> Array:
    """Return t with P(Σ_j w_j z_j > t) ≤ beyond, nearly as small as possible, for weights (…, J).

    Requires: independent noise; 0 < beyond < 1/2, one number or one for each sum; J ≤ 3.
    """
    if noise.balanced_cells is not None:
        raise ParameterError("sums of draws that add up to 0 over a table have another law.")
    sizes = np.sort(np.abs(weights), axis=-1)[..., ::-1]
    if sizes.shape[-1] == 1:
        return sizes[..., 0] * noise.half_width(1 - 2 * float(beyond))
    spread = np.sqrt((sizes**2).sum(axis=-1) * noise.variance)
    narrow = noise.deviation < _NARROW[sizes.shape[-1]]
    if noise.unit == "rho" and not narrow:
        return -np.vectorize(NormalDist().inv_cdf)(beyond) * spread
    # Beyond Chebyshev's bound there is less than the chance asked for.
    most = spread / np.sqrt(beyond) + sizes[..., 0] + 1e-300
    if not narrow:
        return _solve(partial(_laplace_tail, noise, sizes), most, beyond)
    exact, smooth = (
        _solve(partial(_narrow_tail, noise, sizes, smooth), most, beyond)
        for smooth in (False, True)
    )
    return np.where(exact > 1e-9 * most, np.maximum(exact, smooth), 0) * (1 + 1e-7)


def _solve(tail: partial[Array], most: Array, beyond: float | Array) -> Array:
    """Return the least t in 0 … most with tail(t) ≤ beyond, by bisection."""
    low, high = np.zeros(most.shape), most
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = tail(middle) > beyond
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


def _laplace_tail(noise: CellNoise, sizes: Array, t: Array) -> Array:
    """Return P(sum ≥ t) of wide geometric noise; sizes fall along the last axis."""
    count = sizes.shape[-1]
    least = sizes[..., :1] * 1e-6 + 1e-300
    apart = 1 + _APART * np.arange(count)[::-1]
    scales = np.maximum(sizes, least) * apart / noise.decay
    total = np.zeros(t.shape)
    for j in range(count):
        own = scales[..., j]
        share = np.exp(-t / own) / 2
        for i in range(count):
            if i != j:
                share = share / (1 - (scales[..., i] / own) ** 2)
        total += share
    return total


def _narrow_tail(noise: CellNoise, sizes: Array, smooth: bool, t: Array) -> Array:
    """Return P(sum > t), going through all draws but that with the largest weight."""
    middle = len(noise.chances) // 2
    reach = min(noise.half_width(1 - _UNSEEN), middle)
    chances = noise.chances[middle - reach : middle + reach + 1]
    sums, likely = t[..., None], np.ones(1)
    for place in range(1, sizes.shape[-1]):
        moved = sums[..., None] - sizes[..., place, None, None] * np.arange(-reach, reach + 1)
        sums = moved.reshape(*t.shape, -1)
        likely = np.outer(likely, chances).reshape(-1)
    # tails[i] = P(z > i − 1 − middle)
    tails = np.append(np.cumsum(noise.chances[::-1])[::-1], 0.0)
    places = sums / np.maximum(sizes[..., :1], 1e-300) + middle
    if smooth:
        return np.interp(places + 0.5, np.arange(len(tails)), tails) @ likely
    index = np.clip(np.floor(places + 1e-9) + 1, 0, len(tails) - 1)
    return tails[index.astype(np.int64)] @ likely
