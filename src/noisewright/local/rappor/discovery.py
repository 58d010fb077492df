"""Texts that nobody listed: reports of the whole text and of two of its parts.

    n, r   letters of a part (an n-gram), and parts of a text: n · r letters
    E_ij   pairs of n-grams at positions i and j that are likely to occur together

A device sends a report of its text and of the n-grams at two positions, drawn at random and kept.

1. For each position, decode which n-grams are there, among all of the alphabet.
2. For each pair of positions, the joint shares of these n-grams by EM, and `others`. A pair whose
   share is above its error is an edge of E_ij.
3. A text is a choice of an n-gram for each position, of which every two are joined by an edge: the
   cliques of the r-partite graph are the candidates.
4. The candidates are tested on the reports of whole texts, as if they had been known.

An edge that should not be there makes more candidates to test; one that is missing loses its texts.
Source: Fanti, Pihur, Erlingsson 2016, Section 4.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.errors import DataError, InputError, ParameterError
from noisewright.exact import Epsilon
from noisewright.given import of_kind, whole_number
from noisewright.local.rappor.certifying import certify_parts
from noisewright.local.rappor.decoding import Control, DecodedShares, decode
from noisewright.local.rappor.joint import joint_covariance, likelihoods, most_likely_joint
from noisewright.local.rappor.lifetime import sum_epsilons
from noisewright.local.rappor.mechanism import Rappor
from noisewright.local.rappor.reports import RapporReports
from noisewright.public import public, public_methods
from noisewright.sampling import Source, source_or_default, uniform_below

Array = NDArray[np.float64]
Pair = tuple[int, int]

_MOST_GRAMS = 20_000
_MOST_KEPT = 40
"""n-grams of a position whose pairs are looked at: the most frequent ones."""

_MOST_CANDIDATES = 20_000
_ABSENT = 1e-4
"""Pairs with a share below this are none."""

_STILL = 2e-5
"""Joint shares are found to within this: far below the errors that edges are compared with."""

_EDGE = 1.0
"""A pair is an edge if its share is above so many of its errors."""


@final
@dataclass(frozen=True, eq=False)
class TextReports:
    """Reports of whole texts, which two positions each device sends, and their n-grams."""

    whole: RapporReports
    positions: NDArray[np.int8]
    """Two columns: the first position is below the second."""
    parts: tuple[RapporReports, RapporReports]

    def __len__(self) -> int:
        return len(self.whole)


@final
@dataclass(frozen=True, eq=False)
class DiscoveredTexts:
    """The candidates that the graph of pairs has, and which of them are detected."""

    decoded: DecodedShares | None
    """The test of the candidates; None if there is no candidate."""
    grams: tuple[tuple[str, ...], ...]
    """The n-grams that were found at each position."""
    edges: int
    cut: bool
    """Whether there were more candidates than are tested."""

    @property
    def candidates(self) -> list[str]:
        """The texts that the graph of pairs has."""
        return [] if self.decoded is None else list(self.decoded.estimate.axes[0].labels)

    @property
    def found(self) -> list[str]:
        """The texts that are detected, the most frequent first, filled up to their length."""
        return [] if self.decoded is None else self.decoded.found


@public
def discovery(
    *, alphabet: str, length: int, whole: Rappor, part: Rappor, gram: int = 2, fill: str = " "
) -> TextDiscovery:
    """Return the collection of texts that need not be known, from whole texts and two n-grams.

    Requires: different letters in `alphabet`; `length` is 2 or more times `gram`. Texts are filled
    up with `fill` to their length, and longer ones cut. RAPPOR with Bloom filters for both.
    Ensures: ε of a device is that of `whole` and twice that of `part`, proven by `certify`.
    Source: Fanti, Pihur, Erlingsson 2016.
    """
    return TextDiscovery(alphabet, length, whole, part, gram, fill)


@public_methods
@final
@dataclass(frozen=True)
class TextDiscovery:
    """What devices send of texts that nobody listed; make it with `nw.local.discovery`."""

    alphabet: str
    length: int
    whole: Rappor
    part: Rappor
    gram: int = 2
    fill: str = " "

    def __post_init__(self) -> None:
        for name in ("whole", "part"):
            one = getattr(self, name)
            of_kind(one, Rappor, name=name, such_as="nw.local.rappor(bits=…)")
            if one.space is not None:
                raise ParameterError(f"{name} is basic RAPPOR; texts need Bloom filters: bits=.")
        whole_number(self.gram, name="gram", least=1)
        whole_number(self.length, name="length", least=2 * self.gram, most=127)
        if self.length % self.gram:
            raise ParameterError(
                f"length is {self.length}; it must be a multiple of {self.gram}, the letters of a "
                "part."
            )
        letters = self.letters
        if len(self.fill) != 1 or len(letters) < 2 or len(set(letters)) < len(letters):
            raise ParameterError("alphabet must be different letters, and fill a single one.")
        if len(letters) ** self.gram > _MOST_GRAMS:
            raise ParameterError(
                f"{len(letters)} letters make {len(letters) ** self.gram:,} parts of {self.gram}; "
                f"at most {_MOST_GRAMS:,} are looked for. Give a smaller gram= or alphabet."
            )

    @property
    def letters(self) -> str:
        """The alphabet with the letter that texts are filled up with."""
        return self.alphabet if self.fill in self.alphabet else self.alphabet + self.fill

    @property
    def places(self) -> int:
        """How many parts a text has."""
        return self.length // self.gram

    @cached_property
    def grams(self) -> list[str]:
        """All n-grams of the alphabet."""
        return ["".join(one) for one in itertools.product(self.letters, repeat=self.gram)]

    def epsilon_after(self, *, reports: int) -> Epsilon | None:
        """Return ε of all parts together after so many reports of a text that never changes."""
        return _sum(part.epsilon_after(reports=reports) for part in self._parts)

    @property
    def epsilon_forever(self) -> Epsilon | None:
        """ε of all parts together for any number of reports; None is infinity."""
        return _sum(part.epsilon_forever for part in self._parts)

    def certify(self, *, reports: int | None = None) -> Certificate:
        """Return the certificate for so many reports, or any number: three filters of one text."""
        return certify_parts(self._parts, reports=reports)

    @property
    def _parts(self) -> list[Rappor]:
        return [self.whole, self.part, self.part]

    def reports(self, texts: Iterable[str], *, source: Source | None = None) -> TextReports:
        """Draw the first reports of many people, each with two positions of their own."""
        bits = source_or_default(source)
        filled = [self._fill(text, row) for row, text in enumerate(texts)]
        pairs = np.array(self._pairs, dtype=np.int8)
        chosen = pairs[uniform_below(len(pairs), len(filled), bits)]
        first, second = (
            self.part.reports(
                [self._cut(text, i) for text, i in zip(filled, column, strict=True)], source=bits
            )
            for column in chosen.T.tolist()
        )
        whole = self.whole.reports(filled, source=bits)
        return TextReports(whole, chosen, (first, second))

    def discover(
        self, reports: TextReports, *, control: Control = "bonferroni", level: float = 0.05
    ) -> DiscoveredTexts:
        """Return which texts occur, by the graph of pairs of n-grams, and their shares.

        Ensures: a text is detected by the test of `decode` on the reports of whole texts, over all
        candidates. The graph is made of other coins than that test, of the same people.
        Source: Fanti, Pihur, Erlingsson 2016.
        """
        if not len(reports):
            raise InputError("there are no reports to look at.")
        kept = [self._find_grams(reports, place) for place in range(self.places)]
        graph = {pair: self._find_edges(reports, pair, kept) for pair in self._pairs}
        texts, cut = self._join(graph)
        found = None
        if texts:
            counts = self.whole.count(reports.whole)
            found = decode(self.whole, counts, texts, control=control, level=level)
        edges = sum(len(one) for one in graph.values())
        return DiscoveredTexts(found, tuple(map(tuple, kept)), edges, cut)

    @property
    def _pairs(self) -> list[Pair]:
        return list(itertools.combinations(range(self.places), 2))

    def _fill(self, text: Any, row: int) -> str:
        if not isinstance(text, str) or not set(text) <= set(self.letters):
            raise DataError(
                f"the value at row {row + 1:,} is no text of the alphabet. Replace other letters "
                "first, or add them to the alphabet."
            )
        return text[: self.length].ljust(self.length, self.fill)

    def _cut(self, text: str, place: int) -> str:
        return text[place * self.gram : (place + 1) * self.gram]

    def _find_grams(self, reports: TextReports, place: int) -> list[str]:
        """Return the n-grams that are found at a position, the most frequent first."""
        parts = [
            _take(one, np.flatnonzero(reports.positions[:, side] == place))
            for side, one in enumerate(reports.parts)
        ]
        counts = self.part.count(parts[0]) + self.part.count(parts[1])
        if not counts.total:
            return []
        return decode(self.part, counts, self.grams, control="fdr", level=0.1).found[:_MOST_KEPT]

    def _find_edges(
        self, reports: TextReports, pair: Pair, kept: Sequence[list[str]]
    ) -> dict[tuple[str, str], float]:
        """Return the pairs of n-grams that are likely to occur together, with their shares."""
        rows = np.flatnonzero((reports.positions == pair).all(axis=1))
        here, there = (kept[place] for place in pair)
        if not here or not there or not rows.size:
            return {}
        first, second = (
            likelihoods(self.part, _take(one, rows), labels, others=True)
            for one, labels in zip(reports.parts, (here, there), strict=True)
        )
        shares = most_likely_joint(first, second, still=_STILL)
        cells = np.argwhere(shares > _ABSENT)
        variances = np.diagonal(joint_covariance(first, second, shares, cells))
        return {
            (here[a], there[b]): float(shares[a, b])
            for (a, b), variance in zip(cells.tolist(), variances.tolist(), strict=True)
            if a < len(here) and b < len(there) and shares[a, b] > _EDGE * max(variance, 0.0) ** 0.5
        }

    def _join(self, graph: dict[Pair, dict[tuple[str, str], float]]) -> tuple[list[str], bool]:
        """Return the cliques as texts; the likeliest where there are too many."""
        weights: dict[tuple[str, ...], float] = {(a, b): s for (a, b), s in graph[0, 1].items()}
        partial = list(weights)
        cut = False
        for place in range(2, self.places):
            new: dict[tuple[str, ...], float] = {}
            ends = {right for _, right in graph[place - 1, place]}
            for start in partial:
                for end in ends:
                    edges = [graph[i, place].get((start[i], end)) for i in range(place)]
                    if None not in edges:
                        least = min(weights[start], *(one for one in edges if one is not None))
                        new[(*start, end)] = least
            order = sorted(new, key=lambda one: -new[one])
            cut |= len(order) > _MOST_CANDIDATES
            partial, weights = order[:_MOST_CANDIDATES], new
        return ["".join(one) for one in partial], cut


def _take(reports: RapporReports, rows: NDArray[np.intp]) -> RapporReports:
    return RapporReports(reports.cohorts[rows], reports.payload[rows], reports.bits)


def _sum(parts: Iterable[Epsilon | None]) -> Epsilon | None:
    total = Epsilon()
    for one in parts:
        if one is None:
            return None
        total = sum_epsilons(total, one)
    return total
