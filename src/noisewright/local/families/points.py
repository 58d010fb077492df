"""The block of a value is the value itself: k-ary randomized response."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, BlockFamily, ByteStream, smallest_unsigned


@dataclass(frozen=True)
class PointBlocks(BlockFamily):
    """K = k, s = 1, λ = 0."""

    values: int
    outputs: int = field(init=False, repr=False)
    inside: int = field(init=False, default=1, repr=False)
    shared: int | None = field(init=False, default=0, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 2 <= self.values <= 1 << 32:
            raise ParameterError(f"there are {self.values:,} values; need 2 to 2^32.")
        object.__setattr__(self, "outputs", self.values)
        object.__setattr__(self, "dtype", smallest_unsigned(self.values))

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return the values themselves."""
        return codes.astype(self.dtype)

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return any other value."""
        drawn = sampling.uniform_below(self.values - 1, codes.size, source)
        drawn += drawn >= codes
        return drawn.astype(self.dtype)

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return the value, or any other one."""
        if not inside:
            other = stream.below(self.values - 1)
            code = other + (other >= code)
        return int(code).to_bytes(self.dtype.itemsize, "little")

    def describe(self) -> dict[str, Any]:
        """Return the number of values."""
        return {"kind": "points", "values": self.values}

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are values."""
        return payload < self.values

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tally."""
        return tally

    def contains(self, code: int, output: int) -> bool:
        """Tell whether they are the same."""
        return code == output
