"""Which pairs of neighbors matter in a composition: a look in floating point.

Nothing here is trusted. Pairs are sorted into groups of nearly equal curves, and it is
guessed which of them are worst somewhere; the certified bounds are right whatever the
guess, only wider when it is bad.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import halve
from noisewright.privacy.composition.exact_products import Factor
from noisewright.privacy.composition.loss_grid import loss
from noisewright.privacy.composition.pairs import Pair
from noisewright.privacy.composition.sources import Finite

_THRESHOLDS = 16
_CHUNK = 1 << 22
_DIGITS = 11
_POINTS = 4096

Floats = NDArray[np.float64]


def groups(sources: Sequence[Finite], hulls: Sequence[Pair]) -> list[NDArray[np.intp]]:
    """Sort ordered neighbors into groups whose curves agree to about 1e-11, for every source.

    Requires: sources that list the same neighbors in the same order.
    """
    signatures = [_signature(s, h) for s, h in zip(sources, hulls, strict=True)]
    table = np.round(np.concatenate(signatures, axis=1), _DIGITS)
    _, member = np.unique(table, axis=0, return_inverse=True)
    flat = member.reshape(-1)
    order = np.argsort(flat, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(flat[order])) + 1)


def _signature(source: Finite, hull: Pair) -> Floats:
    """δ of each ordered pair at a few ratios spread over the hull's."""
    ratios = np.array([math.exp(min(loss(atom), 700.0)) for atom in hull.finite] or [1.0])
    chosen = np.unique(np.quantile(ratios, np.linspace(0, 1, _THRESHOLDS), method="nearest"))
    # Halfway between knots, where curves that share knots still differ.
    chosen = np.unique(np.concatenate([chosen, np.sqrt(chosen[1:] * chosen[:-1]), [0.0]]))
    matrix = source.matrix
    result = np.empty((len(source.codes), len(chosen)))
    chunk = max(_CHUNK // matrix.shape[1], 1)
    for start in range(0, len(source.codes), chunk):
        codes = source.codes[start : start + chunk]
        p, q = matrix[codes[:, 0]], matrix[codes[:, 1]]
        for column, ratio in enumerate(chosen):
            # At ratio 0 the total would be 1 for all; the mass without a q is what tells.
            excess = np.where(q == 0, p, 0.0) if ratio == 0 else np.maximum(p - ratio * q, 0)
            result[start : start + chunk, column] = excess.sum(axis=1)
    return result


@dataclass(frozen=True)
class LossSketch:
    """About the distribution of the loss of a product, on a grid."""

    losses: Floats
    masses: Floats
    away: float

    @classmethod
    def of(cls, factors: Sequence[Factor]) -> LossSketch:
        """Convolve by Fourier transform."""
        centers: list[float] = []
        parts: list[tuple[Floats, Floats, int]] = []
        variance, keep = 0.0, 1.0
        for pair, times in factors:
            atoms = pair.finite
            p = np.array([atom[0] / pair.total for atom in atoms])
            x = np.array([loss(atom) for atom in atoms])
            keep *= (1 - pair.certain / pair.total) ** times
            if not p.sum():
                return cls(np.zeros(1), np.zeros(1), 1.0)
            center = float((p * x).sum() / p.sum())
            variance += times * float((p * (x - center) ** 2).sum())
            centers.append(center * times)
            parts.append((p, x - center, times))
        width = 20 * math.sqrt(variance) + 2 * max(
            (float(np.abs(x).max()) for _, x, _ in parts), default=0.0
        )
        step = max(width / _POINTS, 1e-12)
        spectrum = np.ones(_POINTS // 2 + 1, dtype=complex)
        for p, x, times in parts:
            cells = np.bincount(
                np.round(x / step).astype(int) % _POINTS, weights=p, minlength=_POINTS
            )
            spectrum *= np.fft.rfft(cells) ** times
        masses = np.maximum(np.fft.irfft(spectrum, _POINTS), 0)
        places = np.fft.fftfreq(_POINTS, 1 / _POINTS).astype(np.float64)
        return cls(sum(centers) + step * places, masses, 1 - keep)

    def deltas(self, epsilons: Floats) -> Floats:
        """About δ at each ε."""
        gaps = np.minimum(epsilons[:, None] - self.losses[None], 0.0)
        return self.away + (self.masses * -np.expm1(gaps)).sum(axis=1)

    @property
    def mean(self) -> float:
        """About the mean loss."""
        return float((self.losses * self.masses).sum())

    def epsilon(self, delta: float) -> float:
        """About ε at a δ, or the largest loss when none is enough."""
        largest = max(float(self.losses.max()), 0.0)

        def is_low(epsilon: float) -> bool:
            return bool(self.deltas(np.array([epsilon]))[0] > delta)

        return halve(0.0, largest, is_low, times=50)[1]


def largest_first(sources: Sequence[Finite], indices: Sequence[int]) -> list[int]:
    """Sort positions in a list of ordered neighbors by how far apart the rows are."""
    codes = sources[0].codes[np.asarray(indices, dtype=np.intp)]
    apart = np.zeros(len(codes))
    for source in sources:
        p, q = source.matrix[codes[:, 0]], source.matrix[codes[:, 1]]
        apart += np.maximum(p - q, 0).sum(axis=1) + np.where(q == 0, p, 0.0).sum(axis=1)
    return [int(i) for i in np.argsort(-apart, kind="stable")]


def worst_somewhere(candidates: Sequence[Sequence[Factor]], epsilons: Floats) -> list[int]:
    """Guess which products have the largest δ at one of these ε, the frequent ones first."""
    if not candidates:
        return []
    table = np.array([LossSketch.of(factors).deltas(epsilons) for factors in candidates])
    winners = np.argmax(table, axis=0)
    seen, counts = np.unique(winners, return_counts=True)
    return [int(i) for i in seen[np.argsort(-counts, kind="stable")]]
