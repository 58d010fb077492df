"""What a person gives away with one report, with T reports, and for life, exactly.

    g      f/2: the chance that a bit of the permanent response is not that of the filter
    p, q   P(1 is sent) where the permanent bit is 0, where it is 1; p < q
    m, h   bits of the filter, hashes
    x(k)   q^k (1−q)^(T−k) / p^k (1−p)^(T−k): how a sequence of T reports with k ones tells a
           permanent 1 from a permanent 0

A sequence with k ones among T reports of a bit has the probability ((1−g) q^k (1−q)^(T−k) +
g p^k (1−p)^(T−k)) if the bit is set, with g and 1 − g exchanged if it is not: k is all that counts.
The ratio of the two is ((1−g) x + g) / (g x + 1 − g), which grows with x(k), and x(k) grows with k.
So no sequence says more for a set bit than T ones, or for one that is not set than T zeros:

    up(T) = ((1−g) q^T + g p^T) / (g q^T + (1−g) p^T)
    down(T) = ((1−g) (1−p)^T + g (1−q)^T) / (g (1−p)^T + (1−g) (1−q)^T)

Bits are independent given the filter. Two values of one cohort have filters of 1 to h bits, as
positions of a value may be the same. In a bits only the first is set, in b bits only the second;
a, b ≤ h and a + b ≤ m, and a = m would leave the second empty. The worst of these has min(h, m − 1)
bits of the kind that says more and min(h, the rest) of the other, and some sequence of reports
attains all ratios at once:

    e^ε(T) = max(up, down)^A min(up, down)^B,    A = min(h, m − 1), B = min(h, m − A)

Values whose filters overlap or have collisions differ in fewer bits, and lose less. For 2h ≤ m it
is the h ln(up · down) of Erlingsson, Pihur and Korolova (2014, Theorem 2 at T = 1). As T grows both
ratios rise to (1−g)/g, and ε to their ε∞ = 2h ln((1 − f/2) / (f/2)) (Theorem 1).

Neighbors: any two values of one person, who never changes it. A memo hides which value it is, not
when it changed: whoever sees the reports of a person in order can tell that they come from another
permanent response from some day on.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import TooLargeError
from noisewright.exact import Epsilon

_LONGEST = 1 << 19
"""Bits of a ratio that are worked out; the checker takes twice as many."""


@dataclass(frozen=True)
class Leak:
    """The exact loss of RAPPOR's two steps for a filter of so many bits and hashes."""

    bits: int
    hashes: int
    f: Fraction
    p: Fraction
    q: Fraction

    @property
    def exponents(self) -> tuple[int, int]:
        """How often the larger and the smaller of the two ratios may count."""
        often = min(self.hashes, self.bits - 1)
        return often, min(self.hashes, self.bits - often)

    def ratios(self, reports: int) -> tuple[Fraction, Fraction] | None:
        """Return up(T) and down(T), or None if one of them is infinite."""
        up = self._ratio(self.q, self.p, reports)
        down = self._ratio(1 - self.p, 1 - self.q, reports)
        return None if up is None or down is None else (up, down)

    def _ratio(self, more: Fraction, less: Fraction, reports: int) -> Fraction | None:
        g = self.f / 2
        x, y = more**reports, less**reports
        below = g * x + (1 - g) * y
        return ((1 - g) * x + g * y) / below if below else None

    def after(self, reports: int) -> Epsilon | None:
        """Return ε(T), exactly; None is infinity."""
        often, seldom = self.exponents
        longest = max(one.denominator.bit_length() for one in (self.f, self.p, self.q))
        if 2 * reports * longest * (often + seldom) > _LONGEST:
            raise TooLargeError(
                f"the exact epsilon of {reports:,} reports has too many digits. Take that of any "
                "number of reports, epsilon_forever: after so many it is hardly more.",
                size=reports,
            )
        found = self.ratios(reports)
        return None if found is None else self._epsilon(*found)

    @property
    def forever(self) -> Epsilon | None:
        """The least ε that holds for any number of reports; None is infinity."""
        if self.f == 0:
            return None
        limit = (1 - self.f / 2) / (self.f / 2)
        return self._epsilon(limit, limit)

    def _epsilon(self, up: Fraction, down: Fraction) -> Epsilon:
        often, seldom = self.exponents
        return Epsilon.log(max(up, down) ** often * min(up, down) ** seldom)


def sum_epsilons(one: Epsilon, two: Epsilon) -> Epsilon:
    """Return the sum of two logarithms of rationals."""
    return Epsilon.log((one.power or Fraction(1)) * (two.power or Fraction(1)))
