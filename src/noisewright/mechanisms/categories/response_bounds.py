"""What randomized response and the discrete exponential mechanism can do at (ε, δ), in numbers.

    m   points other than the truth
    n   rows
    p   P(a given other point | truth), in randomized response on one row
    k   scale of the discrete exponential mechanism with u = −k · Hamming; e^k = 1/p − m
    𝓔   the largest expected number of changed rows

Holohan–Leith–Mason 2016. (17) bounds 𝓔/n; the print has ε/n. Theorem 10 compares with products
only; the bound holds for every mechanism on n rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import ParameterError, SpaceError
from noisewright.exact import (
    Enclosure,
    Epsilon,
    Number,
    ceiling_float,
    exactly,
    floor_float,
    log_bounds,
    refined_excess,
)
from noisewright.given import brief
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.public import public, public_methods
from noisewright.spaces import Space

_BITS = 192


@public_methods
@dataclass(frozen=True)
class ResponseBounds:
    """Conditions and errors at a guarantee; see `response_bounds`.

    Each number is rounded so that it stays true: thresholds towards privacy, errors outwards.
    """

    size: int
    rows: int
    guarantee: Guarantee

    @property
    def _others(self) -> int:
        return self.size - 1

    def _ratio(self, bits: int = _BITS) -> Enclosure:
        return self.guarantee.epsilon.power_enclosure(bits)

    @property
    def least_p(self) -> float:
        """The least p that is private, (1 − δ)/(e^ε + m), rounded up (Theorem 8)."""
        return ceiling_float((1 - self.guarantee.delta) / (self._ratio().low + self._others))

    @property
    def largest_k(self) -> float:
        """The largest k that is private, ln((e^ε + mδ)/(1 − δ)), rounded down (Theorem 4).

        Infinite at δ = 1, where everything is allowed.
        """
        delta = self.guarantee.delta
        if delta == 1:
            return float("inf")
        if delta == 0:
            return self.guarantee.epsilon.floor()
        power = (self._ratio().low + self._others * delta) / (1 - delta)
        return floor_float(Fraction(log_bounds(power, _BITS)[0], 1 << _BITS))

    @property
    def least_error(self) -> float:
        """The least 𝓔 there is, n(1 − δ)/(1 + e^ε/m), rounded down (Theorems 5, 9 and 10)."""
        ratio = self._ratio().high
        share = (1 - self.guarantee.delta) * self._others / (ratio + self._others)
        return floor_float(self.rows * share)

    @property
    def largest_error(self) -> float:
        """𝓔 of the uniform response, n·m/(m + 1), rounded up (Theorems 5 and 9)."""
        return ceiling_float(Fraction(self.rows * self._others, self.size))

    def allows(self, *, k: Number | Epsilon | None = None, p: Number | None = None) -> bool:
        """Tell exactly whether the mechanism with this k, or with this p, is private.

        Requires: one of k ≥ 0 and 0 ≤ p ≤ 1/(m + 1).
        """
        if (k is None) == (p is None):
            raise ParameterError("give k= or p=, one of them.")
        delta = self.guarantee.delta
        if p is not None:
            lie = exactly(p, name="p")
            if not 0 <= lie <= Fraction(1, self.size):
                raise ParameterError(f"p is {p}; it must lie between 0 and 1/{self.size}.")
            # (1 − δ) ≤ (e^ε + m) p, in integers.
            left, right = (1 - delta - self._others * lie, lie)
            scale = left.denominator * right.denominator
            return self.guarantee.epsilon.sign(int(left * scale), int(right * scale)) <= 0
        assert k is not None
        # e^k, e^ε and 1 are linearly independent over the rationals unless k = ε or one of them
        # is 0 or a logarithm (Lindemann–Weierstrass), and those are exact: this ends.
        return not refined_excess(lambda bits: self.delta(k=k, bits=bits), delta)

    def delta(self, *, k: Number | Epsilon, bits: int = _BITS) -> Enclosure:
        """Enclose the least δ at ε of the mechanism with this k: max(0, (e^k − e^ε)/(e^k + m)).

        The δ of the guarantee plays no part. In a point where it is rational.
        """
        scale = Epsilon.of(k)
        if scale <= self.guarantee.epsilon:
            return Enclosure.point(0)
        power = ResponseBounds(self.size, self.rows, Guarantee(scale))._ratio(bits)
        ratio = self._ratio(bits)
        # (e^k − e^ε)/(e^k + m) grows with e^k and falls with e^ε.
        low = (power.low - ratio.high) / (power.low + self._others)
        high = (power.high - ratio.low) / (power.high + self._others)
        return Enclosure(max(low, Fraction(0)), high)

    def error(self, *, k: Number | Epsilon) -> Enclosure:
        """Enclose 𝓔 of the mechanism with this k: n/(1 + e^k/m) (Theorem 5)."""
        power = ResponseBounds(self.size, self.rows, Guarantee(Epsilon.of(k)))._ratio()
        return Enclosure.point(self.rows * self._others) / (power + self._others)


@public
def response_bounds(
    space: Space | int,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    rows: int = 1,
) -> ResponseBounds:
    """Return what (ε, δ) allows and costs on `rows` rows of a space with finitely many points.

    Requires: a space, or its number of points, at least two.
    Ensures: `least_p`, `largest_k`, `least_error`, `largest_error`, `allows(k=…)`, `delta(k=…)`
    and `error(k=…)` by the formulas of Holohan–Leith–Mason 2016, Theorems 4, 5, 8, 9 and 10,
    exactly or rounded to the safe side.
    """
    if isinstance(space, Space) and space.by_distance:
        raise SpaceError(
            "response_bounds() is for one epsilon between any two points. With neighbors='metric' "
            "give the space as its number of points and epsilon times the least distance."
        )
    size = space.size if isinstance(space, Space) else space
    if isinstance(size, bool) or not isinstance(size, int) or size < 2:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SpaceError(f"the space needs at least two points; got {brief(space)}.")
    if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ParameterError(f"rows is {rows!r}; it must be a whole number of at least 1.")
    return ResponseBounds(size, rows, Guarantee(epsilon, delta, alpha=alpha))
