"""Closed intervals with rational ends: arithmetic that never loses the true value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact.bounds import fixed_point
from noisewright.exact.computable import Computable
from noisewright.exact.rationals import ceiling_float, floor_float


@dataclass(frozen=True)
class Enclosure:
    """A real number known to lie in [low, high]."""

    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ParameterError("an enclosure needs low ≤ high.")

    @classmethod
    def of(cls, number: Computable, bits: int) -> Enclosure:
        """Enclose a computable number at a precision."""
        low, high = number.bounds(bits)
        scale = Fraction(2) ** bits
        return cls(low / scale, high / scale)

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

    def round_outward(self, bits: int) -> Enclosure:
        """Round the ends outwards to multiples of 2^-bits, so that they stay short."""
        scale = Fraction(2) ** bits
        return Enclosure(
            fixed_point(self.low, bits)[0] / scale, fixed_point(self.high, bits)[1] / scale
        )

    def floats(self) -> tuple[float, float]:
        """Return two doubles that enclose the number."""
        return floor_float(self.low), ceiling_float(self.high)


def _enclose(value: Enclosure | Fraction | int) -> Enclosure:
    return value if isinstance(value, Enclosure) else Enclosure.point(value)
