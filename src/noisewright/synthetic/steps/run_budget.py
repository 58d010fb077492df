"""What a run may spend, divided exactly among its steps.

A plan or a ledger has a budget for all that is ever released about somebody; a `RunBudget` is what
one run may take of it.

    ε   with δ = 0: parts of ε add up (basic composition)
    ρ   with δ > 0: zero-concentrated privacy, whose parts add up too (Bun–Steinke 2016)

Choices are made by the exponential mechanism. As ε-privacy that costs ε. The logarithms of its
ratios also lie in a range of width ε, wherever that range is, so that it costs only ρ = ε²/8
(Cesar–Rogers 2021, Lemma 3.2). The exact weights that are drawn from keep that width: they are
the ideal ones of ε(1 − 2^-57), mixed with a constant, which only narrows the range, and two
units of rounding widen it by less than ε 2^-57 (see `mechanisms/quality/powers.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, final

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, exactly, halve, show, sqrt_bounds
from noisewright.mechanisms import Guarantee, read_delta
from noisewright.privacy import ZeroConcentrated
from noisewright.spaces import whole_number
from noisewright.synthetic.steps.noise import Noise

_BITS = 64
_STEPS = 40
_LEAST_RHO = Fraction(1, 1 << 1000)
_LEAST_EPSILON = Fraction(1, 10**100)
"""The least ε of a synthesis or a model: variances of its noise still are doubles."""

_LARGEST_EPSILON = 10**100
"""The largest one, for the same reason: what is worked out with it still is a double."""


@final
@dataclass(frozen=True)
class Spend:
    """What one step took of the whole: a part of ε, or of ρ when there is a δ."""

    what: str
    amount: Fraction
    unit: Literal["epsilon", "rho"]

    @property
    def is_count(self) -> bool:
        """Whether it counted something; other steps are choices and distances."""
        return self.what.startswith("counts of ")

    def __str__(self) -> str:
        return f"{self.what}: {self.unit}={float(self.amount):.6g}"


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
            raise ParameterError("epsilon is missing: it is the privacy budget per person. Try 1.")
        value, spare = exactly(epsilon, name="epsilon"), read_delta(delta)
        if value <= 0:
            raise ParameterError(
                f"epsilon is {show(value)}; it must be above 0. It is the privacy budget per "
                "person."
            )
        if value < _LEAST_EPSILON:
            raise ParameterError(
                f"epsilon is {show(value)}; at least {show(_LEAST_EPSILON)} is needed, and even "
                "there the counts are nothing but noise."
            )
        if value > _LARGEST_EPSILON:
            raise ParameterError(
                f"epsilon is {show(value)}; at most 1e100 is possible, and anything above 20 or "
                "so protects nobody. Use a smaller epsilon."
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
                f"no rho is found that implies epsilon {show(epsilon)} and delta {show(delta)}: "
                "one of them is too far from what is common. Leave delta out (delta=0) for "
                "geometric noise, which takes any epsilon."
            )
    while holds(2 * low):
        low *= 2
    return halve(low, 2 * low, holds, times=_STEPS)[0]
