"""Many coins of one chance at once, eight to a byte.

U < p is decided for all lanes of a word together, digit by digit of p in base 2. From the last of
K digits to the first, with a fresh uniform word w for each: where the digit is 1, r becomes r | w,
where it is 0, r & w. Lanes whose first K digits are all those of p are not decided by them; each
has probability 2^-K, and then U < p with the probability frac(2^K p), by a coin of its own.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import Known
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source

_DIGITS = 12
"""Digits for all lanes: the 1 in 4,096 that is left costs little."""

_BLOCK = 1 << 15
"""Bytes of coins at once: the words of all digits stay in the cache."""


class PackedCoins:
    """Coins with P(true) = p, packed into bytes.

    Requires: 0 ≤ p ≤ 1.
    Ensures: each bit is 1 with probability p exactly, independently.
    """

    __slots__ = ("_digits", "_rest")

    def __init__(self, p: Fraction) -> None:
        digits: list[bool] = []
        rest = p
        while rest not in (0, 1) and len(digits) < _DIGITS:
            rest *= 2
            digits.append(rest >= 1)
            rest -= rest >= 1
        self._digits = digits
        self._rest = rest

    def fill(self, out: NDArray[np.uint8], source: Source) -> None:
        """Overwrite a contiguous array of bytes with coins."""
        flat = out.reshape(-1)
        for start in range(0, flat.size, _BLOCK):
            self._fill_block(flat[start : start + _BLOCK], source)

    def _fill_block(self, out: NDArray[np.uint8], source: Source) -> None:
        certain = self._rest in (0, 1)
        out[:] = 255 * int(self._rest == 1)
        if not self._digits:
            return
        words = source.u8(len(self._digits) * out.size).reshape(len(self._digits), out.size)
        open_lanes = None if certain else np.full(out.size, 255, dtype=np.uint8)
        for digit, word in zip(reversed(self._digits), words, strict=True):
            # A lane of w is 1 where the digit of U is 0.
            if digit:
                np.bitwise_or(out, word, out=out)
            else:
                np.bitwise_and(out, word, out=out)
            if open_lanes is not None:
                open_lanes &= ~word if digit else word
        if open_lanes is not None:
            self._settle(out, open_lanes, source)

    def _settle(
        self, out: NDArray[np.uint8], open_lanes: NDArray[np.uint8], source: Source
    ) -> None:
        places = np.flatnonzero(open_lanes)
        lanes = np.unpackbits(open_lanes[places], bitorder="little")
        lanes[lanes == 1] = Coin(Known(self._rest)).flip(int(lanes.sum()), source)
        # So far these lanes are what `out` began with: 0, as the rest is not 1.
        out[places] |= np.packbits(lanes, bitorder="little")
