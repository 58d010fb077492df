"""Draws of one among several: by integer weights, by coins, and by the largest of noisy values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Computable, Epsilon
from noisewright.sampling.arguments import checked_size
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, default_source, redone_after_fork
from noisewright.sampling.geometric import waits
from noisewright.sampling.uniform import uniform_below


@redone_after_fork
def weighted_index(
    weights: Sequence[int], size: SupportsIndex = 1, source: Source | None = None
) -> NDArray[np.intp]:
    """Return `size` independent positions i with P(i) = weights[i] / Σ weights, exactly.

    Requires: Python integers of at least 0 that are not all 0; their sum need not be a power
    of two.
    """
    ends = list(accumulate(weights))
    if not ends or ends[-1] <= 0 or min(weights) < 0:
        raise ParameterError(
            "weights must be integers of at least 0, and one of them must be positive."
        )
    units = uniform_below(ends[-1], checked_size(size), source)
    return np.array([bisect_right(ends, unit) for unit in units.tolist()], dtype=np.intp)


@redone_after_fork
def uniform_among_heads(coins: Sequence[Computable], source: Source | None = None) -> int:
    """Flip every coin and return one of those that came up true, each equally likely.

    Requires: one coin at least is certain to come up true.
    Ensures: the distribution of permute-and-flip, which flips in a random order until one comes
    up: the first of the true ones in a random order is uniform among them.
    """
    bits = source or default_source()
    known: dict[Computable, Coin] = {}
    heads: list[int] = []
    for place, probability in enumerate(coins):
        coin = known.setdefault(probability, Coin(probability))
        if coin.flip(1, bits)[0]:
            heads.append(place)
    if not heads:
        raise ParameterError("no coin came up true; one of them must have probability 1.")
    return heads[int(uniform_below(len(heads), 1, bits)[0])]


@redone_after_fork
def geometric_argmax(values: Sequence[int], decay: Epsilon, source: Source | None = None) -> int:
    """Add independent geometric noise G ≥ 0 to each value; return where the largest sum is.

    Requires: integers; decay > 0.
    Ensures: P(G = g) = (1 − a) a^g with a = e^-decay, exactly; of equal sums the first wins.
    """
    noise: NDArray[Any] = waits(decay, len(values), source or default_source())
    sums = [value + extra for value, extra in zip(values, noise.tolist(), strict=True)]
    return max(range(len(sums)), key=sums.__getitem__)
