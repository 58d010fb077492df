"""Intervals for means and variances, by turning tests around (Fieller 1954).

    s_j   noisy sums of a group, as in `moments.py`; n, B and C estimate its rows, Σ u and Σ u²
    m, v  the mean and the variance of u, in 0 … 1 and in 0 … 1/4

**Means.** T(m) = B − m n is 0 plus noise at the true m, and the noise is a weighted sum of the z_j
with known weights: its quantile q(m) is exact, whatever n is. Elsewhere T(m) is n times how far
the true mean lies above m, plus noise, and a group has no fewer than 0 rows. So a large T(m) says
that the mean is larger than m, and the interval goes from the first m with T(m) ≤ q(m) to the last
one with T(m) ≥ −q(m).

**Ends.** Of what may be missed, 5%, a mean in the middle of the range has half on each side. A mean
at an end can be missed on one side only, which then has 4%, and the other 1%; between them it is
divided in proportion. So an end is covered with 96% instead of 97.5%, and intervals next to it are
4% wider. The same goes for variances.

**Variances.** L(v, c) = C − 2cB + (c² − v) n is n times (v' + (m' − c)² − v) plus known noise,
where v' and m' are the truth. Whatever c is, it is at least n (v' − v): so v is too small when no c
explains so large an L. For too large a v we take c from the data, c = B / n within 0 … 1. That
makes L smaller by noise² / n: on average by the variance of B − c n over n, at most n (m' − c)²,
and that much is added again. It is of second order, exact for large groups.

**Small groups** would be covered more often than asked for: since the mean may be anything, and
since the first m that passes may lie below one that does not. `small_groups.py` makes up for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.answers.small_groups import factor_for_mean, factors_for_variance
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
_LEAST_DEVIATION = 1e-100
_AT_AN_END = 0.6
"""How much larger than half the part is that one side may miss at an end of the range."""


@final
@dataclass(frozen=True)
class RatioTests:
    """Tests on sums of this degree, where a row adds `one_row` to all of them together.

    Each side of an interval misses with probability `beyond`, in the middle of what is possible.
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

    @property
    def _deviation_of_size(self) -> float:
        """The deviation of n, by which sizes are divided also where noise is never seen."""
        deviation = self.noise.deviation / self.one_row * (self.degree + 1) ** 0.5
        return max(deviation, _LEAST_DEVIATION)

    def mean_interval(self, s: Array) -> tuple[Array, Array]:
        """Return the interval of the mean of u for each group."""
        return _in_pieces(self._mean_interval, s)

    def variance_interval(self, s: Array) -> tuple[Array, Array]:
        """Return the interval of the variance of u for each group."""
        return _in_pieces(self._variance_interval, s)

    def _mean_interval(self, s: Array) -> tuple[Array, Array]:
        quantiles = _mean_quantiles(self.noise, self.degree, self.beyond) / self.one_row
        people, total = s.sum(axis=-1)[:, None], (s @ self._steps)[:, None]
        factor = factor_for_mean(people / self._deviation_of_size)

        def above(m: Array, total: Array) -> Array:
            return total - m * people - factor * np.interp(m, _MEANS, quantiles)

        # From the other end, values are 1 − u, and noise has the same law.
        return (
            _first(lambda m: above(m, total), _MEANS),
            1 - _first(lambda m: above(m, people - total), _MEANS),
        )

    def _variance_interval(self, s: Array) -> tuple[Array, Array]:
        small, large = (
            table / self.one_row for table in _variance_quantiles(self.noise, self.beyond)
        )
        people, total, squares = (
            each[:, None] for each in (s.sum(axis=-1), s @ self._steps, s[:, 2])
        )
        center = np.clip(np.nan_to_num(self.means(s), nan=0.5), 0, 1)[:, None]
        deviation = self._deviation_of_size
        fewer, more = factors_for_variance(people / deviation, center, self.noise.unit)
        lost = self.mean_deviation(center) ** 2 / np.maximum(people, deviation / 2)
        least = (np.maximum(people, 0) + deviation) * np.maximum(center, 1 - center) ** 2
        added = np.minimum(lost, least)

        def contrast(v: Array, c: Array) -> Array:
            return squares - 2 * c * total + (c**2 - v) * people

        def too_small(v: Array) -> Array:
            """Positive where no center explains the sums."""
            excess = (contrast(v, c) - fewer * _interpolate(small, v, c) for c in (center, *_FEW))
            return np.minimum.reduce(list(excess))

        def too_large(w: Array) -> Array:
            v = 0.25 - w
            return -contrast(v, center) - more * (_interpolate(large, v, center) + added)

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
    return quantile_of_sum(noise, _mean_weights(_MEANS, degree), _on_one_side(beyond, _MEANS))


@lru_cache(maxsize=32)
def _variance_quantiles(noise: CellNoise, beyond: float) -> tuple[Array, Array]:
    """Return critical values for variances that are too small, and too large."""
    v, c = np.meshgrid(_VARIANCES, _CENTERS, indexing="ij")
    weights = _variance_weights(v, c)
    small, large = (_on_one_side(beyond, place) for place in (4 * v, 1 - 4 * v))
    return quantile_of_sum(noise, weights, small), quantile_of_sum(noise, weights, large)


def _on_one_side(beyond: float, place: Array) -> Array:
    """Return which part of 2 · beyond what is too small may miss, at a place in 0 … 1."""
    return beyond * (1 + _AT_AN_END * (1 - 2 * place))


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
