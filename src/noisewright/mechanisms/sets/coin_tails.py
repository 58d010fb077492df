"""How well two sets can be told apart when each item has its own coin.

    a, b   items that only the first set has, and that only the second has
    p, q   P(released | in the set), P(released | not in the set)
    u      of the a items those that were released, and of the b items those that were not

Every factor that speaks for the first set against the second comes from one unit of u: the
likelihood ratio is c · (p(1−q) / (q(1−p)))^u, so the events that tell best are u ≥ t. On the first
set u is a sum of binomials with a trials of p and b of 1 − q, on the second a of q and b of 1 − p.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from math import comb

import numpy as np
from numpy.typing import NDArray

Tail = tuple[int, int, int, int]
"""low, high of P(event | first set) and of P(event | second set), as integers over 2^bits."""


def tails(a: int, b: int, p: Fraction, q: Fraction, bits: int) -> Iterator[Tail]:
    """Bound the probabilities of u ≥ t for every t, on both sets."""
    first = _sum_of_two(a, p, b, 1 - q, bits)
    second = _sum_of_two(a, q, b, 1 - p, bits)
    bounds = [list(accumulate(reversed(side))) for pair in (first, second) for side in pair]
    yield from zip(*bounds, strict=True)


def _sum_of_two(a: int, p: Fraction, b: int, q: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Bound the distribution of the sum of two binomials."""
    # Rounding costs at most one unit for each pair of terms.
    work = bits + 2 * (a + b + 2).bit_length()
    low, high = (
        _product(one, two)
        for one, two in zip(_binomial(a, p, work), _binomial(b, q, work), strict=True)
    )
    down = 2 * work - bits
    return [term >> down for term in low], [-(-term >> down) for term in high]


def _binomial(n: int, p: Fraction, bits: int) -> tuple[list[int], list[int]]:
    """Bound the binomial probabilities: low ≤ C(n,i) p^i (1−p)^(n−i) · 2^bits ≤ high.

    The largest is worked out in full. From there to both sides each is the one before times a
    ratio of at most 1, so that rounding errors add up and never grow.
    """
    heads, whole = p.numerator, p.denominator
    tails = whole - heads
    mode = min(n, (n + 1) * heads // whole)
    top = comb(n, mode) * heads**mode * tails ** (n - mode) << bits
    low, high = [0] * (n + 1), [0] * (n + 1)
    low[mode], high[mode] = top // whole**n, -(-top // whole**n)
    for i in range(mode, n):
        over, under = (n - i) * heads, (i + 1) * tails
        low[i + 1], high[i + 1] = low[i] * over // under, -(-high[i] * over // under)
    for i in range(mode, 0, -1):
        over, under = i * tails, (n - i + 1) * heads
        low[i - 1], high[i - 1] = low[i] * over // under, -(-high[i] * over // under)
    return low, high


def _product(one: list[int], two: list[int]) -> list[int]:
    """Multiply two polynomials with coefficients of at least 0, as two long integers."""
    width = max(one).bit_length() + max(two).bit_length() + len(one).bit_length() + 1
    width = -(-width // 8)
    packed = [
        int.from_bytes(b"".join(term.to_bytes(width, "little") for term in terms), "little")
        for terms in (one, two)
    ]
    count = len(one) + len(two) - 1
    data = (packed[0] * packed[1]).to_bytes(count * width, "little")
    return [
        int.from_bytes(data[place * width : (place + 1) * width], "little")
        for place in range(count)
    ]


def about_delta(a: int, b: int, p: float, q: float, epsilon: float) -> float:
    """Return δ at ε for one pair of sets in doubles: a proposal, never a proof."""
    first = np.convolve(_pmf(a, p), _pmf(b, 1 - q))
    second = np.convolve(_pmf(a, q), _pmf(b, 1 - p))
    return float(np.maximum(first - np.exp(epsilon) * second, 0).sum())


def _pmf(n: int, p: float) -> NDArray[np.float64]:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    i = np.arange(n + 1)
    p = min(max(p, 2.0**-53), 1 - 2.0**-53)
    return np.exp(logs[-1] - logs - logs[::-1] + i * np.log(p) + (n - i) * np.log1p(-p))
