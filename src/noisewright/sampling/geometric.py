"""Two-sided geometric noise at any scale, without a cut-off.

    a     e^-ε, the decay
    q_i   a^(2^i)
    G     geometric: P(G = g) = (1 − a) a^g
    Z     two-sided geometric: P(Z = z) = (1 − a)/(1 + a) · a^|z|

Since a^g is the product of q_i over the binary digits of g, the digits of G are independent,
and digit i is one with probability q_i / (1 + q_i). What lies above the first I digits is
again geometric, with decay q_I: it is counted flip by flip, so nothing is cut off. Z is zero
with probability (1 − a)/(1 + a); otherwise it is 1 + G with a fair sign. Many draws at a small
scale, or clamped, come from a look-up of the same distribution (see `geometric_cells`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Bounds, Computable, Epsilon, Number, exactly, exp_bounds
from noisewright.sampling.arguments import CHUNK, checked_size
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric_cells import GeometricCells

_ENOUGH = 4
"""Digits stop once 2^I · ε is at least this: then one flip in 55 goes on to a second."""

_INT64_DIGITS = 48
_LARGEST_TAIL = 1 << 14
"""With 48 digits, tails below this leave 1 + G well inside int64."""

_LARGEST_REACH = 1 << 12
"""Up to here, at most one draw in eight is not settled by the look-up at once."""
_MANY = 1 << 12
"""Draws in one call that are worth the milliseconds of laying out the look-up."""


@dataclass(frozen=True)
class DoublingDecay:
    """q_i = e^(−ε · 2^i) as a computable number."""

    epsilon: Epsilon
    doublings: int

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        ratio = self.epsilon.ratio
        if ratio is None:
            exponent = self.epsilon.rational * (1 << self.doublings)
            # e^-x < 2^-x: too small to see at this precision, and too long to work out.
            return (0, 1) if exponent >= bits else exp_bounds(-exponent, bits)
        work = bits + self.doublings + 8
        while True:
            # ratio^(2^i) would have billions of digits; rounding outwards at each squaring
            # loses about one bit a time.
            low = (ratio.denominator << work) // ratio.numerator
            high = low + 1
            for _ in range(self.doublings):
                low, high = (low * low) >> work, -((-high * high) >> work)
            low, high = low >> (work - bits), -((-high) >> (work - bits))
            if high - low <= 1:
                return low, high
            work += bits + 8


@dataclass(frozen=True)
class Odds:
    """2^doubled · nq / (m + nq) as a computable number, for 0 ≤ q ≤ 1; n is `times`, m `to`."""

    q: Computable
    doubled: int = 0
    times: int = 1
    to: int = 1

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        # The derivative in q is at most n/m, so a few more bits than asked for are enough.
        inner = bits + self.doubled + self.times.bit_length() + 4
        low, high = (q * self.times for q in self.q.bounds(inner))
        one = self.to << inner
        below = (low << inner) // (one + low)
        above = -(-(high << inner) // (one + high))
        by = inner - self.doubled - bits
        return below >> by, -((-above) >> by)


class _Noise:
    """The coins of one decay."""

    def __init__(self, epsilon: Epsilon) -> None:
        digits = _digits(epsilon)
        self.count = digits
        self._epsilon = epsilon
        self._nonzero = Coin(Odds(DoublingDecay(epsilon, 0), doubled=1))
        self._digits = [Coin(Odds(DoublingDecay(epsilon, i))) for i in range(digits)]
        self._tail = Coin(DoublingDecay(epsilon, digits))

    def draw_many(self, count: int, source: Source) -> NDArray[Any]:
        """Draw as `draw` does, by look-up; 2^I is the reach beyond which few draws lie."""
        reach = 1 << self.count
        clamped = _cells(self._epsilon, reach).draw(count, source)
        ends = np.flatnonzero(np.abs(clamped) == reach)
        # The distribution has no memory: given Z ≥ reach, Z − reach is G.
        rest = self.waits(ends.size, source) - 1
        out = clamped.astype(rest.dtype)
        out[ends] += np.where(clamped[ends] < 0, -rest, rest)
        return out

    def draw(self, count: int, source: Source) -> NDArray[Any]:
        nonzero = np.flatnonzero(self._nonzero.flip(count, source))
        size = nonzero.size
        magnitude = self.waits(size, source)
        signs = np.unpackbits(source.u8(-(-size // 8)), count=size).view(np.bool_)
        np.negative(magnitude, out=magnitude, where=signs)
        out = np.zeros(count, dtype=magnitude.dtype)
        out[nonzero] = magnitude
        return out

    def waits(self, size: int, source: Source) -> NDArray[Any]:
        """Return 1 + G, independent: how many flips it takes until one comes up true."""
        return assemble(
            self._groups(size, source), self._count_flips(size, source), digits=self.count
        )

    def _groups(self, size: int, source: Source) -> list[NDArray[np.uint8]]:
        """Return the digits of G, eight to a byte, lowest first."""
        groups: list[NDArray[np.uint8]] = []
        for start in range(0, self.count, 8):
            group = np.zeros(size, dtype=np.uint8)
            for place, coin in enumerate(self._digits[start : start + 8]):
                group |= coin.flip(size, source).view(np.uint8) << np.uint8(place)
            groups.append(group)
        return groups

    def _count_flips(self, size: int, source: Source) -> NDArray[np.int64]:
        """Return how many flips in a row came up true."""
        tail = np.zeros(size, dtype=np.int64)
        alive = np.flatnonzero(self._tail.flip(size, source))
        while alive.size:
            tail[alive] += 1
            alive = alive[self._tail.flip(alive.size, source)]
        return tail


def assemble(
    groups: list[NDArray[np.uint8]], tail: NDArray[np.int64], *, digits: int
) -> NDArray[Any]:
    """Return 1 + (digits of `groups`) + tail · 2^digits: int64 if it fits, else Python integers."""
    fits = digits <= _INT64_DIGITS and (tail.size == 0 or int(tail.max()) < _LARGEST_TAIL)
    dtype = np.dtype(np.int64 if fits else object)
    total = (tail.astype(dtype) << digits) + 1
    step = _INT64_DIGITS // 8
    for start in range(0, len(groups), step):
        limb = np.zeros(tail.size, dtype=np.int64)
        for place, group in enumerate(groups[start : start + step]):
            limb |= group.astype(np.int64) << (8 * place)
        total += limb if fits else limb.astype(dtype) << (8 * start)
    return total


def _digits(epsilon: Epsilon) -> int:
    """Return the stated number of digits I, so that 2^I · ε is between 4 and 8."""
    bits = 64
    while (low := epsilon.bounds(bits)[0]) <= 1:
        bits *= 2
    return max(0, ((_ENOUGH << bits) // low).bit_length())


@lru_cache(maxsize=32)
def _noise(epsilon: Epsilon) -> _Noise:
    # Bounding dozens of coins takes milliseconds; a caller that draws one value at a time
    # would pay that each time.
    return _Noise(epsilon)


@lru_cache(maxsize=32)
def _cells(epsilon: Epsilon, reach: int) -> GeometricCells:
    return GeometricCells(DoublingDecay(epsilon, 0), reach)


def waits(decay: Epsilon, size: int, source: Source) -> NDArray[Any]:
    """Return `size` independent integers w ≥ 1 with P(w) = (1 − a) a^(w−1), a = e^-decay.

    That is how many flips it takes until a coin with P(true) = 1 − a comes up true. The type is
    that of `two_sided_geometric`. The caller sees to forks.
    """
    return _noise(decay).waits(size, source)


@redone_after_fork
def two_sided_geometric(
    decay: Epsilon, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return `size` independent integers with P(z) = (1 − a)/(1 + a) · a^|z|, a = e^-decay.

    Requires: decay > 0, of any size; size ≥ 0.
    Ensures: the probabilities are exact for every integer z. The type is int64; Python integers
    in an object array if decay is below about 2^-46 or a value does not fit.
    Source: Ghosh, Roughgarden and Sundararajan 2009 (the distribution).
    """
    if decay.is_zero:
        raise ParameterError(
            "the decay is 0; it must be positive, since no integer noise is uniform over all "
            "integers. Give a larger epsilon."
        )
    count = checked_size(size)
    noise = _noise(decay)
    bits = source_or_default(source)
    # By the count alone: what was drawn before must not change what a seed gives.
    if count >= _MANY and 1 << noise.count <= _LARGEST_REACH:
        return noise.draw_many(count, bits)
    parts = [noise.draw(min(CHUNK, count - s), bits) for s in range(0, count, CHUNK)]
    return np.concatenate(parts) if parts else noise.draw(0, bits)


@redone_after_fork
def clamped_geometric(
    decay: Epsilon, reach: int, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return what `two_sided_geometric` does, clamped to −reach … reach.

    Requires: decay > 0; 0 ≤ reach < 2^62; size ≥ 0.
    Ensures: the probabilities are exact. The type is int16 or int64; either holds the sum of a
    value and any number in 0 … reach.
    """
    count = checked_size(size)
    if decay.is_zero or count < _MANY or reach > _LARGEST_REACH:
        noise = two_sided_geometric(decay, count, source)
        return np.clip(noise, -reach, reach).astype(np.int64, copy=False)
    return _cells(decay, reach).draw(count, source_or_default(source))


def discrete_laplace(
    scale: Number, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return `size` independent integers with P(z) proportional to e^(−|z| / scale).

    Requires: scale > 0, taken exactly as given; size ≥ 0.
    Ensures: the probabilities are exact; the type is that of `two_sided_geometric`.
    """
    value = exactly(scale, name="scale")
    if value <= 0:
        raise ParameterError(f"scale is {scale}; it must be positive.")
    return two_sided_geometric(Epsilon(rational=1 / value), size, source)
