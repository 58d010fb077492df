"""Permute and flip: never worse than the exponential mechanism at the same ε.

Look at the candidates in a random order and take the first whose coin comes up, the coin of y with
probability p_y = e^(ε (q_y − best) / (2Δ)) (McKenna–Sheldon 2020, Algorithm 1). It is the same
to flip all coins and take one of those that came up, each equally likely; so

    P(y) = p_y E[1 / (1 + number of others that came up)] = p_y ∫₀¹ Π_(z≠y) (1 − t p_z) dt
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.exact import Doubles, Epsilon, Exp, Number
from noisewright.mechanisms import Masses, Quality, by_level, powers
from noisewright.public import public
from noisewright.selection.one_dataset import Drawer, Law, Selection, select
from noisewright.spaces import Space

_AT_ONCE = 1 << 22
"""Doubles that are worked on together."""

_FEW = 128
_PER_PIECE = 32

_DEEPEST = 1 << 62
"""Exponents are cut off here, for all datasets: max(q, best − c) has the sensitivity of q."""


@final
@dataclass(frozen=True)
class PermuteAndFlipLaw(Law):
    """One coin for each candidate, certain for the best."""

    def describe(self) -> Mapping[str, str]:
        """Say that it is this."""
        return {"by": "permute and flip"}

    def drawer(self, qualities: Sequence[Fraction], factor: Fraction, epsilon: Fraction) -> Drawer:
        """Flip coins with exactly these probabilities: nothing is rounded."""
        if isinstance(qualities, Doubles) and (near := qualities.depths(factor)) is not None:
            return _coins_near(qualities, factor, near)
        levels, which = by_level(qualities)
        top = max(levels)
        exponents = [min((top - level) * factor, _DEEPEST) for level in levels]
        depths = np.array([int(exponent) for exponent in exponents], dtype=np.int64)[which]

        def rest(place: int) -> Exp:
            return Exp(-(exponents[which[place]] % 1))

        return lambda source: sampling.first_heads(depths, rest, source)

    def masses(self, factor: Fraction) -> Masses:
        """Return the integrals of a row, by the coefficients of their polynomials."""
        return integrals

    def logs(self, qualities: NDArray[np.float64], factor: float) -> NDArray[np.float64]:
        """Return logarithms of probabilities in doubles: sums exact for polynomials, if few."""
        rows, columns = qualities.shape
        places, shares = _nodes(columns)
        exponents = factor * (qualities - qualities.max(axis=1, keepdims=True))
        found = np.empty_like(exponents)
        step = max(1, _AT_ONCE // (columns * len(places)))
        some = max(1, _AT_ONCE // columns)
        for start in range(0, rows, step):
            part = exponents[start : start + step]
            coins = np.exp(part)[:, None, :]
            sums = np.zeros_like(part)
            for first in range(0, len(places), some):
                chosen = slice(first, first + some)
                tails = np.log1p(-places[None, chosen, None] * coins)
                others = np.exp(tails.sum(axis=2, keepdims=True) - tails)
                sums += np.einsum("n,rny->ry", shares[chosen], others)
            found[start : start + step] = part + np.log(sums)
        return found


def _coins_near(qualities: Doubles, factor: Fraction, near: NDArray[np.float64]) -> Drawer:
    """Flip the same coins, whose exponents are nearly known: exact ones only for those looked at.

    Requires: `near` is within a relative 2^-51 of each exponent; see `Doubles.depths`.
    """
    # Whole numbers that are surely no larger than the exponents: a coin is e^-depth times a rest.
    depths = np.minimum(np.floor(near * (1 - 2.0**-50)), _DEEPEST).astype(np.int64)
    # Not where `near` is 0: a difference may be too small for a double.
    top = qualities[int(np.argmax(qualities.array))]

    def rest(place: int) -> Exp:
        exponent = min((top - qualities[place]) * factor, Fraction(_DEEPEST))
        return Exp(int(depths[place]) - exponent)

    return lambda source: sampling.first_heads(depths, rest, source)


def _nodes(candidates: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where to look at an integrand on [0, 1], and how much each place counts."""
    if candidates <= _FEW:
        nodes, shares = np.polynomial.legendre.leggauss(candidates // 2 + 1)
        return (nodes + 1) / 2, shares / 2
    # Products of many coins fall like e^-tS, S ≤ candidates: pieces that double in length.
    nodes, shares = np.polynomial.legendre.leggauss(_PER_PIECE)
    ends = [0.0, *(1 / 2.0**i for i in range(candidates.bit_length(), -1, -1))]
    pieces = [(low, high - low) for low, high in pairwise(ends)]
    return (
        np.concatenate([low + length * (nodes + 1) / 2 for low, length in pieces]),
        np.concatenate([length * shares / 2 for _, length in pieces]),
    )


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


@public
def permute_and_flip(
    candidates: Space | Sequence[Any] | Any,
    quality: Quality,
    *,
    sensitivity: Number | None = None,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    monotonic: bool = False,
) -> Selection:
    """Return permute-and-flip for one dataset, ready to `sample()`.

    Requires: as `exponential`: the candidates do not depend on the data.
    Ensures: ε-private, and the expected quality is at least that of `exponential` at the same ε
    (McKenna–Sheldon 2020, Theorems 1 and 2). It is drawn by exact coins. As a table over all
    possible inputs it is `nw.select.choice_table(…, method="permute_and_flip")`.
    """
    return select(
        PermuteAndFlipLaw(),
        candidates,
        quality,
        sensitivity=sensitivity,
        epsilon=epsilon,
        alpha=alpha,
        monotonic=monotonic,
    )
