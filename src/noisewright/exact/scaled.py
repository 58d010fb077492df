"""ε times a distance, exactly: what d-privacy promises to two points.

e^(ε·d) is e^x for a rational x when ε is rational. When ε = ln(r), it is r^d, which is rational
only if r is a perfect power for the denominator of d, and irrational otherwise; so a comparison
with a rational always ends, as for ε itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from noisewright.errors import ParameterError
from noisewright.exact.bounds import Bounds, exp_bounds, fixed_point, log_bounds
from noisewright.exact.enclosure import FIRST_BITS
from noisewright.exact.epsilon import Epsilon, sign_by_bounds


@dataclass(frozen=True)
class ScaledEpsilon:
    """ε · distance for a distance > 0. Build it with `scale_epsilon`, which keeps values."""

    epsilon: Epsilon
    distance: Fraction

    def __post_init__(self) -> None:
        if self.distance <= 0:
            raise ParameterError(f"the distance is {self.distance}; it must be positive.")

    @cached_property
    def whole(self) -> Epsilon | None:
        """The product as an ε, where it is rational or the logarithm of a rational."""
        base, power = self.epsilon.ratio, self.distance
        if base is None:
            return Epsilon(rational=self.epsilon.rational * power)
        over, under = (_root(part, power.denominator) for part in base.as_integer_ratio())
        if over is None or under is None:
            return None
        return Epsilon.log(Fraction(over, under) ** power.numerator)

    @property
    def ratio(self) -> Fraction | None:
        """e^(ε·d) where it is rational, else None."""
        return None if self.whole is None else self.whole.power

    def ratio_bounds(self, bits: int) -> Bounds:
        """Bound e^(ε·d), by integers that are at most a few units apart."""
        if self.whole is not None:
            return self.whole.ratio_bounds(bits)
        by = bits + self._room
        low, high = (Fraction(end, 1 << by) for end in self.bounds(by))
        return exp_bounds(low, bits)[0], exp_bounds(high, bits)[1]

    @cached_property
    def _room(self) -> int:
        """How many more bits the exponent needs than e^exponent should have."""
        _, high = self.bounds(8)
        return 8 + max(0, int(Fraction(high, 1 << 8) * 3 / 2))

    def bounds(self, bits: int) -> Bounds:
        """Bound ε·d itself."""
        if self.epsilon.ratio is None:
            return fixed_point(self.epsilon.rational * self.distance, bits)
        # A unit of ln(r) counts `distance` times.
        more = bits + 2 + max(0, self.distance.numerator.bit_length())
        low, high = log_bounds(self.epsilon.ratio, more)
        by = Fraction(1, 1 << (more - bits)) * self.distance
        return fixed_point(low * by, 0)[0], fixed_point(high * by, 0)[1]

    def below(self) -> Epsilon:
        """Return the product, or a rational just below it when it is none of the two kinds."""
        if self.whole is not None:
            return self.whole
        return Epsilon(rational=Fraction(self.bounds(FIRST_BITS)[0], 1 << FIRST_BITS))

    def sign(self, p: int, q: int) -> int:
        """Return the sign of p − e^(ε·d) · q for integers, exactly: −1, 0 or 1."""
        if self.whole is not None:
            return self.whole.sign(p, q)
        return sign_by_bounds(p, q, self._power_bounds)

    def _power_bounds(self, bits: int) -> Bounds:
        return self._first_bounds if bits == FIRST_BITS else self.ratio_bounds(bits)

    @cached_property
    def _first_bounds(self) -> Bounds:
        return self.ratio_bounds(FIRST_BITS)


@lru_cache(maxsize=4096)
def scale_epsilon(epsilon: Epsilon, distance: Fraction | int) -> ScaledEpsilon:
    """Return ε · distance; equal arguments share one value."""
    return ScaledEpsilon(epsilon, Fraction(distance))


def _root(value: int, degree: int) -> int | None:
    """Return the whole root of a positive integer, None if it has none."""
    if value == 1 or degree == 1:
        return value
    if degree >= value.bit_length():
        return None
    low, high = 1, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        if middle**degree < value:
            low = middle + 1
        else:
            high = middle
    return low if low**degree == value else None
