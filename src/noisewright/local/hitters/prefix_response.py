"""One report of one prefix: a level and a cohort drawn beforehand, then a response on the hash.

A level says how long the prefix of the mixed value is. A cohort has a hash function of its own, so
that values which collide in one cohort do not in others. Both are drawn without looking at the
value, and the whole ε goes into the response on the hash, which is private for any two hashes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.hitters.public_bits import LinearHashes, Mixing, Words
from noisewright.local.randomizer import BlockResponse, ReportRandomizer
from noisewright.mechanisms import Guarantee

_MOST_PARTS = 1 << 16
_MOST_CELLS = 1 << 26


@dataclass(frozen=True)
class PrefixLevel:
    """Prefixes of `length` bits, reported by `weight` of all weights together."""

    length: int
    weight: int


@dataclass(frozen=True)
class PrefixResponse(ReportRandomizer):
    """A report is its part, level · cohorts + cohort, and an output of the response."""

    bits: int
    levels: tuple[PrefixLevel, ...]
    cohorts: int
    response: BlockResponse
    seed: bytes
    size: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        lengths = [level.length for level in self.levels]
        if not 1 <= self.bits <= 64 or lengths != sorted(lengths) or lengths[-1] != self.bits:
            raise ParameterError("levels must grow, and the last must be the whole value.")
        if self.response.size != 1 << self.hash_bits or self.hash_bits > 16:
            raise ParameterError("the response must take hashes: 2 to 2^16 values, a power of 2.")
        if not 0 < self.parts <= _MOST_PARTS or self.cells > _MOST_CELLS:
            raise ParameterError(f"{self.parts:,} parts are too many to be counted.")
        object.__setattr__(self, "size", 1 << self.bits)

    @property
    def parts(self) -> int:
        """How many hash functions there are."""
        return len(self.levels) * self.cohorts

    @property
    def outputs(self) -> int:
        """How many outputs each of them has."""
        return self.response.family.outputs

    @property
    def cells(self) -> int:
        """How many counts a server keeps."""
        return self.parts * self.outputs

    @property
    def hash_bits(self) -> int:
        """How many bits a hash has."""
        return self.response.size.bit_length() - 1

    @property
    def guarantee(self) -> Guarantee:
        """That of the response."""
        return self.response.guarantee

    @cached_property
    def mixing(self) -> Mixing:
        """How values are mixed."""
        return Mixing(self.seed, self.bits)

    @cached_property
    def hashes(self) -> LinearHashes:
        """The hash function of each part."""
        return LinearHashes(self.seed, self.parts, self.hash_bits)

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The part, and an output."""
        return np.dtype([("part", "<u2"), ("output", self.response.dtype)])

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.cumsum([level.weight for level in self.levels])

    @cached_property
    def _shifts(self) -> Words:
        return np.array([self.bits - level.length for level in self.levels], dtype=np.uint64)

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each value."""
        bits = sampling.source_or_default(source)
        drawn = sampling.uniform_below(int(self._ends[-1]), len(codes), bits)
        level = np.searchsorted(self._ends, drawn, side="right")
        part = level * self.cohorts + sampling.uniform_below(self.cohorts, len(codes), bits)
        prefixes = self.mixing.apply(codes) >> self._shifts[level]
        out = np.empty(len(codes), dtype=self.dtype)
        out["part"] = part
        out["output"] = self.response.draw(self.hashes.one_each(prefixes, part), bits)
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw the level, the cohort, then the response."""
        drawn, level = stream.below(int(self._ends[-1])), 0
        while drawn >= self._ends[level]:
            level += 1
        part = level * self.cohorts + (stream.below(self.cohorts) if self.cohorts > 1 else 0)
        prefix = int(self.mixing.apply(np.array([code]))[0]) >> int(self._shifts[level])
        hashed = sum(
            ((prefix & int(word)).bit_count() & 1) << bit
            for bit, word in enumerate(self.hashes.row(part))
        )
        return part.to_bytes(2, "little") + self.response.draw_one(hashed, stream)

    def describe(self) -> dict[str, Any]:
        """Return one part for each level: cohorts differ in their public hash functions only."""
        inner, claims = self.response.describe(), self.guarantee.describe()
        parts = [{"mechanism": inner, "claims": claims} for _ in self.levels]
        return {"form": "collection", "sends": "one", "parts": parts}

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are outputs of a part."""
        known = payload["part"] < self.parts
        return known & self.response.is_possible(np.ascontiguousarray(payload["output"]))

    def new_tally(self) -> NDArray[np.int64]:
        """Return a count for each output of each part."""
        return np.zeros(self.cells, dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count outputs."""
        places = payload["part"].astype(np.int64) * self.outputs + payload["output"]
        if len(places) * 8 > into.size:
            into += np.bincount(places, minlength=into.size)
        else:
            np.add.at(into, places, 1)

    def counts(self, tally: NDArray[np.int64], level: int) -> NDArray[np.int64]:
        """Return the counts of one level: a row for each cohort (a view)."""
        rows = tally.reshape(-1, self.outputs)
        return rows[level * self.cohorts : (level + 1) * self.cohorts]

    def functions(self, level: int) -> range:
        """Return the numbers of the hash functions of one level."""
        return range(level * self.cohorts, (level + 1) * self.cohorts)


def spread_weights(shares: Sequence[float], total: int = 256) -> list[int]:
    """Return whole weights near the shares, each at least 1."""
    whole = sum(shares)
    return [max(1, round(total * share / whole)) for share in shares]
