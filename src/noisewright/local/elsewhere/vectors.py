"""Test vectors: values, random bytes, and the reports that every client must make of them.

The bytes come from SHAKE-256 of the collection's digest, so that a collection has the same vectors
everywhere. Chance alone would hardly ever reach the rare branches (a coin that shows heads once in
a million times), so some draws are steered: bytes are taken for which a coin shows just heads or
just tails, for which the first uniform number is the least or the largest, or is drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from noisewright.local.families.family import ByteStream
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.randomizer import ReportRandomizer
from noisewright.local.wire import frame

if TYPE_CHECKING:
    from noisewright.local.collection import Collection

_MOST_VALUES = 24
_MOST_PARTS = 64
_MOST_WRITTEN = 1 << 19
"""Characters, after which only what reaches new branches is written."""


@dataclass(frozen=True)
class Steering:
    """What the bytes should lead to: the part, the first coin, and the first number after it."""

    heads: bool | None = None
    """The coin shows what it shows last before it changes: heads − 1, or heads."""
    number: str | None = None
    """The first number is the "least", the "most", or drawn "again"."""
    part: int | None = None
    """A number that is drawn before all others, to choose a part."""


class SteeredStream(ByteStream):
    """Bytes that can be foretold, steered at first; `used` are those that were taken."""

    def __init__(self, seed: bytes, steering: Steering) -> None:
        self._seed = seed
        self._part = steering.part
        self._heads = steering.heads
        self._number = steering.number
        self.used = b""

    def _fresh(self, count: int) -> bytes:
        mark = self._seed + len(self.used).to_bytes(8, "big")
        return hashlib.shake_256(mark).digest(count)

    def _give(self, data: bytes) -> bytes:
        self.used += data
        return data

    def take(self, count: int) -> bytes:
        """Return so many bytes."""
        return self._give(self._fresh(count))

    def below(self, bound: int) -> int:
        """Draw a number, or take bytes that give the one that is wanted."""
        bits = (bound - 1).bit_length()
        if self._part is not None:
            wanted, self._part = [self._part], None
        elif self._number is not None:
            kind, self._number = self._number, None
            wanted = {"least": [0], "most": [bound - 1], "again": [(1 << bits) - 1]}[kind]
            if kind == "again" and bound == 1 << bits:
                wanted = []
        else:
            wanted = []
        size = -(-bits // 8)
        for number in wanted:
            # Bits beyond the number are there to be dropped: some are set.
            spare = int.from_bytes(self._fresh(size), "big") >> bits << bits
            self._give((spare | number).to_bytes(size, "big"))
            if number < bound:
                return number
        return super().below(bound)

    def coin(self, heads: int, log2_total: int) -> bool:
        """Flip a coin, or take bytes for which it shows what is wanted."""
        if self._heads is None:
            return super().coin(heads, log2_total)
        wanted, self._heads = self._heads, None
        self._give((heads - wanted).to_bytes(log2_total // 8, "big"))
        return wanted


def make_vectors(collection: Collection) -> Iterator[dict[str, Any]]:
    """Return vectors that reach every branch: a value, the bytes it takes, and its report.

    Ensures: each kind of draw occurs for each of up to 24 values and up to 64 parts; the reports
    are those of `collection.client()` for the same bytes.
    """
    values = collection.examples(_MOST_VALUES)
    ways = list(_ways(collection.randomizer))
    written = 0
    for turn in range(len(values)):
        for number, steering in enumerate(ways):
            vector = _vector(collection, values[(number + turn) % len(values)], steering, turn)
            written += len(vector["random"]) + len(vector["report"])
            # The first turn has all ways; the others, which change the values, have to be short.
            if turn and written > _MOST_WRITTEN:
                return
            yield vector


def _ways(randomizer: ReportRandomizer) -> Iterator[Steering]:
    """Return ways to draw: the first and the last number of each part, with each way to go on."""
    parts: list[int | None] = [None]
    if isinstance(randomizer, OneOfSeveral):
        ends = list(accumulate(randomizer.weights, initial=0))
        step = -(-len(randomizer.weights) // _MOST_PARTS)
        edges = zip(ends[:-1:step], ends[1::step], strict=True)
        parts = [*sorted({number for start, end in edges for number in (start, end - 1)})]
    for part in parts:
        yield Steering(part=part)
        for heads in (True, False):
            for number in ("least", "most", "again"):
                yield Steering(heads=heads, number=number, part=part)


def _vector(collection: Collection, value: Any, steering: Steering, turn: int) -> dict[str, Any]:
    seed = collection.digest + f"{turn} {steering}".encode()
    stream = SteeredStream(seed, steering)
    code = collection.encode_one(value)
    payload = collection.randomizer.draw_one(code, stream)
    report = frame(collection.digest, stream.take(8), payload)
    plain = value.item() if isinstance(value, np.generic) else value
    return {"value": plain, "random": stream.used.hex(), "report": report.hex()}
