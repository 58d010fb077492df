"""The block of a value is its hash: local hashing (OLH).

A report is a hash function h, drawn without looking at the value, and a number below g. For each h
the block of x is the one number h(x): s = 1 of K = g. Functions are h(x) = the upper bits of
(a x + b) mod 2^w, with a and b uniform below 2^w: two different values below 2^(w − log₂ g + 1)
have independent uniform hashes (Dietzfelbinger 1996), so g is a power of two and nothing is reduced
by a biased remainder. A server looks at all values for each report: see `projective.py` for the
same variance in nanoseconds. (Wang, Blocki, Li and Jha 2017, optimized local hashing, g = e^ε + 1.)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, BlockFamily, ByteStream

_CELLS = 1 << 16
_ROWS = 255


@dataclass(frozen=True)
class Hashed(BlockFamily):
    """Blocks of one number below g = 2^log2_outputs, by a hash function in each report."""

    values: int
    log2_outputs: int
    outputs: int = field(init=False, repr=False)
    inside: int = field(init=False, default=1, repr=False)
    shared: int | None = field(init=False, default=None, repr=False)
    width: int = field(init=False, repr=False)
    dtype: np.dtype[Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.log2_outputs <= 12:
            raise ParameterError(f"log2_outputs is {self.log2_outputs}; it must be 1 to 12.")
        width = next((w for w in (16, 32) if self.values <= 1 << (w - self.log2_outputs + 1)), None)
        if width is None or self.values < 2:
            raise ParameterError(f"there are {self.values:,} values; need 2 to 2^20 for hashing.")
        object.__setattr__(self, "outputs", 1 << self.log2_outputs)
        object.__setattr__(self, "width", width)
        word = f"<u{width // 8}"
        record = np.dtype([("a", word), ("b", word), ("hash", "<u2")])
        object.__setattr__(self, "dtype", record)

    def _hashes(self, reports: Array, codes: Array) -> Array:
        word = reports["a"].dtype
        mixed = reports["a"] * codes.astype(word) + reports["b"]
        return (mixed >> word.type(self.width - self.log2_outputs)).astype(np.int64)

    def _functions(self, count: int, source: sampling.Source) -> Array:
        out = np.empty(count, dtype=self.dtype)
        draw = source.u16 if self.width == 16 else source.u32
        out["a"], out["b"] = draw(count), draw(count)
        return out

    def draw_inside(self, codes: Array, source: sampling.Source) -> Array:
        """Return functions, and the hashes of the values."""
        out = self._functions(codes.size, source)
        out["hash"] = self._hashes(out, codes)
        return out

    def draw_outside(self, codes: Array, source: sampling.Source) -> Array:
        """Return functions, and any other numbers than the hashes of the values."""
        out = self._functions(codes.size, source)
        other = sampling.uniform_below(self.outputs - 1, codes.size, source)
        out["hash"] = other + (other >= self._hashes(out, codes))
        return out

    def draw_one(self, code: int, inside: bool, stream: ByteStream) -> bytes:
        """Return one function, and the hash of the value or another number."""
        size = self.width // 8
        a, b = (int.from_bytes(stream.take(size), "little") for _ in range(2))
        hashed = ((a * code + b) & ((1 << self.width) - 1)) >> (self.width - self.log2_outputs)
        if not inside:
            other = stream.below(self.outputs - 1)
            hashed = other + (other >= hashed)
        return b"".join(
            one.to_bytes(length, "little") for one, length in ((a, size), (b, size), (hashed, 2))
        )

    def describe(self) -> dict[str, Any]:
        """Return the number of values and of hashes."""
        return {"kind": "hashes", "values": self.values, "hashes": self.outputs}

    def describe_for_clients(self) -> dict[str, Any]:
        """Return also how many bits the words of a function have."""
        return {**self.describe(), "width": self.width}

    def is_output(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are hashes."""
        return payload["hash"] < self.outputs

    def new_tally(self) -> NDArray[np.int64]:
        """Return a count for each value."""
        return np.zeros(self.values, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count for each value the reports whose number is its hash."""
        word = payload["a"].dtype
        shift = word.type(self.width - self.log2_outputs)
        values = np.arange(self.values, dtype=word)
        # The upper bits of a x + b are y if a x + b − (y << shift) < 1 << shift, all mod 2^w.
        offsets = payload["b"] - (payload["hash"].astype(word) << shift)
        step = max(1, min(_ROWS, _CELLS // self.values))
        cells = np.empty((step, self.values), dtype=word)
        hits = np.empty((step, self.values), dtype=np.bool_)
        for start in range(0, len(payload), step):
            a, b = payload["a"][start : start + step], offsets[start : start + step]
            some, hit = cells[: a.size], hits[: a.size]
            np.multiply(a[:, None], values, out=some)
            some += b[:, None]
            np.less(some, word.type(1) << shift, out=hit)
            into += np.add.reduce(hit.view(np.uint8), axis=0, dtype=np.uint8)

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the tally."""
        return tally

    def contains(self, code: int, output: int) -> bool:
        """Tell whether a number is the hash, for the function with a = 1 and b = 0."""
        return code % self.outputs == output
