"""What one report says about a mean: an unbiased number h, and how much it varies.

A report is an output y = 0 … K − 1 whose mean, given the code x, is A + B x; so h = (y − A) / B has
the mean x. Its second moment is a quadratic c₀ + c₁ x + c₂ x², and its variance
c₀ + c₁ x + (c₂ − 1) x². All of these are rationals.

**Ends** (Duchi, Jordan and Wainwright 2018). With M = N − 1 and p the probability of the end that
the number became, A = 1 − p, B = (2 p − 1) / M and y² = y.

**Windows** (piecewise mechanism: Wang et al. 2019). An output in the window of x, which starts at
s x and has w places, has probability a, one outside q. With S₁ and S₂ the sums of 0 … n − 1 and of
their squares,

    E y  = q S₁(K) + (a − q) (w s x + S₁(w))
    E y² = q S₂(K) + (a − q) (w s² x² + 2 s x S₁(w) + S₂(w))

Here c₂ = 1 / ((a − q) w) is above 1, so that the variance is largest at both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from noisewright.errors import ParameterError
from noisewright.local.families.ends import Ends
from noisewright.local.families.windows import Windows
from noisewright.local.randomizer import BlockResponse

Quadratic = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Contribution:
    """h = (y − shift) / scale of outputs y = 0 … outputs − 1; `squares` is E h² given the code."""

    shift: Fraction
    scale: Fraction
    squares: Quadratic
    outputs: int

    @classmethod
    def of(cls, response: BlockResponse) -> Contribution:
        """Return what the reports of a response on ends or windows say."""
        family, p = response.family, response.own
        if isinstance(family, Ends):
            shift, scale = 1 - p, (2 * p - 1) / (family.values - 1)
            return cls._from_output(shift, scale, (shift, scale, Fraction(0)), 2)
        if not isinstance(family, Windows):
            raise ParameterError("a mean needs outputs whose mean is linear in the number.")
        k, w, s = family.outputs, family.width, family.stride
        q = (1 - p) / (k - w)
        more = p / w - q
        squares = (
            q * _squares_below(k) + more * _squares_below(w),
            more * 2 * s * _sum_below(w),
            more * w * s**2,
        )
        shift = q * _sum_below(k) + more * _sum_below(w)
        return cls._from_output(shift, more * w * s, squares, k)

    @classmethod
    def _from_output(
        cls, shift: Fraction, scale: Fraction, squares: Quadratic, outputs: int
    ) -> Contribution:
        """Return it from E y = shift + scale x and from E y²."""
        e0, e1, e2 = squares
        own = (e0 - shift**2, e1 - 2 * shift * scale, e2)
        c0, c1, c2 = (one / scale**2 for one in own)
        return cls(shift, scale, (c0, c1, c2), outputs)

    def value(self, output: int) -> Fraction:
        """Return h of an output."""
        return (output - self.shift) / self.scale

    def sums(self, people: int, outputs: int, squares: int) -> tuple[Fraction, Fraction]:
        """Return Σ h and Σ h² from Σ y and Σ y²."""
        first = outputs - people * self.shift
        second = squares - 2 * self.shift * outputs + people * self.shift**2
        return first / self.scale, second / self.scale**2


def _sum_below(n: int) -> int:
    return n * (n - 1) // 2


def _squares_below(n: int) -> int:
    return (n - 1) * n * (2 * n - 1) // 6


@dataclass(frozen=True)
class MeanLaw:
    """Contributions of which one is drawn with its probability, for codes 0 … last."""

    parts: tuple[Contribution, ...]
    chances: tuple[Fraction, ...]
    last: int

    @cached_property
    def squares(self) -> Quadratic:
        """E h² given the code: c₀, c₁ and c₂."""
        pairs = list(zip(self.parts, self.chances, strict=True))
        c0, c1, c2 = (
            sum((chance * part.squares[i] for part, chance in pairs), Fraction(0)) for i in range(3)
        )
        return c0, c1, c2

    def variance(self, code: int) -> Fraction:
        """Return the variance of one report's h, given the code."""
        c0, c1, c2 = self.squares
        return c0 + c1 * code + (c2 - 1) * code**2

    @cached_property
    def worst(self) -> Fraction:
        """The largest variance, which is at an end or in the middle: it is symmetric."""
        middle = self.last // 2
        return max(map(self.variance, (0, middle, self.last - middle, self.last)))

    @cached_property
    def worst_of_population(self) -> float:
        """The largest variance of h about a population of any distribution.

        With the mean μ, E x² ≤ last · μ; then c₀ + (c₁ + c₂ last) μ − μ² is largest at half of
        the factor of μ, or at an end.
        """
        c0, c1, c2 = self.squares
        rise = c1 + c2 * self.last
        at = min(max(rise / 2, Fraction(0)), Fraction(self.last))
        return float(c0 + rise * at - at**2)

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The lowest and the highest h."""
        lows = (part.value(0) for part in self.parts)
        highs = (part.value(part.outputs - 1) for part in self.parts)
        return float(min(lows)), float(max(highs))
