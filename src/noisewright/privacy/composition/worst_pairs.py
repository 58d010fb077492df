"""The worst neighbors of a composition: which products of pairs to bound.

When all mechanisms see the same data, the two inputs behind a product are the same for each
factor. When they see different data, or are chosen adaptively, each may face its own worst
pair, and the dominating pair of its whole profile stands for it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import log_bounds
from noisewright.privacy.composition.brackets import (
    SAMPLES,
    Bracket,
    Factors,
    bracket_products,
    exactly_worst,
)
from noisewright.privacy.composition.exact_products import (
    MOST_ATOMS,
    MOST_BITS,
    Factor,
    expanded_size,
)
from noisewright.privacy.composition.pairs import (
    Frontier,
    Pair,
    dominating_pair,
    frontier_of,
    highest,
)
from noisewright.privacy.composition.screening import (
    LossSketch,
    groups,
    largest_first,
    worst_somewhere,
)
from noisewright.privacy.composition.sources import Finite, Reading
from noisewright.privacy.profile import profile_of_masses

_MOST_GROUPS = 1024
_MOST_COMPARED = 50_000
_MOST_LOWER = 12
_RHO_BITS = 128
_HOPELESS, _FEW_POINTS = 1000.0, 2048
"""Beyond this mean loss nothing is private, and a rough answer says so well enough."""


@dataclass(frozen=True)
class WorstCase:
    """The parts of a reading, with what is needed to bound their composition."""

    reading: Reading
    precision: float
    points: int

    def bracket(self, *, adaptive: bool) -> Bracket:
        """Bound the curve of all parts, apart from ρ."""
        hulls = self.hulls
        if adaptive or not hulls:
            return self._bound_one(hulls)
        if not self.reading.shared:
            return self._bound_separate(hulls)
        if self.below == self.above:
            exact = self._expand()
            if exact is not None:
                return exact
        return self._bound_shared(hulls)

    def rho(self) -> Fraction | None:
        """Return a ρ for which all parts are ρ-zCDP, Σ ε²/2; None when some ε is infinite."""
        total = Fraction(0)
        for pair, times in self._factors(self.hulls, self.above):
            ratio = pair.largest_ratio
            if ratio is None:
                return None
            epsilon = Fraction(log_bounds(ratio, _RHO_BITS)[1], 1 << _RHO_BITS)
            total += times * epsilon**2 / 2
        return total

    @cached_property
    def hulls(self) -> list[Pair]:
        """The dominating pair of each finite mechanism."""
        return [_whole_hull(source) for source in self.sources]

    @property
    def sources(self) -> list[Finite]:
        """The finite mechanisms."""
        return [source for source, _ in self.reading.rows]

    @property
    def below(self) -> list[Factor]:
        """What is known by a guarantee, from below."""
        return [(known.lower, times) for known, times in self.reading.known]

    @property
    def above(self) -> list[Factor]:
        """What is known by a guarantee, from above."""
        return [(known.upper, times) for known, times in self.reading.known]

    def _factors(self, pairs: Sequence[Pair], known: Sequence[Factor]) -> list[Factor]:
        """Join one pair for each finite mechanism with what is known; equal pairs are merged."""
        merged: dict[Pair, int] = {}
        listed = [*zip(pairs, (k for _, k in self.reading.rows), strict=True), *known]
        for pair, times in listed:
            merged[pair] = merged.get(pair, 0) + times
        return list(merged.items())

    def _bound_one(self, hulls: Sequence[Pair]) -> Bracket:
        """Bound one product that both dominates and occurs."""
        lower, upper = self._factors(hulls, self.below), self._factors(hulls, self.above)
        if lower == upper and expanded_size(upper) is not None:
            return exactly_worst([upper], both=False)
        return self._bracket([lower], [upper], self.points)

    def _bracket(
        self, lowers: Sequence[Factors], uppers: Sequence[Factors], points: int
    ) -> Bracket:
        return bracket_products(lowers, uppers, precision=self.precision, points=points)

    def _expand(self) -> Bracket | None:
        """Expand the product for every two neighbors, when that is small enough."""
        sources = self.sources
        unordered = len(sources[0].codes) // 2
        if unordered * sum(len(source.rows[0]) for source in sources) > _MOST_COMPARED:
            return None
        distinct = {
            tuple(source.pair(index) for source in sources): None for index in range(unordered)
        }
        candidates = [self._factors(pairs, self.below) for pairs in distinct]
        atoms = bits = 0
        for factors in candidates:
            size = expanded_size(factors)
            if size is None:
                return None
            atoms += 2 * size
            bits += 4 * size * sum(k * pair.total.bit_length() for pair, k in factors)
            # Curves of several pairs must also be merged, which takes as long as expanding them.
            if len(candidates) > 1 and (2 * atoms > MOST_ATOMS or bits > MOST_BITS):
                return None
        return exactly_worst(candidates, both=True)

    def _bound_shared(self, hulls: Sequence[Pair]) -> Bracket:
        """Bound the worst over neighbors that all mechanisms see."""
        sources = self.sources
        members = groups(sources, hulls)
        leading = [int(group[0]) for group in members]
        if _is_attained(sources, hulls, leading):
            return self._bound_one(hulls)
        chosen = largest_first(sources, leading)[:_MOST_GROUPS]
        occurring = [[source.pair(leading[i]) for source in sources] for i in chosen]
        if not 1 < len(members) <= _MOST_GROUPS:
            return self._search(occurring, [hulls])
        dominating = [
            [_group_hull(s, group, whole) for s, whole in zip(sources, hulls, strict=True)]
            for group in members
        ]
        return self._search(occurring, dominating)

    def _bound_separate(self, hulls: Sequence[Pair]) -> Bracket:
        """Bound mechanisms that each face their own worst neighbors."""
        occurring: list[list[Pair]] = []
        dominating: list[list[Pair]] = []
        for source, whole in zip(self.sources, hulls, strict=True):
            members = groups([source], [whole])
            leading = [int(group[0]) for group in members]
            if _is_attained([source], [whole], leading):
                occurring.append([whole])
                dominating.append([whole])
            else:
                order = largest_first([source], leading)
                occurring.append([source.pair(leading[i]) for i in order])
                dominating.append([_group_hull(source, group, whole) for group in members])
        if all(len(options) == 1 for options in occurring) and occurring == dominating:
            return self._bound_one(hulls)
        if math.prod(map(len, occurring)) > _MOST_GROUPS:
            # Each mechanism's own worst pairs stand for all combinations of pairs.
            occurring = self._own_worst(occurring, hulls)
            return self._search(list(zip(*occurring, strict=True)), [hulls])
        return self._search(
            list(itertools.product(*occurring)), list(itertools.product(*dominating))
        )

    def _own_worst(
        self, occurring: Sequence[Sequence[Pair]], hulls: Sequence[Pair]
    ) -> list[list[Pair]]:
        """Keep a few pairs of each mechanism, equally many, likely worst when repeated."""
        kept: list[list[Pair]] = []
        for (_, times), pairs, whole in zip(self.reading.rows, occurring, hulls, strict=True):
            powers = [[(pair, times)] for pair in pairs[:_MOST_GROUPS]]
            kept.append([pairs[i] for i in worst_somewhere(powers, _epsilons([(whole, times)]))])
        longest = max(map(len, kept))
        return [[own[min(i, len(own) - 1)] for i in range(longest)] for own in kept]

    def _search(
        self, occurring: Sequence[Sequence[Pair]], dominating: Sequence[Sequence[Pair]]
    ) -> Bracket:
        """Bound the worst of what occurs, of which all is dominated by one of the others."""
        whole = self._factors(self.hulls, self.above)
        lowers = [self._factors(pairs, self.below) for pairs in occurring]
        chosen = worst_somewhere(lowers, _epsilons(whole))[:_MOST_LOWER]
        if LossSketch.of(whole).mean > _HOPELESS:
            return self._bracket([lowers[chosen[0]]], [whole], _FEW_POINTS)
        uppers = [self._factors(pairs, self.above) for pairs in dominating]
        return self._bracket([lowers[i] for i in chosen], uppers, self.points)


def _whole_hull(source: Finite) -> Pair:
    """Return the dominating pair of all neighbors in both directions."""
    unordered = source.codes[: len(source.codes) // 2].tolist()
    masses = (list(zip(source.rows[x], source.rows[y], strict=True)) for x, y in unordered)
    return dominating_pair(profile_of_masses(masses, source.total))


def _group_hull(source: Finite, group: NDArray[np.intp], whole: Pair) -> Pair:
    """Return a pair that dominates a group of ordered neighbors."""
    if len(group) == 1:
        return source.pair(int(group[0]))
    if len(group) * len(source.rows[0]) > _MOST_COMPARED:
        return whole
    frontiers: list[Frontier] = []
    for index in group.tolist():
        pair = source.pair(index)
        frontiers.append(frontier_of(pair.atoms, pair.total))
    return dominating_pair(highest(frontiers))


def _is_attained(sources: Sequence[Finite], hulls: Sequence[Pair], leading: Sequence[int]) -> bool:
    """Say whether some two neighbors have the whole hull of every mechanism at once."""
    for index in largest_first(sources, leading)[:16]:
        pairs = (source.pair(leading[index]) for source in sources)
        if all(pair == whole for pair, whole in zip(pairs, hulls, strict=True)):
            return True
    return False


def _epsilons(factors: Factors) -> NDArray[np.float64]:
    """About where the curve of a product is of interest: the ε of a few δ."""
    sketch = LossSketch.of(factors)
    return np.array([sketch.epsilon(delta) for delta in SAMPLES])
