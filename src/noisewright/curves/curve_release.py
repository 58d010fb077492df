"""A released curve: noisy whole numbers, and what they say about the curve.

The object holds the released coordinates and nothing else that depends on the data: not the
true curve, and not the noise. Everything it computes, at any positions and as often as one
likes, is a function of what was released and costs no privacy (Holohan–Leith–Mason 2015,
Theorem 4). The noise of a Gaussian process is therefore not continued between coordinates:
between them a release shows the expected path given the coordinates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from typing import Any, Literal, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.curves.bases import Floats, Functions
from noisewright.errors import InputError, ParameterError
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods

Noise = Literal["laplace", "gaussian"]


@final
@dataclass(frozen=True)
class Band:
    """Values with lower and upper limits at positions; `level` is the confidence asked for."""

    positions: Floats
    values: Floats
    low: Floats
    high: Floats
    level: float


@public_methods
@final
@dataclass(frozen=True, eq=False)
class CurveRelease:
    """One or more released curves, to be read at any position.

    `numbers` are the released whole numbers, a row for each curve; a coordinate is a number
    times `unit`. `claim` is what the release guarantees to each person. `scale` is that of the
    noise in each coordinate, in the units of the curve: b of Laplace noise e^(−|x|/b), the
    deviation of Gaussian noise. `clamps` says that values beyond the `bounds` counted as the nearer
    bound.
    """

    numbers: NDArray[Any]
    unit: Fraction
    functions: Functions
    grid: Floats
    middle: float
    bounds: tuple[float, float]
    noise: Noise
    scale: Fraction
    claim: Guarantee
    clamps: bool = False

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        rows = "1 curve" if len(self) == 1 else f"{len(self):,} curves"
        return (
            f"<{rows} with {self.noise} noise in {self.functions.count} coordinates, {self.claim}>"
        )

    @property
    def coordinates(self) -> Floats:
        """The released coordinates as doubles, a row for each curve."""
        return self.numbers.astype(np.float64) * float(self.unit)

    @property
    def values(self) -> Floats:
        """The released curves on the grid, a row for each curve."""
        return self.at(self.grid)

    def at(self, positions: ArrayLike, *, clamp: bool = False) -> Floats:
        """Return the released curves at any positions inside the grid, a row for each curve.

        `clamp` moves values to the bounds of the space: they look better and are no longer
        unbiased.
        """
        read = self._positions(positions)
        values = self.middle + self.coordinates @ self.functions.at(read).T
        return np.clip(values, *self.bounds) if clamp else values

    def covariance(self, positions: ArrayLike | None = None) -> Floats:
        """Return the covariance of the noise at positions (the grid by default); known in advance.

        It is that of the noise alone: what the coordinates leave out of a curve is not in it.
        """
        drawn = self.functions.at(self._positions(positions))
        return self.variance * drawn @ drawn.T

    def standard_error(self, positions: ArrayLike | None = None) -> Floats:
        """Return the deviation of the noise at positions (the grid by default)."""
        drawn = self.functions.at(self._positions(positions))
        return np.sqrt(self.variance * (drawn * drawn).sum(axis=1))

    @property
    def variance(self) -> float:
        """The variance of the noise in each coordinate."""
        return noise_variance(self.noise, self.scale, self.unit)

    def band(
        self,
        positions: ArrayLike | None = None,
        *,
        level: float = 0.95,
        simultaneous: bool = True,
        row: int = 0,
    ) -> Band:
        """Return a band around a released curve that holds the curve without noise.

        The curve without noise is the true one as far as the coordinates can show it. With
        `simultaneous` the band holds it at all these positions at once with probability of
        at least `level` (Bonferroni); otherwise at each of them. For Laplace noise in a basis
        the limits come from a Chernoff bound, so they hold more often than asked.
        """
        if not -len(self) <= row < len(self):
            raise InputError(f"row is {row}; there are {len(self):,} curves.")
        read = self._positions(positions)
        reach = self.reach(read, level=level, simultaneous=simultaneous)
        values = self.at(read)[row]
        return Band(read, values, values - reach, values + reach, level)

    def reach(
        self, positions: ArrayLike | None = None, *, level: float = 0.95, simultaneous: bool = True
    ) -> Floats:
        """Return half the width of `band` at positions; known before any release."""
        if not 0 < level < 1:
            raise ParameterError(f"level is {level}; it must lie between 0 and 1, as in 0.95.")
        read = self._positions(positions)
        missed = (1 - level) / (read.size if simultaneous else 1)
        if self.noise == "gaussian":
            return NormalDist().inv_cdf(1 - missed / 2) * self.standard_error(read)
        sizes = np.abs(self.functions.at(read))
        return laplace_reach(sizes * float(self.scale), missed, unit=sizes * float(self.unit))

    def _positions(self, positions: Any) -> Floats:
        if positions is None:
            return self.grid
        read = np.atleast_1d(np.asarray(positions, dtype=np.float64))
        first, last = self.grid[0], self.grid[-1]
        if read.ndim != 1 or not read.size or not ((read >= first) & (read <= last)).all():
            raise InputError(
                f"positions must be a list of numbers from {first:g} to {last:g}, where the "
                "curves are defined."
            )
        return read


def noise_variance(noise: Noise, scale: Fraction, unit: Fraction) -> float:
    """Return the variance of whole-number noise of this scale, in the units of the curve."""
    if noise == "gaussian":
        # Rounding to whole numbers adds a twelfth, up to e^(-2π²s²).
        return float(scale * scale + unit * unit / 12)
    steps = float(scale / unit)
    # 2a/(1 − a)² with a = e^(-1/b)
    return float(unit) ** 2 / (2 * math.sinh(1 / (2 * steps)) ** 2) if steps > 1e-3 else 0.0


def laplace_reach(scales: Floats, missed: float, *, unit: Floats) -> Floats:
    """Return q with P(|Σ_k ± L_k| > q) ≤ missed for discrete Laplace L_k, a row for each sum.

    P ≤ 2 e^(−qθ) / Π(1 − (b_k θ)²) for each θ below all 1/b_k, as for continuous Laplace numbers,
    whose moments are larger; the best of some θ is taken. One number alone, on multiples of
    `unit`, has P ≤ e^(−q/b) for q half a unit larger.
    """
    largest = scales.max(axis=1)
    shares = scales / np.where(largest > 0, largest, 1)[:, None]
    theta = np.linspace(0.02, 0.995, 64)
    logs = -np.log1p(-((shares[:, :, None] * theta) ** 2)).sum(axis=1)
    best = ((math.log(2 / missed) + logs) / theta).min(axis=1)
    if ((shares > 0).sum(axis=1) <= 1).all():
        return largest * -math.log(missed) + unit.max(axis=1) / 2
    # Where one number stands alone among others, its exact limit would make a band jump.
    return largest * best
