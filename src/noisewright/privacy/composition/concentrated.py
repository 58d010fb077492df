"""Zero-concentrated privacy: the additive budget of the Gaussian family.

A mechanism is ρ-zCDP when all Rényi divergences D_a of neighboring outputs are at most ρ a.
ρ adds up under (adaptive) composition (Bun–Steinke 2016, Lemma 1.7). Legend: a is the Rényi
order, ρ the parameter; every a > 1 yields a valid bound, so a is chosen in floating point
and the bound at that a is evaluated rigorously.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, exactly, exp_bounds, halve, log_bounds
from noisewright.public import public, public_methods

_BITS = 160
_ONE = Fraction(1 << _BITS)


@public_methods
@dataclass(frozen=True)
class ZeroConcentrated:
    """What is known of a mechanism that is ρ-zCDP: `ZeroConcentrated("1/2")`.

    Requires: ρ ≥ 0; a float, a string or a Fraction means exactly that number.
    """

    rho: Fraction

    def __init__(self, rho: Number) -> None:
        value = exactly(rho, name="rho")
        if value < 0:
            raise ParameterError(
                f"rho is {rho}; it must be at least 0. A Gaussian with sensitivity s and "
                "variance v has rho = s²/(2v): use gaussian_rho(s, v)."
            )
        object.__setattr__(self, "rho", value)

    def __add__(self, other: ZeroConcentrated) -> ZeroConcentrated:
        return ZeroConcentrated(self.rho + other.rho)

    def delta(self, epsilon: Number | Epsilon) -> float:
        """Return a δ for which (ε, δ) holds.

        Ensures: at least inf over a > 1 of e^((a−1)(aρ−ε)) (1 − 1/a)^(a−1) / a, and within
        rounding of it (Canonne–Kamath–Steinke 2020, Prop 12 with D_a ≤ ρ a); at most 1.
        """
        exact = Epsilon.of(epsilon)
        if self.rho == 0:
            return 0.0
        order = _best_order(float(self.rho), exact.ceiling())
        if order is None:
            return 1.0
        at_least = Fraction(exact.bounds(_BITS)[0]) / _ONE
        a, log_of_a, log_of_rest = _logs(order)
        exponent = (a - 1) * (a * self.rho - at_least + log_of_rest) - log_of_a
        return _exp_above(exponent)

    def order(self, epsilon: Number | Epsilon) -> Fraction:
        """Return the order a > 1 at which `delta` is evaluated; a proof needs only this one.

        Requires: ρ > 0 and a finite ε.
        """
        order = _best_order(float(self.rho), Epsilon.of(epsilon).ceiling())
        if self.rho == 0 or order is None:
            raise ParameterError(
                f"no order is best for rho {self.rho} and epsilon {epsilon}; it takes rho > 0 and "
                "a finite epsilon."
            )
        return Fraction(order)

    def roughly_delta(self, epsilon: float) -> float:
        """About δ at ε, for deciding what to evaluate with care; never to be reported."""
        epsilon = float(epsilon)
        order = _best_order(float(self.rho), epsilon)
        if self.rho == 0 or order is None:
            return 0.0 if self.rho == 0 else 1.0
        return math.exp(min(_log_delta(float(self.rho), epsilon, order), 0.0))

    def epsilon(self, delta: Number) -> float:
        """Return an ε for which (ε, δ) holds; infinite when δ = 0 < ρ.

        Ensures: at least inf over a > 1 of aρ + ln(1 − 1/a) − (ln δ + ln a)/(a − 1), and
        within rounding of it (Canonne–Kamath–Steinke 2020, Prop 12 solved for ε).
        """
        exact = exactly(delta, name="delta")
        if exact < 0:
            raise ParameterError(f"delta is {delta}; it must lie in [0, 1].")
        if exact >= 1 or self.rho == 0:
            return 0.0
        if exact == 0:
            return math.inf
        order = self._order_for(exact)
        a, log_of_a, log_of_rest = _logs(order)
        log_of_delta = Fraction(log_bounds(exact, _BITS)[0]) / _ONE
        value = a * self.rho + log_of_rest - (log_of_delta + log_of_a) / (a - 1)
        return max(ceiling_float(value), 0.0)

    def _order_for(self, delta: Fraction) -> float:
        """Bisect for the ε whose best order gives δ; return that order."""
        rho = float(self.rho)
        target = math.log(delta.numerator) - math.log(delta.denominator)
        low, high = 0.0, rho + 2 * math.sqrt(rho * max(-target, 1e-300)) + 1e-12
        order = _best_order(rho, high)
        for _ in range(100):
            middle = (low + high) / 2
            candidate = _best_order(rho, middle)
            if candidate is None or _log_delta(rho, middle, candidate) > target:
                low = middle
            else:
                high, order = middle, candidate
        return order if order is not None else 2.0


@public
def gaussian_rho(*, sensitivity: Number, variance: Number) -> Fraction:
    """Return ρ = sensitivity² / (2 · variance) of a Gaussian, continuous or discrete.

    Source: Bun–Steinke 2016, Prop 1.6; Canonne–Kamath–Steinke 2020, Thm 4.
    """
    s = exactly(sensitivity, name="sensitivity")
    v = exactly(variance, name="variance")
    if s < 0 or v <= 0:
        raise ParameterError(
            f"sensitivity is {sensitivity} and variance is {variance}; a Gaussian needs a "
            "sensitivity ≥ 0 and a variance > 0."
        )
    return s * s / (2 * v)


def _log_delta(rho: float, epsilon: float, a: float) -> float:
    return (a - 1) * (a * rho - epsilon + math.log1p(-1 / a)) - math.log(a)


def _best_order(rho: float, epsilon: float) -> float | None:
    """About the a > 1 with (2a − 1)ρ − ε + ln(1 − 1/a) = 0; None when no a is of use."""
    if rho <= 0 or not math.isfinite(epsilon):
        return None if rho > 0 else 2.0

    def slope(a: float) -> float:
        return (2 * a - 1) * rho - epsilon + math.log1p(-1 / a)

    low, high = 1 + 1e-9, 2.0
    while slope(high) < 0 and high < 1e300:
        high *= 2
    _, high = halve(low, high, lambda a: slope(a) < 0, times=64)
    return high if high > 1 else None


def _logs(order: float) -> tuple[Fraction, Fraction, Fraction]:
    """Return a, a lower bound of ln a and an upper bound of ln(1 − 1/a)."""
    a = Fraction(order)
    below = Fraction(log_bounds(a, _BITS)[0]) / _ONE
    above = Fraction(log_bounds(1 - 1 / a, _BITS)[1]) / _ONE
    return a, below, above


def _exp_above(exponent: Fraction) -> float:
    """Return a double that is at least min(e^exponent, 1)."""
    if exponent >= 0:
        return 1.0
    if exponent < -745:
        return math.ulp(0.0)
    bits = 64 + math.ceil(-exponent * 3 / 2)
    return min(ceiling_float(Fraction(exp_bounds(exponent, bits)[1], 1 << bits)), 1.0)
