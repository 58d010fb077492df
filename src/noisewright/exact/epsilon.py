"""The privacy parameter ε as an exact number.

ε is either rational, or the logarithm of a rational (which is what `alpha=` gives: e^-ε = α,
and what a table's tight ε always is). Either way e^ε can be compared with any rational, and
the comparison always ends: e^ε of a rational ε ≠ 0 is irrational.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noisewright.errors import ParameterError
from noisewright.exact.bounds import Bounds, exp_bounds, fixed_point, log_bounds
from noisewright.exact.enclosure import FIRST_BITS, Enclosure, refined_ceiling
from noisewright.exact.rationals import (
    Number,
    ceiling_float,
    exactly,
    floor_float,
    plain_power,
    show,
    shown_up,
)
from noisewright.given import of_kind
from noisewright.public import public_methods

_LONGEST_RATIO = 12_000
"""Python converts integers of at most 4,300 digits to text; this is some 3,600."""

_BRIEF = 9
"""Longer texts of doubles and fractions show nobody anything: 0.33333333333333337."""


@public_methods
@dataclass(frozen=True)
class Epsilon:
    """An exact ε ≥ 0: `rational + ln(ratio)` with one of the two parts trivial.

    Build it with `Epsilon.of(epsilon=…)` or `Epsilon.of(alpha=…)`.
    """

    rational: Fraction = Fraction(0)
    ratio: Fraction | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "rational", exactly(self.rational, name="epsilon"))
        if self.ratio is not None:
            object.__setattr__(self, "ratio", exactly(self.ratio, name="e^epsilon"))
        if self.ratio == 1:
            # One number, one value: ln(1) is the rational 0.
            object.__setattr__(self, "ratio", None)
        if self.ratio is not None and self.rational != 0:
            raise ParameterError("an epsilon is either rational or the log of a rational.")
        if self.rational < 0 or (self.ratio is not None and self.ratio < 1):
            raise ParameterError("epsilon is negative; it must be at least 0.")

    @classmethod
    def of(cls, epsilon: Number | Epsilon | None = None, *, alpha: Number | None = None) -> Epsilon:
        """Read ε from `epsilon=` or from `alpha=` = e^-ε; exactly one of them.

        Requires: epsilon ≥ 0, or 0 < alpha ≤ 1.
        """
        if (epsilon is None) == (alpha is None):
            given = "neither was" if epsilon is None else "both were"
            raise ParameterError(f"give epsilon= or alpha= (which is e^-epsilon); {given} given.")
        if isinstance(epsilon, Epsilon):
            return epsilon
        if epsilon is not None:
            value = exactly(epsilon, name="epsilon")
            if value < 0:
                raise ParameterError(
                    f"epsilon is {show(value)}; it must be at least 0. A smaller epsilon is more "
                    "private; 0.1 to 3 is common."
                )
            return cls(rational=value)
        assert alpha is not None
        value = exactly(alpha, name="alpha")
        if not 0 < value <= 1:
            raise ParameterError(
                f"alpha is {show(value)}; it is e^-epsilon and must lie in (0, 1]. For example "
                "alpha=0.9 is epsilon=0.105."
            )
        return cls.log(1 / value)

    @classmethod
    def log(cls, ratio: Fraction) -> Epsilon:
        """Return ε = ln(ratio), for a rational ratio ≥ 1."""
        return cls() if ratio == 1 else cls(ratio=ratio)

    def brief(self) -> Epsilon:
        """Return ε, or a rational just above it when its ratio takes too long to write out."""
        if self.ratio is None or self.ratio.numerator.bit_length() <= _LONGEST_RATIO:
            return self
        return Epsilon(rational=Fraction(self.bounds(FIRST_BITS)[1], 1 << FIRST_BITS))

    def times(self, count: int) -> Epsilon:
        """Return count · ε, or a rational just above it when it takes too long to write out."""
        if self.ratio is None:
            return Epsilon(rational=self.rational * count)
        if self.ratio.numerator.bit_length() * count <= _LONGEST_RATIO:
            return Epsilon.log(self.ratio**count)
        bits = FIRST_BITS + count.bit_length()
        return Epsilon(rational=Fraction(self.bounds(bits)[1] * count, 1 << bits))

    @property
    def is_zero(self) -> bool:
        """Whether ε = 0."""
        return self.ratio is None and not self.rational.numerator

    @property
    def power(self) -> Fraction | None:
        """e^ε where it is rational, else None."""
        return Fraction(1) if self.is_zero else self.ratio

    def power_enclosure(self, bits: int) -> Enclosure:
        """Enclose e^ε, in a point where it is rational: ties with it could never be settled."""
        if self.power is not None:
            return Enclosure.point(self.power)
        return Enclosure.over(self.ratio_bounds(bits), bits)

    def bounds(self, bits: int) -> Bounds:
        """Bound ε itself."""
        if self.ratio is None:
            return fixed_point(self.rational, bits)
        return log_bounds(self.ratio, bits)

    def ratio_bounds(self, bits: int) -> Bounds:
        """Bound e^ε."""
        if self.ratio is None:
            return exp_bounds(self.rational, bits)
        return fixed_point(self.ratio, bits)

    def alpha_bounds(self, bits: int, *, times: Fraction | int = 1) -> Bounds:
        """Bound e^(−times · ε); `times` must be whole when ε is a logarithm."""
        if self.ratio is None:
            return exp_bounds(-self.rational * times, bits)
        if times != int(times):
            raise ParameterError("a fraction of ln(ratio) is not the log of a rational.")
        return fixed_point(Fraction(1) / self.ratio ** int(times), bits)

    def sign(self, p: int, q: int) -> int:
        """Return the sign of p − e^ε · q for integers, exactly: −1, 0 or 1."""
        if self.ratio is not None:
            left, right = p * self.ratio.denominator, q * self.ratio.numerator
            return (left > right) - (left < right)
        if self.is_zero:
            return (p > q) - (p < q)
        if q and (p > 0) == (q > 0) and self.rational >= int(abs(p)).bit_length():
            # e^ε > 2^ε > |p|: there is no need to know how much it is.
            return -1 if p > 0 else 1
        return sign_by_bounds(p, q, self._power_bounds)

    def _power_bounds(self, bits: int) -> Bounds:
        # Tables ask for millions of signs, and nearly all are settled at the first precision.
        return self._first_bounds if bits == FIRST_BITS else exp_bounds(self.rational, bits)

    @cached_property
    def _first_bounds(self) -> Bounds:
        return exp_bounds(self.rational, FIRST_BITS)

    def compare(self, other: Epsilon) -> int:
        """Return the sign of self − other, exactly."""
        of_kind(other, Epsilon, name="other", such_as="an Epsilon")
        if self == other:
            return 0
        if self.ratio is None and other.ratio is None:
            return 1 if self.rational > other.rational else -1
        if self.ratio is not None and other.ratio is not None:
            return 1 if self.ratio > other.ratio else -1
        if self.ratio is None:
            return -other.compare(self)
        return other.sign(self.ratio.numerator, self.ratio.denominator)

    def __le__(self, other: Epsilon) -> bool:
        return self.compare(other) <= 0

    def __lt__(self, other: Epsilon) -> bool:
        return self.compare(other) < 0

    def ceiling(self) -> float:
        """Return the smallest double that is at least ε."""
        if self.ratio is None:
            return ceiling_float(self.rational)
        return refined_ceiling(lambda bits: Enclosure.of(self, bits))

    def floor(self) -> float:
        """Return the largest double that is at most ε."""
        if self.ratio is None:
            return floor_float(self.rational)
        return -refined_ceiling(lambda bits: -Enclosure.of(self, bits))

    def __float__(self) -> float:
        return self.ceiling()

    def __str__(self) -> str:
        """Return ε exactly where that is short, else to six digits, rounded up."""
        if self.ratio is None:
            return short_decimal(self.rational) or _rounded_up(self.ceiling(), self.rational)
        short = self.ratio.numerator.bit_length() < 40
        return f"ln({self.ratio})" if short else _rounded_up(self.ceiling())

    def in_digits(self, digits: int = 4) -> str:
        """Return ε for pages and tables: a short decimal as it is, others in few digits, up."""
        exact = str(self)
        if len(exact) < _BRIEF and "/" not in exact and "(" not in exact:
            return exact
        return shown_up(self.rational or Fraction(self.ceiling()), digits)


def sign_by_bounds(p: int, q: int, bounds: Callable[[int], Bounds]) -> int:
    """Return the sign of p − r · q for an irrational r > 0 that is known by bounds at any bits."""
    if q == 0:
        return (p > 0) - (p < 0)
    if (p > 0) != (q > 0):
        return 1 if p > 0 or q < 0 else -1
    bits = FIRST_BITS
    while True:
        low, high = bounds(bits)
        first, second = (low * q, high * q) if q > 0 else (high * q, low * q)
        if p << bits <= first:
            return -1
        if p << bits >= second:
            return 1
        bits *= 2


def short_decimal(value: Fraction) -> str | None:
    """Return a positive rational as an exact decimal of at most 15 digits, if it is one."""
    for digits in range(16):
        scaled = value * 10**digits
        if scaled.denominator == 1:
            whole = f"{scaled.numerator:0{digits + 1}d}"
            return f"{whole[:-digits]}.{whole[-digits:]}" if digits else whole
    return None


def _rounded_up(value: float, exact: Fraction | None = None) -> str:
    """Return what is not less than promised: a short fraction or double, or six digits."""
    for text in (repr(value).removesuffix(".0"), str(exact)):
        if len(text) <= _BRIEF and text != "None":
            return plain_power(text)
    return shown_up(Fraction(value), 6) if math.isfinite(value) else str(value)
