"""What is known of noise that adds up to 0: the law of one cell, and its spread.

    K   cells        a   e^-decay        q   a²

A two-sided geometric number is p − n, with p and n geometric. Noise z on K cells adds up to 0 when
all p add up to what all n do, to some s; both are then one of the C(s + K − 1, K − 1) ways to
write s as a sum, equally likely. So s has weights C(s + K − 1, K − 1)² q^s; they add up to
2F1(K, K; 1; q), and

    E[s]     = (2K − 1) q / (1 − q) + q M'(q) / M(q),  M(q) = Σ_j C(K − 1, j)² q^j  (Euler's form)
    E[s²]    = q (2K E[s] + K²) / (1 − q)              since s² w_s = q (s − 1 + K)² w_(s−1)
    Var z_1  = 2 (K − 1) / (K (K + 1)) · ((1 + q) E[s] + K q) / (1 − q)
    E |z_1|  = 2 (E[s] − K q / (1 − q)) / K            min(p, n) of a cell is free: take it off both

For small decays that is (K − 1)(2K − 1) / (2K (K + 1)) of the variance of independent noise: 25%
for 2 cells, 52% for 4, 78% for 10. Moving independent noise to the known total leaves 1 − 1/K,
which is more: twice as much for 2 cells, 16% more for 10, 0.6% more for 256.

One cell has P(z_1 = t) ∝ a^|t| P(the others add up to −t). The sum of m = K − 1 two-sided
geometric numbers is a difference of two negative binomial ones, and by Pfaff's form of the
hypergeometric function has weights, for t ≥ 0 and with (x)_j = x (x + 1) … (x + j − 1),

    a^t Σ_j C(m − 1, j) (m)_j (t + 1 + j)_(m−1−j) (q / (1 − q))^j,

of which no term is negative. All of this is about noise alone: floating point is fine.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_CELLS = 256
"""Noise of larger tables is independent: that it adds up to 0 would save less than 0.6%."""

_FINEST = 2.0**-5
"""Smaller decays have the same law on a finer grid, to about decay²/24: a part in 20,000."""

_SLACK = 1 + 5e-4
"""What a coarser grid may lack."""

STEEPEST = 64.0
"""Noise of a faster decay is never seen."""

_REACH = 60.0
"""In units of 1 / decay: further out is e^-60."""


def variance_share(cells: int) -> float:
    """Return which part of the variance of independent noise is left, for small decays."""
    return (cells - 1) * (2 * cells - 1) / (2 * cells * (cells + 1))


@final
@dataclass(frozen=True)
class BalancedLaw:
    """Geometric noise on `cells` cells, of this decay, given that it adds up to 0."""

    decay: float
    cells: int

    @property
    def variance(self) -> float:
        """The variance of one cell's noise."""
        k, q, gap = self.cells, self._q, self._gap
        mean = (2 * k - 1) * q / gap + self._euler
        return 2 * (k - 1) / (k * (k + 1)) * ((1 + q) * mean + k * q) / gap

    @property
    def mean_size(self) -> float:
        """The mean of |draw|."""
        return 2 / self.cells * ((self.cells - 1) * self._q / self._gap + self._euler)

    @property
    def _q(self) -> float:
        return math.exp(-2 * min(self.decay, STEEPEST))

    @property
    def _gap(self) -> float:
        return -math.expm1(-2 * min(self.decay, STEEPEST))

    @cached_property
    def _euler(self) -> float:
        """How much of E[s] comes from M: q M'(q) / M(q)."""
        places = np.arange(self.cells)
        logs = 2 * _log_choose(self.cells - 1) + places * math.log(self._q)
        weights = np.exp(logs - logs.max())
        return float(weights @ places / weights.sum())

    def half_width(self, confidence: float = 0.95) -> int:
        """Return the least k with P(|draw| ≤ k) ≥ confidence; rounded up for decays below 2^-5."""
        if self.cells == 1:
            return 0
        chances = self._chances
        inside = chances[0] + 2 * np.cumsum(np.concatenate([[0.0], chances[1:]]))
        if self._stretch == 1:
            return int(np.searchsorted(inside, confidence))
        # A point of the coarser grid stands for what is within half a step of it.
        reach = float(np.interp(confidence, inside, np.arange(chances.size) + 0.5))
        return math.ceil(reach * _SLACK * self._stretch - 0.5)

    def chance_within(self, reach: int) -> float:
        """Return P(|draw| ≤ reach); of a coarser grid what lies between its points."""
        if self.cells == 1:
            return 1.0
        chances = self._chances
        inside = chances[0] + 2 * np.cumsum(np.concatenate([[0.0], chances[1:]]))
        place = (reach + 0.5) / (_SLACK * self._stretch) if self._stretch > 1 else reach + 0.5
        return float(np.interp(place, np.arange(chances.size) + 0.5, inside))

    def log_chances(self, draws: Array) -> Array:
        """Return the logarithms of the probabilities of draws, up to a constant."""
        if self.cells == 1:
            return np.where(draws == 0, 0.0, -np.inf)
        sizes = np.abs(draws) / self._stretch
        logs, last = self._logs, float(self._logs.size - 1)
        beyond = np.maximum(sizes - last, 0) * self._grid_decay
        return np.interp(sizes, np.arange(logs.size), logs) - beyond

    @property
    def _grid_decay(self) -> float:
        return min(max(self.decay, _FINEST), STEEPEST)

    @property
    def _stretch(self) -> float:
        """How many whole numbers lie between two points of the grid."""
        return max(1.0, _FINEST / self.decay)

    @property
    def _logs(self) -> Array:
        return _log_weights(self._grid_decay, self.cells)

    @property
    def _chances(self) -> Array:
        """The chance of each point of the grid from 0 on, which is that of its negative too."""
        weights = np.exp(self._logs - self._logs.max())
        return weights / (weights[0] + 2 * weights[1:].sum())


@lru_cache(maxsize=64)
def _log_weights(decay: float, cells: int) -> Array:
    """Return the logarithms of the weights of 0, 1, 2 …, as the top of the file has them."""
    m, t = cells - 1, np.arange(math.ceil(_REACH / decay) + 2)
    log_q, log_gap = -2 * decay, math.log(-math.expm1(-2 * decay))
    factorials = _log_factorials(int(t[-1]) + 2 * m)
    total = np.full(t.shape, -np.inf)
    for j, choose in enumerate(_log_choose(m - 1)):
        rising = factorials[m - 1 + j] - factorials[m - 1]
        above = factorials[t + m - 1] - factorials[t + j]
        total = np.logaddexp(total, choose + rising + above + j * (log_q - log_gap))
    logs: Array = (total - 2 * decay * t).astype(np.float64)
    logs.setflags(write=False)
    return logs


def _log_factorials(most: int) -> Array:
    logs = np.zeros(most + 1)
    np.cumsum(np.log(np.arange(1.0, most + 1)), out=logs[1:])
    return logs


def _log_choose(n: int) -> Array:
    """Return the logarithms of C(n, 0) … C(n, n)."""
    logs = _log_factorials(n)
    return logs[n] - logs - logs[::-1]
