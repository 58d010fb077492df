"""Coins that come up true with any computable probability, exactly.

A uniform U in [0, 1) is revealed bit by bit. With its first b bits r, U lies in
[r, r + 1) / 2^b; with low ≤ p · 2^b ≤ high, U < p is certain once r + 1 ≤ low, U ≥ p once
r ≥ high. Sixteen bits settle all but about one flip in 2^15; only those get more bits.
"""

from __future__ import annotations

from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Bounds, Computable, Known, Number, exactly
from noisewright.sampling.arguments import CHUNK, checked_size
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default

_FIRST = 16
_MORE = 64


class Coin:
    """A coin with P(true) = p, with the bounds of p remembered between flips.

    Requires: 0 ≤ p ≤ 1.
    """

    __slots__ = ("_bounds", "_p")

    def __init__(self, p: Computable) -> None:
        self._p = p
        self._bounds: dict[int, Bounds] = {}

    def flip(self, count: int, source: Source) -> NDArray[np.bool_]:
        """Return `count` independent flips."""
        out = np.empty(count, dtype=np.bool_)
        scratch = np.empty(min(count, CHUNK), dtype=np.uint16)
        for start in range(0, count, CHUNK):
            part = out[start : start + CHUNK]
            self.flip_into(part, scratch[: part.size], source)
        return out

    def flip_into(
        self, out: NDArray[np.bool_], scratch: NDArray[np.uint16], source: Source
    ) -> None:
        """Flip once for each place of `out`; `scratch` is as long and is overwritten."""
        low, high = self._at(_FIRST)
        if low >= 1 << _FIRST or high <= 0:
            out[:] = high > 0
            return
        source.fill(scratch)
        np.less(scratch, low, out=out)
        for prefix in range(low, high):
            undecided = np.flatnonzero(scratch == prefix)
            words = source.words(undecided.size).tolist()
            for position, word in zip(undecided.tolist(), words, strict=True):
                out[position] = self.settle(prefix << _MORE | word, _FIRST + _MORE, source)

    def settle(self, prefix: int, bits: int, source: Source) -> bool:
        """Return U < p for a U whose first `bits` bits are `prefix`, drawing more as needed."""
        while True:
            low, high = self._at(bits)
            if prefix < low:
                return True
            if prefix >= high:
                return False
            prefix = prefix << _MORE | int(source.words(1)[0])
            bits += _MORE

    def _at(self, bits: int) -> Bounds:
        known = self._bounds.get(bits)
        if known is None:
            low, high = self._p.bounds(bits)
            known = self._bounds[bits] = max(low, 0), min(high, 1 << bits)
        return known


@redone_after_fork
def bernoulli(
    p: Number | Computable, size: SupportsIndex, source: Source | None = None
) -> NDArray[np.bool_]:
    """Return `size` independent flips of a coin with P(true) = p.

    Requires: 0 ≤ p ≤ 1, a number taken exactly as given or a `Computable`; size ≥ 0.
    Ensures: P(true) = p exactly, for irrational p too; about 2 bytes of entropy a flip.
    """
    count = checked_size(size)
    return Coin(_probability(p)).flip(count, source_or_default(source))


def _probability(p: Number | Computable) -> Computable:
    number = p if isinstance(p, Computable) else Known(exactly(p, name="p"))
    low, high = number.bounds(_MORE)
    if high < 0 or low > 1 << _MORE:
        raise ParameterError(f"p is {p}; a probability must lie in [0, 1].")
    return number
