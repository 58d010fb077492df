"""One report of one of several parts: which part is drawn without looking at the value.

Several questions of which each person answers one, prefixes of different lengths, cohorts with
hashes of their own: the whole budget goes into one report, instead of a share of it into each. As
which part a report is of tells nothing about the value, the largest ε of the parts holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.randomizer import ReportRandomizer
from noisewright.mechanisms import Guarantee

_MOST_PARTS = 1 << 16


@dataclass(frozen=True)
class OneOfSeveral(ReportRandomizer):
    """Part i is drawn with probability weights[i] / Σ weights; a code has one number for each part.

    A report is the number of its part and the part's own report, filled up with zeros.
    """

    parts: tuple[ReportRandomizer, ...]
    weights: tuple[int, ...]

    def __post_init__(self) -> None:
        whole = all(isinstance(weight, int) and weight > 0 for weight in self.weights)
        if not 0 < len(self.parts) == len(self.weights) <= _MOST_PARTS or not whole:
            raise ParameterError("each part needs a weight, a whole number above 0.")

    @property
    def size(self) -> int:
        """How many codes the largest part has."""
        return max(part.size for part in self.parts)

    @cached_property
    def guarantee(self) -> Guarantee:
        """The largest of the parts' guarantees."""
        claims = [part.guarantee for part in self.parts]
        return Guarantee(
            max((one.epsilon for one in claims), key=lambda one: one.bounds(192)),
            max(one.delta for one in claims),
        )

    @cached_property
    def dtype(self) -> np.dtype[Any]:
        """The number of the part, and a report as long as the longest."""
        longest = max(part.length for part in self.parts)
        return np.dtype([("part", "<u2"), ("report", np.uint8, (longest,))])

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each row of codes, one column a part."""
        bits = sampling.source_or_default(source)
        out = np.zeros(len(codes), dtype=self.dtype)
        ends = np.cumsum(self.weights)
        drawn = sampling.uniform_below(int(ends[-1]), len(codes), bits)
        out["part"] = np.searchsorted(ends, drawn, side="right")
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(out["part"] == number)
            if rows.size:
                payload = part.draw(np.ascontiguousarray(codes[rows, number]), bits)
                as_bytes = np.ascontiguousarray(payload).view(np.uint8).reshape(-1, part.length)
                out["report"][rows, : part.length] = as_bytes
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw the part, then its report."""
        drawn, number = stream.below(sum(self.weights)), 0
        while drawn >= self.weights[number]:
            drawn -= self.weights[number]
            number += 1
        payload = self.parts[number].draw_one(int(code[number]), stream)
        return number.to_bytes(2, "little") + payload.ljust(self.length - 2, b"\0")

    def describe(self) -> dict[str, Any]:
        """Return the parts, as a certificate writes them."""
        return {
            "form": "collection",
            "sends": "one",
            "parts": [
                {"mechanism": part.describe(), "claims": part.guarantee.describe()}
                for part in self.parts
            ],
        }

    def describe_for_clients(self) -> dict[str, Any]:
        """Return also how likely each part is, and how long reports are."""
        return {
            "form": "one of several",
            "weights": list(self.weights),
            "parts": [part.describe_for_clients() for part in self.parts],
            "bytes": self.length,
        }

    def payloads(self, payload: Array, number: int) -> Array:
        """Return the reports of one part."""
        part = self.parts[number]
        rows = payload["report"][payload["part"] == number][:, : part.length]
        rows = np.ascontiguousarray(rows)
        return rows if part.dtype.shape else rows.view(part.dtype).reshape(-1)

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are reports of a part, with zeros behind them."""
        found = np.zeros(len(payload), dtype=np.bool_)
        for number, part in enumerate(self.parts):
            rows = np.flatnonzero(payload["part"] == number)
            if rows.size:
                spare = payload["report"][rows, part.length :]
                possible = part.is_possible(self.payloads(payload, number))
                found[rows] = possible & (spare == 0).all(axis=1)
        return found

    @cached_property
    def _ends(self) -> list[int]:
        sizes = [part.new_tally().size for part in self.parts]
        return (len(self.parts) + np.cumsum(sizes)).tolist()

    def new_tally(self) -> NDArray[np.int64]:
        """Return how many reports each part has, then the counts of each."""
        return np.zeros(self._ends[-1], dtype=np.int64)

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count the reports of each part."""
        into[: len(self.parts)] += np.bincount(payload["part"], minlength=len(self.parts))
        for number, part in enumerate(self.parts):
            some = self.payloads(payload, number)
            if len(some):
                part.tally(some, self.split(into, number)[1])

    def split(self, tally: NDArray[np.int64], number: int) -> tuple[int, NDArray[np.int64]]:
        """Return how many reports a part has, and its own counts (a view)."""
        start = self._ends[number - 1] if number else len(self.parts)
        return int(tally[number]), tally[start : self._ends[number]]


@dataclass(frozen=True)
class OneWayOfSeveral(OneOfSeveral):
    """One of several ways to report one and the same code: every part gets the code itself."""

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each code."""
        columns = np.broadcast_to(np.asarray(codes)[:, None], (len(codes), len(self.parts)))
        return super().draw(columns, source)

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw the way, then a report."""
        return super().draw_one([code] * len(self.parts), stream)
