"""Permute and flip: never worse than the exponential mechanism at the same ε.

Look at the candidates in a random order and take the first whose coin comes up, the coin of y with
probability p_y = e^(ε (q_y − best) / (2Δ)) (McKenna–Sheldon 2020, Algorithm 1). It is the same
to flip all coins and take one of those that came up, each equally likely; so

    P(y) = p_y E[1 / (1 + number of others that came up)] = p_y ∫₀¹ Π_(z≠y) (1 − t p_z) dt
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Unpack, final, overload

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Epsilon, Exp, Number
from noisewright.mechanisms.powers import Masses, powers
from noisewright.mechanisms.qualities import Quality
from noisewright.mechanisms.table import Table
from noisewright.selection.choosing import Options, Values, Wish, choice
from noisewright.selection.chosen import Drawer, Selection
from noisewright.spaces import Space

_AT_ONCE = 1 << 22
"""Doubles that are worked on together."""


@final
@dataclass(frozen=True)
class Coins:
    """One coin for each candidate, certain for the best."""

    name: str = "permute and flip"

    def check(self, qualities: Sequence[Sequence[Fraction]]) -> None:
        """Accept any rational qualities."""

    def weights(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> None:
        """Nothing is weighed."""

    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Flip coins with exactly these probabilities: nothing is rounded."""
        from noisewright.sampling import uniform_among_heads

        top = max(qualities)
        coins = [Exp(factor * (quality - top)) for quality in qualities]
        return lambda source: uniform_among_heads(coins, source)

    def masses(self, factor: Fraction) -> Masses:
        """Return the integrals of a row, by the coefficients of their polynomials."""
        return integrals

    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles: sums that are exact for polynomials."""
        rows, columns = qualities.shape
        nodes, shares = np.polynomial.legendre.leggauss(columns // 2 + 1)
        places, shares = (nodes + 1) / 2, shares / 2
        exponents = factor * (qualities - qualities.max(axis=1, keepdims=True))
        found = np.empty_like(exponents)
        step = max(1, _AT_ONCE // (columns * len(places)))
        for start in range(0, rows, step):
            part = exponents[start : start + step]
            tails = np.log1p(-places[None, :, None] * np.exp(part)[:, None, :])
            others = np.exp(tails.sum(axis=2, keepdims=True) - tails)
            found[start : start + step] = part + np.log(np.einsum("n,rny->ry", shares, others))
        return found


def integrals(exponents: Sequence[Fraction], precision: int) -> list[int]:
    """Return p_y ∫ Π_(z≠y) (1 − t p_z) dt · 2^precision for p = e^exponent."""
    coins = powers(exponents, precision)
    # Terms up to 2^candidates cancel.
    work = precision + 2 * len(coins) + 16
    whole = [1 << work]
    for coin in coins:
        whole = times_factor(whole, coin, precision)
    return [coin * _without(whole, coin, precision) >> work for coin in coins]


def times_factor(polynomial: list[int], p: int, precision: int) -> list[int]:
    """Multiply a polynomial in t by 1 − t p."""
    shifted = [0, *((p * c) >> precision for c in polynomial)]
    return [c - s for c, s in zip([*polynomial, 0], shifted, strict=True)]


def _without(whole: list[int], p: int, precision: int) -> int:
    """Divide by 1 − t p and integrate over [0, 1]; p ≤ 1, so errors only add up."""
    total = quotient = 0
    for power, coefficient in enumerate(whole[:-1]):
        quotient = coefficient + ((p * quotient) >> precision)
        total += quotient // (power + 1)
    return total


@overload
def permute_and_flip(
    candidates: Any,
    quality: Callable[[Any, Any], Number],
    *,
    space: Space | None = None,
    **options: Unpack[Options],
) -> Table: ...


@overload
def permute_and_flip(
    candidates: Any,
    quality: Quality,
    *,
    space: Space,
    **options: Unpack[Options],
) -> Table: ...


@overload
def permute_and_flip(
    candidates: Any,
    quality: Values,
    *,
    space: None = None,
    **options: Unpack[Options],
) -> Selection: ...


@overload
def permute_and_flip(
    candidates: Any,
    quality: Quality,
    *,
    space: None = None,
    **options: Unpack[Options],
) -> Any: ...


def permute_and_flip(
    candidates: Space | Sequence[Any] | Any,
    quality: Quality,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    sensitivity: Number | None = None,
    space: Space | None = None,
    monotonic: bool | None = None,
    calibrated: bool = False,
) -> Table | Selection:
    """Return permute-and-flip: for one dataset, or as a table over the inputs `space`.

    Requires: as `exponential`.
    Ensures: ε-private, and the expected quality is at least that of `exponential` at the same ε
    (McKenna–Sheldon 2020, Theorems 1 and 2). A choice for one dataset is drawn by exact coins.
    """
    wish = Wish(epsilon, alpha, sensitivity, space, monotonic, calibrated, None)
    return choice(Coins(), candidates, quality, wish)
