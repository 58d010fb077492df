"""Draws by integer weights that need not be known, as long as their running sums nearly are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default

_FIRST = 53


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
