"""Real numbers that can be bounded as tightly as one likes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol, runtime_checkable

from noisewright.exact.bounds import Bounds, exp_bounds, fixed_point


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
        one = 1 << inner
        scale = 1 << (inner + inner)
        below = scale // (one + high)
        above = -(-scale // (one + low))
        by = inner - bits
        return below >> by, -((-above) >> by)
