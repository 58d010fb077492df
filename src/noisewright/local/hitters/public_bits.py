"""Public random bits that every client and server computes alike, and linear maps made of them.

The bits are SHA-256(seed ‖ label ‖ counter) for counter 0, 1, …, where label and counter have four
bytes each, least significant first; words are eight of the bytes, least significant first. They are
fixed before anybody has a value. That they are public is no risk: privacy comes from the coin that
each device flips, whatever the hash functions are.

**Mixing.** Bit p of the mixed number is the parity of x AND m_p, where m_p has bit p, random bits
below it, and none above. This can be inverted, from the lowest bit on. Two different numbers whose
lowest different bit is k have mixed numbers whose upper ℓ bits agree with probability 2^−ℓ, or
never if k is one of these. So a prefix of a mixed number is as good as a hash of the whole, however
alike the values of people begin.

**Hashing.** Bit i of a hash of a prefix is the parity of the prefix AND r_i, with random words r_i:
two different prefixes have the same h bits with probability 2^−h. As hashes are linear, that of a
longer prefix is the XOR of the hashes of its parts. (Carter and Wegman 1979.)
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]
_CHUNK = 1 << 14
_MIXING = 0
"""The label of the bits that mix; hash function i has the label 1 + i."""


def public_words(seed: bytes, label: int, count: int) -> Words:
    """Return so many words of public bits."""
    blocks = [
        hashlib.sha256(seed + label.to_bytes(4, "little") + block.to_bytes(4, "little")).digest()
        for block in range(-(-count // 4))
    ]
    return np.frombuffer(b"".join(blocks), dtype="<u8")[:count].astype(np.uint64)


def parities(words: Words) -> NDArray[np.uint64]:
    """Return the parity of each word."""
    return (np.bitwise_count(words) & 1).astype(np.uint64)


@dataclass(frozen=True)
class Mixing:
    """A linear map of numbers of `bits` bits onto themselves."""

    seed: bytes
    bits: int

    @cached_property
    def masks(self) -> Words:
        """m_p for each bit p."""
        own = np.uint64(1) << np.arange(self.bits, dtype=np.uint64)
        return (public_words(self.seed, _MIXING, self.bits) & (own - np.uint64(1))) | own

    def _slowly(self, numbers: Words) -> Words:
        found = np.zeros_like(numbers)
        for bit, mask in enumerate(self.masks):
            found |= parities(numbers & mask) << np.uint64(bit)
        return found

    @cached_property
    def _tables(self) -> Words:
        """The mixed number of every value of each byte; XOR puts them together."""
        size = -(-self.bits // 8)
        values = np.arange(256, dtype=np.uint64)
        keep = np.uint64((1 << self.bits) - 1)
        return np.stack([self._slowly((values << np.uint64(8 * k)) & keep) for k in range(size)])

    def apply(self, numbers: Words) -> Words:
        """Return the mixed numbers."""
        numbers = np.ascontiguousarray(numbers, dtype="<u8")
        rows = numbers.view(np.uint8).reshape(-1, 8)
        found = np.zeros(len(numbers), dtype=np.uint64)
        for k, table in enumerate(self._tables):
            found ^= table.take(rows[:, k])
        return found

    def invert(self, mixed: Words) -> Words:
        """Return the numbers with these mixed numbers."""
        found = np.zeros_like(mixed)
        for bit, mask in enumerate(self.masks):
            known = parities(found & mask)
            own = ((mixed >> np.uint64(bit)) & np.uint64(1)) ^ known
            found |= own << np.uint64(bit)
        return found


@dataclass(frozen=True)
class LinearHashes:
    """`count` hash functions of words to `bits` bits."""

    seed: bytes
    count: int
    bits: int

    @cached_property
    def rows(self) -> Words:
        """r_i of each function: a row of words for each."""
        return np.stack([self.row(number) for number in range(self.count)])

    def row(self, number: int) -> Words:
        """Return r_i of one function."""
        return public_words(self.seed, 1 + number, self.bits)

    def one_each(self, words: Words, numbers: NDArray[Any]) -> NDArray[np.int64]:
        """Return for each word its hash by the function with the number beside it."""
        found = np.empty(len(words), dtype=np.int64)
        for start in range(0, len(words), _CHUNK):
            part = slice(start, start + _CHUNK)
            found[part] = _pack(self.rows[numbers[part]] & words[part, None])
        return found

    def every(self, words: Words, numbers: range) -> NDArray[np.uint16]:
        """Return the hashes of all words by several functions, one row a function."""
        return np.stack([_pack(self.rows[n] & words[:, None]) for n in numbers]).astype(np.uint16)


def _pack(masked: Words) -> NDArray[np.int64]:
    """Return the parities along a row as bits of a number."""
    ones = np.bitwise_count(masked) & np.uint8(1)
    found = np.zeros(len(masked), dtype=np.int64)
    for bit in range(masked.shape[1]):
        found |= ones[:, bit].astype(np.int64) << bit
    return found
