"""Staircase noise: geometric levels, uniform within a level, exact at any scale.

    b      e^-decay, the drop from one stair to the next
    Δ      the width of a stair, in steps
    r      how many steps of the first Δ are on the upper stair
    Z      P(Z = z) = a · b^L(|z|), with L(m) = ⌊(m + Δ − r)/Δ⌋

|Z| = GΔ + V with G geometric, P(G = g) = (1 − b) b^g, and V in 0 … Δ − 1: below r with
probability r/(r + b(Δ − r)) and then uniform, otherwise uniform from r on. A fair sign would
count 0 twice, so a negative zero is drawn again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.sampling.arguments import CHUNK, checked_size, whole
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric import DoublingDecay, Odds, waits
from noisewright.sampling.uniform import uniform_below

_LARGEST = 1 << 62


@lru_cache(maxsize=32)
def _coin(decay: Epsilon, width: int, upper: int) -> Coin:
    """Return the coin for P(V ≥ r) = b(Δ − r) / (r + b(Δ − r))."""
    return Coin(Odds(DoublingDecay(decay, 0), times=width - upper, to=upper))


@redone_after_fork
def staircase_noise(
    decay: Epsilon,
    width: SupportsIndex,
    upper: SupportsIndex,
    size: SupportsIndex,
    source: Source | None = None,
) -> NDArray[Any]:
    """Return `size` independent integers with P(z) proportional to b^L(|z|), b = e^-decay.

    Requires: decay > 0; 1 ≤ upper ≤ width; size ≥ 0.
    Ensures: the probabilities are exact. The type is int64, or Python integers in an object
    array where values do not fit.
    Source: Geng and Viswanath 2016, on integers.
    """
    stair = whole(width, name="width", least=1)
    top = whole(upper, name="upper", least=1)
    if top > stair:
        raise ParameterError(f"upper is {top}; it must be at most the width, {stair}.")
    if decay.is_zero:
        raise ParameterError("the decay is 0; it must be positive.")
    count = checked_size(size)
    bits = source_or_default(source)
    parts: list[NDArray[Any]] = []
    missing = count
    while missing or not parts:
        part = _propose(decay, stair, top, min(CHUNK, missing + missing // 8 + 16), bits)
        part = part[:missing]
        missing -= part.size
        parts.append(part)
    return np.concatenate(parts)


def _propose(decay: Epsilon, width: int, upper: int, count: int, source: Source) -> NDArray[Any]:
    """Draw signed magnitudes and leave out the negative zeros."""
    levels = waits(decay, count, source) - 1
    inside = uniform_below(upper, count, source)
    lower = np.flatnonzero(_coin(decay, width, upper).flip(count, source))
    if lower.size:
        inside[lower] = upper + uniform_below(width - upper, lower.size, source)
    if levels.dtype != object and count and (int(levels.max()) + 1) * width >= _LARGEST:
        levels = levels.astype(object)
    magnitude = levels * width + inside
    signs = np.unpackbits(source.u8(-(-count // 8)), count=count).view(np.bool_)
    np.negative(magnitude, out=magnitude, where=signs)
    return magnitude[~(signs & (magnitude == 0))]
