"""The block of a number is a window of neighboring outputs: piecewise and square wave mechanisms.

There are `values` numbers on a line, and window x starts at output x · stride and has `width`
outputs, so that K = (values − 1) stride + width and the windows of the ends touch the ends. As a
window moves on at a steady pace, so does the mean of what is drawn: the output has the mean A + B
x, and (output − A) / B is an unbiased answer. With a width of about K / (e^(ε/2) + 1) this is the
piecewise mechanism (Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019), with another one the
square wave (Li, Wang, Lopuhaä-Zwakenberg, Li and Škorić 2020), both on a grid.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, BlockFamily, ByteStream, smallest_unsigned


@dataclass(frozen=True)
class Windows(BlockFamily):
    """Windows of `width` outputs, each `stride` outputs after the one before it."""

    values: int
    width: int
    stride: int
    outputs: int = field(init=False, repr=False)
    inside: int = field(init=False, repr=False)
    shared: int | None = field(init=False, default=None, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.values < 2 or self.width < 1 or self.stride < 1:
            raise ParameterError("windows need at least 2 values, a width and a stride.")
        object.__setattr__(self, "outputs", (self.values - 1) * self.stride + self.width)
        object.__setattr__(self, "inside", self.width)
        object.__setattr__(self, "dtype", smallest_unsigned(self.outputs))

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform outputs of the windows."""
        drawn = sampling.uniform_below(self.width, codes.size, source)
        return (drawn + codes * self.stride).astype(self.dtype)

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return uniform outputs outside of the windows."""
        drawn = sampling.uniform_below(self.outputs - self.width, codes.size, source)
        return (drawn + self.width * (drawn >= codes * self.stride)).astype(self.dtype)

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return one output, inside the window or not."""
        start = code * self.stride
        if inside:
            drawn = start + stream.below(self.width)
        else:
            drawn = stream.below(self.outputs - self.width)
            drawn += self.width * (drawn >= start)
        return drawn.to_bytes(self.dtype.itemsize, "little")

    def describe(self) -> dict[str, Any]:
        """Return the number of values, the width and the stride."""
        return {
            "kind": "windows",
            "values": self.values,
            "width": self.width,
            "stride": self.stride,
        }

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are outputs."""
        return payload < self.outputs

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each value how many reports lie in its window."""
        ends = np.concatenate([[0], np.cumsum(tally)])
        starts = np.arange(self.values) * self.stride
        return ends[starts + self.width] - ends[starts]

    def contains(self, code: int, output: int) -> bool:
        """Tell whether an output is in the window of a value."""
        return 0 <= output - code * self.stride < self.width
