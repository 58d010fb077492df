"""What a synthesizer may spend, divided exactly, and the noise that each part of it buys.

    ε   with δ = 0: parts of ε add up (basic composition), noise is two-sided geometric; on the
        cells of a small marginal it adds up to 0 (see `balanced_law.py`)
    ρ   with δ > 0: zero-concentrated privacy, whose parts add up too; noise is rounded normal

Neighbors replace one record, and the number of rows is public. In the counts of a marginal one
cell then falls by one and another one rises by one: they change by 2 in L1 and by √2 in L2. One
counting query by itself changes by 1. The cells of a marginal add up to the number of rows, so that
noise may keep that: where P(z) ∝ a^|z| over all z with sum 0, a change by d of the counts, with sum
0 too, moves z within these, and no P(z) by more than a^-|d|.

A person may have up to k rows, and how many is public. Neighbors then replace all rows of one
person. At worst all k move from one cell to the same other one: all these changes are k times as
large, and the squares of those in L2 k² times. So is the change of a score.

Choices are made by the exponential mechanism. As ε-privacy that costs ε. The logarithms of its
ratios also lie in a range of width ε, wherever that range is, so that it costs only ρ = ε²/8
(Cesar–Rogers 2021, Lemma 3.2). The exact weights that are drawn from keep that width: they are
the ideal ones of ε(1 − 2^-57), mixed with a constant, which only narrows the range, and two
units of rounding widen it by less than ε 2^-57 (see `mechanisms/powers.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, exactly, shown, sqrt_bounds
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.privacy import ZeroConcentrated
from noisewright.sampling import (
    Source,
    balanced_geometric,
    rounded_normal,
    two_sided_geometric,
)
from noisewright.spaces import whole_number
from noisewright.synthetic.steps.balanced_law import MOST_CELLS, BalancedLaw

_BITS = 64
_STEPS = 40
_NORMAL_95 = 1.959963984540054
_LEAST_RHO = Fraction(1, 1 << 1000)
_STEEPEST = 64.0
"""Noise of a faster decay is never seen."""

_MOST_PEOPLE = 1 << 40
NOISES = {"epsilon": "two-sided geometric", "rho": "rounded normal"}
"""What the noise is called, by what is divided."""

_LEAST_EPSILON = Fraction(1, 10**100)
"""The least ε of a synthesis or a model: variances of its noise still are doubles."""

_LARGEST_EPSILON = 10**100
"""The largest one, for the same reason: what is worked out with it still is a double."""

MARGINAL, QUERY = 2, 1
"""By how much one row changes the counts of a marginal, or of one query, in L1 and in L2²."""


@final
@dataclass(frozen=True)
class Spend:
    """What one step took of the whole: a part of ε, or of ρ when there is a δ."""

    what: str
    amount: Fraction
    unit: Literal["epsilon", "rho"]

    def __str__(self) -> str:
        return f"{self.what}: {self.unit}={float(self.amount):.6g}"


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
        return 1 / (math.sqrt(2) * math.sinh(min(scale, _STEEPEST) / 2))

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
        return 1 / math.sinh(min(float(self.scale), _STEEPEST))

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
            return self._law.half_width
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


@final
@dataclass(frozen=True)
class RunBudget:
    """The whole that may be spent: `total` of ε, or of ρ, which implies the guarantee.

    It is that of one person, who has up to `rows_per_person` rows.
    """

    guarantee: Guarantee
    total: Fraction
    unit: Literal["epsilon", "rho"]
    rows_per_person: int = 1

    @classmethod
    def of(
        cls, epsilon: Number | None, delta: Number = 0, *, rows_per_person: int = 1
    ) -> RunBudget:
        """Return all of ε, or the largest ρ found from which (ε, δ) is proven to follow."""
        most = whole_number(rows_per_person, name="rows_per_person", least=1)
        if epsilon is None:
            raise ParameterError("epsilon is missing: what may each person give away? Try 1.")
        value, spare = exactly(epsilon, name="epsilon"), read_delta(delta)
        if value <= 0:
            raise ParameterError(
                f"epsilon is {shown(value)}; it must be above 0. It is what each person gives away."
            )
        if value < _LEAST_EPSILON:
            raise ParameterError(
                f"epsilon is {shown(value)}; at least {shown(_LEAST_EPSILON)} is needed, and "
                "with that already nothing is left of the counts but noise."
            )
        if value > _LARGEST_EPSILON:
            raise ParameterError(
                f"epsilon is {shown(value)}; at most 1e100 is possible, and anything above 20 or "
                "so already hides nobody. Use a smaller epsilon."
            )
        if spare == 0:
            return cls(Guarantee(value), value, "epsilon", most)
        if spare == 1:
            raise ParameterError("delta is 1, which promises nothing; it must be below 1.")
        return cls(Guarantee(value, spare), _largest_rho(value, spare), "rho", most)

    def without_delta(self) -> RunBudget:
        """Return all of the same ε, and no δ."""
        return RunBudget.of(self.guarantee.epsilon.rational, rows_per_person=self.rows_per_person)

    def divide(self, weights: Sequence[int]) -> list[Fraction]:
        """Return parts in proportion to the weights; their sum is the total, exactly."""
        whole = sum(weights)
        return [self.total * weight / whole for weight in weights]

    def noise(self, amount: Fraction, change: int) -> Noise:
        """Return the noise that a part of the total buys."""
        return Noise(amount, self.unit, change, self.rows_per_person)

    def choice_epsilon(self, amount: Fraction) -> Fraction:
        """Return the ε of an exponential mechanism that costs at most this part."""
        if self.unit == "epsilon":
            return amount
        # Enough bits that the smallest part still buys a choice, rounded down.
        bits = _BITS + amount.denominator.bit_length()
        return Fraction(sqrt_bounds(8 * amount, bits)[0], 1 << bits)


def _largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return a ρ that is proven to imply (ε, δ); less than 2^-38 of itself below the largest."""
    exact = Epsilon(rational=epsilon)

    def holds(rho: Fraction) -> bool:
        return Fraction(ZeroConcentrated(rho).delta(exact)) <= delta

    low = Fraction(1)
    while not holds(low):
        low /= 2
        if low < _LEAST_RHO:
            raise ParameterError(
                f"no rho is found that implies epsilon {shown(epsilon)} and delta {shown(delta)}: "
                "one of them is too far from what is common. Leave delta out (delta=0) for "
                "geometric noise, which takes any epsilon."
            )
    while holds(2 * low):
        low *= 2
    step = low / 2
    for _ in range(_STEPS):
        if holds(low + step):
            low += step
        step /= 2
    return low


def nearest_integers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whole numbers, so that scores of private data are exact.

    Whatever a fit may have come to, they are numbers of people: differences never leave 64 bits.
    """
    finite = np.nan_to_num(np.rint(values), nan=0.0, posinf=_MOST_PEOPLE, neginf=0.0)
    return np.clip(finite, 0, _MOST_PEOPLE).astype(np.int64)
