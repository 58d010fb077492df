"""Keep the code or replace it by a uniform one: randomized response without a table."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Known, show_total
from noisewright.sampling.arguments import (
    CHUNK,
    as_codes,
    check_codes,
    check_room,
    smallest_unsigned,
    whole,
)
from noisewright.sampling.bernoulli import Coin
from noisewright.sampling.entropy import Source, redone_after_fork, source_or_default
from noisewright.sampling.uniform import uniform_into


class KeepOrUniform:
    """Keep a code with probability keep / total, else draw one of all codes.

    It is the table with (total − keep) / outputs everywhere and `keep` more on the diagonal, for
    any number of outputs up to 2^32 and without storing a table.

    Requires: outputs ≥ 1; 0 ≤ keep ≤ total.
    Ensures: P(y | x) = [x = y] · keep / total + (1 − keep / total) / outputs, exactly. Draws
    have type `dtype`, the smallest unsigned type that holds `outputs`.
    """

    __slots__ = ("_coin", "dtype", "keep", "outputs", "total")

    def __init__(self, outputs: SupportsIndex, keep: SupportsIndex, total: SupportsIndex) -> None:
        self.outputs = whole(outputs, name="outputs", least=1)
        self.keep = whole(keep, name="keep", least=0)
        self.total = whole(total, name="total", least=1)
        if self.outputs > 1 << 32:
            raise ParameterError(f"outputs is {self.outputs:,}; at most 2^32 are supported.")
        if self.keep > self.total:
            raise ParameterError("keep is more than the total; it must be at most that.")
        self.dtype: np.dtype[Any] = smallest_unsigned(self.outputs)
        self._coin = Coin(Known(Fraction(self.keep, self.total)))

    def draw(self, codes: ArrayLike, source: Source | None = None) -> NDArray[Any]:
        """Return one output code for each input code in 0 … outputs − 1."""
        inputs = as_codes(codes)
        out = np.empty(inputs.shape, dtype=self.dtype)
        self.draw_into(inputs, out, source)
        return out

    @redone_after_fork
    def draw_into(
        self, codes: NDArray[Any], out: NDArray[Any], source: Source | None = None
    ) -> None:
        """Draw as `draw` does, into an array of type `dtype` that does not overlap the codes."""
        codes = as_codes(codes)
        check_room(codes, out, dtype=self.dtype)
        bits = source_or_default(source)
        size = min(codes.size, CHUNK)
        fresh = np.empty(size, dtype=np.int64)
        kept = np.empty(size, dtype=np.bool_)
        scratch = np.empty(size, dtype=np.uint16)
        for start in range(0, codes.size, CHUNK):
            part = codes[start : start + CHUNK]
            check_codes(part, count=self.outputs, offset=start)
            count = part.size
            uniform_into(fresh[:count], self.outputs, bits)
            self._coin.flip_into(kept[:count], scratch[:count], bits)
            target = out[start : start + count]
            target[:] = fresh[:count]
            np.copyto(target, part, where=kept[:count], casting="unsafe")

    def __repr__(self) -> str:
        return f"KeepOrUniform({self.outputs} outputs, total {show_total(self.total)})"
