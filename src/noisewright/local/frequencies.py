"""How often each of some known values occurs among people who do not trust you."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import read_space
from noisewright.errors import OutsideSpaceError, ParameterError
from noisewright.estimation import Axis, Estimate, axis_of, normal_quantile, read_confidence
from noisewright.exact import Epsilon, Number
from noisewright.given import one_of
from noisewright.local.choosing import METHODS, ReportChoice, choose_randomizer
from noisewright.local.collection import Collection, read_name
from noisewright.local.poisoning import PoisonedShares, bound_poisoned_shares
from noisewright.local.randomizer import PureRandomizer
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
from noisewright.spaces import Categories, Interval, Space
from noisewright.tables import read_inputs


@public
def frequencies(
    space: Space,
    *,
    epsilon: Number | Epsilon,
    method: str | None = None,
    name: str = "",
) -> FrequencyCollection:
    """Return a collection of one value from each person, for the share of each value.

    Requires: a space of 2 to 2^20 points; epsilon > 0. `method` is
    "response" (k-ary randomized response), "projective", "unary", "symmetric unary", "subset",
    "hashing" or "hadamard"; without it the best one is taken, and `.why` says why.
    Ensures: each report is ε-private for replacing the person's value by any other, proven.
    """
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    if method is not None:
        method = one_of(method, METHODS, name="method")
    return FrequencyCollection(space, choose_randomizer(space.size, read, method), read_name(name))


@dataclass(frozen=True)
class FrequencyPlan:
    """What to expect of the shares, before anybody is asked.

    `standard_error` is that of a rare value; `smallest_detectable` is a share that is found to be
    above zero with probability 0.8, among all values together at a confidence of 0.95.
    """

    people: int
    standard_error: float
    smallest_detectable: float
    bytes_per_report: int
    variance: float

    def people_for(self, standard_error: float) -> int:
        """Return how many people a standard error needs."""
        if not standard_error > 0:
            raise ParameterError(f"standard_error is {standard_error}; it must be above 0.")
        return math.ceil(self.variance / standard_error**2)

    def __str__(self) -> str:
        return (
            f"{self.people:,} people: standard error of a rare value "
            f"{100 * self.standard_error:.3g} points, smallest detectable share "
            f"{100 * self.smallest_detectable:.3g}%, {self.bytes_per_report:,} bytes per report"
        )


@final
class FrequencyCollection(Collection):
    """One value from each person; the server estimates how often each occurs."""

    randomizer: PureRandomizer

    def __init__(self, space: Space, choice: ReportChoice, name: str) -> None:
        self.space = space
        self.method = choice.method
        self.why = choice.why
        self.randomizer = choice.randomizer
        self.name = name

    @property
    def support(self) -> Support:
        """How likely a report supports the true value, and any other."""
        return Support.of(self.randomizer)

    def settings(self) -> dict[str, Any]:
        """Return the kind, the method and the values."""
        return {"kind": "frequencies", "method": self.method, "values": self.space.describe()}

    def reading(self) -> dict[str, Any]:
        """Return how clients read one value."""
        return describe_reading(self.space)

    def encode(self, values: Any) -> NDArray[np.int64]:
        """Return the codes of values."""
        return encode_values(self.space, values)

    def encode_one(self, value: Any) -> np.int64:
        """Return the code of a label by a look-up; what is none is read as all values are.

        But a whole number is no code here: a device has a value, and would send another.
        """
        if isinstance(self.space, Categories):
            try:
                return np.int64(self.space.code(value))
            except OutsideSpaceError:
                if isinstance(value, int | np.integer):
                    raise
        return self.encode([value])[0]

    @property
    def axis(self) -> Axis:
        """The values, as answers name them."""
        return axis_of(self.space, None if isinstance(self.space, Categories) else "value")

    def estimate_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Estimate:
        """Return shares; options are about=, confidence= and method=."""
        supports = self.randomizer.supports(tally)
        return estimate_shares(self.support, supports, people, self.axis, **options)

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> Detected:
        """Return which values have a share above zero; the option is confidence=."""
        supports = self.randomizer.supports(tally)
        return detect_shares(self.support, supports, people, self.axis.labels, **options)

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> PoisonedShares:
        """Return how far fake devices can push each share, and whether reports look honest."""
        return bound_poisoned_shares(self, tally, people, fakes=fakes, **options)

    def plan(self, *, people: int, confidence: float = 0.95, **options: Any) -> FrequencyPlan:
        """Return standard error, smallest detectable share and bytes for so many people."""
        people = require_people(people)
        error = math.sqrt(self.randomizer.variance / people)
        each = 1 - (1 - read_confidence(confidence)) / self.space.size
        # One-sided at `each`, found in four of five cases.
        reach = normal_quantile(2 * each - 1) + normal_quantile(0.6)
        length = self.randomizer.length + OVERHEAD
        return FrequencyPlan(people, error, error * reach, length, self.randomizer.variance)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<collection{label} of {self.space!r} by {self.method}, {self.guarantee} per report>"
        )


def describe_reading(space: Space) -> dict[str, Any]:
    """Return how clients read one value: which labels are bytes, and what becomes of numbers."""
    found: dict[str, Any] = {"kind": "value"}
    if isinstance(space, Categories):
        # Certificates write them in hexadecimal, as texts: b"ab" is not "6162".
        in_bytes = [code for code, one in enumerate(space.labels) if isinstance(one, bytes)]
        found |= {"bytes": in_bytes} if in_bytes else {}
    if isinstance(space, Interval):
        found |= {"outside": "clamp"} if space.clamps else {}
        found |= {"off_grid": "round"} if space.rounds else {}
    return found


def encode_values(space: Space, values: Any) -> NDArray[np.int64]:
    """Return the codes of values in any form that mechanisms take."""
    pieces = [np.asarray(piece) for piece in read_inputs(space, values).pieces()]
    return np.concatenate(pieces).astype(np.int64) if pieces else np.empty(0, dtype=np.int64)


def read_described_space(document: dict[str, Any]) -> Space:
    """Return the values of a specification, which are read as it says."""
    space, reading = read_space(document["values"]), document.get("reading", {})
    if isinstance(space, Categories) and "bytes" in reading:
        labels = list(space.labels)
        for code in reading["bytes"]:
            labels[code] = bytes.fromhex(labels[code])
        return Categories(labels)
    ways = {name: reading[name] for name in ("outside", "off_grid") if name in reading}
    return space.reading(**ways) if isinstance(space, Interval) and ways else space


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> FrequencyCollection:
    """Return the collection with these settings."""
    space = read_described_space(document)
    return frequencies(space, epsilon=epsilon, method=document["method"], name=document["name"])
