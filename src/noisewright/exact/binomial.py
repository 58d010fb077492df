"""A probability from counted draws: Clopper–Pearson bounds that integers have checked.

Doubles propose a bound by the incomplete beta function. What is returned was then proven: the
binomial tail at that bound, summed in integers and rounded up, is at most the stated error.
Source: Clopper–Pearson 1934 for the bounds; the series of ln m! and the sign of its remainder are
NIST's Digital Library of Mathematical Functions, 5.11(ii).
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from noisewright.errors import ParameterError
from noisewright.exact.bounds import log_bounds
from noisewright.given import whole_number

MOST_DRAWS = 1 << 40
"""Doubles still tell the counts up to here apart; nobody draws as often."""

_BITS = 96
_SERIES_FROM = 32
"""From this m on, four terms of Stirling's series know ln m! to 2e-14; others are multiplied."""

_TWO_PI = (
    Fraction(2 * 314159265358979323846264338327, 10**29),
    Fraction(2 * 314159265358979323846264338328, 10**29),
)
_FIRST_STEP = 2.0**-30


def share_floor(hits: int, draws: int, *, error: Fraction) -> Fraction:
    """Return a lower bound on the probability of an event that happened in `hits` of the draws.

    Requires: independent draws, 0 ≤ hits ≤ draws, 0 < error < 1.
    Ensures: whatever the probability is, the bound exceeds it with probability at most `error`.
    It is the bound of Clopper and Pearson, rounded down by a relative 2^-29 or so.
    """
    draws = whole_number(draws, name="draws", least=1, most=MOST_DRAWS)
    hits = whole_number(hits, name="hits", least=0, most=draws)
    if not 0 < error < 1:
        raise ParameterError(f"error is {error}; it must lie between 0 and 1.")
    if hits == 0:
        return Fraction(0)
    near = _propose(hits, draws, _log(error))
    step = _FIRST_STEP
    while True:
        share = _logistic(near - step)
        if share == 0 or _tail_is_within(hits, draws, share, error):
            return share
        step *= 4


def share_ceiling(hits: int, draws: int, *, error: Fraction) -> Fraction:
    """Return an upper bound on the probability of an event that happened in `hits` of the draws.

    Ensures: the bound is below the probability with probability at most `error`. It is positive,
    also when the event never happened.
    """
    return 1 - share_floor(draws - hits, draws, error=error)


def _logistic(t: float) -> Fraction:
    """Return 1 / (1 + e^-t) nearly, with as many digits to 1 as to 0; only a proposal."""
    if t < 0:
        return Fraction(math.exp(t) / (1 + math.exp(t)))
    return 1 - Fraction(math.exp(-t) / (1 + math.exp(-t)))


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


@lru_cache(maxsize=4096)  # audits of one client meet the same counts again and again
def _propose(hits: int, draws: int, log_error: float) -> float:
    """Return ln(p / (1 − p)) for the p at which the tail is about the error, in doubles."""
    high = math.log((hits + 0.5) / (draws - hits + 0.5))
    low = high - 1
    while _log_tail(hits, draws, low) > log_error:
        low -= 2 * (high - low)
    for _ in range(60):
        middle = (low + high) / 2
        if not low < middle < high:
            break
        if _log_tail(hits, draws, middle) > log_error:
            high = middle
        else:
            low = middle
    return low


def _log_tail(hits: int, draws: int, t: float) -> float:
    """Return about ln P(Bin(draws, p) ≥ hits) = ln I_p(hits, draws − hits + 1)."""
    a, b = float(hits), float(draws - hits + 1)
    log_x = -math.log1p(math.exp(-t)) if t > -700 else t
    log_y = -math.log1p(math.exp(t)) if t < 700 else -t
    beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    return a * log_x + b * log_y - beta - math.log(a) + math.log(_fraction(a, b, math.exp(log_x)))


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d, c = 1 + part * d, 1 + part / c
            d = 1 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return max(value, tiny)


def _tail_is_within(hits: int, draws: int, share: Fraction, error: Fraction) -> bool:
    """Prove that P(Bin(draws, share) ≥ hits) ≤ error; False also where it cannot be told."""
    ratio = _tail_by_first_term(hits, draws, share)
    if ratio is None:
        return False
    others = draws - hits
    most = _log_factorial(draws)[1] - _log_factorial(hits)[0] - _log_factorial(others)[0]
    most += hits * log_bounds(share, _BITS)[1]
    if others:
        most += others * log_bounds(1 - share, _BITS)[1]
    return most + log_bounds(ratio, _BITS)[1] <= log_bounds(error, _BITS)[0]


def _tail_by_first_term(hits: int, draws: int, share: Fraction) -> Fraction | None:
    """Bound P(X ≥ hits) / P(X = hits) from above; None where terms do not fall from the start."""
    # P(X = j + 1) / P(X = j) = (draws − j) / (j + 1) · odds, which falls in j.
    odds = share / (1 - share)
    scaled = -((-odds.numerator << _BITS) // odds.denominator)
    if (draws - hits) * scaled >= (hits + 1) << _BITS:
        return None
    total = term = 1 << _BITS
    for j in range(hits, draws):
        factor = -(-(draws - j) * scaled // (j + 1))
        if term >> 48 == 0:
            # What is left is at most a geometric series.
            total += -(-(term << _BITS) // ((1 << _BITS) - factor))
            break
        term = -((-term * factor) >> _BITS)
        total += term
    return Fraction(total, 1 << _BITS)


@lru_cache(maxsize=4096)
def _log_factorial(m: int) -> tuple[int, int]:
    """Bound ln m! · 2^96 by integers."""
    if m < _SERIES_FROM:
        return log_bounds(Fraction(math.factorial(m)), _BITS)
    log_low, log_high = log_bounds(Fraction(m), _BITS)
    pi_low, pi_high = (log_bounds(side, _BITS) for side in _TWO_PI)
    upper = Fraction(1, 12 * m) - Fraction(1, 360 * m**3) + Fraction(1, 1260 * m**5)
    lower = upper - Fraction(1, 1680 * m**7)
    low = Fraction((2 * m + 1) * log_low + pi_low[0], 2) + (lower - m) * (1 << _BITS)
    high = Fraction((2 * m + 1) * log_high + pi_high[1], 2) + (upper - m) * (1 << _BITS)
    return math.floor(low), math.ceil(high)
