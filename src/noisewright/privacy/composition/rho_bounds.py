"""Upper bounds on compositions in which some part is known only by its ρ.

Two are taken and the smaller one wins: everything else turned into ρ as well (an ε-private
part is ε²/2-zCDP; Bun–Steinke 2016, Prop 1.4), and basic composition of the curve of the
others with that of the ρ part, where ε (or δ) is split between the two.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from noisewright.exact import Epsilon, ceiling_float, exp_bounds
from noisewright.privacy.composition.concentrated import ZeroConcentrated
from noisewright.privacy.composition.pairs import highest
from noisewright.privacy.profile import Profile

_SHARES = tuple(Fraction(n, 16) for n in range(17))
_BITS = 192
_TAILS = (1e-30, 1e-20, 1e-15, 1e-12, 1e-9, 1e-6, 1e-4, 0.01, 0.1, 0.5)
_LINES = 64


@dataclass(frozen=True)
class RhoBound:
    """`some`: the ρ of the parts known by ρ. `every`: the ρ of all parts, None if infinite.

    `others`: an upper curve of the remaining parts, `largest` their ε at δ = 0.
    """

    some: ZeroConcentrated
    every: ZeroConcentrated | None
    others: Profile
    largest: float

    def delta(self, epsilon: Epsilon) -> float:
        """Return a δ for which (ε, δ) holds."""
        bounds = [1.0]
        if self.every is not None:
            bounds.append(self.every.delta(epsilon))
        if self.some != self.every:
            at_least = Fraction(epsilon.floor())
            spent = [share * at_least for share in _SHARES]
            if self.largest <= at_least:
                spent.append(Fraction(self.largest))
            # Any split is valid: the best one by a rough look is evaluated with care.
            best = min(spent, key=lambda part: self._roughly(at_least, part))
            own = self.some.delta(Epsilon(rational=at_least - best))
            bounds.append(ceiling_float(Fraction(own) + Fraction(self._others(best))))
        return min(bounds)

    def _others(self, epsilon: Fraction) -> float:
        return 0.0 if epsilon >= self.largest else self.others.delta(epsilon)

    def _roughly(self, epsilon: Fraction, part: Fraction) -> float:
        return self.some.roughly_delta(float(epsilon - part)) + self._others(part)

    def epsilon(self, delta: Fraction) -> float:
        """Return an ε for which (ε, δ) holds."""
        bounds = [math.inf]
        if self.every is not None:
            bounds.append(self.every.epsilon(delta))
        if self.some != self.every:
            for share in _SHARES:
                own = self.some.epsilon(delta * (1 - share))
                ratio = self.others.ratio(delta * share)
                other = math.inf if ratio is None else Epsilon.log(ratio).ceiling()
                other = min(other, self.largest)
                if math.isfinite(own) and math.isfinite(other):
                    bounds.append(ceiling_float(Fraction(own) + Fraction(other)))
        return min(bounds)

    def profile(self) -> Profile:
        """Return a curve that touches this bound at a few ε and lies above it between them."""
        tails = [(self.epsilon(Fraction(delta)), delta) for delta in _TAILS]
        finite = [(Fraction(epsilon), delta) for epsilon, delta in tails if math.isfinite(epsilon)]
        if not finite:
            return Profile(((0, 1), (1, 1)), 1)
        farthest = finite[0][0]
        steps = [farthest * n / _LINES for n in range(_LINES + 1)]
        finite += [(step, self.delta(Epsilon(rational=step))) for step in steps]
        finite.sort()
        return enclosing([epsilon for epsilon, _ in finite], [delta for _, delta in finite])


def enclosing(epsilons: Sequence[Fraction], deltas: Sequence[float]) -> Profile:
    """Return the highest curve with δ(ε_i) ≤ δ_i for all i.

    Requires: ε_i rising. Ensures: above every curve that keeps these bounds: a curve with
    δ(ε) ≤ d has P ≤ d + e^ε Q for each event, and the result is the polygon of these lines.
    Its corners are rounded towards larger P and smaller Q.
    """
    one = 1 << _BITS
    lines = [(Fraction(0), Fraction(1))]
    for epsilon, delta in zip(epsilons, deltas, strict=True):
        # A larger slope only makes the line higher.
        line = (Fraction(exp_bounds(epsilon, _BITS)[1], one), Fraction(delta))
        while len(lines) > 1 and _is_idle(lines[-2], lines[-1], line):
            lines.pop()
        if line[1] < lines[-1][1]:
            lines.append(line)
    corners = [(0, -(-lines[-1][1].numerator * one // lines[-1][1].denominator))]
    for (flat, high), (steep, low) in pairwise(lines):
        q = (high - low) / (steep - flat)
        p = high + flat * q
        if q <= 1:
            corners.append((math.floor(q * one), min(math.ceil(p * one), one)))
    return highest([(corners, one)])


def _is_idle(
    flat: tuple[Fraction, Fraction],
    middle: tuple[Fraction, Fraction],
    steep: tuple[Fraction, Fraction],
) -> bool:
    """Say whether the middle line is nowhere the lowest of the three."""
    left = (middle[1] - steep[1]) * (steep[0] - flat[0])
    return left >= (flat[1] - steep[1]) * (steep[0] - middle[0])
