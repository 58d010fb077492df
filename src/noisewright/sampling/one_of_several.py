"""Draws of one among several: by integer weights, by coins, and by the largest of noisy values."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import accumulate
from typing import Any, SupportsIndex, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Computable, Epsilon
from noisewright.sampling.arguments import checked_size
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.geometric import waits
from noisewright.sampling.uniform import permutation, uniform_below

_ONE = Epsilon(rational=Fraction(1))


@final
class GroupSampler:
    """Members of groups, each with the integer weight that its group says; drawn exactly.

    Requires: one weight and one size for each group, Python integers of at least 0, of which some
    product is positive; their sum need not be a power of two.
    Ensures: P(group, member) = weights[group] / Σ weights · sizes. Running sums are kept, so many
    draws cost little more than one.
    """

    __slots__ = ("_ends", "_weights")

    def __init__(self, weights: Sequence[int], sizes: Sequence[int]) -> None:
        pairs = zip(weights, sizes, strict=True)
        self._weights = tuple(weights)
        self._ends = list(accumulate(weight * size for weight, size in pairs))
        if not self._ends or self._ends[-1] <= 0 or min(min(weights), min(sizes)) < 0:
            raise ParameterError(
                "weights and sizes must be integers of at least 0, and one of them positive."
            )

    @property
    def total(self) -> int:
        """The weight of all members."""
        return self._ends[-1]

    def draw(self, size: SupportsIndex = 1, source: Source | None = None) -> list[tuple[int, int]]:
        """Return `size` independent draws: the group, and which of its members."""
        # Only this call takes bits, and it sees to forks.
        units = uniform_below(self.total, checked_size(size), source)
        return [self._at(unit) for unit in units.tolist()]

    def _at(self, unit: int) -> tuple[int, int]:
        group = bisect_right(self._ends, unit)
        before = self._ends[group - 1] if group else 0
        return group, (unit - before) // self._weights[group]


@redone_after_fork
def first_heads(
    depths: NDArray[np.int64], rest: Callable[[int], Computable], source: Source | None = None
) -> int:
    """Flip a coin for each place, in a random order, and return the first that comes up true.

    Requires: place i has a coin with P(true) = e^-depths[i] · rest(i), where 0 < rest(i) ≤ 1; one
    of them is certain.
    Ensures: the distribution of permute-and-flip, exactly. A coin is true if both its parts are:
    the first part is flipped for all places at once, as a geometric waiting time, and the second
    for those that are left, in a random order, until one comes up.
    """
    bits = source_or_default(source)
    # P(wait > depth) = e^-depth
    left = np.flatnonzero(waits(_ONE, len(depths), bits) > depths)
    for place in left[permutation(left.size, bits)].tolist():
        if Coin(rest(place)).flip(1, bits)[0]:
            return place
    raise ParameterError("no coin came up true; one of them must have probability 1.")


@redone_after_fork
def geometric_argmax(values: Sequence[int], decay: Epsilon, source: Source | None = None) -> int:
    """Add independent geometric noise G ≥ 0 to each value; return where the largest sum is.

    Requires: integers; decay > 0.
    Ensures: P(G = g) = (1 − a) a^g with a = e^-decay, exactly; of equal sums the first wins.
    """
    noise: NDArray[Any] = waits(decay, len(values), source_or_default(source))
    if noise.dtype != object and max(map(abs, values)) < 1 << 61:
        return int(np.argmax(np.array(values, dtype=np.int64) + noise))
    sums = [value + extra for value, extra in zip(values, noise.tolist(), strict=True)]
    return max(range(len(sums)), key=sums.__getitem__)
