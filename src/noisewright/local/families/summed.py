"""Windows whose outputs are not counted one by one: their sum, and the sum of their squares, do.

A mean needs no more, and such counts stay small however fine the grid is. An output y = 2^16 u + v
adds u, v, u², u v and v², so that nothing overflows for 2^31 reports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.given import amount
from noisewright.local.families.family import Array
from noisewright.local.families.windows import Windows

MOST_OUTPUTS = 1 << 32
_CHUNK = 1 << 16


@dataclass(frozen=True)
class SummedWindows(Windows):
    """Windows, of whose outputs a server keeps two sums."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.outputs > MOST_OUTPUTS:
            raise ParameterError(
                f"{amount(self.outputs)} outputs are more than 2^32. Take a coarser step."
            )

    def new_tally(self) -> NDArray[np.int64]:
        """Return the sums of nothing."""
        return np.zeros(5, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Add outputs to the sums."""
        for start in range(0, len(payload), _CHUNK):
            y = payload[start : start + _CHUNK].astype(np.int64)
            u, v = y >> 16, y & 0xFFFF
            into += [u.sum(), v.sum(), np.dot(u, u), np.dot(u, v), np.dot(v, v)]

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Raise: sums do not tell which windows the outputs lie in."""
        raise ParameterError("sums of outputs do not tell the shares of single numbers.")


def sums_in(tally: NDArray[np.int64]) -> tuple[int, int]:
    """Return the sum of all outputs, and that of their squares."""
    u, v, uu, uv, vv = map(int, tally)
    return (u << 16) + v, (uu << 32) + (uv << 17) + vv
