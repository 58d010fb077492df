"""Real numbers known by intervals with rational ends, as tightly as one likes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, TypeVar, runtime_checkable

from noisewright.errors import ParameterError
from noisewright.exact.bounds import Bounds, exp_bounds, fixed_point
from noisewright.exact.rationals import ceiling_float, floor_float

FIRST_BITS = 192
"""Nearly everything is settled at this precision."""

T = TypeVar("T")
Real = TypeVar("Real", float, Fraction)


@runtime_checkable
class Computable(Protocol):
    """A real r that answers with integers: low ≤ r · 2^bits ≤ high, high − low ≤ 2."""

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        ...


@dataclass(frozen=True)
class Known:
    """A rational number as a computable one."""

    value: Fraction

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        return fixed_point(self.value, bits)


@dataclass(frozen=True)
class Exp:
    """e^x for a rational x."""

    exponent: Fraction

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        return exp_bounds(self.exponent, bits)


@dataclass(frozen=True)
class Logistic:
    """1 / (1 + e^x) for a rational x."""

    exponent: Fraction

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        # The derivative in e^x is at most one, so a few more bits than asked for are enough.
        inner = max(bits, 0) + 4
        low, high = exp_bounds(self.exponent, inner)
        one, scale, by = 1 << inner, 1 << 2 * inner, inner - bits
        below, above = scale // (one + high), -(-scale // (one + low))
        return below >> by, -((-above) >> by)


@dataclass(frozen=True)
class Enclosure:
    """A real number known to lie in [low, high]: arithmetic that never loses the true value."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ParameterError("an enclosure needs low ≤ high.")

    @classmethod
    def of(cls, number: Computable, bits: int) -> Enclosure:
        """Enclose a computable number at a precision."""
        return cls.over(number.bounds(bits), bits)

    @classmethod
    def over(cls, bounds: Bounds, bits: int) -> Enclosure:
        """Enclose a number by integers over 2^bits."""
        scale = Fraction(2) ** bits
        return cls(bounds[0] / scale, bounds[1] / scale)

    @classmethod
    def point(cls, value: Fraction | int) -> Enclosure:
        """Enclose a rational in itself."""
        return cls(Fraction(value), Fraction(value))

    @property
    def width(self) -> Fraction:
        """How far apart the ends are."""
        return self.high - self.low

    def __contains__(self, value: Fraction | int | float) -> bool:
        return self.low <= Fraction(value) <= self.high

    def __neg__(self) -> Enclosure:
        return Enclosure(-self.high, -self.low)

    def __add__(self, other: Enclosure | Fraction | int) -> Enclosure:
        other = _enclose(other)
        return Enclosure(self.low + other.low, self.high + other.high)

    def __sub__(self, other: Enclosure | Fraction | int) -> Enclosure:
        return self + -_enclose(other)

    def __mul__(self, other: Enclosure | Fraction | int) -> Enclosure:
        other = _enclose(other)
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        return Enclosure(min(ends), max(ends))

    def __truediv__(self, other: Enclosure | Fraction | int) -> Enclosure:
        other = _enclose(other)
        if other.low <= 0 <= other.high:
            raise ParameterError("cannot divide by an enclosure that contains zero.")
        return self * Enclosure(1 / other.high, 1 / other.low)

    def or_more(self, least: Fraction | int) -> Enclosure:
        """Enclose the larger of the number and a rational."""
        return Enclosure(max(self.low, Fraction(least)), max(self.high, Fraction(least)))

    def round_outward(self, bits: int) -> Enclosure:
        """Round the ends outwards to multiples of 2^-bits, so that they stay short."""
        return Enclosure.over(
            (fixed_point(self.low, bits)[0], fixed_point(self.high, bits)[1]), bits
        )

    def floats(self) -> tuple[float, float]:
        """Return two doubles that enclose the number."""
        return floor_float(self.low), ceiling_float(self.high)


def _enclose(value: Enclosure | Fraction | int) -> Enclosure:
    return value if isinstance(value, Enclosure) else Enclosure.point(value)


def refine(settle: Callable[[int], T | None]) -> T:
    """Ask at twice the bits again and again until there is an answer other than None."""
    bits = FIRST_BITS
    while (answer := settle(bits)) is None:
        bits *= 2
    return answer


def halve(
    low: Real, high: Real, is_low: Callable[[Real], bool], *, times: int
) -> tuple[Real, Real]:
    """Halve an interval so many times, moving the lower end up to a middle that `is_low`.

    Requires: what is low is below what is not.
    """
    for _ in range(times):
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return low, high


def refined_ceiling(enclose: Callable[[int], Enclosure | None]) -> float:
    """Return the smallest double that is at least the number that is enclosed at some bits.

    Requires: a number that is no double, or is enclosed in a point; else this never ends.
    """

    def settle(bits: int) -> float | None:
        known = enclose(bits)
        if known is None:
            return None
        upper = ceiling_float(known.high)
        return upper if upper == ceiling_float(known.low) else None

    return refine(settle)


def refined_excess(enclose: Callable[[int], Enclosure], limit: Fraction) -> bool:
    """Tell exactly whether the number that is enclosed is above a limit.

    Requires: a number that differs from the limit, or is enclosed in a point.
    """

    def settle(bits: int) -> bool | None:
        known = enclose(bits)
        if known.high <= limit:
            return False
        return True if known.low > limit else None

    return refine(settle)
