"""Succinct histograms: shares of any values that are asked for, or found, from one bit a person.

(Bassily and Smith 2015, "Local, private, efficient protocols for succinct histograms".) The error
is of the order √(ln d / n) / ε for d values, which is the least there is for small ε. For ε above 1
a report of more than one bit is better: see `heavy_hitters`.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Axis, Estimate, read_confidence
from noisewright.exact import Epsilon, Number
from noisewright.given import flag, whole_number
from noisewright.local.collection import Collection, read_name
from noisewright.local.families.points import PointBlocks
from noisewright.local.heavy_hitters import HeavyHitters
from noisewright.local.hitters.open_values import OpenValues
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.randomizer import block_response
from noisewright.local.shares import detect_shares, estimate_shares, require_people
from noisewright.local.succinct.channels import ChannelResponse
from noisewright.local.succinct.one_bit import MOST_COORDINATES, OneBitResponse
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import positive_epsilon
from noisewright.public import public

_BETA = 0.05
_MOST_REPETITIONS = 16


@public
def succinct_histogram(
    *,
    bits: int = 64,
    epsilon: Number | Epsilon,
    people: int,
    search: bool = False,
    channels: int = 256,
    repetitions: int = 3,
    of: Literal["text", "numbers"] = "text",
    longer: Literal["refuse", "cut"] = "refuse",
    name: str = "",
) -> SuccinctCollection:
    """Return a collection whose server tells the share of any value, from one bit a person.

    With `search`, frequent values are found too: half of the people report to the oracle, and each
    other person to one of the `repetitions` of a search through so many channels. In the paper
    everybody takes part in all of them with a share of ε each, which is worse by their number.

    Requires: bits from 1 to 64, epsilon > 0; `people` is about how many you expect; it decides the
    length m of the projection. channels: a power of two from 8 to 4,096.
    Ensures: each report is ε-private for replacing the person's value by any other, proven. With
    probability 0.95 all shares of 2^bits values are within `plan(people=).largest_error`.
    Source: Bassily and Smith 2015, sections 3 (channels, codes) and 4 (the oracle).
    """
    values = OpenValues(bits, of, longer)
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    people = require_people(people)
    whole_number(repetitions, name="repetitions", least=1, most=_MOST_REPETITIONS)
    whole_number(channels, name="channels", least=8, most=4096)
    if channels & (channels - 1):
        raise ParameterError(f"channels is {channels}; it must be a power of two.")
    counts = [channels] * repetitions if flag(search, name="search") else []
    return _collection_of(values, read, _coordinates(bits, read, people), counts, read_name(name))


def _collection_of(
    values: OpenValues, epsilon: Epsilon, coordinates: int, searches: list[int], name: str
) -> SuccinctCollection:
    """Return the collection with so many coordinates, and searches through so many channels."""
    coin, bits = block_response(PointBlocks(2), epsilon), values.bits
    oracle = OneBitResponse(bits, coordinates, coin, _hash_key(name, bits, 0))
    made = [
        ChannelResponse(bits, channels.bit_length() - 1, coin, _hash_key(name, bits, number))
        for number, channels in enumerate(searches, start=1)
    ]
    return SuccinctCollection(values, oracle, tuple(made), name)


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> SuccinctCollection:
    """Return the collection with these settings."""
    values = OpenValues.of_description(document["values"])
    searches = [search["channels"] for search in document["searches"]]
    coordinates = document["oracle"]["coordinates"]
    return _collection_of(values, epsilon, coordinates, searches, document["name"])


def _hash_key(name: str, bits: int, number: int) -> bytes:
    text = f"noisewright succinct histogram 1\0{bits}\0{number}\0{name}"
    return hashlib.sha256(text.encode()).digest()


def _coordinates(bits: int, epsilon: Epsilon, people: int) -> int:
    """Return m = ln(d + 1) ln(2 / β) / γ² with γ = √(ln(2 d / β) / (ε² n)), of the paper."""
    log_values = bits * math.log(2)
    square = (log_values + math.log(2 / _BETA)) / (min(epsilon.floor(), 1.0) ** 2 * people)
    wanted = log_values * math.log(2 / _BETA) / square
    return min(max(math.ceil(wanted), 1), MOST_COORDINATES)


@dataclass(frozen=True)
class SuccinctPlan:
    """What to expect: the standard error of a rare value, and the largest error of all values."""

    people: int
    standard_error: float
    largest_error: float
    bytes_per_report: int
    coordinates: int

    def __str__(self) -> str:
        return (
            f"{self.people:,} people: standard error {100 * self.standard_error:.3g} points, all "
            f"values within {100 * self.largest_error:.3g} points, {self.bytes_per_report:,} bytes "
            f"a report, {self.coordinates:,} coordinates"
        )


@final
class SuccinctCollection(Collection):
    """One value from each person; the server tells shares of values that it is asked for."""

    randomizer: OneBitResponse | OneOfSeveral

    def __init__(
        self,
        values: OpenValues,
        oracle: OneBitResponse,
        searches: tuple[ChannelResponse, ...],
        name: str,
    ) -> None:
        self.values = values
        self.oracle = oracle
        self.searches = searches
        self.name = name
        # Half of the people tell the oracle.
        weights = (len(searches),) + (1,) * len(searches)
        self.randomizer = OneOfSeveral((oracle, *searches), weights) if searches else oracle

    def settings(self) -> dict[str, Any]:
        """Return the values, the projection and the channels."""
        return {
            "kind": "succinct histogram",
            "values": self.values.describe(),
            "oracle": {"coordinates": self.oracle.coordinates, "seed": self.oracle.seed.hex()},
            "searches": [{"channels": s.channels, "seed": s.seed.hex()} for s in self.searches],
        }

    def encode(self, values: Any) -> NDArray[Any]:
        """Return the numbers of values; with a search, one for each part."""
        codes = self.values.encode(values)
        if not self.searches:
            return codes
        return np.repeat(codes[:, None], 1 + len(self.searches), axis=1)

    def estimate_from(
        self,
        tally: NDArray[np.int64],
        people: int,
        *,
        values: Any = None,
        top: int = 32,
        confidence: float = 0.95,
        **options: Any,
    ) -> Estimate | HeavyHitters:
        """Return shares of `values`, or the most frequent values that a search finds."""
        read_confidence(confidence)
        reports, counts = self._oracle_counts(tally, people)
        if values is not None:
            codes = self.values.encode(values)
            axis = Axis("value", self.values.decode(codes))
            supports = self.oracle.supports(counts, codes)
            support = self.oracle.support_among(reports)
            return estimate_shares(
                support, supports, reports, axis, confidence=confidence, **options
            )
        return self._search(tally, reports, counts, top, confidence, options)

    def _oracle_counts(
        self, tally: NDArray[np.int64], people: int
    ) -> tuple[int, NDArray[np.int64]]:
        made = self.randomizer
        reports, counts = (
            made.split(tally, 0) if isinstance(made, OneOfSeveral) else (people, tally)
        )
        if not reports:
            raise InputError("the oracle has no reports yet; collect more.")
        return reports, counts

    def _search(
        self,
        tally: NDArray[np.int64],
        reports: int,
        counts: NDArray[np.int64],
        top: int,
        confidence: float,
        options: dict[str, Any],
    ) -> HeavyHitters:
        """Return what channels hold, as the oracle sees it, which took no part in the search."""
        made = self.randomizer
        if not isinstance(made, OneOfSeveral):
            raise InputError(
                "this collection does not search for values: give the `values` to estimate, or "
                "collect with search=True."
            )
        top = whole_number(top, name="top", least=1)
        every = [
            search.candidates(made.split(tally, 1 + number)[1])
            for number, search in enumerate(self.searches)
        ]
        codes = np.unique(np.concatenate(every))
        known = [value is not None for value in self.values.decode(codes)]
        codes = codes[np.array(known, dtype=np.bool_)]
        tested = max(len(codes), 1)
        support = self.oracle.support_among(reports)
        supports = self.oracle.supports(counts, codes)
        best = np.argsort(-supports, kind="stable")[:top]
        codes, supports = codes[best], supports[best]
        labels = self.values.decode(codes)
        each = 1 - (1 - confidence) / tested
        estimate = estimate_shares(
            support, supports, reports, Axis("value", labels), confidence=each, **options
        )
        detected = detect_shares(
            support, supports, reports, labels, confidence=confidence, tested=tested
        )
        return HeavyHitters(labels, estimate, estimate.values, detected, tested)

    def plan(self, *, people: int, **options: Any) -> SuccinctPlan:
        """Return the errors of so many people, and bytes."""
        people = require_people(people)
        share = Fraction(1, 2) if self.searches else Fraction(1)
        reports = max(1, int(people * share))
        error = self.oracle.support_among(reports).standard_error(0.0, reports)
        # Hoeffding, for all values together: reports are worth ± c given the public signs, and each
        # coordinate of the projection is worth up to 1.
        logs = 2 * (self.values.bits * math.log(2) + math.log(4 / _BETA))
        worth = 1 / (2 * self.oracle.support.own - 1)
        largest = worth * math.sqrt(logs / reports) + math.sqrt(logs / self.oracle.coordinates)
        length = self.randomizer.length + OVERHEAD
        return SuccinctPlan(people, error, largest, length, self.oracle.coordinates)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of one bit about values of {self.values.bits} bits, "
            f"{self.guarantee} per report>"
        )
