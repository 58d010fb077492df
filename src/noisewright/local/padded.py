"""One item of each set: sets are filled up to one size, an item is drawn, and sent at random.

A set of fewer than ℓ = `largest` items is filled up with dummies, all different, each of which is a
value of its own. One of the max(m, ℓ) items and dummies, drawn uniformly, goes through a response.
Whoever has an item among at most ℓ sends it with probability 1/ℓ, so that ℓ times the share of a
value is the share of the people who have the item. Of m > ℓ items each is sent with probability
1/m: such people count as ℓ/m of a person for each of their items, and shares come out too small.

**Amplified.** With k-ary response a report is likelier on a set with an item than on one without by
(r + ℓ − 1) / ℓ only, where r is the ratio of the response: r = ℓ (e^ε − 1) + 1 is allowed instead
of e^ε. n times the variance of a rare item is then (ℓ e + d − 1) / (e − 1)² for d items, e = e^ε
(Wang, Li and Jha 2018). With other blocks of outputs an output may be in the blocks of all items of
a set, so that nothing is gained: about 4 ℓ² e / (e − 1)², which is less for d > 4 ℓ² e − ℓ e.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.local.choosing import make_randomizer
from noisewright.local.families.family import Array, ByteStream
from noisewright.local.families.points import PointBlocks
from noisewright.local.randomizer import LOG2_COIN, BlockResponse, PureRandomizer
from noisewright.mechanisms import Guarantee

_CHUNK = 1 << 16
_MOST_VALUES = 1 << 20


@dataclass(frozen=True)
class PaddedSample(PureRandomizer):
    """A response to one item of a set, or to one of the dummies that fill it up.

    A code is a row of items, filled up with −1. The values of the response are the `items`, then
    `largest` dummies. Supports and shares are those of items that were drawn.
    """

    items: int
    largest: int
    response: BlockResponse
    amplified: bool
    guarantee: Guarantee = field(compare=False)

    def __post_init__(self) -> None:
        if self.items < 1 or self.largest < 1 or self.response.size != self.items + self.largest:
            raise ParameterError("need at least one item, sets of one, and a value for each.")
        if self.amplified and not isinstance(self.response.family, PointBlocks):
            raise ParameterError("only k-ary response gains from padding.")

    @property
    def size(self) -> int:
        """How many values the response has."""
        return self.response.size

    @property
    def dtype(self) -> np.dtype[Any]:
        """How a report is written."""
        return self.response.dtype

    @property
    def own(self) -> Fraction:
        """p* of the value that was drawn."""
        return self.response.own

    @property
    def other(self) -> Fraction:
        """q* of any other value."""
        return self.response.other

    @property
    def item_variance(self) -> float:
        """N times the variance of the share of people who have a rare item."""
        return self.largest**2 * self.variance

    def draw(self, codes: Array, source: sampling.Source | None = None) -> Array:
        """Return a report for each row of items."""
        bits = sampling.source_or_default(source)
        out = np.empty(len(codes), dtype=self.dtype)
        for start in range(0, len(codes), _CHUNK):
            part = codes[start : start + _CHUNK]
            sizes = np.count_nonzero(part >= 0, axis=1)
            places = sampling.uniform_below_each(np.maximum(sizes, self.largest), bits)
            values = self.items + places
            real = np.flatnonzero(places < sizes)
            values[real] = part[real, places[real]]
            out[start : start + _CHUNK] = self.response.draw(values, bits)
        return out

    def draw_one(self, code: Any, stream: ByteStream) -> bytes:
        """Draw a place among items and dummies, then the report."""
        found = [int(item) for item in code if item >= 0]
        place = stream.below(max(len(found), self.largest))
        value = found[place] if place < len(found) else self.items + place
        return self.response.draw_one(value, stream)

    def describe(self) -> dict[str, Any]:
        """Return the coin, with the sizes that the proof uses."""
        if not self.amplified:
            return self.response.describe()
        return {
            "form": "padded",
            "items": self.items,
            "largest": self.largest,
            "log2_total": LOG2_COIN,
            "keep": f"{self.response.keep:x}",
        }

    def describe_for_clients(self) -> dict[str, Any]:
        """Return how a set is filled up, and the response to what is drawn of it."""
        return {
            "form": "padded",
            "items": self.items,
            "largest": self.largest,
            "response": self.response.describe_for_clients(),
        }

    def is_possible(self, payload: Array) -> NDArray[np.bool_]:
        """Tell which are outputs of the response."""
        return self.response.is_possible(payload)

    def new_tally(self) -> NDArray[np.int64]:
        """Return the counts of no reports."""
        return self.response.new_tally()

    def tally(self, payload: Array, into: NDArray[np.int64]) -> None:
        """Count outputs."""
        self.response.tally(payload, into)

    def supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many reports support each item, then each dummy."""
        return self.response.supports(tally)


def amplified_sample(items: int, largest: int, epsilon: Epsilon) -> PaddedSample:
    """Return the sample sent by k-ary response, with the largest coin that ε allows.

    Ensures: r + ℓ − 1 ≤ e^ε ℓ for the ratio r of the response, decided in integers.
    """
    others, total = items + largest - 1, 1 << LOG2_COIN
    low = epsilon.ratio_bounds(192)[1] - (1 << 192)
    ratio = Fraction(largest * low, 1 << 192) + 1
    keep = min(int(ratio / (ratio + others) * total) + 1, total - 1)

    def excess(heads: int) -> int:
        tails = total - heads
        return epsilon.sign(heads * others + (largest - 1) * tails, largest * tails)

    while excess(keep) > 0:
        keep -= 1
    if keep * others <= total - keep:
        raise ParameterError("epsilon is too small to be told from 0 here; give a larger one.")
    claim = Guarantee(epsilon)
    # By itself the response has a larger ε: that of its ratio.
    own = Guarantee(Epsilon.log(Fraction(keep * others, total - keep)))
    response = BlockResponse(PointBlocks(items + largest), keep, own)
    return PaddedSample(items, largest, response, True, claim)


def plain_sample(items: int, largest: int, epsilon: Epsilon) -> PaddedSample:
    """Return the sample sent by a projective response, without amplification."""
    response = make_randomizer(items + largest, epsilon, "projective")
    assert isinstance(response, BlockResponse)
    return PaddedSample(items, largest, response, False, response.guarantee)


def choose_sample(items: int, largest: int, epsilon: Epsilon) -> tuple[PaddedSample, str]:
    """Return the sample with less variance of the two, and why it was taken."""
    if items + largest > _MOST_VALUES:
        raise ParameterError(
            f"there are {items:,} items and up to {largest:,} dummies; sets are for up to "
            f"{_MOST_VALUES:,} together. For open domains use nw.local.heavy_hitters."
        )
    amplified = amplified_sample(items, largest, epsilon)
    plain = plain_sample(items, largest, epsilon)
    words = (
        "k-ary response to one sampled item, with amplification by sampling",
        "projective response to one sampled item, without amplification",
    )
    if amplified.item_variance <= plain.item_variance:
        chosen, other, (own, others) = amplified, plain, words
    else:
        chosen, other, (others, own) = plain, amplified, words
    many = other.item_variance / chosen.item_variance
    why = f"{own.capitalize()}. {others.capitalize()}, has {many:.3g} times the variance."
    return chosen, why
