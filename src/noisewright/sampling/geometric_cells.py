"""Two-sided geometric noise, clamped, by inversion: a look-up for most draws, exact for all.

    a      e^-ε, the decay
    K      the reach: noise is clamped to −K … K
    t_m    a^m / (1 + a) = P(Z ≥ m) = P(Z ≤ −m), for m ≥ 1

The running sums t_K < … < t_1 < 1 − t_1 < … < 1 − t_K cut [0, 1) into stretches, one for each
value in −K … K; the outer ones have the mass of a whole tail. A uniform point U falls into each
with its probability. The first 16 bits of U name a cell: most cells lie in one stretch, which a
table tells. Otherwise 48 more bits are compared with bounds of the running sums. If U may still
lie on both sides of one, more bits of U and finer bounds are taken until it cannot.
Source: inversion with a guide table (Chen and Asau 1974), in integers.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Bounds, Computable
from noisewright.sampling.arguments import CHUNK
from noisewright.sampling.entropy import Source

_CELL = 16
_WORD = 64
_UNSETTLED = np.iinfo(np.int16).max


@final
class GeometricCells:
    """The stretches of one decay and one reach, ready for look-up; immutable, shared by threads.

    Requires: 0 < a < 1; 0 ≤ reach < 2^14.
    """

    __slots__ = ("_a", "_highest", "_lookup", "_lows", "reach")

    def __init__(self, a: Computable, reach: int) -> None:
        self._a, self.reach = a, reach
        lows, highs = running_sums(a, reach, _WORD)
        self._lows = np.array(lows, dtype=np.uint64)
        # The largest 64 bits that may lie below: one less, since 2^64 does not fit.
        self._highest = np.array([high - 1 for high in highs], dtype=np.uint64)
        self._lookup = _lookup(lows, highs, reach)

    def draw(self, count: int, source: Source) -> NDArray[np.int16]:
        """Return independent noise, clamped to −reach … reach."""
        out = np.empty(count, dtype=np.int16)
        random = np.empty(min(count, CHUNK), dtype=np.uint16)
        index = np.empty(random.size, dtype=np.intp)
        for start in range(0, count, CHUNK):
            part = out[start : start + CHUNK]
            cells = random[: part.size]
            source.fill(cells)
            index[: part.size] = cells
            # "clip" only spares a check: every cell is inside.
            np.take(self._lookup, index[: part.size], out=part, mode="clip")
            places = np.flatnonzero(part == _UNSETTLED)
            part[places] = self._settle(cells[places], source)
        return out

    def _settle(self, cells: NDArray[np.uint16], source: Source) -> NDArray[np.intp]:
        """Return the noise of draws whose first 16 bits do not tell it."""
        words = source.words(cells.size) >> np.uint64(_CELL)
        words |= cells.astype(np.uint64) << np.uint64(_WORD - _CELL)
        # How many running sums are not certain to lie above U, and whether all of them lie below.
        found = np.searchsorted(self._lows, words, side="right")
        unsure = (found > 0) & (self._highest[found - 1] >= words)
        for place in np.flatnonzero(unsure).tolist():
            found[place] = self._narrow(int(words[place]), source)
        return found - self.reach

    def _narrow(self, prefix: int, source: Source) -> int:
        """Return how many running sums are at most a U with these first 64 bits."""
        bits = _WORD
        while True:
            prefix, bits = prefix << _WORD | int(source.words(1)[0]), bits + _WORD
            lows, highs = running_sums(self._a, self.reach, bits)
            found = bisect_right(lows, prefix)
            if found == bisect_right(highs, prefix):
                return found


def running_sums(a: Computable, reach: int, bits: int) -> tuple[list[int], list[int]]:
    """Bound P(Z ≤ z) · 2^bits from below and from above, for z from −reach to reach − 1.

    Ensures: both lists are in order, and the bounds of a number are at most 2 apart.
    """
    tails = _tails(a, reach, bits)
    one = 1 << bits
    lows = [low for low, _ in reversed(tails)] + [one - high for _, high in tails]
    highs = [high for _, high in reversed(tails)] + [one - low for low, _ in tails]
    return lows, highs


def _tails(a: Computable, count: int, bits: int) -> list[Bounds]:
    """Bound t_m · 2^bits for m from 1 to count."""
    # Each product rounds outwards by one unit and adds the error of a: so many bits are enough.
    work = bits + count.bit_length() + 8
    one = 1 << work
    a_low, a_high = a.bounds(work)
    low, high = (a_low << work) // (one + a_low), -(-(a_high << work) // (one + a_high))
    found: list[Bounds] = []
    for _ in range(count):
        found.append((low >> (work - bits), -(-high >> (work - bits))))
        low, high = low * a_low >> work, -(-high * a_high >> work)
    return found


def _lookup(lows: list[int], highs: list[int], reach: int) -> NDArray[np.int16]:
    """Return the noise of each cell that is certain to lie inside one stretch."""
    table = np.full(1 << _CELL, _UNSETTLED, dtype=np.int16)
    size = _WORD - _CELL
    begins, ends = [0, *highs], [*lows, 1 << _WORD]
    for place, (begin, end) in enumerate(zip(begins, ends, strict=True)):
        table[-(-begin >> size) : end >> size] = place - reach
    return table
