"""Shares of ε with the least error of the estimates that someone needs.

    s_i      the share of part i; the s_i sum to 1
    M_i(ε)   what part i adds to a squared error at ε (error_curves.py)
    F(s)     Σ_j w_j Π_{i in j} M_i(ε s_i): estimate j multiplies over the parts it joins
    a_i      −∂F / ∂ log s_i, what part i would gain from a larger share

At the best shares a_i / s_i is the same for all i (Lagrange), so s moves towards a / Σa. That
direction always leads downhill: with A = Σa and b = a/A, the slope of F along log(b/s) is
−A Σ (b_i − s_i) log(b_i/s_i) ≤ 0. F is convex in the log s_i where the log M_i are convex in log ε,
as those of randomized response and of noise are; then what is found is the best.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from noisewright.plans.error_curves import ErrorCurve

UNITS = 10_000
"""Shares are whole multiples of 1/10,000: short to write down, and they sum to 1 exactly."""

_ROUNDS = 400


@dataclass(frozen=True, eq=False)
class Term:
    """One estimate: its weight, and the curve of each part that it joins, by the part's number."""

    weight: float
    factors: tuple[tuple[int, ErrorCurve], ...]


@dataclass(frozen=True, eq=False)
class Objective:
    """F for parts that share an ε."""

    parts: int
    epsilon: float
    terms: tuple[Term, ...]

    def value(self, shares: Sequence[float]) -> float:
        """Return F."""
        return self.gains(shares)[0]

    def gains(self, shares: Sequence[float]) -> tuple[float, list[float]]:
        """Return F and the a_i."""
        total, gains = 0.0, [0.0] * self.parts
        for term in self.terms:
            read = [(i, *curve.at(self.epsilon * shares[i])) for i, curve in term.factors]
            worth = term.weight * math.exp(min(sum(height for _, height, _ in read), 690.0))
            total += worth
            for i, _, slope in read:
                gains[i] -= worth * slope
        return total, gains


def best_shares(objective: Objective) -> tuple[Fraction, ...]:
    """Return the shares with the least F, as multiples of 1/UNITS that sum to 1 exactly.

    Ensures: F is at most what equal shares give; if nothing is better, shares are equal exactly.
    The same objective gives the same shares.
    """
    parts = objective.parts
    equal = (Fraction(1, parts),) * parts
    if parts == 1:
        return equal
    units = _improve(objective, _whole(_descend(objective)))
    found = tuple(Fraction(count, UNITS) for count in units)
    if objective.value([float(s) for s in found]) < objective.value([1 / parts] * parts):
        return found
    return equal


def _descend(objective: Objective) -> list[float]:
    least = 1 / UNITS
    shares = [1 / objective.parts] * objective.parts
    value, gains = objective.gains(shares)
    step = 1 / 3  # exact at once where all M fall with the square of ε
    for _ in range(_ROUNDS):
        total = sum(gains)
        if total <= 0:
            break
        ways = [
            math.log(max(g / total, least * 1e-3) / s) for g, s in zip(gains, shares, strict=True)
        ]
        if max(map(abs, ways)) < 1e-9:
            break
        while step > 1e-12:
            moved = _normalize(
                [s * math.exp(step * way) for s, way in zip(shares, ways, strict=True)], least
            )
            new, new_gains = objective.gains(moved)
            if new <= value:
                break
            step /= 2
        else:
            break
        if (
            value - new <= 1e-15 * value
            and max(abs(a - b) for a, b in zip(moved, shares, strict=True)) < least / 100
        ):
            shares = moved
            break
        shares, value, gains = moved, new, new_gains
        step = min(1.0, step * 1.5)
    return shares


def _normalize(shares: list[float], least: float) -> list[float]:
    total = sum(shares)
    lifted = [max(share / total, least) for share in shares]
    total = sum(lifted)
    return [share / total for share in lifted]


def _whole(shares: list[float]) -> list[int]:
    """Round to units that sum to UNITS, at least 1 each: the largest remainders go up."""
    units = [max(1, math.floor(share * UNITS)) for share in shares]
    order = sorted(range(len(shares)), key=lambda i: (units[i] - shares[i] * UNITS, i))
    missing = UNITS - sum(units)
    for k in range(abs(missing)):
        if missing > 0:
            units[order[k % len(order)]] += 1
        else:
            largest = max(range(len(units)), key=lambda i: (units[i], -i))
            units[largest] -= 1
    return units


def _improve(objective: Objective, units: list[int]) -> list[int]:
    """Move single units while that helps: rounding may have gone the wrong way."""

    def value(counts: list[int]) -> float:
        return objective.value([count / UNITS for count in counts])

    best = value(units)
    for _ in range(4 * len(units)):
        _, gains = objective.gains([count / UNITS for count in units])
        worth = [gain / count for gain, count in zip(gains, units, strict=True)]
        taker = max(range(len(units)), key=lambda i: (worth[i], -i))
        givers = [i for i in range(len(units)) if i != taker and units[i] > 1]
        if not givers:
            break
        giver = min(givers, key=lambda i: (worth[i], i))
        moved = list(units)
        moved[taker] += 1
        moved[giver] -= 1
        new = value(moved)
        if new >= best:
            break
        units, best = moved, new
    return units
