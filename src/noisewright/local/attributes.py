"""Several attributes of each person, of which each device reports one, drawn at random.

Splitting ε over d attributes costs far more than asking each of a d-th of the people with all of
ε: the variance of a mean or share is about 1/ε² for small ε, so that splitting has d² / n where
sampling has d / n (Wang, Xiao, Yang, Zhao, Hui, Shin, Shin and Yu 2019; Nguyên, Xiao, Yang, Hui,
Shin and Shin 2016). Which attribute is drawn tells nothing about the person.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import read_epsilon
from noisewright.errors import InputError, ParameterError
from noisewright.exact import Epsilon
from noisewright.given import brief
from noisewright.local.collection import Collection, read_name
from noisewright.local.one_of_several import OneOfSeveral
from noisewright.local.shares import require_people
from noisewright.local.wire import OVERHEAD
from noisewright.mechanisms import Guarantee
from noisewright.public import public

_LARGEST_WEIGHT = 1 << 32


@public
def one_of(
    attributes: Mapping[str, Collection],
    *,
    weights: Mapping[str, int] | None = None,
    name: str = "",
) -> AttributesCollection:
    """Return a collection of several attributes, of which each device reports one.

    Requires: a collection for each attribute, such as nw.local.mean(…) or
    nw.local.frequencies(…), of one value each. `weights` are whole numbers; an attribute is drawn
    with a probability in proportion to its weight, and all are equally likely without it.
    Ensures: a report is ε-private for replacing all of the person's record, with the largest ε of
    the attributes: which one is drawn does not depend on the record.
    """
    if not isinstance(attributes, Mapping) or not attributes:
        raise ParameterError(
            f"attributes is {brief(attributes)}; give a collection for each, by name: "
            '{"age": nw.local.mean(…), "job": nw.local.frequencies(…)}.'
        )
    for label, part in attributes.items():
        if not isinstance(label, str) or not label:
            raise ParameterError(f"an attribute is named {brief(label)}; names must be texts.")
        if not isinstance(part, Collection) or part.sends != "one":
            raise ParameterError(
                f"the attribute {label!r} is {brief(part)}; it must be a collection of one report "
                "a person, such as nw.local.mean(…)."
            )
        if isinstance(part, AttributesCollection):
            raise ParameterError(
                f"the attribute {label!r} has several attributes itself; name them all in one."
            )
    return AttributesCollection(
        dict(attributes), _read_weights(weights, attributes), read_name(name)
    )


def _read_weights(
    weights: Mapping[str, int] | None, attributes: Mapping[str, Collection]
) -> tuple[int, ...]:
    if weights is None:
        return (1,) * len(attributes)
    if not isinstance(weights, Mapping) or set(weights) != set(attributes):
        raise ParameterError(
            f"weights is {brief(weights)}; it must have a whole number for each attribute."
        )
    found = [weights[label] for label in attributes]
    for weight in found:
        if (
            not isinstance(weight, int)
            or isinstance(weight, bool)
            or not (0 < weight <= _LARGEST_WEIGHT)
        ):
            raise ParameterError(
                f"a weight is {brief(weight)}; weights must be whole numbers from 1 to 2^32."
            )
    return tuple(found)


@dataclass(frozen=True)
class AttributesPlan:
    """What to expect of each attribute, from the people who are expected to report it."""

    people: int
    attributes: dict[str, Any]
    bytes_per_report: int
    chances: dict[str, float]

    def __getitem__(self, attribute: str) -> Any:
        """Return the plan of one attribute."""
        if attribute not in self.attributes:
            raise ParameterError(
                f"{brief(attribute)} is not an attribute; there are {', '.join(self.attributes)}."
            )
        return self.attributes[attribute]

    def people_for(self, attribute: str, standard_error: float) -> int:
        """Return how many people in all a standard error of one attribute needs."""
        reporting = self[attribute].people_for(standard_error)
        return math.ceil(reporting / self.chances[attribute])

    def __str__(self) -> str:
        lines = [f"{label}: {plan}" for label, plan in self.attributes.items()]
        head = (
            f"{self.people:,} people report one of {len(lines)} attributes each, "
            f"{self.bytes_per_report:,} bytes per report"
        )
        return "\n".join([head, *lines])


@final
class AttributesCollection(Collection):
    """A record of several attributes from each person, of which a report tells about one."""

    randomizer: OneOfSeveral

    def __init__(
        self, attributes: dict[str, Collection], weights: tuple[int, ...], name: str
    ) -> None:
        self.attributes = attributes
        self.name = name
        ways = tuple(part.randomizer for part in attributes.values())
        self.randomizer = OneOfSeveral(ways, weights)

    @property
    def chances(self) -> dict[str, float]:
        """How likely a device reports each attribute."""
        weights = self.randomizer.weights
        shares = (weight / sum(weights) for weight in weights)
        return dict(zip(self.attributes, shares, strict=True))

    def settings(self) -> dict[str, Any]:
        """Return the attributes, in their order, and their weights."""
        parts = [
            {
                **part.settings(),
                "name": label,
                "weight": weight,
                "claims": part.guarantee.describe(),
            }
            for (label, part), weight in zip(
                self.attributes.items(), self.randomizer.weights, strict=True
            )
        ]
        return {"kind": "attributes", "attributes": parts}

    def parts(self) -> Iterable[tuple[dict[str, Any], Guarantee]]:
        """Return what a certificate says of each attribute."""
        for part in self.attributes.values():
            yield from part.parts()

    def reading(self) -> dict[str, Any] | None:
        """Return how clients read a record: each attribute in its own way."""
        parts = [
            (part.reading(), part.settings().get("values")) for part in self.attributes.values()
        ]
        found = [{"values": values, **reading} for reading, values in parts if reading is not None]
        if len(found) < len(parts):
            return None
        return {"kind": "record", "names": list(self.attributes), "parts": found}

    def examples(self, most: int) -> list[Any]:
        """Return records of the attributes' own examples."""
        columns = {label: part.examples(most) for label, part in self.attributes.items()}
        return [
            {label: column[i % len(column)] for label, column in columns.items()}
            for i in range(most)
        ]

    def encode(self, values: Any) -> NDArray[Any]:
        """Return the codes of records: a row for each, a column for each attribute.

        Takes columns by name (a dict, an Arrow table, a data frame) or a list of records.
        """
        columns = [
            self._codes(label, part, column)
            for (label, part), column in zip(
                self.attributes.items(), columns_of(values, list(self.attributes)), strict=True
            )
        ]
        if len({len(column) for column in columns}) > 1:
            raise InputError("the columns have different lengths; each person needs all of them.")
        # Codes of open domains may need all 64 bits, which no common type of both signs has.
        kind = np.uint64 if any(column.dtype == np.uint64 for column in columns) else np.int64
        return np.stack([column.astype(kind) for column in columns], axis=1)

    def _codes(self, label: str, part: Collection, column: Any) -> NDArray[Any]:
        codes = part.encode(column)
        if codes.ndim != 1:
            raise InputError(f"the attribute {label!r} is not one value a person.")
        return codes

    def estimate_from(
        self, tally: NDArray[np.int64], people: int, *, about: str = "population", **options: Any
    ) -> dict[str, Any]:
        """Return what each attribute's own reports tell, by its name; options go to all of them.

        Those who report an attribute are a random sample of all people, so that by default
        sampling counts as error; the intervals then hold about all people who reported, too.
        about="people" is about the people who reported this very attribute. An attribute that
        fewer than two devices have drawn is left out.
        """
        found: dict[str, Any] = {}
        for number, (label, part) in enumerate(self.attributes.items()):
            some, own = self.randomizer.split(tally, number)
            if some > 1:
                found[label] = part.estimate_from(own, some, about=about, **options)
        return found

    def detect_from(self, tally: NDArray[np.int64], people: int, **options: Any) -> dict[str, Any]:
        """Return which values are told from noise, of all attributes that look for values."""
        found: dict[str, Any] = {}
        for number, (label, part) in enumerate(self.attributes.items()):
            some, own = self.randomizer.split(tally, number)
            if some and type(part).detect_from is not Collection.detect_from:
                found[label] = part.detect_from(own, some, **options)
        return found

    def robust_from(
        self, tally: NDArray[np.int64], people: int, *, fakes: float, **options: Any
    ) -> dict[str, Any]:
        """Return how far fake devices can push each attribute, if all of them report that one."""
        found: dict[str, Any] = {}
        for number, (label, part) in enumerate(self.attributes.items()):
            some, own = self.randomizer.split(tally, number)
            if some:
                share = min(math.floor(fakes * people), some - 1) / some
                found[label] = part.robust_from(own, some, fakes=share, **options)
        return found

    def plan(self, *, people: int, **options: Any) -> AttributesPlan:
        """Return the errors of each attribute, for so many people in all."""
        people = require_people(people)
        options = {"about": "population", **options}
        plans = {
            label: part.plan(people=max(int(people * self.chances[label]), 1), **options)
            for label, part in self.attributes.items()
        }
        length = self.randomizer.length + OVERHEAD
        return AttributesPlan(people, plans, length, self.chances)

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        names = ", ".join(self.attributes)
        return f"<collection{label} of one of {names}, {self.guarantee} per report>"


def from_settings(document: dict[str, Any], epsilon: Epsilon) -> AttributesCollection:
    """Return the collection with these settings; each attribute has its own ε."""
    from noisewright.local.opening import open_settings

    parts = document["attributes"]
    readings = document.get("reading", {"parts": [{}] * len(parts)})["parts"]
    made = {
        one["name"]: open_settings(
            {**one, "name": "", "reading": reading}, read_epsilon(one["claims"]["epsilon"])
        )
        for one, reading in zip(parts, readings, strict=True)
    }
    weights = {one["name"]: one["weight"] for one in parts}
    return one_of(made, weights=weights, name=document["name"])


def columns_of(values: Any, names: list[str]) -> list[Any]:
    """Return the columns of a table, or of records, by these names."""
    if isinstance(values, list | tuple):
        for row, record in enumerate(values):
            if not isinstance(record, Mapping) or any(name not in record for name in names):
                raise InputError(
                    f"record {row} is not a mapping with {', '.join(names)}; give each person's "
                    "record as a dict with all attributes."
                )
        return [[record[name] for record in values] for name in names]
    known = _names_in(values)
    missing = [name for name in names if name not in known]
    if missing:
        raise InputError(
            f"there is no column {missing[0]!r}; give a table, a dict of columns or a list of "
            f"records with {', '.join(names)}."
        )
    columns = [values[name] for name in names]
    if any(isinstance(column, str | bytes) or not hasattr(column, "__len__") for column in columns):
        raise InputError("a column holds one value only; give one record as a list of one dict.")
    return columns


def _names_in(values: Any) -> list[Any]:
    if isinstance(values, Mapping):
        return list(values)
    names = getattr(values, "column_names", None)  # Arrow
    if names is None:
        names = getattr(values, "columns", None)  # data frames
    return [] if names is None else list(names)
