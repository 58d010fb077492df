"""A bit for each value, flipped by coins of their own: optimized and symmetric unary encoding.

The bit of the value is set with probability p, every other bit with q. Two values differ in two
bits, so e^ε = p (1 − q) / (q (1 − p)). p = ½ has the least variance of rare values, 1 − p = q is
symmetric (Wang, Blocki, Li and Jha 2017). A report has as many bits as there are values.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.bit_rows import count_bits, pack_rows
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.randomizer import LOG2_COIN, PureRandomizer
from noisewright.mechanisms import Guarantee

_CELLS = 1 << 19
_MOST_VALUES = 1 << 16


@dataclass(frozen=True)
class UnaryEncoding(PureRandomizer):
    """The own bit is set with probability present / 2^64, every other one with absent / 2^64."""

    size: int
    present: int
    absent: int
    guarantee: Guarantee = field(compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.absent < self.present < 1 << LOG2_COIN:
            raise ParameterError("unary encoding needs 0 < absent < present < 2^64.")
        if not 2 <= self.size <= _MOST_VALUES:
            raise ParameterError(
                f"there are {self.size:,} values; unary encoding takes 2 to {_MOST_VALUES:,}, as a "
                "report has a bit for each. Leave out method= for short reports."
            )

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """One bit for each value."""
        return np.dtype((np.uint8, (-(-self.size // 8),)))

    @property
    def own(self) -> Fraction:
        """P(the own bit is set)."""
        return Fraction(self.present, 1 << LOG2_COIN)

    @property
    def other(self) -> Fraction:
        """P(another bit is set)."""
        return Fraction(self.absent, 1 << LOG2_COIN)

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a row of bits for each code."""
        bits = sampling.source_or_default(source)
        out = np.empty((codes.size, self.dtype.shape[0]), dtype=np.uint8)
        step = max(1, _CELLS // self.size)
        for start in range(0, codes.size, step):
            part = np.asarray(codes[start : start + step], dtype=np.int64)
            cells = sampling.bernoulli(self.other, part.size * self.size, bits)
            kept = sampling.bernoulli(self.own, part.size, bits)
            cells[np.arange(part.size) * self.size + part] = kept
            out[start : start + step] = pack_rows(cells.reshape(part.size, self.size))
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Flip one coin after the other, the first value's first."""
        found = 0
        for value in range(self.size):
            heads = self.present if value == code else self.absent
            found |= stream.coin(heads, LOG2_COIN) << value
        return found.to_bytes(self.length, "little")

    def describe(self) -> dict[str, Any]:
        """Return the coins, as for sets of at most one item."""
        return {
            "form": "items",
            "items": list(range(self.size)),
            "largest": 1,
            "log2_total": LOG2_COIN,
            "present": f"{self.present:x}",
            "absent": f"{self.absent:x}",
        }

    def describe_for_clients(self) -> dict[str, Any]:
        """Return the number of values and the coins."""
        return {
            "form": "unary",
            "size": self.size,
            "log2_total": LOG2_COIN,
            "present": f"{self.present:x}",
            "absent": f"{self.absent:x}",
        }

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which have no bit beyond the last value."""
        spare = 8 * self.length - self.size
        if not spare:
            return np.ones(len(payload), dtype=np.bool_)
        return payload[:, -1] >> (8 - spare) == 0

    def new_tally(self) -> NDArray[np.int64]:
        """Return a count for each value."""
        return np.zeros(self.size, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count how often each bit is set."""
        into += count_bits(payload, self.size)

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tally."""
        return tally


def unary_encoding(size: int, epsilon: Epsilon, *, symmetric: bool = False) -> UnaryEncoding:
    """Return the encoding with p = ½, or with p = 1 − q; q is the least that ε allows.

    Ensures: p (1 − q) ≤ e^ε q (1 − p), decided in integers.
    """
    total = 1 << LOG2_COIN

    def coins(absent: int) -> tuple[int, int]:
        return (total - absent if symmetric else total // 2), absent

    def breaks(absent: int) -> bool:
        p, q = coins(absent)
        return epsilon.sign(p * (total - q), q * (total - p)) > 0

    low, high = 0, total // 2 - 1
    if breaks(high):
        raise ParameterError("epsilon is too small to be told from 0 here; give a larger one.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if breaks(middle) else (low, middle)
    return UnaryEncoding(size, *coins(high), Guarantee(epsilon))
