"""Exact integer noise for counts, and what is known about it.

    ε   two-sided geometric noise; on the cells of a small marginal it adds up to 0 (see
        `balanced_law.py`)
    ρ   rounded normal noise (Bun–Steinke 2016)

Neighbors replace one record, and the number of rows is public. In the counts of a marginal one
cell then falls by one and another one rises by one: they change by 2 in L1 and by √2 in L2. One
counting query by itself changes by 1. The cells of a marginal add up to the number of rows, so that
noise may keep that: where P(z) ∝ a^|z| over all z with sum 0, a change by d of the counts, with sum
0 too, moves z within these, and no P(z) by more than a^-|d|.

A person may have up to k rows, and how many is public. Neighbors then replace all rows of one
person. At worst all k move from one cell to the same other one: all these changes are k times as
large, and the squares of those in L2 k² times. So is the change of a score.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, sqrt_bounds
from noisewright.sampling import Source, balanced_geometric, rounded_normal, two_sided_geometric
from noisewright.synthetic.steps.balanced_law import MOST_CELLS, STEEPEST, BalancedLaw

_BITS = 64
_NORMAL_95 = 1.959963984540054

NOISES = {"epsilon": "two-sided geometric", "rho": "rounded normal"}
"""What the noise is called, by what is divided."""

MARGINAL, QUERY = 2, 1
"""By how much one row changes the counts of a marginal, or of one query, in L1 and in L2²."""


@final
@dataclass(frozen=True)
class Noise:
    """Exact integer noise for counts that one row changes by `change` (in L1, and in L2²).

    A person has up to `rows_per_person` rows, and may replace all of them. With `balanced_cells`
    it is for a marginal of so many cells, and adds up to 0 over them: `on` decides that.
    """

    amount: Fraction
    unit: Literal["epsilon", "rho"]
    change: int
    rows_per_person: int = 1
    balanced_cells: int | None = None

    def __post_init__(self) -> None:
        if self.balanced_cells is not None and not self.may_balance:
            raise ParameterError(
                "noise adds up to 0 only for marginals under pure epsilon, with one row for each "
                "person: other totals are not the same for all neighbors. Please report this."
            )

    @property
    def may_balance(self) -> bool:
        """Whether all neighbors have the same total, so that noise may add up to 0."""
        return self.unit == "epsilon" and self.change == MARGINAL and self.rows_per_person == 1

    def on(self, cells: int) -> Noise:
        """Return the noise for a marginal of so many cells, which are public."""
        known = self._on_cells.get(cells)
        if known is None:
            is_small = self.may_balance and cells <= MOST_CELLS
            known = replace(self, balanced_cells=cells if is_small else None)
            self._on_cells[cells] = known
        return known

    @cached_property
    def _on_cells(self) -> dict[int, Noise]:
        """What `on` has made: of thousands of marginals most have as many cells as another."""
        return {}

    @cached_property
    def scale(self) -> Fraction:
        """The decay of geometric noise, or the deviation of normal noise, rounded up."""
        if self.unit == "epsilon":
            return self.amount / (self.change * self.rows_per_person)
        # ρ = change / (2 s²) of a normal vector (Bun–Steinke 2016, Prop 1.6); its rounding to
        # whole numbers sees only what was released.
        change = Fraction(self.change * self.rows_per_person**2)
        above = sqrt_bounds(change / (2 * self.amount), _BITS)[1]
        return Fraction(above, 1 << _BITS)

    def draw(self, size: int, source: Source | None) -> NDArray[Any]:
        """Return the noise of so many counts: independent draws, or all cells of a marginal."""
        if self.unit == "rho":
            return rounded_normal(self.scale, size, source)
        decay = Epsilon(rational=self.scale)
        if self.balanced_cells is None:
            return two_sided_geometric(decay, size, source)
        if size != self.balanced_cells:
            raise ParameterError(
                f"noise for a marginal of {self.balanced_cells:,} cells was asked for {size:,} "
                "counts. Please report this: it would not add up to 0."
            )
        return balanced_geometric(decay, size, 1, source)[0]

    @cached_property
    def _law(self) -> BalancedLaw | None:
        if self.balanced_cells is None:
            return None
        return BalancedLaw(float(self.scale), self.balanced_cells)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of one draw."""
        scale = float(self.scale)
        if self._law is not None:
            return math.sqrt(self._law.variance)
        if self.unit == "rho":
            return math.sqrt(scale * scale + 1 / 12)
        return 1 / (math.sqrt(2) * math.sinh(min(scale, STEEPEST) / 2))

    @property
    def fit_deviation(self) -> float:
        """The deviation of independent noise that tells as much, once the total is known.

        Noise that adds up to 0 on K cells has the covariance of independent noise of this deviation
        from which its mean is taken: K / (K − 1) times the variance of one cell.
        """
        cells = self.balanced_cells
        return self.deviation * (math.sqrt(cells / max(cells - 1, 1)) if cells else 1)

    def variance_of_sum(self, added: int) -> float:
        """Return the variance of the noise of so many cells of the marginal together."""
        alone = added * self.deviation**2
        cells = self.balanced_cells
        return alone if cells is None else alone * (cells - added) / max(cells - 1, 1)

    @cached_property
    def mean_size(self) -> float:
        """The mean of |draw|, for normal noise to within its rounding."""
        if self._law is not None:
            return self._law.mean_size
        if self.unit == "rho":
            return self.deviation * math.sqrt(2 / math.pi)
        return 1 / math.sinh(min(float(self.scale), STEEPEST))

    def mean_sum(self, cells: int) -> float:
        """Return the mean of |draw|, added up over a marginal of so many cells."""
        return cells * self.on(cells).mean_size

    def mean_error(self, cells: int) -> float:
        """Return the same once the marginal is moved to its known total.

        That takes 1/K of its variance from independent noise on K cells; noise that adds up to 0 is
        there already.
        """
        is_free = self.on(cells).balanced_cells is None
        return self.mean_sum(cells) * (math.sqrt(1 - 1 / cells) if is_free else 1)

    @cached_property
    def half_width(self) -> int:
        """The least k with P(|draw| ≤ k) ≥ 95%."""
        scale = float(self.scale)
        if self._law is not None:
            return self._law.half_width()
        if self.unit == "rho":
            return max(0, math.ceil(_NORMAL_95 * scale - 0.5))
        # P(|z| > k) = 2 a^(k+1) / (1 + a)
        wanted = math.log(0.025 * (1 + math.exp(-scale))) / -scale - 1
        return max(0, math.ceil(wanted))

    def log_chances(self, draws: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the logarithms of the probabilities of draws, up to a constant."""
        scale = float(self.scale)
        if self._law is not None:
            return self._law.log_chances(draws)
        if self.unit == "rho":
            return -(draws**2) / (2 * scale * scale)
        return -scale * np.abs(draws)
