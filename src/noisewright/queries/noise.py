"""The noise of one question: whole numbers of a known law, drawn exactly, one for each number.

    ε   two-sided geometric noise of a decay λ: P(z) ∝ e^(−λ|z|)
    ρ   normal noise of a deviation σ, rounded to whole numbers

Geometric noise on all cells of a table may add up to 0 (`balanced_cells`), where the total of the
table is the same for all neighbors. What noise costs is decided where sensitivities are known. Here
is what is known of its law: floating point is fine, since only errors and intervals depend on it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from statistics import NormalDist
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.sampling import Source, balanced_geometric, rounded_normal, two_sided_geometric
from noisewright.synthetic import BalancedLaw

Array = NDArray[np.float64]

_STEEPEST = 64.0
"""Noise of a faster decay is never seen."""

_NARROW = 2
"""From this deviation on rounding is as good as one more draw, even between −1/2 and 1/2."""

_UNSEEN = 1e-12
"""Draws further out, all together, have less chance than this."""


@final
@dataclass(frozen=True)
class CellNoise:
    """Noise of decay `scale` (unit "epsilon") or of deviation `scale` (unit "rho").

    With `balanced_cells` it is geometric noise on so many cells that adds up to 0 over them.
    """

    unit: Literal["epsilon", "rho"]
    scale: Fraction
    balanced_cells: int | None = None

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ParameterError(f"the scale of noise is {self.scale}; it must be positive.")
        if self.balanced_cells is not None and (self.unit == "rho" or self.balanced_cells < 1):
            raise ParameterError(
                "noise adds up to 0 over one or more cells and under epsilon only: given were "
                f"{self.balanced_cells} cells under {self.unit}."
            )

    def draw(self, cells: int, source: Source | None = None) -> NDArray[Any]:
        """Return the noise of so many numbers: independent draws, or all cells of a table."""
        if self.unit == "rho":
            return rounded_normal(self.scale, cells, source)
        decay = Epsilon(rational=self.scale)
        if self.balanced_cells is None:
            return two_sided_geometric(decay, cells, source)
        if cells != self.balanced_cells:
            raise ParameterError(
                f"noise for a table of {self.balanced_cells:,} cells was asked for {cells:,} "
                "numbers. Please report this: it would not add up to 0."
            )
        return balanced_geometric(decay, cells, 1, source)[0]

    def imitate(self, cells: int, random: np.random.Generator) -> Array:
        """Return independent numbers of the same law, in doubles: for predictions alone.

        Requires: noise that does not add up to 0, of a decay above 1e-9.
        Ensures: not private, and many times faster than `draw`.
        """
        if self.unit == "rho":
            return np.rint(random.standard_normal(cells) * float(self.scale))
        ends = random.geometric(-math.expm1(-self.decay), (2, cells))
        return (ends[0] - ends[1]).astype(np.float64)

    @cached_property
    def variance(self) -> float:
        """The variance of one draw."""
        if self._balanced is not None:
            return self._balanced.variance
        if self.unit == "rho":
            return self._moment(2) if self.scale < _NARROW else float(self.scale) ** 2 + 1 / 12
        return 2 * self._spread

    @property
    def deviation(self) -> float:
        """The standard deviation of one draw."""
        return math.sqrt(self.variance)

    @property
    def fourth_cumulant(self) -> float:
        """E z⁴ − 3 Var², of independent noise."""
        if self.unit == "rho":
            return self._moment(4) - 3 * self.variance**2 if self.scale < _NARROW else -1 / 120
        # A draw is the difference of two geometric numbers, of variance g and κ4 = g (6g + 1).
        return 2 * self._spread * (6 * self._spread + 1)

    def _moment(self, power: int) -> float:
        reach = len(self.chances) // 2
        return float(self.chances @ np.arange(-reach, reach + 1.0) ** power)

    @property
    def _spread(self) -> float:
        return 1 / (2 * math.sinh(self.decay / 2)) ** 2

    @property
    def decay(self) -> float:
        """The decay of geometric noise."""
        return min(float(self.scale), _STEEPEST)

    @cached_property
    def _balanced(self) -> BalancedLaw | None:
        cells = self.balanced_cells
        return None if cells is None else BalancedLaw(float(self.scale), cells)

    def half_width(self, confidence: float) -> int:
        """Return the least k with P(|draw| ≤ k) ≥ confidence."""
        beyond = (1 - confidence) / 2
        if self._balanced is not None:
            return self._balanced.half_width(confidence)
        if self.unit == "rho":
            width = -NormalDist().inv_cdf(beyond) * float(self.scale) - 0.5
        else:  # P(z > k) = a^(k+1) / (1 + a)
            width = -math.log(beyond * (1 + math.exp(-self.decay))) / self.decay - 1
        return max(0, math.ceil(width - 1e-9))

    def shortest_run(self, confidence: float) -> tuple[int, int]:
        """Return k and l = k or k + 1, the least with P(−l ≤ draw ≤ k) ≥ confidence.

        So c lies in y − k … y + l for y = c + draw with at least the confidence, and no interval of
        fewer whole numbers does as much.
        """
        half = self.half_width(confidence)
        inside = (self.chance_within(half - 1) + self.chance_within(half)) / 2
        return (half - 1 if half and inside >= confidence else half), half

    def chance_within(self, reach: int) -> float:
        """Return P(|draw| ≤ reach)."""
        if reach < 0:
            return 0.0
        if self._balanced is not None:
            return self._balanced.chance_within(reach)
        if self.unit == "rho":
            return math.erf((reach + 0.5) / (float(self.scale) * math.sqrt(2)))
        return 1 - 2 * math.exp(-self.decay * (reach + 1)) / (1 + math.exp(-self.decay))

    @cached_property
    def chances(self) -> Array:
        """The probabilities of −r … r, for the least r that leaves nothing to be seen outside.

        Requires: independent noise. It takes memory in proportion to the deviation.
        """
        if self._balanced is not None:
            raise ParameterError("the draws of noise that adds up to 0 are not independent.")
        reach = self.half_width(1 - _UNSEEN)
        places = np.arange(-reach, reach + 1)
        if self.unit == "epsilon":
            weights = np.exp(-self.decay * np.abs(places))
        else:
            root = float(self.scale) * math.sqrt(2)
            edges = np.array([math.erf((place - 0.5) / root) for place in range(reach + 2)])
            above = np.diff(edges)
            weights = np.concatenate([above[:0:-1], above])
        return weights / weights.sum()

    def describe(self) -> str:
        """Say what the noise is, in words."""
        if self.unit == "rho":
            return f"rounded normal noise of deviation {float(self.scale):.4g}"
        kind = f"two-sided geometric noise of decay {float(self.scale):.4g}"
        if self.balanced_cells is None:
            return kind
        return f"{kind} that adds up to 0 over {self.balanced_cells:,} cells"
