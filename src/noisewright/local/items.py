"""Which items people have, and the most frequent of them: in one phase, or in several.

**One phase.** Everybody's set is filled up to `largest` items, and one of them is sent (see
`padded.py`).

**LDPMiner** (Qin, Yang, Yu, Khalil, Xiao and Ren 2016). Everybody sends two reports of ε/2 each:
first of all items, from which twice as many candidates as are wanted are found, then of the
candidates only. Responses are not amplified, as in the paper; they are projective ones, which have
less variance than the succinct histograms and RAPPOR of the paper.

**SVIM** (Wang, Li and Jha 2018). Everybody sends one report of ε, in one of three groups. The first
sends one item of each set as it is, which finds the candidates; the second how many of the
candidates each person has, up to `largest`, of which the 90% quantile is what sets are filled up
to; the third one item of the candidates, by the response that has less variance. The groups are
6 : 1 : 3 of the people, as candidates are the harder part: with 4 : 1 : 5, which other programs
use, fewer of the most frequent items are found where there are thousands of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, final, overload

import numpy as np
from numpy.typing import NDArray

from noisewright import sampling
from noisewright.certificates import Certificate, certify_collection
from noisewright.errors import InputError, ParameterError
from noisewright.estimation import Estimate
from noisewright.exact import Epsilon, Number
from noisewright.given import one_of, whole_number
from noisewright.local.collection import read_name
from noisewright.local.frequencies import FrequencyPlan
from noisewright.local.item_collection import ItemCollection, SetCollection
from noisewright.local.padded import choose_sample, plain_sample
from noisewright.local.server import CollectionServer
from noisewright.local.set_sizes import SetSizeCollection
from noisewright.local.shares import require_people
from noisewright.mechanisms import Guarantee, positive_epsilon
from noisewright.public import public, public_methods
from noisewright.spaces import Subsets
from noisewright.tables import ItemSets, read_sets

METHODS = ("one phase", "ldpminer", "svim")
Several = Literal["ldpminer", "svim"]

_CANDIDATES = 2
"""So many times more candidates are looked at than are wanted."""
_GROUPS = (6, 1, 3)
"""How the people are divided among the three phases of SVIM.

Chosen on the groceries and retail baskets of `papers/survey/itemsets.py`, which says what others
gave there.
"""
_COVERED = 0.9


@overload
def items(
    items: Iterable[Any] | Subsets,
    *,
    largest: int,
    epsilon: Number | Epsilon,
    top: None = None,
    method: Literal["one phase"] | None = None,
    name: str = "",
) -> ItemCollection: ...


@overload
def items(
    items: Iterable[Any] | Subsets,
    *,
    largest: int,
    epsilon: Number | Epsilon,
    top: int,
    method: Literal["one phase", "ldpminer", "svim"] | None = None,
    name: str = "",
) -> ItemProtocol: ...


@public
def items(
    items: Iterable[Any] | Subsets,
    *,
    largest: int,
    epsilon: Number | Epsilon,
    top: int | None = None,
    method: Literal["one phase", "ldpminer", "svim"] | None = None,
    name: str = "",
) -> ItemCollection | ItemProtocol:
    """Return how to find out which of these items people have, each of whom has a set of them.

    Without `top` it is one collection, of all items. With `top`, so many of the most frequent items
    are looked for: a protocol of one or several phases, "svim" unless `method` says otherwise.
    Sets are filled up to `largest` items, or by "svim" to fewer, as it finds out; larger ones are
    allowed, and count less.

    Requires: 2 to 2^20 − largest items; 1 ≤ top ≤ items; epsilon > 0.
    Ensures: what one person sends, in all phases, is ε-private for replacing their set by any
    other, proven.
    Source: Wang, Li and Jha 2018; Qin, Yang, Yu, Khalil, Xiao and Ren 2016.
    """
    space = Subsets(items.items if isinstance(items, Subsets) else items)
    count = len(space.items)
    read = positive_epsilon(epsilon, None, instead="There is nothing to learn at 0.")
    size = whole_number(largest, name="largest", least=1, most=1 << 16)
    if method is not None:
        method = one_of(method, METHODS, name="method")
    named = read_name(name)
    if top is None:
        if method not in (None, "one phase"):
            raise ParameterError(
                f"{method} looks for the most frequent items; give top=, how many to find."
            )
        sample, why = choose_sample(count, size, read)
        return ItemCollection(space, sample, why, named)
    wanted = whole_number(top, name="top", least=1, most=count)
    return ItemProtocol(space, read, size, wanted, method or "svim", named)


@dataclass(frozen=True, eq=False)
class FoundItems:
    """The items with the largest shares among all that were asked for, most frequent first.

    `estimate` has the shares of all items of the last phase.
    """

    items: list[Any]
    estimate: Estimate
    collection: ItemCollection

    @property
    def phases(self) -> tuple[SetCollection, ...]:
        """The collections of all phases."""
        return (*self.collection.before, self.collection)

    def __repr__(self) -> str:
        values = [self.estimate[item] for item in self.items[:12]]
        lines = [
            f"  {item!s:<24} {one.value:8.3%}  ({one.interval[0]:.3%} to {one.interval[1]:.3%})"
            for item, one in zip(self.items, values, strict=False)
        ]
        rest = [f"  … {len(self.items) - 12:,} more"] if len(self.items) > 12 else []
        return "\n".join([f"the {len(self.items):,} most frequent items", *lines, *rest])


@dataclass(frozen=True)
class PhasePlan:
    """How many people each phase should have, and what to expect of the first."""

    people: tuple[int, ...]
    first: FrequencyPlan

    def __str__(self) -> str:
        each = ", ".join(f"{count:,}" for count in self.people)
        return f"people in each phase: {each}. First phase: {self.first}"


@public_methods
@final
class ItemProtocol:
    """The most frequent items, in phases that are run one after the other.

    `phase(1)` is the collection of the first phase. `next(server)` takes the server of one phase,
    and gives the collection of the next; `result(server)` takes that of the last. `sends` says
    whether a person takes part in one phase, or in all.
    """

    def __init__(
        self, space: Subsets, epsilon: Epsilon, largest: int, top: int, method: str, name: str
    ) -> None:
        self.space = space
        self.largest = largest
        self.top = top
        self.method = method
        self.name = name
        self.guarantee = Guarantee(epsilon)
        self._each = _half(epsilon) if method == "ldpminer" else epsilon
        self._first = self._make(np.arange(len(space.items)), 1 if method == "svim" else largest)

    @property
    def sends(self) -> Literal["one", "all"]:
        """Whether each person sends a report of one phase, drawn beforehand, or of all of them."""
        return "all" if self.method == "ldpminer" else "one"

    @property
    def phases(self) -> int:
        """How many phases there are."""
        return {"one phase": 1, "ldpminer": 2, "svim": 3}[self.method]

    def _make(
        self,
        candidates: NDArray[np.int64],
        largest: int,
        before: tuple[SetCollection, ...] = (),
        correction: float = 1.0,
    ) -> ItemCollection:
        if self.method == "ldpminer":
            sample = plain_sample(candidates.size, largest, self._each)
            why = "Projective response to one sampled item, as amplification came later."
        else:
            sample, why = choose_sample(candidates.size, largest, self._each)
        return ItemCollection(
            self.space,
            sample,
            why,
            self.name,
            candidates=candidates,
            before=before,
            correction=correction,
        )

    def phase(self, number: int) -> ItemCollection:
        """Return the collection of the first phase; later ones follow from `next`."""
        if number != 1:
            raise ParameterError(
                f"phase {number!r} depends on what earlier ones find; give the server of the phase "
                "before it to next()."
            )
        return self._first

    def next(self, server: CollectionServer) -> SetCollection:
        """Return the collection of the phase after the one whose reports this server counted."""
        done, people = self._read(server), server.people
        if len(done.before) + 1 == self.phases:
            raise InputError("this was the last phase; result() says what was found.")
        before = (*done.before, done)
        if isinstance(done, SetSizeCollection):
            largest, correction = done.padding(server.tally, people, covered=_COVERED)
            return self._make(done.candidates, largest, before, correction)
        assert isinstance(done, ItemCollection)
        many = min(_CANDIDATES * self.top, len(self.space.items))
        # In the order of the list: which one came first is not asked again.
        candidates = np.sort(done.largest_shares(server.tally, many))
        if self.method == "svim":
            most, each = self.largest, self._each
            return SetSizeCollection(
                self.space, candidates, each, self.name, most=most, before=before
            )
        return self._make(candidates, min(self.largest, many), before)

    def result(self, server: CollectionServer, **options: Any) -> FoundItems:
        """Return what was found, given the server of the last phase; options as for `estimate`."""
        done = self._read(server)
        if len(done.before) + 1 != self.phases:
            raise InputError(
                f"this is phase {len(done.before) + 1} of {self.phases}; next() gives the "
                "collection of the phase after it."
            )
        assert isinstance(done, ItemCollection)
        estimate = server.estimate(**options)
        found = done.largest_shares(server.tally, self.top)
        return FoundItems([self.space.items[place] for place in found.tolist()], estimate, done)

    def _read(self, server: CollectionServer) -> SetCollection:
        done = server.collection
        first = done.before[0] if isinstance(done, SetCollection) and done.before else done
        if not isinstance(done, SetCollection) or first.digest != self._first.digest:
            raise InputError(
                "this server counts reports of another protocol, or of other settings."
            )
        if not server.people:
            raise InputError(f"no report is counted yet ({server.arrivals}); add some first.")
        return done

    def certificate(self, collection: SetCollection | None = None) -> Certificate:
        """Return the proof of what a person sends, in all phases up to the one given.

        Requires: `collection` is that of the last phase, for the whole; without it the first.
        """
        last = collection or self._first
        parts = [(one.randomizer.describe(), one.guarantee) for one in (*last.before, last)]
        return certify_collection(parts, sends=self.sends, guarantee=self.guarantee)

    def groups(self, people: int) -> tuple[int, ...]:
        """Return how many people each phase should have, of so many in all."""
        people = require_people(people)
        if self.sends == "all" or self.phases == 1:
            return (people,) * self.phases
        ends = [people * sum(_GROUPS[: n + 1]) // sum(_GROUPS) for n in range(len(_GROUPS))]
        return tuple(int(size) for size in np.diff([0, *ends]))

    def plan(self, *, people: int, **options: Any) -> PhasePlan:
        """Return how many people each phase should have, and the errors of the first."""
        sizes = self.groups(people)
        return PhasePlan(sizes, self._first.plan(people=max(sizes[0], 1), **options))

    def run(self, sets: Any, *, source: sampling.Source | None = None) -> FoundItems:
        """Play all people, whose sets these are, and the servers: for research.

        Who takes part in which phase is drawn at random.
        """
        given, _ = read_sets(self.space, sets)
        people = len(given)
        if people < self.phases:
            raise InputError(f"there are {people:,} sets; {self.phases} phases need more people.")
        bits = sampling.source_or_default(source)
        order, sizes = sampling.permutation(people, bits), self.groups(people)
        ends = np.concatenate([[0], np.cumsum(sizes)])
        collection: SetCollection = self._first
        for number in range(self.phases):
            mine = order if self.sends == "all" else order[ends[number] : ends[number + 1]]
            some = _take(given, mine)
            server = collection.server()
            server.add(collection.reports((some.indices, some.offsets), source=bits))
            if number + 1 == self.phases:
                return self.result(server)
            collection = self.next(server)
        raise AssertionError("there is a last phase")

    def __repr__(self) -> str:
        label = f" {self.name!r}" if self.name else ""
        return (
            f"<protocol{label} for the {self.top:,} most frequent of {len(self.space.items):,} "
            f"items by {self.method}, {self.guarantee} for each person>"
        )


def _half(epsilon: Epsilon) -> Epsilon:
    """Return half of ε, or hardly less where that is no rational number and no logarithm."""
    if epsilon.ratio is None:
        return Epsilon(rational=epsilon.rational / 2)
    return Epsilon(rational=Fraction(epsilon.bounds(64)[0], 1 << 65))


def _take(sets: ItemSets, rows: NDArray[Any]) -> ItemSets:
    """Return some of the sets."""
    sizes = sets.sizes[rows]
    ends = np.concatenate([[0], np.cumsum(sizes)])
    places = np.arange(ends[-1]) + np.repeat(sets.offsets[rows] - ends[:-1], sizes)
    return ItemSets(sets.indices[places], ends)
