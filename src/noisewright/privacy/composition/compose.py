"""Composition: what several mechanisms on the same data promise together."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, exactly, floor_float
from noisewright.given import brief, flag, whole_number
from noisewright.mechanisms import read_delta
from noisewright.privacy.composition.brackets import SAMPLES
from noisewright.privacy.composition.concentrated import ZeroConcentrated
from noisewright.privacy.composition.rho_bounds import RhoBound
from noisewright.privacy.composition.sources import Part, read_parts
from noisewright.privacy.composition.worst_pairs import WorstCase
from noisewright.privacy.profile import Profile
from noisewright.public import public, public_methods
from noisewright.spaces import Unit

_POINTS = 1 << 16
_BITS = 192
_RHO_ROUTE = (
    "zero-concentrated privacy (Bun–Steinke 2016; Canonne–Kamath–Steinke 2020, Prop 12): an "
    "upper bound; the lower curve is that of the other parts alone"
)

NOTHING = Profile(((0, 0), (1, 1)), 1)
"""The curve of a mechanism that releases nothing: δ = 0 at every ε."""


@public_methods
@dataclass(frozen=True)
class Composition:
    """δ(ε) of a composition, between a lower and an upper curve.

    `counted` says in words which change of the data that is about, `units` of which parts.
    `exact`: the two are the same curve. `route` says in words how they were found. `pure`
    bounds ε at δ = 0. `concentrated` is a further upper bound, by zCDP.
    """

    lower: Profile
    upper: Profile
    exact: bool
    route: str
    pure: tuple[float, float] = (0.0, math.inf)
    concentrated: RhoBound | None = field(default=None, repr=False)
    units: tuple[Unit, ...] = field(default=(), compare=False)

    @property
    def counted(self) -> str:
        """What ε and δ are counted for, in words; a bare guarantee does not say it itself."""
        if len(self.units) > 1:
            return f"for a change that is each of these: {'; '.join(map(str, self.units))}"
        return str(self.units[0]) if self.units else "for what its parts are counted for"

    def delta(self, epsilon: Number | Epsilon) -> float:
        """Return a δ for which (ε, δ) holds: the upper end of `delta_bounds`."""
        return self.delta_bounds(epsilon)[1]

    def epsilon(self, delta: Number = 0) -> float:
        """Return an ε for which (ε, δ) holds: the upper end of `epsilon_bounds`."""
        return self.epsilon_bounds(delta)[1]

    def delta_bounds(self, epsilon: Number | Epsilon) -> tuple[float, float]:
        """Enclose the least δ at this ε; the ends are rounded outwards."""
        exact = Epsilon.of(epsilon)
        low = floor_float(self.lower.delta_enclosure(exact, _BITS).low)
        high = ceiling_float(self.upper.delta_enclosure(exact, _BITS).high)
        if math.isfinite(self.pure[1]) and Epsilon(rational=Fraction(self.pure[1])) <= exact:
            return 0.0, 0.0
        if self.concentrated is not None:
            high = min(high, self.concentrated.delta(exact))
        return low, high

    def epsilon_bounds(self, delta: Number = 0) -> tuple[float, float]:
        """Enclose the least ε at this δ; the ends are rounded outwards, inf when none."""
        spare = read_delta(delta)
        below, above = self.lower.ratio(spare), self.upper.ratio(spare)
        low = math.inf if below is None else Epsilon.log(below).floor() + 0.0
        high = math.inf if above is None else Epsilon.log(above).ceiling()
        high = min(high, self.pure[1])
        if spare == 0:
            low = max(low, self.pure[0])
        if self.concentrated is not None:
            high = min(high, self.concentrated.epsilon(spare))
        return low, high

    @property
    def gap(self) -> float:
        """How far apart the bounds on ε are, at most, over a range of δ from 0.9 to 1e-12."""
        widths = [0.0]
        for delta in SAMPLES:
            low, high = self.epsilon_bounds(delta)
            widths.append(0.0 if low == high else high - low)
        return max(widths)

    def __repr__(self) -> str:
        low, high = self.epsilon_bounds(1e-6)
        shown = f"{high:.9g}" if self.exact else f"{low:.9g} … {high:.9g}"
        pure = f"{self.pure[1]:.9g}" if math.isfinite(self.pure[1]) else "infinite"
        return (
            f"<composition: epsilon={shown} at delta=1e-6, {pure} at delta=0; "
            f"{self.counted}; {'exact' if self.exact else 'certified bounds'}; {self.route}>"
        )


_MOST_TIMES = 10**6


@public
def compose(
    parts: Part | Iterable[Part], *, times: int = 1, adaptive: bool = False, precision: float = 1e-5
) -> Composition:
    """Return what mechanisms promise together, each run `times` times on the same data.

    Parts are finite mechanisms, `Guarantee(epsilon, delta)` for whatever is known only by
    that, or `ZeroConcentrated(rho)`; one or a list. Equal parts are counted, so
    `compose([m, m])` is `compose(m, times=2)`.

    Requires: parts whose randomness is independent given the data; times ≥ 0; precision > 0,
    the wished-for width of the bounds on ε where the exact curve is too large.
    Ensures: lower ≤ δ(ε) ≤ upper for all ε ≥ 0, where δ(ε) is the worst over neighbors, in
    both directions. Finite mechanisms on one space all face the same two inputs. On
    different spaces, each may face its own two worst inputs. A guarantee stands for the
    least private mechanism that has it.

    The mechanisms are those of the list, whatever they answer. When a later mechanism is
    picked after seeing earlier answers, use `adaptive=True`: the curve then holds for any
    mechanisms, however picked, whose own profiles are no higher than those of the parts, and
    it is tight for those (Zhu–Dong–Wang 2022, Thm 10). Guarantees and ρ always hold so.
    """
    count = whole_number(times, name="times", least=0, most=_MOST_TIMES)
    reading = read_parts(parts, count)
    if exactly(precision, name="precision") <= 0:
        raise ParameterError(
            f"precision is {brief(precision)}; it must be above 0, for example 1e-5."
        )
    if not (reading.rows or reading.known or reading.rho):
        return Composition(NOTHING, NOTHING, True, "nothing is released", (0.0, 0.0))
    case = WorstCase(reading, precision, _POINTS)
    bracket = case.bracket(adaptive=flag(adaptive, name="adaptive"))
    pure = (
        math.inf if bracket.pure[0] is None else max(floor_float(bracket.pure[0]), 0.0),
        math.inf if bracket.pure[1] is None else ceiling_float(bracket.pure[1]),
    )
    upper, route, bound = bracket.upper, bracket.method, None
    is_exact = bracket.exact and not reading.rho
    if not is_exact:
        others = case.rho()
        every = None if others is None else ZeroConcentrated(reading.rho + others)
        some = ZeroConcentrated(reading.rho) if reading.rho else every
        bound = None if some is None else RhoBound(some, every, upper, pure[1])
    if reading.rho and bound is not None:
        upper, route, pure = bound.profile(), _RHO_ROUTE, (pure[0], math.inf)
    return Composition(bracket.lower, upper, is_exact, route, pure, bound, reading.units)
