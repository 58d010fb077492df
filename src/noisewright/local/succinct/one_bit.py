"""The frequency oracle of Bassily and Smith (2015): one bit of a random projection.

Every value v has a public vector of m signs φ_j(v): the parity of v AND w_j, XOR bit s_j, where w_j
and s_j are public random words (see `hitters/public_bits.py`; word 2 j and the lowest bit of word
2 j + 1 of label 1). A device draws a coordinate j without looking at its value and sends φ_j(v),
kept with probability e^ε / (e^ε + 1), else flipped. With b_i the bit of report i, the share of v is
c / n · Σ_i b_i φ_{j_i}(v), c = (e^ε + 1) / (e^ε − 1): a report supports v if b_i = φ_{j_i}(v),
with probability p* = e^ε / (e^ε + 1) if the value is v, and q* = 1/2 on average over the public
words if it is not.

**Collisions.** Two people of the same other value who draw the same coordinate are wrong about v in
the same direction. Over the public words, the variance of the share of v is c² / n, plus Σ f² / m
over the shares f of all other values: at most 1 / m, if all others have one value. This is n / m in
E h² of those who do not have v. Intervals and tests allow for that.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.hitters.public_bits import Words, parities, public_words
from noisewright.local.randomizer import BlockResponse, ReportRandomizer
from noisewright.local.shares import Support
from noisewright.mechanisms import Guarantee

MOST_COORDINATES = 1 << 22
_LABEL = 1
_CELLS = 1 << 18


@dataclass(frozen=True)
class OneBitResponse(ReportRandomizer):
    """A report is 2 j + bit: a coordinate, and one bit."""

    bits: int
    coordinates: int
    response: BlockResponse
    """A response on two values: the coin."""
    seed: bytes
    size: int = field(init=False, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False, default=np.dtype("<u4"))

    def __post_init__(self) -> None:
        if not 1 <= self.coordinates <= MOST_COORDINATES:
            raise ParameterError(f"coordinates must be 1 to {MOST_COORDINATES:,}.")
        object.__setattr__(self, "size", 1 << self.bits)

    @property
    def guarantee(self) -> Guarantee:
        """That of the bit."""
        return self.response.guarantee

    @property
    def support(self) -> Support:
        """How likely a report supports the true value, and any other."""
        return Support(float(self.response.own), 0.5)

    def support_among(self, reports: int) -> Support:
        """Return the same with the collisions of so many reports."""
        return replace(self.support, collisions=reports / self.coordinates)

    @cached_property
    def _words(self) -> tuple[Words, NDArray[np.int64]]:
        words = public_words(self.seed, _LABEL, 2 * self.coordinates)
        return words[::2].copy(), (words[1::2] & np.uint64(1)).astype(np.int64)

    def signs(self, codes: Words, coordinates: NDArray[Any]) -> NDArray[np.int64]:
        """Return the bits φ_j(v) of values at coordinates."""
        words, flips = self._words
        return parities(codes & words[coordinates]).astype(np.int64) ^ flips[coordinates]

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each value."""
        bits = sampling.source_or_default(source)
        at = sampling.uniform_below(self.coordinates, len(codes), bits)
        sent = self.response.draw(self.signs(codes.astype(np.uint64), at), bits)
        return (2 * at + sent).astype(self.dtype)

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw the coordinate, then the bit."""
        at = stream.below(self.coordinates) if self.coordinates > 1 else 0
        sign = int(self.signs(np.array([code], dtype=np.uint64), np.array([at]))[0])
        sent = self.response.draw_one(sign, stream)[0]
        return (2 * at + sent).to_bytes(4, "little")

    def describe(self) -> dict[str, Any]:
        """Return the coin: which coordinate is sent is public."""
        return self.response.describe()

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which have a coordinate."""
        return payload < 2 * self.coordinates

    def new_tally(self) -> NDArray[np.int64]:
        """Return a count for both bits of each coordinate."""
        return np.zeros(2 * self.coordinates, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count bits."""
        into += np.bincount(payload, minlength=into.size)

    def supports(self, tally: NDArray[np.int64], codes: Words) -> NDArray[np.int64]:
        """Return how many reports support each of these values."""
        words, flips = self._words
        pairs = tally.reshape(-1, 2)
        used = np.flatnonzero(pairs.any(axis=1))
        words, flips, pairs = words[used], flips[used], pairs[used]
        zero, one = pairs[:, 0], pairs[:, 1]
        # A flipped sign swaps the counts of the two bits.
        low, high = np.where(flips, one, zero), np.where(flips, zero, one)
        gain = (high - low).astype(np.float64)
        found = np.empty(len(codes), dtype=np.int64)
        step = max(1, _CELLS // max(len(words), 1))
        for start in range(0, len(codes), step):
            odd = np.bitwise_count(codes[start : start + step, None] & words) & np.uint8(1)
            found[start : start + step] = np.rint(odd @ gain).astype(np.int64)
        return found + int(low.sum())
