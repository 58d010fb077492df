"""The discrete Gaussian at any rational variance, by rejection from discrete Laplace.

    v     the variance parameter σ²
    t     floor(σ) + 1, the scale of the proposal
    c     v / t, where the proposal touches the target; c < σ, since t > σ
    g     (|y| − c)² / (2v): proposal y is kept with probability e^-g

Floating point only filters. It gives e^-g with an error below `MARGIN`, using nothing but
+, −, · (which IEEE 754 rounds correctly, unlike a library's exp) and a table of e^(-j/64)
rounded from exact bounds. A coin within the margin is settled by exact bounds.

The error, with u = 2^-53 and s = ||y| − c|/σ, to first order (`MARGIN` leaves a factor of four
for the rest): |y| and c are rounded, and so is their difference, by at most u(2σ + 2sσ) in
all; that moves g by 2u(s + s²), and squaring, 2v and the division by 3u·s²/2. So e^-g moves by at
most u·e^(−s²/2)·(2s + 3.5s²) < 4u. Splitting g = j/64 + r is exact. The series in r stops
within r^8/8! < 2^-63; its steps lose less than 1.1u, since r < 1/64; the table and the last
product 2u; the comparison u. Together below 9u < 2^-49.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Bounds, Number, exactly, exp_bounds
from noisewright.sampling.arguments import CHUNK, checked_size
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric import discrete_laplace

MARGIN = 2.0**-47
"""The filter's e^-g is within this of the truth."""

_WORD = 32
_STEPS = 64
_LARGEST_EXPONENT = 44
"""e^-44 < 2^-63: beyond it, the filter only says that the coin is almost surely false."""

_FILTERED = (Fraction(1, 1 << 200), Fraction(1 << 96))
"""Variances outside get exact bounds for each proposal: slow, but nothing under- or overflows."""


@redone_after_fork
def discrete_gaussian(
    variance: Number, size: SupportsIndex, source: Source | None = None
) -> NDArray[Any]:
    """Return `size` independent integers with P(z) proportional to e^(−z² / (2 · variance)).

    Requires: variance > 0, taken exactly as given (it is σ², not σ); size ≥ 0.
    Ensures: the probabilities are exact. The type is int64, or Python integers in an object
    array where `discrete_laplace` at scale floor(σ) + 1 gives those.
    Source: Canonne, Kamath and Steinke 2020, Algorithm 3.
    """
    value = exactly(variance, name="variance")
    if value <= 0:
        raise ParameterError(f"variance is {variance}; it must be positive.")
    count = checked_size(size)
    bits = source_or_default(source)
    kept = Acceptance(value, math.isqrt(value.numerator // value.denominator) + 1)
    parts: list[NDArray[Any]] = []
    missing = count
    while missing or not parts:
        proposal = discrete_laplace(kept.scale, min(CHUNK, missing + missing // 2 + 16), bits)
        part = proposal[kept.flip(proposal, bits)][:missing]
        missing -= part.size
        parts.append(part)
    return np.concatenate(parts)


@dataclass(frozen=True)
class Acceptance:
    """The coins that turn proposals of discrete Laplace into a discrete Gaussian."""

    variance: Fraction
    scale: int

    def flip(self, proposal: NDArray[Any], source: Source) -> NDArray[np.bool_]:
        """Return, for each proposal, a flip with P(true) = e^-g."""
        words = source.u32(proposal.size)
        filtered = _FILTERED[0] <= self.variance <= _FILTERED[1] and proposal.dtype == np.int64
        if filtered:
            near = self.acceptance(proposal)
            uniform = words * 2.0**-_WORD
            # U lies in [uniform, uniform + 2^-32).
            accepted = uniform + 2.0**-_WORD <= near - MARGIN
            undecided = np.flatnonzero(~accepted & (uniform < near + MARGIN))
        else:
            accepted = np.zeros(proposal.size, dtype=np.bool_)
            undecided = np.arange(proposal.size)
        for place in undecided.tolist():
            coin = Coin(ExpMinus(self.exponent(int(proposal[place]))))
            accepted[place] = coin.settle(int(words[place]), _WORD, source)
        return accepted

    def exponent(self, proposal: int) -> Fraction:
        """Return g exactly."""
        distance = abs(proposal) - self.variance / self.scale
        return distance * distance / (2 * self.variance)

    def acceptance(self, proposal: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return e^-g up to `MARGIN`."""
        distance = np.abs(proposal).astype(np.float64)
        distance -= float(self.variance / self.scale)
        distance *= distance
        distance /= float(2 * self.variance)
        return exp_minus(np.minimum(distance, _LARGEST_EXPONENT))


@dataclass(frozen=True)
class ExpMinus:
    """e^-x as a computable number, for x ≥ 0 of any size."""

    exponent: Fraction

    def bounds(self, bits: int) -> Bounds:
        """Bound the number at this precision."""
        # e^-x < 2^-x: too small to see at this precision, and too long to work out.
        return (0, 1) if self.exponent >= bits else exp_bounds(-self.exponent, bits)


def exp_minus(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return e^-x for 0 ≤ x ≤ 44, within 4 · 2^-53 (see the top of the module)."""
    step = np.floor(x * _STEPS)
    rest = step / _STEPS - x
    series = np.full(x.shape, 1 / 5040)
    for factorial in (720, 120, 24, 6, 2, 1, 1):
        series *= rest
        series += 1 / factorial
    series *= _table()[step.astype(np.intp)]
    return series


@lru_cache(maxsize=1)
def _table() -> NDArray[np.float64]:
    count = _LARGEST_EXPONENT * _STEPS + 1
    exact = (exp_bounds(Fraction(-j, _STEPS), 128)[0] for j in range(count))
    return np.array([float(Fraction(low, 1 << 128)) for low in exact])
