"""Families of blocks: for each value x a set S_x of outputs, all of the same size.

    K   outputs
    s   outputs in each block
    λ   outputs that two blocks share, where that is the same for every two

A randomizer flips one coin: with probability p₀ it sends a uniform output inside S_x, else one
outside. An output in S_x and not in S_z is likelier on x than on z by (p₀ / s) / ((1 − p₀) / (K −
s)) and none by more, whatever the blocks are. So the least ε follows from one coin and two
integers. Where λ is the same for all pairs, these are the block designs of Park, Nam and Lee
(2023).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import TooLargeError
from noisewright.given import amount

Array = NDArray[Any]

MOST_TALLIED = 1 << 26
"""Outputs are counted one by one up to so many."""


class ByteStream:
    """Uniform bytes, and integers made of them in one way that every client shares."""

    def __init__(self, source: sampling.Source | None = None) -> None:
        self._source = sampling.source_or_default(source)

    def take(self, count: int) -> bytes:
        """Return so many fresh bytes."""
        return self._source.u8(count).tobytes()

    def below(self, bound: int) -> int:
        """Return a uniform integer below the bound: the fewest bytes, spare bits dropped, retry."""
        bits = (bound - 1).bit_length()
        size = -(-bits // 8)
        while True:
            value = int.from_bytes(self.take(size), "big") & ((1 << bits) - 1)
            if value < bound:
                return value

    def coin(self, heads: int, log2_total: int) -> bool:
        """Return true with probability heads / 2^log2_total, from whole bytes."""
        return int.from_bytes(self.take(log2_total // 8), "big") < heads


class BlockFamily(ABC):
    """A block of outputs for each of `values` values."""

    values: int
    """How many values there are: codes 0 … values − 1."""
    outputs: int
    """K: how many outputs there are."""
    inside: int
    """s: how many of them are in each block."""
    shared: int | None
    """λ: how many of them two blocks share; None if that differs."""
    dtype: np.dtype[Any]
    """How an output is written."""

    @abstractmethod
    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return for each value a uniform output of its block."""

    @abstractmethod
    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return for each value a uniform output outside of its block."""

    @abstractmethod
    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return one output, as it is written, from the bytes of a stream."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the family as a certificate writes it: its kind and its integers."""

    def describe_for_clients(self) -> dict[str, Any]:
        """Return all that a client in any language needs to draw as `draw_one` does."""
        return self.describe()

    @abstractmethod
    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which of these are outputs at all."""

    def new_tally(self) -> NDArray[np.int64]:
        """Return what nobody has reported to."""
        if self.outputs > MOST_TALLIED:
            raise TooLargeError(
                f"{amount(self.outputs)} outputs cannot be counted one by one (at most "
                f"{MOST_TALLIED:,}).",
                size=self.outputs,
            )
        return np.zeros(self.outputs, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count these outputs into a tally."""
        into += np.bincount(payload, minlength=into.size)

    @abstractmethod
    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each value how many reports lie in its block."""

    @abstractmethod
    def contains(self, code: int, output: int) -> bool:
        """Tell whether an output is in the block of a value; for tests and small tables."""

    @property
    def mixed(self) -> int:
        """How many blocks a value has, one of which is drawn uniformly beforehand: one."""
        return 1

    def times_inside(self, code: int, output: int) -> int:
        """Return how many of the blocks of a value hold an output."""
        return int(self.contains(code, output))


def smallest_unsigned(outputs: int) -> np.dtype[Any]:
    """Return the shortest of 1, 2, 4 and 8 bytes that holds a code, least significant first."""
    size = next(size for size in (1, 2, 4, 8) if outputs <= 1 << (8 * size))
    return np.dtype(f"<u{size}")
