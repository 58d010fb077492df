"""Counts of yes in public groups: an optimal mechanism on 0..n for each size n of a group.

The groups, and how many people each has, are public; one answer of each person is private. A person
is in one group, so changing an answer moves one count by at most one, and ε is spent once, however
many groups there are (Cormode, Kulkarni and Srivastava 2018, Section 2.1).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate, certify_groups
from noisewright.errors import InputError, ParameterError, UnidentifiableError
from noisewright.estimation import normal_quantile, read_confidence
from noisewright.exact import Epsilon, Number, exactly
from noisewright.given import brief, of_kind, one_of, whole_number
from noisewright.mechanisms import PAPER, Guarantee
from noisewright.public import public, public_methods
from noisewright.queries.answers.answered import Answered, as_floats
from noisewright.queries.groups.choose import MECHANISMS, GroupChoice
from noisewright.queries.groups.output_readings import OutputReadings, read_outputs
from noisewright.queries.groups.size_design import SizeDesign, SizePrediction

if TYPE_CHECKING:
    from noisewright.sampling import Source

Whole = NDArray[np.int64]


@public_methods
@dataclass(frozen=True, eq=False, repr=False)
class GroupDesigns:
    """A mechanism for each size of a group; made by `design_groups`.

    `sizes` has the groups in their order, and how many people each has. `guarantee` holds for
    changing the answer of one person: it is what all groups together cost.
    """

    sizes: Mapping[Hashable, int]
    guarantee: Guarantee
    by_size: Mapping[int, SizeDesign]
    """One for each size above 0; of a group of nobody the count is 0, and nobody's secret."""

    def __len__(self) -> int:
        return len(self.sizes)

    def __repr__(self) -> str:
        least, most = min(self.by_size), max(self.by_size)
        people = f"{least:,} to {most:,} people" if least < most else f"{most:,} people"
        return f"<designs for {len(self):,} groups of {people}, {self.guarantee}>"

    @cached_property
    def people(self) -> Whole:
        """How many people each group has, in the order of the groups."""
        return np.fromiter(self.sizes.values(), dtype=np.int64, count=len(self))

    @cached_property
    def properties(self) -> frozenset[str]:
        """The structural properties that the mechanisms of all sizes have."""
        return frozenset.intersection(*(one.properties for one in self.by_size.values()))

    @cached_property
    def certificate(self) -> Certificate:
        """The proof for all groups; nothing in it is about the answers.

        It holds the mechanism of each size and how many groups have that size, the claim, the
        properties that every mechanism has, and of designs the proof that nothing is better.
        Ensures: the stand-alone checker has proven it, or CertificateError.
        """
        return certify_groups(
            [(groups, one.design or one.mechanism) for groups, one in self._of_each_size()],
            guarantee=self.guarantee,
            properties=[code for code in PAPER if code in self.properties],
        )

    def _of_each_size(self) -> list[tuple[int, SizeDesign]]:
        """Return for each size how many groups have it, and their mechanism."""
        often = Counter(self.sizes.values())
        return [(often[size], one) for size, one in self.by_size.items()]

    def draw(self, counts: Mapping[Any, int] | Any, source: Source | None = None) -> Whole:
        """Draw a count for each group, in their order: the one step that spends the guarantee.

        `counts` are the true numbers of yes: a mapping from groups, in which a missing one is 0 and
        one that is not public is left out, or whole numbers in the order of the groups.
        Ensures: answers within 0..n. A count that disagrees with the public size is moved to the
        nearest end of 0..n, so that nothing here fails because of the data.
        """
        truth = self._clamp(counts)
        drawn = np.zeros_like(truth)
        for size, one in self.by_size.items():
            here = self.people == size
            drawn[here] = one.mechanism.draw(truth[here], source)
        return drawn

    def _clamp(self, counts: Any) -> Whole:
        """Read counts of yes, each moved to the nearest end of 0..n if it is outside."""
        if isinstance(counts, Mapping):
            pairs = ((int(counts.get(group, 0)), size) for group, size in self.sizes.items())
            return np.array([max(0, min(count, size)) for count, size in pairs], dtype=np.int64)
        truth = np.asarray(counts)
        if truth.shape != self.people.shape or truth.dtype.kind not in "iu":
            raise InputError(
                f"counts must be {len(self):,} whole numbers, one for each group, or a mapping "
                "from groups to whole numbers."
            )
        if truth.dtype.kind == "u":  # numbers from 2^63 on would turn negative
            truth = np.minimum(truth.astype(np.uint64), self.people.astype(np.uint64))
        return np.clip(truth.astype(np.int64), 0, self.people)

    def estimate(self, drawn: Any, *, confidence: float = 0.95) -> Answered:
        """Return what released counts say about the true ones: errors and intervals.

        Requires: what `draw` returned, in the order of the groups.
        Ensures: values are the released counts; a true count is in its interval with at least the
        confidence, whatever it is. `unbiased` may be added up over groups; it is NaN where no
        function of the released count is unbiased.
        """
        values, level = self._require_drawn(drawn), read_confidence(confidence)
        errors, lows, highs, unbiased = np.zeros((4, len(self)))
        for here, read in self._read(values, level):
            errors[here], lows[here], highs[here] = read.standard_errors, read.lows, read.highs
            unbiased[here] = read.unbiased
        possible = (0.0, float(self.people.max()))
        return Answered("count", as_floats(values), errors, lows, highs, unbiased, possible, level)

    def total(self, drawn: Any, *, confidence: float = 0.95) -> Answered:
        """Return what released counts say about the number of yes in all groups together.

        Requires: what `draw` returned, and mechanisms with an unbiased estimate.
        """
        values, level = self._require_drawn(drawn), read_confidence(confidence)
        found = variance = 0.0
        for _, read in self._read(values, level):
            found += read.unbiased.sum()
            variance += (read.unbiased_errors**2).sum()
        if math.isnan(found):
            raise UnidentifiableError(
                "for some size of groups no function of the released count is unbiased, so groups "
                "cannot be added up. The geometric mechanism, mechanism='GM', has one."
            )
        error, most = math.sqrt(variance), float(self.people.sum())
        half = normal_quantile(level) * error
        value, low, high = np.clip([[found], [found - half], [found + half]], 0, most)
        errors, unbiased = np.array([[error], [found]])
        return Answered("count", value, errors, low, high, unbiased, (0.0, most), level)

    def _require_drawn(self, drawn: Any) -> Whole:
        values = np.asarray(drawn)
        ok = values.shape == self.people.shape and values.dtype.kind in "iu"
        if not ok or (values < 0).any() or (values > self.people).any():
            raise InputError(
                f"drawn must be the {len(self):,} counts that draw() returned, in their order."
            )
        return values

    def _read(self, values: Whole, level: float) -> Iterator[tuple[Any, OutputReadings]]:
        """Yield for each size where its groups are, and what their released counts say."""
        for size, one in self.by_size.items():
            here = self.people == size
            yield here, read_outputs(one.mechanism, values[here], exactly(level))

    def predict(self, *, confidence: float = 0.95) -> tuple[SizePrediction, ...]:
        """Return for each size how well its groups will be counted; nothing is spent."""
        level = exactly(read_confidence(confidence))
        return tuple(one.predict(groups, level) for groups, one in self._of_each_size())


@public
def design_groups(
    sizes: Mapping[Any, int],
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    delta: Number = 0,
    mechanism: str = "design",
    loss: Any = "L0",
    goal: str = "expected",
    prior: Any = None,
    properties: Any = (),
) -> GroupDesigns:
    """Choose a mechanism on 0..n for each size n of the groups.

    Requires: `sizes`, how many people each public group has, from public knowledge and never from
    the private data. `mechanism`: "design", the optimal one for `loss`, `goal`, `prior` and
    `properties` as in nw.design; or by name "GM" ("geometric"), "EM" ("explicit_fair"), "UM"
    ("uniform", which costs nothing) or "WM" (the least L0 with WH, RM and CM), which must have the
    `properties` too. A `prior` is a function from a size to weights, or a number: the share of
    people who are expected to say yes. A `loss` is a name, or a function of (input, output).
    Ensures: one mechanism for each size that occurs, all with the same guarantee, which is for
    changing the answer of one person, and all with the properties.
    Source: Cormode–Kulkarni–Srivastava 2018.
    """
    groups = _read_sizes(sizes)
    name = one_of(mechanism, MECHANISMS, name="mechanism")
    choice = GroupChoice(
        name, Guarantee(epsilon, delta, alpha=alpha), loss, goal, prior, properties
    )
    by_size = {size: choice.of_size(size) for size in sorted({*groups.values()} - {0})}
    claim = next(iter(by_size.values())).mechanism.claim
    assert claim is not None
    return GroupDesigns(MappingProxyType(groups), claim, MappingProxyType(by_size))


def _read_sizes(sizes: Any) -> dict[Hashable, int]:
    of_kind(sizes, Mapping, name="sizes", such_as="a mapping from groups to numbers of people")
    groups = {
        group: whole_number(size, name=f"the size of group {brief(group)}", least=0, most=1 << 62)
        for group, size in sizes.items()
    }
    if not any(groups.values()):
        raise ParameterError("sizes has no group with people in it; give at least one.")
    return groups
