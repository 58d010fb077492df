"""Draws of one among several: by integer weights, by coins, and by the largest of noisy values.

Integer weights need not be known, as long as their running sums nearly are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
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

_FIRST = 53


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


@final
class EnclosedSampler:
    """Places with integer weights, which are worked out only for draws that need them.

    A draw is a number u between 0 and 1 of which bits are revealed until it is certain between
    which two running sums u · Σ weights falls. The first bits and doubles are enough nearly always.

    Requires: `shares[i]`, between 0 and 1, is within `error` of Σ_(j≤i) weights[j] / Σ weights;
    error ≥ 2^-50; `weights()` returns positive Python integers.
    Ensures: P(place) = weights[place] / Σ weights, exactly.
    """

    def __init__(
        self, shares: NDArray[np.float64], error: float, weights: Callable[[], Sequence[int]]
    ) -> None:
        self._shares = shares
        # Twice, which also covers the rounding of the comparisons (2^-52 at most).
        self._margin = 2 * error
        self._weights = weights

    @cached_property
    def _ends(self) -> list[int]:
        return list(accumulate(self._weights()))

    @redone_after_fork
    def draw(self, source: Source | None = None) -> int:
        """Return one place."""
        bits = source_or_default(source)
        unit = int(bits.words(1)[0]) >> (64 - _FIRST)
        place = self.certain(unit)
        return self._narrow(unit, bits) if place is None else place

    def certain(self, unit: int) -> int | None:
        """Return the place of all u with these first 53 bits, if doubles can tell, else None."""
        low, high = unit / (1 << _FIRST), (unit + 1) / (1 << _FIRST)
        last = len(self._shares) - 1
        place = min(int(np.searchsorted(self._shares, low, side="right")), last)
        # Below the first place and above the last one there is nothing.
        if place > 0 and not self._shares[place - 1] + self._margin <= low:
            return None
        if place < last and not high <= self._shares[place] - self._margin:
            return None
        return place

    def _narrow(self, unit: int, bits: Source) -> int:
        """Reveal further bits of u until exact running sums tell its place."""
        ends, known = self._ends, _FIRST
        while True:
            # ⌊u Σ⌋ tells the place, since running sums are whole; here are its least and largest.
            least, most = unit * ends[-1] >> known, ((unit + 1) * ends[-1] - 1) >> known
            place = bisect_right(ends, least)
            if place == bisect_right(ends, most):
                return place
            unit, known = (unit << 64) + int(bits.words(1)[0]), known + 64
