"""Which values of an open domain many people have, without a list of candidates."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError
from noisewright.estimation import Axis, Estimate, normal_quantile, read_confidence
from noisewright.exact import Epsilon, Number
from noisewright.given import whole_number
from noisewright.local.collection import Collection, read_name
from noisewright.local.hitters.level_shares import LevelShares, hash_support, largest
from noisewright.local.hitters.open_values import OpenValues
from noisewright.local.hitters.planning import (
    AT_ONCE,
    CHECKED,
    KEPT,
    cohorts_for,
    levels_for,
    response_at_once,
    response_on_hashes,
)
from noisewright.local.hitters.prefix_response import PrefixResponse
from noisewright.local.hitters.search import Candidates, search
from noisewright.local.randomizer import BlockResponse
from noisewright.local.shares import (
    Detected,
    Support,
    detect_shares,
    estimate_shares,
    require_people,
)
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import positive_epsilon
from noisewright.public import public

_MOST_TOP = 256


@public
def heavy_hitters(
    *,
    bits: int = 64,
    epsilon: Number | Epsilon,
    top: int = 32,
    people: int | None = None,
    of: Literal["text", "numbers"] = "text",
    longer: Literal["refuse", "cut"] = "refuse",
    below: int | None = None,
    name: str = "",
) -> HitterCollection:
    """Return a collection of one value from each person, to find the values that many have.

    Values are texts of up to bits / 8 bytes in UTF-8, or whole numbers below 2^bits, or `below` a
    smaller bound, which decides the bits then. Longer texts are refused, or cut at a whole
    character. `people` is about how many you expect; hash functions
    are planned for it. They follow from the settings and the name, so that another name has others.

    Requires: bits from 1 to 64 (whole bytes for texts), epsilon > 0, top from 1 to 256.
    Ensures: each report is ε-private for replacing the person's value by any other, proven; no
    person's report depends on the data of others. Up to 20 bits all values are estimated at once.
    Source: prefixes of which each person reports one: Wang, Li and Jha 2021 (PEM). Mixed values,
    reports of all levels pooled, and least squares against collisions are ours.
    """
    if below is not None:
        bits = (whole_number(below, name="below", least=2, most=1 << 64) - 1).bit_length()
    values = OpenValues(bits, of, longer, below)
    top = whole_number(top, name="top", least=1, most=_MOST_TOP)
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    if people is not None:
        people = require_people(people)
    label = read_name(name)
    return _collection_of(values, read, top, label, people=people)


def _collection_of(
    values: OpenValues,
    epsilon: Epsilon,
    top: int,
    name: str,
    *,
    people: int | None = None,
    cohorts: int | None = None,
) -> HitterCollection:
    """Return the collection with so many cohorts, or with those that so many people need."""
    if values.bits <= AT_ONCE:
        response = response_at_once(values.count, epsilon)
        return HitterCollection(values, response, min(top, values.count), name)
    response, bits = response_on_hashes(epsilon), values.bits
    seed = hashlib.sha256(f"noisewright heavy hitters 1\0{bits}\0{name}".encode()).digest()
    cohorts = cohorts_for(people, response) if cohorts is None else cohorts
    made = PrefixResponse(bits, levels_for(bits), cohorts, response, seed)
    return HitterCollection(values, made, top, name)


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> HitterCollection:
    """Return the collection with these settings."""
    values = OpenValues.of_description(document["values"])
    cohorts = document["prefixes"]["cohorts"] if "prefixes" in document else None
    return _collection_of(values, epsilon, document["top"], document["name"], cohorts=cohorts)


@dataclass(frozen=True)
class HitterPlan:
    """What to expect, before anybody is asked.

    `smallest_detectable` is a share of which about half are found, as the search has to tell them
    from 2^bits others; `standard_error` is that of the shares in the answer. `levels` are the
    lengths of prefixes in bits, with the share of people that reports each; the last one checks.
    `state_bytes` is what a server keeps.
    """

    people: int
    smallest_detectable: float
    standard_error: float
    bytes_per_report: int
    levels: tuple[tuple[int, float], ...]
    cohorts: int
    state_bytes: int

    def __str__(self) -> str:
        shown = ", ".join(f"{length} bits {share:.0%}" for length, share in self.levels)
        return (
            f"{self.people:,} people: smallest detectable share "
            f"{100 * self.smallest_detectable:.3g}%, standard error "
            f"{100 * self.standard_error:.3g} points, {self.bytes_per_report:,} bytes per report; "
            f"levels {shown}; {self.cohorts} cohorts, {self.state_bytes / 1e6:.3g} MB on the server"
        )


@dataclass(frozen=True, eq=False)
class HeavyHitters:
    """The values found, those that most people seem to have first.

    `estimate` has their shares, unbiased, from reports that took no part in the search. Its
    intervals hold for all `tested` values together, with the stated confidence, so they hold for
    those shown, however these were chosen. `detected` has the values whose share is above zero,
    all of them together (Holm). `pooled` are the shares that all reports say, by which values are
    ordered: more precise, but too high for those that were found by luck.
    """

    values: list[Any]
    estimate: Estimate
    pooled: NDArray[np.float64]
    detected: Detected
    tested: int

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        clear = set(self.detected.labels)
        head = (
            f"{len(self.values):,} values, {len(clear):,} of them significantly above zero "
            f"(confidence {self.detected.confidence:.4g} for all {self.tested:,} tested together)"
        )
        ends = zip(self.estimate.lows, self.estimate.highs, strict=True)
        shown = [
            f"  {value!s:<24} {share:8.4%}   {low:8.4%} … {high:.4%}{' *' * (value in clear)}"
            for value, share, (low, high) in zip(
                self.values, self.estimate.values, ends, strict=True
            )
        ]
        return "\n".join([head, *shown])


@final
class HitterCollection(Collection):
    """One value of an open domain from each person; the server finds those that many have."""

    randomizer: BlockResponse | PrefixResponse

    def __init__(
        self,
        values: OpenValues,
        randomizer: BlockResponse | PrefixResponse,
        top: int,
        name: str,
    ) -> None:
        self.values = values
        self.randomizer = randomizer
        self.top = top
        self.name = name

    @property
    def at_once(self) -> bool:
        """Whether all values are estimated, without a search."""
        return isinstance(self.randomizer, BlockResponse)

    @property
    def support(self) -> Support:
        """How likely a report supports the true value, and any other."""
        made = self.randomizer
        return hash_support(made) if isinstance(made, PrefixResponse) else Support.of(made)

    def settings(self) -> dict[str, Any]:
        """Return the kind of values, and how they are hashed."""
        found: dict[str, Any] = {
            "kind": "heavy hitters",
            "values": self.values.describe(),
            "top": self.top,
        }
        made = self.randomizer
        if isinstance(made, PrefixResponse):
            found["prefixes"] = {
                "levels": [[level.length, level.weight] for level in made.levels],
                "cohorts": made.cohorts,
                "hash_bits": made.hash_bits,
                "seed": made.seed.hex(),
            }
        return found

    def encode(self, values: Any) -> NDArray[Any]:
        """Return the numbers of values."""
        codes = self.values.encode(values)
        return codes.astype(np.int64) if self.at_once else codes

    def estimate_from(
        self, tally: NDArray[np.int64], people: int, *, confidence: float = 0.95, **options: Any
    ) -> HeavyHitters:
        """Return the values that most people have; options are confidence= and about=.

        Shares found by prefixes are those of people who were drawn to check them: unless you say
        otherwise, intervals are about the population, of which these are a sample.
        """
        read_confidence(confidence)
        made = self.randomizer
        if not isinstance(made, PrefixResponse):
            supports = made.supports(tally)
            codes = np.arange(len(supports), dtype=np.uint64)
            pooled = self.support.shares(supports, people)
            return self._answer(codes, supports, pooled, people, confidence, options)
        options = {"about": "population", **options}
        last = len(made.levels) - 1
        if min(int(made.counts(tally, level).sum()) for level in range(last + 1)) == 0:
            raise InputError(
                f"{people:,} reports are too few: some level has none. Collect a few thousand."
            )
        found = search(made, tally, keep=KEPT * self.top, levels=last)
        found = self._possible(found, made)
        check = LevelShares.of(made, tally, last)
        shares, _ = check.of_leaders(check.hashes_of(found.prefixes))
        reports = int(made.counts(tally, last).sum())
        pooled = (found.shares * found.people + shares * reports) / (found.people + reports)
        supports = reports * (self.support.other + self.support.gap * shares)
        codes = made.mixing.invert(found.prefixes)
        return self._answer(codes, supports, pooled, reports, confidence, options)

    def _possible(self, found: Candidates, made: PrefixResponse) -> Candidates:
        """Return the best candidates that are values at all."""
        values = self.values.decode(made.mixing.invert(found.prefixes))
        places = [place for place, value in enumerate(values) if value is not None]
        some = np.array(places[: CHECKED * self.top], dtype=np.intp)
        return Candidates(found.prefixes[some], found.shares[some], found.people)

    def _answer(
        self,
        codes: NDArray[np.uint64],
        supports: NDArray[Any],
        pooled: NDArray[np.float64],
        people: int,
        confidence: float,
        options: dict[str, Any],
    ) -> HeavyHitters:
        """Return the best of the candidates, tested together with all of them."""
        tested = len(codes)
        best = largest(pooled, min(4 * self.top, tested))
        labels = self.values.decode(codes[best])
        known = [place for place, label in enumerate(labels) if label is not None][: self.top]
        best, labels = best[known], [labels[place] for place in known]
        each = 1 - (1 - confidence) / max(tested, 1)
        some, axis = supports[best], Axis("value", labels)
        estimate = estimate_shares(self.support, some, people, axis, confidence=each, **options)
        counts = np.floor(some).astype(np.int64)
        detected = detect_shares(
            self.support, counts, people, labels, confidence=confidence, tested=tested
        )
        return HeavyHitters(labels, estimate, pooled[best], detected, tested)

    def plan(self, *, people: int, **options: Any) -> HitterPlan:
        """Return what so many people make detectable, the levels, cohorts and bytes."""
        people = require_people(people)
        made, support = self.randomizer, self.support
        error = support.standard_error(0.0, people)
        bits = self.values.bits
        length = made.length + OVERHEAD
        if not isinstance(made, PrefixResponse):
            reach = normal_quantile(1 - 0.1 / self.values.count)
            state = 8 * made.family.outputs
            return HitterPlan(people, reach * error, error, length, ((bits, 1.0),), 1, state)
        total = sum(level.weight for level in made.levels)
        levels = tuple((level.length, level.weight / total) for level in made.levels)
        reach = math.sqrt(2 * math.log(2) * bits)
        checked = support.standard_error(0.0, max(1, round(people * levels[-1][1])))
        return HitterPlan(
            people, reach * error, checked, length, levels, made.cohorts, 8 * made.cells
        )

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        what = "texts" if self.values.of == "text" else "numbers"
        return (
            f"<collection{label} of the {self.top} most frequent {what} of {self.values.bits} "
            f"bits, {self.guarantee} per report>"
        )
