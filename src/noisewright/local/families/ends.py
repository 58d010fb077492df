"""A number is rounded at random to one of two ends, of which one bit is sent: Duchi's mechanism.

The x-th of N numbers becomes the upper end with probability x / (N − 1), else the lower one, with
one uniform integer below N − 1. The block of a number is the end that it became: K = 2, s = 1. As a
report then is the upper end with a probability that is linear in x, it tells the mean without bias
(Duchi, Jordan and Wainwright 2018).

**Why this is as private as a response on two points.** For each number the report is a mixture of
what the two ends give, and quotients of mixtures lie between the quotients of what is mixed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, BlockFamily, ByteStream

_MOST_VALUES = 1 << 62


@dataclass(frozen=True)
class Ends(BlockFamily):
    """K = 2, s = 1: the block of a number is one of the ends, drawn afresh for each report."""

    values: int
    outputs: int = field(init=False, default=2, repr=False)
    inside: int = field(init=False, default=1, repr=False)
    shared: int | None = field(init=False, default=None, repr=False)
    dtype: np.dtype[Any] = field(init=False, default=np.dtype("<u1"), repr=False)

    def __post_init__(self) -> None:
        if not 2 <= self.values <= _MOST_VALUES:
            raise ParameterError(f"there are {self.values:,} numbers; need 2 to 2^62.")

    def _round(self, codes: Array, source: sampling.Source) -> NDArray[np.bool_]:
        return sampling.uniform_below(self.values - 1, codes.size, source) < codes

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return the ends that the numbers are rounded to."""
        return self._round(codes, source).astype(self.dtype)

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return the other ends."""
        return (~self._round(codes, source)).astype(self.dtype)

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Round one number, and return the end or the other one."""
        return bytes([(stream.below(self.values - 1) < code) == inside])

    def describe(self) -> dict[str, Any]:
        """Return how many numbers there are."""
        return {"kind": "ends", "values": self.values}

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are ends."""
        return payload < 2

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tally: reports of the lower end, and of the upper one."""
        return tally

    @property
    def mixed(self) -> int:
        """A number has one of its blocks with a probability in units of 1 / (N − 1)."""
        return self.values - 1

    def times_inside(self, code: int, output: int) -> int:
        """Return how many of the N − 1 blocks of a number hold an end."""
        return code if output else self.values - 1 - code

    def contains(self, code: int, output: int) -> bool:
        """Tell whether an end is always in the block of the number."""
        return self.times_inside(code, output) == self.mixed
