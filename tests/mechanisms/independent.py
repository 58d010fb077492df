"""A second opinion on privacy and properties: short, slow, and sharing no code with the library.

e^ε comes from the standard library's decimals, with its error bounded from both sides.
"""

from collections.abc import Iterable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

Rows = list[list[int]]
Pairs = Iterable[tuple[int, int]]

_DIGITS = 700
_BITS = 2048


def ratio_bounds(epsilon: Fraction) -> tuple[int, int]:
    """Return integers low ≤ e^ε · 2^2048 ≤ high, a few units apart relative to their size."""
    if epsilon == 0:
        return 1 << _BITS, 1 << _BITS
    context = Context(prec=_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
    exponent = context.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    near = Fraction(context.exp(exponent)) * (1 << _BITS)
    error = near / 10 ** (_DIGITS - 30)
    return int(near - error), int(near + error) + 1


def needed(weights: Rows, a: int, b: int, ratio: int) -> int:
    """Return Σ max(0, P(y|a) − E P(y|b)) in units of total · 2^2048, for E = ratio / 2^2048."""
    gains = ((p << _BITS) - ratio * q for p, q in zip(weights[a], weights[b], strict=True))
    return sum(gain for gain in gains if gain > 0)


def is_private(
    weights: Rows, total: int, pairs: Pairs, epsilon: Fraction, delta: Fraction = Fraction(0)
) -> bool:
    """Decide (ε, δ) for these unordered pairs, both ways; fail if the decimals can't decide."""
    low, high = ratio_bounds(epsilon)
    spare = delta * total * (1 << _BITS)
    surely = True
    for pair in pairs:
        for a, b in (pair, pair[::-1]):
            if needed(weights, a, b, high) > spare:
                return False
            surely = surely and needed(weights, a, b, low) <= spare
    assert surely, "the decimals are too coarse"
    return True


def is_private_for_all(weights: Rows, epsilon: Fraction) -> bool:
    """Decide (ε, 0) for all pairs of inputs by the extremes of each column."""
    low, high = ratio_bounds(epsilon)
    columns = list(zip(*weights, strict=True))
    broken = any(max(column) << _BITS > high * min(column) for column in columns)
    assert broken or all(max(column) << _BITS <= low * min(column) for column in columns)
    return not broken


def adjacent(size: int) -> list[tuple[int, int]]:
    return [(i, i + 1) for i in range(size - 1)]


def properties(weights: Rows, total: int) -> set[str]:
    """Return the seven properties by their definitions, entry by entry (i output, j input)."""
    size = len(weights)
    places = range(size)

    def p(i: int, j: int) -> int:
        return weights[j][i]

    outward = [(i, j, k) for i in places for j in places for k in (j - 1, j + 1) if 0 <= k < size]
    tests: dict[str, bool] = {
        "RH": all(p(i, i) >= p(i, j) for i in places for j in places),
        "CH": all(p(j, j) >= p(i, j) for i in places for j in places),
        "RM": all(p(i, j) >= p(i, k) for i, j, k in outward if abs(k - i) > abs(j - i)),
        "CM": all(p(j, i) >= p(k, i) for i, j, k in outward if abs(k - i) > abs(j - i)),
        "F": all(p(i, i) == p(0, 0) for i in places),
        "WH": all(p(i, i) * size >= total for i in places),
        "S": all(p(i, j) == p(size - 1 - i, size - 1 - j) for i in places for j in places),
    }
    return {name for name, holds in tests.items() if holds}


def rows_of(mechanism: Any) -> Rows:
    return mechanism.weights.tolist()


EPSILONS = st.one_of(
    st.floats(-6, 1.3).map(lambda power: min(20.0, 10.0**power)), st.floats(1e-6, 20)
)
"""Doubles in [1e-6, 20], small ones as often as large ones."""
