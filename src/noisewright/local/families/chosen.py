"""The block of a value holds all sets of d values that contain it: subset selection.

K = C(k, d) sets, s = C(k − 1, d − 1) of which contain a value, and λ = C(k − 2, d − 2) of which
contain two. A report is a set, written as k bits. (Wang, Huang, Wang, Nie, Chen, Xiao, Zhou and Su
2016; Ye and Barg 2018.) It has the least variance there is, and long reports.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.bit_rows import count_bits, pack_rows
from noisewright.local.families.family import Array, BlockFamily, ByteStream

_CELLS = 1 << 20
_MOST_VALUES = 1 << 14


@dataclass(frozen=True)
class ChosenSets(BlockFamily):
    """Sets of `size` of the values."""

    values: int
    size: int
    outputs: int = field(init=False, repr=False)
    inside: int = field(init=False, repr=False)
    shared: int | None = field(init=False, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        k, d = self.values, self.size
        if not 2 <= k <= _MOST_VALUES or not 1 <= d < k:
            raise ParameterError(
                f"sets of {d:,} of {k:,} values; need 1 to all but one, of 2 to {_MOST_VALUES:,}. "
                "Leave out method= for short reports of more values."
            )
        object.__setattr__(self, "outputs", comb(k, d))
        object.__setattr__(self, "inside", comb(k - 1, d - 1))
        object.__setattr__(self, "shared", comb(k - 2, d - 2) if d > 1 else 0)
        object.__setattr__(self, "dtype", np.dtype((np.uint8, (-(-k // 8),))))

    def _draw(self, codes: Array, others: int, source: sampling.Source) -> Array:
        """Return sets of so many other values, with the value itself where sets are still short."""
        k = self.values
        out = np.empty((codes.size, self.dtype.shape[0]), dtype=np.uint8)
        step = max(1, _CELLS // k)
        for start in range(0, codes.size, step):
            part = codes[start : start + step]
            cells = sampling.choose_sets(k - 1, np.full(part.size, others, dtype=np.intp), source)
            # The values other than x keep their order: those from x on move by one.
            whole = np.empty((part.size, k), dtype=np.bool_)
            before = np.arange(k)[None, :] < part[:, None]
            whole[:, :-1] = cells
            whole[:, -1] = False
            moved = np.empty_like(whole)
            moved[:, 1:] = cells
            moved[:, 0] = False
            whole = np.where(before, whole, moved)
            whole[np.arange(part.size), part] = others < self.size
            out[start : start + step] = pack_rows(whole)
        return out

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform sets that contain the value."""
        return self._draw(codes, self.size - 1, source)

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform sets that do not contain the value."""
        return self._draw(codes, self.size, source)

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return one set: others are drawn one after the other, without those drawn before."""
        chosen = {code} if inside else set[int]()
        while len(chosen) < self.size:
            other = stream.below(self.values - 1)
            chosen.add(other + (other >= code))
        return sum(1 << one for one in chosen).to_bytes(self.dtype.shape[0], "little")

    def describe(self) -> dict[str, Any]:
        """Return the number of values and the size of the sets."""
        return {"kind": "sets", "values": self.values, "size": self.size}

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are sets of this size."""
        sizes = np.bitwise_count(payload).sum(axis=1, dtype=np.int64)
        spare = 8 * payload.shape[1] - self.values
        return (sizes == self.size) & (payload[:, -1] >> (8 - spare) == 0 if spare else True)

    def new_tally(self) -> NDArray[np.int64]:
        """Return a count for each value."""
        return np.zeros(self.values, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count in how many sets each value is."""
        into += count_bits(payload, self.values)

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tally."""
        return tally

    @cached_property
    def _sets(self) -> list[int]:
        from itertools import combinations

        return [sum(1 << i for i in one) for one in combinations(range(self.values), self.size)]

    def contains(self, code: int, output: int) -> bool:
        """Tell whether the set with this number contains the value."""
        return bool(self._sets[output] >> code & 1)
