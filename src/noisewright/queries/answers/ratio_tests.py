"""Intervals for means and variances, by turning tests around (Fieller 1954).

    s_j   noisy sums of a group, as in `moments.py`; n, B and C estimate its rows, Σ u and Σ u²
    m, v  the mean and the variance of u, in 0 … 1 and in 0 … 1/4

**Means.** T(m) = B − m n is 0 plus noise at the true m, and the noise is a weighted sum of the z_j
with known weights: its quantile q(m) is exact, whatever n is. Elsewhere T(m) is n times how far
the true mean lies above m, plus noise, and a group has no fewer than 0 rows. So a large T(m) says
that the mean is larger than m, and the interval goes from the first m with T(m) ≤ q(m) to the last
one with T(m) ≥ −q(m). It covers in 95 of 100 cases or more: more where little is known, since the
first such m may lie below one that is rejected, and where the true mean is an end of the range,
since only one side can then miss.

**Variances.** L(v, c) = C − 2cB + (c² − v) n is n times (v' + (m' − c)² − v) plus known noise,
where v' and m' are the truth. Whatever c is, it is at least n (v' − v): so v is too small when no c
explains so large an L. For too large a v we take c from the data, c = B / n within 0 … 1. That
makes L smaller by noise² / n: on average by the variance of B − c n over n, at most n (m' − c)²,
and that much is added again. It is of second order, exact for large groups; how well it does for
few people is measured in `benchmarks/query_errors.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.weighted_sums import quantile_of_sum
from noisewright.queries.noise import CellNoise

Array = NDArray[np.float64]

_MEANS = np.linspace(0, 1, 129)
_CENTERS = np.linspace(0, 1, 33)
_VARIANCES = np.linspace(0, 0.25, 33)
_FEW = np.linspace(0, 1, 9)
_AT_ONCE = 1 << 10
_STEPS = 30
_OUTWARDS = 1e-12


@final
@dataclass(frozen=True)
class RatioTests:
    """Tests on sums of this degree, where a row adds `one_row` to all of them together.

    Each side of an interval misses with probability `beyond`.
    """

    noise: CellNoise
    degree: int
    one_row: float
    beyond: float

    @property
    def _steps(self) -> Array:
        return np.arange(self.degree + 1) / self.degree

    def means(self, s: Array) -> Array:
        """Return B / n, not yet within 0 … 1; NaN where n is 0."""
        return _over(s @ self._steps, s.sum(axis=-1))

    def squares(self, s: Array) -> Array:
        """Return C / n."""
        return _over(s[..., 2], s.sum(axis=-1))

    def mean_deviation(self, m: Array) -> Array:
        """Return the deviation of T(m)."""
        return self._deviation(_mean_weights(m, self.degree))

    def variance_deviation(self, v: Array, c: Array) -> Array:
        """Return the deviation of L(v, c)."""
        return self._deviation(_variance_weights(v, c))

    def _deviation(self, weights: Array) -> Array:
        squares = (weights**2).sum(axis=-1)
        return np.sqrt(squares) * self.noise.deviation / self.one_row

    def mean_interval(self, s: Array) -> tuple[Array, Array]:
        """Return the interval of the mean of u for each group."""
        return _in_pieces(self._mean_interval, s)

    def variance_interval(self, s: Array) -> tuple[Array, Array]:
        """Return the interval of the variance of u for each group."""
        return _in_pieces(self._variance_interval, s)

    def _mean_interval(self, s: Array) -> tuple[Array, Array]:
        quantiles = _mean_quantiles(self.noise, self.degree, self.beyond) / self.one_row
        people, total = s.sum(axis=-1)[:, None], (s @ self._steps)[:, None]

        def above(m: Array, sign: int) -> Array:
            return sign * (total - m * people) - np.interp(m, _MEANS, quantiles)

        return (
            _first(lambda m: above(m, 1), _MEANS),
            1 - _first(lambda m: above(1 - m, -1), _MEANS),
        )

    def _variance_interval(self, s: Array) -> tuple[Array, Array]:
        table = _variance_quantiles(self.noise, self.beyond) / self.one_row
        people, total, squares = (
            each[:, None] for each in (s.sum(axis=-1), s @ self._steps, s[:, 2])
        )
        center = np.clip(np.nan_to_num(self.means(s), nan=0.5), 0, 1)[:, None]
        deviation = self.noise.deviation / self.one_row * np.sqrt(3)
        lost = self.mean_deviation(center) ** 2 / np.maximum(people, deviation / 2)
        least = (np.maximum(people, 0) + deviation) * np.maximum(center, 1 - center) ** 2
        added = np.minimum(lost, least)

        def excess(v: Array, c: Array, sign: int) -> Array:
            known = squares - 2 * c * total + (c**2 - v) * people
            return sign * known - _interpolate(table, v, c)

        def too_small(v: Array) -> Array:
            """Positive where no center explains the sums."""
            return np.minimum.reduce([excess(v, c, 1) for c in (center, *_FEW)])

        def too_large(w: Array) -> Array:
            return excess(0.25 - w, center, -1) - added

        return _first(too_small, _VARIANCES), 0.25 - _first(too_large, _VARIANCES)


def _in_pieces(interval: Callable[[Array], tuple[Array, Array]], s: Array) -> tuple[Array, Array]:
    """Return intervals of so many groups at a time that they fit into the processor's memory."""
    pieces = [interval(s[first : first + _AT_ONCE]) for first in range(0, len(s), _AT_ONCE)]
    lows, highs = zip(*pieces, strict=True) if pieces else ([np.empty(0)], [np.empty(0)])
    return np.concatenate(lows), np.concatenate(highs)


def _over(top: Array, below: Array) -> Array:
    return np.divide(top, below, out=np.full(below.shape, np.nan), where=below != 0)


def _mean_weights(m: Array, degree: int) -> Array:
    return np.arange(degree + 1) / degree - m[..., None]


def _variance_weights(v: Array, c: Array) -> Array:
    return np.stack([c**2 - v, c**2 - c - v, (1 - c) ** 2 - v], axis=-1)


@lru_cache(maxsize=32)
def _mean_quantiles(noise: CellNoise, degree: int, beyond: float) -> Array:
    return quantile_of_sum(noise, _mean_weights(_MEANS, degree), beyond)


@lru_cache(maxsize=32)
def _variance_quantiles(noise: CellNoise, beyond: float) -> Array:
    v, c = np.meshgrid(_VARIANCES, _CENTERS, indexing="ij")
    return quantile_of_sum(noise, _variance_weights(v, c), beyond)


def _interpolate(table: Array, v: Array, c: Array) -> Array:
    """Return a function of (v, c) between its values on the grid."""
    v, c = np.broadcast_arrays(v * 4 * (len(_VARIANCES) - 1), c * (len(_CENTERS) - 1))
    i = np.clip(v.astype(np.int64), 0, len(_VARIANCES) - 2)
    j = np.clip(c.astype(np.int64), 0, len(_CENTERS) - 2)
    x, y = v - i, c - j
    left = table[i, j] * (1 - y) + table[i, j + 1] * y
    right = table[i + 1, j] * (1 - y) + table[i + 1, j + 1] * y
    return left * (1 - x) + right * x


def _first(excess: Callable[[Array], Array], grid: Array) -> Array:
    """Return the first place of 0 … grid[-1] where excess ≤ 0, for each group; the end if none.

    A grid is scanned, and bisected before the first place found.
    """
    fits = excess(grid) <= 0
    place = np.where(fits.any(axis=-1), fits.argmax(axis=-1), len(grid) - 1)
    high, low = grid[place], grid[np.maximum(place - 1, 0)]
    for _ in range(_STEPS):
        middle = (low + high) / 2
        below = excess(middle[..., None])[..., 0] <= 0
        low, high = np.where(below, low, middle), np.where(below, middle, high)
    return np.maximum(low - _OUTWARDS, 0)
