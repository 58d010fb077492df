"""Which items people have: a collection of one item, drawn at random, of each person's set."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.errors import ParameterError
from noisewright.estimation import (
    Axis,
    Estimate,
    Sample,
    Spread,
    normal_quantile,
    read_about,
    read_confidence,
)
from noisewright.local.collection import Collection
from noisewright.local.frequencies import FrequencyPlan
from noisewright.local.padded import PaddedSample
from noisewright.local.poisoning import PoisonedShares
from noisewright.local.report_shapes import examine_supports
from noisewright.local.reports import Reports
from noisewright.local.shares import Detected, Support, detect_shares, require_people
from noisewright.local.wire import OVERHEAD
from noisewright.spaces import Categories, Subsets
from noisewright.tables import ItemSets, read_sets

_CELLS = 1 << 22
"""Rows of items are filled up to one length, in pieces of so many cells."""


class SetCollection(Collection):
    """A collection about sets of items, or about what is in them of some candidates.

    `candidates` are places in the list of items. `before` are the collections of earlier phases,
    whose answers decided what this one asks; other people, or the same, have answered those.
    """

    space: Subsets
    candidates: NDArray[np.int64]
    before: tuple[SetCollection, ...] = ()

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where each item is among the candidates; −1 if it is none."""
        found = np.full(len(self.space.items), -1, dtype=np.int64)
        found[self.candidates] = np.arange(self.candidates.size)
        return found

    @property
    def labels(self) -> list[Any]:
        """The candidates, by name."""
        return [self.space.items[place] for place in self.candidates.tolist()]

    def read(self, sets: Any) -> ItemSets:
        """Return what is in each set of the candidates, in any form that `nw.Subsets` takes."""
        given, _ = read_sets(self.space, sets)
        places = self._places[given.indices]
        known = places >= 0
        if known.all() and self.candidates.size == len(self.space.items):
            return given
        kept = np.concatenate([[0], np.cumsum(known)])
        return ItemSets(places[known].astype(np.int32), kept[given.offsets])

    def describe_set_reading(self, kind: str) -> dict[str, Any]:
        """Return how clients in other languages read a set."""
        every = self.candidates.size == len(self.space.items)
        found = {"kind": kind, "values": Categories(self.space.items).describe()}
        return found if every else {**found, "candidates": self.candidates.tolist()}

    def examples(self, most: int) -> list[Any]:
        """Return sets of no item, of one, and of more and more of them, the last item first."""
        items = list(self.space.items)
        sizes = sorted({round(i * len(items) / (most - 1)) for i in range(most)})
        return [items[::-1][:size] for size in sizes]

    def describe_sets(self) -> dict[str, Any]:
        """Return what the specification says of items, candidates and earlier phases."""
        every = self.candidates.size == len(self.space.items)
        labels = [one.hex() if isinstance(one, bytes) else one for one in self.space.items]
        return {
            "items": {"kind": "labels", "labels": labels},
            "candidates": None if every else self.candidates.tolist(),
            "before": [one.digest.hex() for one in self.before],
        }


@final
class ItemCollection(SetCollection):
    """One item of each person's set; the server estimates how many people have each.

    `largest` is what sets are filled up to. Estimates are multiplied by `correction`, which is 1
    unless an earlier phase has found how much larger sets weigh.
    """

    randomizer: PaddedSample

    def __init__(
        self,
        space: Subsets,
        sample: PaddedSample,
        why: str,
        name: str,
        *,
        candidates: NDArray[np.int64] | None = None,
        before: tuple[SetCollection, ...] = (),
        correction: float = 1.0,
    ) -> None:
        self.space = space
        self.candidates = np.arange(len(space.items)) if candidates is None else candidates
        if self.candidates.size != sample.items:
            raise ParameterError("the response must have a value for each candidate.")
        self.randomizer = sample
        self.why = why
        self.name = name
        self.before = before
        self.correction = correction

    @property
    def largest(self) -> int:
        """The size that sets are filled up to."""
        return self.randomizer.largest

    @property
    def support(self) -> Support:
        """How likely a report supports the item that was drawn, and any other."""
        return Support.of(self.randomizer)

    @property
    def axis(self) -> Axis:
        """The items, as answers name them."""
        return Axis("item", self.labels)

    def settings(self) -> dict[str, Any]:
        """Return the kind, the items and what sets are filled up to."""
        sizes = {"largest": self.largest, "correction": repr(self.correction)}
        return {"kind": "items", **self.describe_sets(), **sizes}

    def reading(self) -> dict[str, Any]:
        """Return how clients read a set."""
        return self.describe_set_reading("set")

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return a row of items for each set, filled up with −1."""
        return _rows_of(self.read(values), 0, None)

    def reports(self, values: Any, *, source: sampling.Source | None = None) -> Reports:
        """Return a report for each set, drawn independently: one for each person."""
        sets = self.read(values)
        longest = max(int(sets.sizes.max(initial=1)), 1)
        step = max(1, _CELLS // longest)
        pieces = [
            self.randomizer.draw(_rows_of(sets, start, start + step), source)
            for start in range(0, len(sets) or 1, step)
        ]
        return Reports(self, np.concatenate(pieces))

    def _supports(self, tally: NDArray[np.int64]) -> NDArray[np.int64]:
        return self.randomizer.supports(tally)[: self.candidates.size]

    def _spread(self, values: NDArray[np.float64]) -> Spread:
        """Return how much one report varies that counts ℓ times.

        Of those who have an item, one in ℓ has drawn it. Who has m > ℓ items adds as much to E h²
        as to the share; only how much of that is no noise depends on m, and is not subtracted.
        """
        at, size = np.clip(values, 0.0, 1.0), self.largest
        own, others = self.support.moments(2)
        own3, others3 = self.support.moments(3)
        have = size * own + (size * size - size) * others + 1
        none = size * size * others
        second = have * at + none * (1 - at)
        drawn = at / size
        third = size**3 * (own3 * drawn + others3 * (1 - drawn))
        ones = np.ones_like(at)
        return Spread(at, second, have * ones, none * ones, third / second)

    def estimate_from(
        self,
        tally: NDArray[np.int64],
        people: int,
        *,
        about: str = "people",
        confidence: float = 0.95,
        **options: Any,
    ) -> Estimate:
        """Return the share of people who have each item.

        Who has more than `largest` of the items counts less: see the notes.
        """
        if options:
            raise ParameterError(f"unknown options: {', '.join(options)}.")
        found = self._estimate(self._supports(tally), people, about, confidence)
        return replace(found, notes=self._notes(tally, people))

    def _estimate(
        self, supports: NDArray[np.int64], people: int, about: str, confidence: float
    ) -> Estimate:
        sample = Sample(people, read_about(about), read_confidence(confidence))
        values = self.largest * self.support.shares(supports, people)
        found = values, *self._spread(values).answers(values, sample)
        scaled = (part * self.correction for part in found)
        return sample.estimate("share", (self.axis,), *scaled, method="padded and sampled")

    def _notes(self, tally: NDArray[np.int64], people: int) -> tuple[str, ...]:
        if self.correction != 1:
            return (
                f"Shares are multiplied by {self.correction:.4g}, because an earlier phase found "
                f"that people have that many times more of these items than the {self.largest} "
                "that count. The factor is the same for all items, and its error is not included "
                "in the intervals.",
            )
        fewer = 1 - self.share_of_smaller(tally, people)
        return (
            f"A person with m > {self.largest} of the items counts as {self.largest}/m of a person "
            f"for each, which makes shares too small; about {max(fewer, 0.0):.1%} of the people "
            f"have {self.largest} or more.",
        )

    def share_of_smaller(self, tally: NDArray[np.int64], people: int) -> float:
        """Return about how many people have fewer than `largest` items: they have the last dummy.

        It is drawn by one in `largest` of them.
        """
        last = self.randomizer.supports(tally)[-1:]
        return min(self.largest * float(self.support.shares(last, people)[0]), 1.0)

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Detected:
        """Return which items somebody has; the option is confidence=."""
        found = detect_shares(self.support, self._supports(tally), people, self.labels, **options)
        return replace(found, shares=found.shares * (self.largest * self.correction))

    def robust_from(
        self,
        tally: NDArray[np.int64],
        people: int,
        *,
        fakes: float,
        confidence: float = 0.95,
        **options: Any,
    ) -> PoisonedShares:
        """Return how far fake devices can push each share, and whether reports look honest."""
        supports, fake = self._supports(tally), math.floor(fakes * people)
        honest = max(people - fake, 1)
        plain = self._estimate(supports, people, "people", confidence)
        low, high = (
            self._estimate(np.clip(some, 0, honest), honest, "people", confidence)
            for some in (supports - fake, supports)
        )
        bounded = replace(
            plain,
            lows=np.minimum(low.lows, plain.values),
            highs=np.maximum(high.highs, plain.values),
            method=f"allowing for {fake:,} fake reports",
        )
        times, support = self.largest * self.correction, self.support
        p_value, note = examine_supports(supports, people, support.other)
        gain = times * max(1 - support.other, support.other) / support.gap
        return PoisonedShares(bounded, fakes, gain, p_value, note)

    def plan(self, *, people: int, confidence: float = 0.95, **options: Any) -> FrequencyPlan:
        """Return standard error, smallest detectable share and bytes for so many people."""
        people = require_people(people)
        variance = self.randomizer.item_variance * self.correction**2
        error = math.sqrt(variance / people)
        each = 1 - (1 - read_confidence(confidence)) / self.candidates.size
        reach = normal_quantile(2 * each - 1) + normal_quantile(0.6)
        length = self.randomizer.length + OVERHEAD
        return FrequencyPlan(people, error, error * reach, length, variance)

    def largest_shares(self, tally: NDArray[np.int64], count: int) -> NDArray[np.int64]:
        """Return the candidates with the largest shares, as places in the list of items."""
        order = np.argsort(-self._supports(tally), kind="stable")
        return self.candidates[order[:count]]

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of sets of {self.candidates.size:,} items, padded to "
            f"{self.largest}, {self.guarantee} per report>"
        )


def _rows_of(sets: ItemSets, start: int, stop: int | None) -> NDArray[np.int64]:
    """Return some of the sets as rows of items, filled up with −1."""
    ends = sets.offsets[start : None if stop is None else stop + 1]
    sizes = np.diff(ends)
    rows = np.full((sizes.size, int(sizes.max(initial=0))), -1, dtype=np.int64)
    if sizes.size:
        items = sets.indices[ends[0] : ends[-1]]
        row = np.repeat(np.arange(sizes.size), sizes)
        rows[row, np.arange(items.size) - np.repeat(ends[:-1] - ends[0], sizes)] = items
    return rows
