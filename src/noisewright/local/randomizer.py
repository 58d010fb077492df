"""What a device does to one value: the part of a collection that is proven private.

`BlockResponse` is one coin and a family of blocks (see `families/family.py`). With probability
keep / 2^w the report is a uniform output inside the block of the value, else one outside.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.families.family import Array, BlockFamily, ByteStream
from noisewright.mechanisms import Guarantee, Table
from noisewright.spaces import Counts

LOG2_COIN = 64
"""Coins are compared with so many random bits."""

_CHUNK = 1 << 16


class ReportRandomizer(ABC):
    """A random report for each of `size` codes, of a fixed length, and counts of such reports."""

    size: int
    dtype: np.dtype[Any]
    guarantee: Guarantee

    @property
    def length(self) -> int:
        """How many bytes a report has, without its frame."""
        return self.dtype.itemsize

    @abstractmethod
    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each code."""

    @abstractmethod
    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Return one report, as every client makes it from the same random bytes."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """Return the randomizer as a certificate writes it."""

    def describe_for_clients(self) -> dict[str, Any]:
        """Return all that a client in any language needs to draw as `draw_one` does."""
        return self.describe()

    @abstractmethod
    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which of these reports the randomizer could have made."""

    @abstractmethod
    def new_tally(self) -> NDArray[np.int64]:
        """Return the counts of no reports."""

    @abstractmethod
    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Add reports, all of which are possible, to the counts."""


class PureRandomizer(ReportRandomizer):
    """A report supports some of the codes: its own with probability p*, any other one with q*.

    (Wang, Blocki, Li and Jha 2017 call these protocols pure.)
    """

    @property
    @abstractmethod
    def own(self) -> Fraction:
        """p*: how likely a report supports the true code."""

    @property
    @abstractmethod
    def other(self) -> Fraction:
        """q*: how likely it supports any other one."""

    @abstractmethod
    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports support each code."""

    @property
    def variance(self) -> float:
        """N times the variance of a share near 0: q* (1 − q*) / (p* − q*)²."""
        gap = self.own - self.other
        return float(self.other * (1 - self.other) / gap**2)


@dataclass(frozen=True)
class BlockResponse(PureRandomizer):
    """With probability keep / 2^64 a uniform output in the block of the value, else outside."""

    family: BlockFamily
    keep: int
    guarantee: Guarantee = field(compare=False)

    def __post_init__(self) -> None:
        if not 0 < self.keep < 1 << LOG2_COIN:
            raise ParameterError("keep must lie strictly between 0 and 2^64.")

    @property
    def size(self) -> int:
        """How many codes there are."""
        return self.family.values

    @property
    def dtype(self) -> np.dtype[Any]:
        """How a report is written."""
        return self.family.dtype

    @property
    def own(self) -> Fraction:
        """The probability of an output inside."""
        return Fraction(self.keep, 1 << LOG2_COIN)

    @property
    def other(self) -> Fraction:
        """How likely the block of another value has the output."""
        family = self.family
        if family.shared is None:
            # Hashes of two values are independent; for windows it differs, and is not used.
            return Fraction(family.inside, family.outputs)
        inside = Fraction(family.shared, family.inside)
        outside = Fraction(family.inside - family.shared, family.outputs - family.inside)
        return self.own * inside + (1 - self.own) * outside

    @property
    def ratio(self) -> Fraction:
        """e^ε of the least ε: how much likelier an output inside is than one outside."""
        family = self.family
        inside = self.own / family.inside
        return inside / ((1 - self.own) / (family.outputs - family.inside))

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each code."""
        bits = sampling.source_or_default(source)
        codes = np.ascontiguousarray(codes, dtype=np.int64)
        out = np.empty(codes.size, dtype=self.dtype)
        for start in range(0, codes.size, _CHUNK):
            part, target = codes[start : start + _CHUNK], out[start : start + _CHUNK]
            heads = sampling.bernoulli(self.own, part.size, bits)
            inside, outside = np.flatnonzero(heads), np.flatnonzero(~heads)
            target[inside] = self.family.draw_inside(part[inside], bits)
            target[outside] = self.family.draw_outside(part[outside], bits)
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Flip the coin, then draw an output."""
        return self.family.draw_one(int(code), stream.coin(self.keep, LOG2_COIN), stream)

    def describe(self) -> dict[str, Any]:
        """Return the coin and the integers of the family."""
        return {
            "form": "blocks",
            "family": self.family.describe(),
            "log2_total": LOG2_COIN,
            "keep": f"{self.keep:x}",
        }

    def describe_for_clients(self) -> dict[str, Any]:
        """Return the coin, and the family with all that is needed to draw from it."""
        return {**self.describe(), "family": self.family.describe_for_clients()}

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are outputs of the family."""
        return self.family.is_output(payload)

    def new_tally(self) -> NDArray[np.int64]:
        """Return the counts of no reports."""
        return self.family.new_tally()

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count outputs, or what they support."""
        self.family.tally(payload, into)

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports lie in the block of each value."""
        return self.family.supports(tally)

    def table(self) -> Table:
        """Return all probabilities as one table, for small families: `nw.verify` takes it."""
        family = self.family
        inside = self.keep * (family.outputs - family.inside)
        outside = ((1 << LOG2_COIN) - self.keep) * family.inside
        mixed = family.mixed
        times = [
            [family.times_inside(x, y) for y in range(family.outputs)] for x in range(family.values)
        ]
        weights = [[inside * t + outside * (mixed - t) for t in row] for row in times]
        total = mixed * family.inside * (family.outputs - family.inside) << LOG2_COIN
        return Table(
            Counts(family.values - 1, neighbors="replace"),
            np.array(weights, dtype=object),
            total=total,
            outputs=Counts(family.outputs - 1),
            claim=self.guarantee,
            name="block response",
        )


def block_response(family: BlockFamily, epsilon: Epsilon) -> BlockResponse:
    """Return the response whose coin is the largest that ε allows, decided in integers.

    Requires: epsilon > 0.
    Ensures: keep / s ≤ e^ε (2^64 − keep) / (K − s).
    """
    inside, outside = family.inside, family.outputs - family.inside
    total = 1 << LOG2_COIN
    weight = inside * epsilon.ratio_bounds(192)[1]
    share = Fraction(weight, weight + (outside << 192))
    keep = min(int(share * total) + 1, total - 1)
    while epsilon.sign(keep * outside, (total - keep) * inside) > 0:
        keep -= 1
    if keep * outside <= (total - keep) * inside:
        raise ParameterError("epsilon is too small to be told from 0 here; give a larger one.")
    return BlockResponse(family, keep, Guarantee(epsilon))
