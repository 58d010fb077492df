"""Values in channels, written in a code that survives noise (Bassily and Smith 2015).

A public hash sends each value to one of K channels. A device draws a coordinate j of the code
without looking at its value. In the channel of its value it sends bit j of the value's code word,
kept with probability e^ε / (e^ε + 1), else flipped; in all others a uniform bit. A channel in which
one value is frequent then holds its code word, under noise.

**Privacy.** Given j, the reports are strings of K bits. Those in which the bit of the value's
channel is as sent are half of all; so this is one coin and blocks of half of the outputs, and two
values differ by e^ε also if their channels differ (the paper counts both channels: 2 ε).

**Code.** The bytes of a number are written one after the other, each in the first-order Reed–Muller
code of length 128: bit i of byte x is the parity of (x mod 128) AND i, XOR the highest bit of x.
Two code words of a byte differ in at least 64 places. The paper rounds means to signs before
decoding; keeping the means is better: the largest product with a code word finds the nearest one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.hitters.public_bits import LinearHashes, Words
from noisewright.local.randomizer import LOG2_COIN, BlockResponse, ReportRandomizer
from noisewright.mechanisms import Guarantee

LENGTH = 128
_CHUNK = 1 << 13


def code_bits(codes: Words, coordinates: NDArray[Any]) -> NDArray[np.int64]:
    """Return bit j of the code word of each number."""
    block, place = np.divmod(coordinates.astype(np.uint64), np.uint64(LENGTH))
    byte = (codes >> (np.uint64(8) * block)) & np.uint64(255)
    low = np.bitwise_count(byte & np.uint64(127) & place) & np.uint8(1)
    return low.astype(np.int64) ^ (byte >> np.uint64(7)).astype(np.int64)


def decode_words(means: NDArray[np.float64]) -> Words:
    """Return the numbers with the nearest code words: a row of signed means for each.

    Means are positive where the bit is rather 1.
    """
    rows = means.reshape(len(means), -1, LENGTH)
    places = np.arange(LENGTH)
    signs = 1.0 - 2.0 * (np.bitwise_count(places[:, None] & places) & 1)
    found = np.zeros(len(rows), dtype=np.uint64)
    for block in range(rows.shape[1]):
        table = rows[:, block, :] @ signs
        best = np.argmax(np.abs(table), axis=1)
        high = np.take_along_axis(table, best[:, None], 1)[:, 0] > 0
        byte = best.astype(np.uint64) | (high.astype(np.uint64) << np.uint64(7))
        found |= byte << np.uint64(8 * block)
    return found


@dataclass(frozen=True)
class ChannelResponse(ReportRandomizer):
    """A report is a coordinate, and one bit for each of the channels."""

    bits: int
    log2_channels: int
    response: BlockResponse
    """A response on two values: the coin."""
    seed: bytes
    size: int = field(init=False, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 3 <= self.log2_channels <= 12:
            raise ParameterError(f"log2_channels is {self.log2_channels}; it must be 3 to 12.")
        object.__setattr__(self, "size", 1 << self.bits)
        record = [("coordinate", "<u2"), ("bits", np.uint8, (self.channels // 8,))]
        object.__setattr__(self, "dtype", np.dtype(record))

    @property
    def channels(self) -> int:
        """How many channels there are."""
        return 1 << self.log2_channels

    @property
    def coordinates(self) -> int:
        """How long a code word is."""
        return -(-self.bits // 8) * LENGTH

    @property
    def guarantee(self) -> Guarantee:
        """That of the coin."""
        return self.response.guarantee

    def channel(self, codes: Words) -> NDArray[np.int64]:
        """Return the channels of values."""
        hashes = LinearHashes(self.seed, 1, self.log2_channels)
        return hashes.one_each(codes, np.zeros(len(codes), dtype=np.intp))

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each value."""
        source = sampling.source_or_default(source)
        codes = codes.astype(np.uint64)
        out = np.empty(len(codes), dtype=self.dtype)
        at = sampling.uniform_below(self.coordinates, len(codes), source)
        out["coordinate"] = at
        size = self.channels // 8
        out["bits"] = source.u8(len(codes) * size).reshape(-1, size)
        own = self.channel(codes)
        sent = self.response.draw(code_bits(codes, at), source).astype(np.uint8)
        rows, byte, bit = np.arange(len(codes)), own >> 3, (own & 7).astype(np.uint8)
        kept = out["bits"][rows, byte] & ~(np.uint8(1) << bit)
        out["bits"][rows, byte] = kept | (sent << bit)
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw the coordinate, the bit of the own channel, then all other bits."""
        at = stream.below(self.coordinates)
        number = np.array([code], dtype=np.uint64)
        sent = self.response.draw_one(int(code_bits(number, np.array([at]))[0]), stream)[0]
        own = int(self.channel(number)[0])
        rest = int.from_bytes(stream.take(self.channels // 8), "little")
        bits = rest & ~(1 << own) | sent << own
        return at.to_bytes(2, "little") + bits.to_bytes(self.channels // 8, "little")

    def describe(self) -> dict[str, Any]:
        """Return the coin, and that blocks are half of the strings."""
        family = {"kind": "halves", "values": 2 * self.channels, "bits": self.channels}
        keep = f"{self.response.keep:x}"
        return {"form": "blocks", "family": family, "log2_total": LOG2_COIN, "keep": keep}

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which have a coordinate."""
        return payload["coordinate"] < self.coordinates

    def new_tally(self) -> NDArray[np.int64]:
        """Return for each coordinate the reports, then the ones in each channel."""
        return np.zeros(self.coordinates * (1 + self.channels), dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count ones."""
        table = into.reshape(self.coordinates, -1)
        for start in range(0, len(payload), _CHUNK):
            part = payload[start : start + _CHUNK]
            part = part[np.argsort(part["coordinate"], kind="stable")]
            at, first, count = np.unique(part["coordinate"], return_index=True, return_counts=True)
            ones = np.unpackbits(part["bits"], axis=1, bitorder="little")
            table[at, 0] += count
            table[at, 1:] += np.add.reduceat(ones, first, axis=0, dtype=np.int64)

    def candidates(self, tally: NDArray[np.int64]) -> Words:
        """Return the value that each channel holds, if it is one of this channel."""
        table = tally.reshape(self.coordinates, -1)
        means = (2 * table[:, 1:] - table[:, :1]).T.astype(np.float64)
        found = decode_words(means)
        return found[self.channel(found) == np.arange(self.channels)]
