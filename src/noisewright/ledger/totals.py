"""Sums of (ε, δ) or of ρ, exact: what was spent, whether more fits, and what is left.

Basic composition: the ε and the δ of several releases about the same people add up (Dwork and
Roth 2014, Thm 3.16), and so do ρ of zero-concentrated privacy (Bun and Steinke 2016, Lemma 1.7).
A sum of ε is kept as `rational + ln(ratio)`, so that it can be compared with a granted rational
without rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from typing import Any, TypeAlias

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, as_text, exactly, show
from noisewright.mechanisms import Guarantee, epsilon_sum
from noisewright.privacy import ZeroConcentrated

Amount: TypeAlias = "Guarantee | ZeroConcentrated"
"""What adds up in an account: (ε, δ), or ρ in an account of that."""

_BITS = 192

_LONGEST = 12_000
"""Bits of a numerator or denominator; Python writes out integers of some 14,000."""


@dataclass(frozen=True)
class Total:
    """What was spent: ε = rational + ln(ratio), δ and ρ, exact or rounded up by 2^-192."""

    rational: Fraction = Fraction(0)
    ratio: Fraction = Fraction(1)
    delta: Fraction = Fraction(0)
    rho: Fraction = Fraction(0)

    def plus(self, spent: Amount) -> Total:
        """Return the total with one more spend."""
        if isinstance(spent, ZeroConcentrated):
            return replace(self, rho=brief_above(self.rho + spent.rho))
        rational = self.rational + spent.epsilon.rational
        ratio = self.ratio * (spent.epsilon.ratio or 1)
        if _is_long(ratio):
            rational += _log_above(ratio)
            ratio = Fraction(1)
        return Total(brief_above(rational), ratio, brief_above(self.delta + spent.delta), self.rho)

    def combine(self, other: Total) -> Total:
        """Return the sum of two totals."""
        both = self.plus(Guarantee(Epsilon.log(other.ratio)))
        return Total(
            brief_above(both.rational + other.rational),
            both.ratio,
            brief_above(both.delta + other.delta),
            brief_above(self.rho + other.rho),
        )

    def largest(self, other: Total) -> Total:
        """Return the larger ε, the larger δ and the larger ρ of two totals."""
        more = self if self.compare(other) >= 0 else other
        rho = max(self.rho, other.rho)
        return Total(more.rational, more.ratio, max(self.delta, other.delta), rho)

    def compare(self, other: Total) -> int:
        """Return the sign of the difference of two ε, exactly."""
        apart = self.rational - other.rational
        if apart < 0:
            return -other.compare(self)
        ratio = other.ratio / self.ratio
        return -Epsilon(rational=apart).sign(ratio.numerator, ratio.denominator)

    @property
    def by_epsilon(self) -> Any:
        """What totals are sorted by for their ε."""
        return cmp_to_key(Total.compare)(self)

    def times(self, count: int) -> Total:
        """Return so many times the total; ρ, which grows by the square of steps, has to be 0."""
        assert not self.rho
        rational, ratio = self.rational * count, self.ratio
        if ratio.numerator.bit_length() * count > _LONGEST:
            rational, ratio = rational + _log_above(ratio) * count, Fraction(1)
        return Total(brief_above(rational), ratio**count, brief_above(self.delta * count))

    def texts(self) -> list[str]:
        """Return the three numbers as text, exactly; a fourth one is ρ."""
        three = [as_text(self.rational), as_text(self.ratio), as_text(self.delta)]
        return [*three, as_text(self.rho)] if self.rho else three

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> Total:
        """Read what `texts` wrote."""
        return cls(*map(exactly, texts))

    def fits(self, granted: Granted) -> bool:
        """Tell whether the total is within what was granted; decided exactly."""
        if granted.rho is not None:
            return self.rho <= granted.rho
        room = granted.epsilon - self.rational
        if room < 0 or self.delta > granted.delta:
            return False
        # ln(ratio) is less than the numerator's bits: a large grant needs no large power of e.
        if self.ratio == 1 or room >= self.ratio.numerator.bit_length():
            return True
        return Epsilon(rational=room).sign(self.ratio.numerator, self.ratio.denominator) <= 0

    def remaining(self, granted: Granted) -> Guarantee:
        """Return what is left of a grant, rounded down: spending it fits."""
        epsilon = granted.epsilon - self.rational
        if self.ratio != 1:
            epsilon -= _log_above(self.ratio)
        return Guarantee(max(epsilon, Fraction(0)), max(granted.delta - self.delta, Fraction(0)))

    def amount(self, *, in_rho: bool) -> Amount:
        """Return what all spends together promise, rounded up, in the currency of their account."""
        return ZeroConcentrated(self.rho) if in_rho else self.guarantee

    @property
    def guarantee(self) -> Guarantee:
        """What all spends together promise, rounded up."""
        parts = [Epsilon(rational=self.rational), Epsilon.log(self.ratio)]
        return Guarantee(epsilon_sum(parts), min(self.delta, Fraction(1)))


@dataclass(frozen=True)
class Granted:
    """What may be spent: ε and δ, or ρ if that is not None; rationals."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None

    def plus(self, more: Amount) -> Granted:
        """Return the budget with one more grant, which is rational."""
        if isinstance(more, ZeroConcentrated):
            return replace(self, rho=(self.rho or 0) + more.rho)
        delta = self.delta + more.delta
        return replace(self, epsilon=self.epsilon + more.epsilon.rational, delta=delta)

    def texts(self) -> list[str]:
        """Return the two numbers as text; a third one is ρ."""
        two = [as_text(self.epsilon), as_text(self.delta)]
        return two if self.rho is None else [*two, as_text(self.rho)]

    @property
    def guarantee(self) -> Guarantee:
        """The budget as a guarantee."""
        return Guarantee(self.epsilon, min(self.delta, Fraction(1)))

    @property
    def amount(self) -> Amount:
        """The budget, in its currency."""
        return self.guarantee if self.rho is None else ZeroConcentrated(self.rho)


def amount_text(amount: Amount) -> str:
    """Return an amount in words."""
    return f"rho={show(amount.rho)}" if isinstance(amount, ZeroConcentrated) else str(amount)


def recordable(guarantee: Guarantee) -> Guarantee:
    """Return the guarantee, or one just above it when its numbers take too long to write out."""
    epsilon = guarantee.epsilon.brief()
    if epsilon.ratio is None:
        epsilon = Epsilon(rational=brief_above(epsilon.rational))
    elif _is_long(epsilon.ratio):
        epsilon = Epsilon(rational=_log_above(epsilon.ratio))
    return Guarantee(epsilon, min(brief_above(guarantee.delta), Fraction(1)))


def concentrated_above(epsilon: Epsilon) -> Fraction:
    """Return ε²/2, or a little more: the ρ of ε-privacy (Bun and Steinke 2016, Prop. 1.4)."""
    if epsilon.ratio is None:
        return epsilon.rational**2 / 2
    return _log_above(epsilon.ratio) ** 2 / 2


def epsilon_text(epsilon: Epsilon) -> str:
    """Return ε as the ledger writes it: '1/2' or 'ln(3/2)'."""
    return as_text(epsilon.rational) if epsilon.ratio is None else f"ln({as_text(epsilon.ratio)})"


def read_epsilon(text: str) -> Epsilon:
    """Read what `epsilon_text` wrote."""
    if text.startswith("ln(") and text.endswith(")"):
        ratio = exactly(text[3:-1], name="the ratio")
        if ratio < 1:
            raise ParameterError(f"epsilon is {text}; it must be at least 0.")
        return Epsilon.log(ratio)
    return Epsilon.of(text)


def rounded_down(value: Fraction) -> str:
    """Return a decimal of 12 digits that is at most a value ≥ 0: typed back, it fits."""
    if value == 0:
        return "0"
    power = len(str(value.numerator)) - len(str(value.denominator)) - 12
    digits = math.floor(value / Fraction(10) ** power)
    decimal = Decimal(digits).scaleb(power).normalize()
    return f"{decimal:f}" if -4 <= decimal.adjusted() < 12 else f"{decimal:e}"


def brief_above(value: Fraction) -> Fraction:
    """Return the value, or a short rational just above it when it takes too long to write out."""
    if not _is_long(value):
        return value
    return Fraction(math.ceil(value * (1 << _BITS)), 1 << _BITS)


def _is_long(value: Fraction) -> bool:
    return max(value.numerator.bit_length(), value.denominator.bit_length()) > _LONGEST


def _log_above(ratio: Fraction) -> Fraction:
    return Fraction(Epsilon.log(ratio).bounds(_BITS)[1], 1 << _BITS)
