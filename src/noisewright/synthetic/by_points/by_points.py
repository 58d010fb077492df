"""Select, measure, generate, round by round: cliques of columns, and weights of points.

First every column is counted with noise, but for those with one possible value. Then cliques of
columns are counted, as the workload asks for them: all pairs where noise is small, else those
that are chosen in private. A few that close no cycle are chosen by how far their columns are from
independent, and a model is fitted to them. Then what the model gets wrong by more than noise is
counted, and the model is fitted again. With a usual budget, noisy distances of all pairs from the
model choose them, and how often each is counted (`screening.py`). With a small one they are chosen
one by one, in rounds (McKenna, Mullins, Sheldon and Miklau 2022, AIM), and light bins of numbers
are counted as one (`joined_pairs.py`). Cliques of three columns and more follow, where the workload
has them.

How many there are of each, and what each step spends, is decided by public facts (`division.py`),
so that the list of steps is certified before the first of them. Models are weights of points
(`points.py`), so that any number of cliques fits, however their columns are linked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import final

from noisewright.synthetic.bins import Bins
from noisewright.synthetic.by_points.asked_for import AskedFor
from noisewright.synthetic.by_points.choose_cliques import Joined, clique_weights, most_linked
from noisewright.synthetic.by_points.covered_totals import cover_totals, exact_counts
from noisewright.synthetic.by_points.division import Division
from noisewright.synthetic.by_points.joined_pairs import join_bins
from noisewright.synthetic.by_points.rounds import ModelInRounds
from noisewright.synthetic.by_points.starting_points import StartingPoints
from noisewright.synthetic.by_points.whole_rows import make_rows
from noisewright.synthetic.clique_synthesizer import CliqueSynthesizer
from noisewright.synthetic.knowledge.knowledge import PublicKnowledge
from noisewright.synthetic.steps.decided_in_run import (
    counts_by_distances,
    counts_of_choice,
    counts_with_most_linked,
)
from noisewright.synthetic.steps.noise import MARGINAL, QUERY, Noise
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
from noisewright.synthetic.steps.schedule import Schedule, Step, choosing, comparing, counting
from noisewright.synthetic.tallies import Names, varying
from noisewright.synthetic.workloads.counting_queries import Queries

_MOST_SIZE = 1 << 17
_MOST_PAIR = 1 << 20
_MOST_LARGER = 1 << 16
"""Points of a column, and cells of a pair and of a larger clique that can be counted."""

_MOST_CANDIDATES = 1 << 12
_MOST_CELLS = 1 << 25
"""Cliques that are looked at in each round, and the cells of all of them."""

_MOST_ROUNDED = 1 << 9
"""Tables that rows are rounded for."""


@final
@dataclass(frozen=True, eq=False)
class ByPoints(CliqueSynthesizer):
    """The synthesizer that chooses cliques round by round and keeps weights of points.

    `rows` is how many rows there will be, which is public; left out, very many. `known` decides
    which points there are and what the fit starts from, and neither the steps nor their noise.
    `grid` says how the domain is a declared one in bins (`bins.py`); left out, it is as declared.
    """

    rows: int | None = None
    known: PublicKnowledge = field(default_factory=PublicKnowledge)
    grid: Bins | None = None

    @property
    def is_possible(self) -> bool:
        """Whether so many columns, of such sizes, can be worked with: declared spaces decide it."""
        return (
            max(self.sizes.values()) <= _MOST_SIZE
            and len(self.asked_pairs) <= _MOST_CANDIDATES
            and self.pairs == self.asked_pairs
            and sum(self.cells(pair) for pair in self.pairs) <= _MOST_CELLS
        )

    @property
    def most_cells(self) -> int:
        """Cells of the largest pair that can be counted."""
        return _MOST_PAIR

    @cached_property
    def asked(self) -> AskedFor:
        """What the workload asks for: conditions by themselves, and tables."""
        return AskedFor(self.workload, self.budget.unit)

    @cached_property
    def larger(self) -> tuple[Names, ...]:
        """The cliques of three columns and more that the workload has and that can be counted.

        Those with fewest cells, as far as there is room for them beside the pairs.
        """
        order = {name: place for place, name in enumerate(self.names)}
        asked = {
            tuple(sorted(names, key=lambda name: order[name])): None
            for names in self.asked.tables
            if len(names) > 2 and self.cells(names) <= _MOST_LARGER
        }
        room = _MOST_CELLS - sum(self.cells(pair) for pair in self.pairs)
        found: list[Names] = []
        for names in sorted(asked, key=self.cells):
            room -= self.cells(names)
            if room < 0 or len(found) + len(self.pairs) >= _MOST_CANDIDATES:
                break
            found.append(names)
        return tuple(found)

    @property
    def groupings(self) -> tuple[Names, ...]:
        """Each column that is counted, and each clique that may be, by whatever number of rows."""
        asked = dict.fromkeys(one.columns for one in self.asked.listed)
        every = (*((name,) for name in (*self.singles, *self.points)), *self.pairs, *self.larger)
        joint = [(name, pair[1]) for name, some in self._partners.items() for pair in some]
        return tuple(dict.fromkeys([*every, *asked, *joint]))

    @property
    def _grid(self) -> Bins:
        return Bins(self.domain, ()) if self.grid is None else self.grid

    @cached_property
    def _partners(self) -> dict[str, tuple[Names, ...]]:
        """Those of the partners whose pair can be counted: it decides between them."""
        pairs = {frozenset(pair) for pair in self.pairs}
        partners = self._grid.partners
        found = {
            name: tuple(pair for pair in partners.get(name, ()) if frozenset(pair) in pairs)
            for name in self.points
        }
        return {name: some for name, some in found.items() if some}

    @cached_property
    def division(self) -> Division:
        """How many steps there are, and what each spends."""
        return Division(
            self.budget,
            self.sizes,
            self.singles,
            self.pairs,
            self.larger,
            len(self.points),
            self.rows,
            self.asked,
            len(self._partners),
        )

    @cached_property
    def weights(self) -> dict[Names, int]:
        """How much the workload asks for each clique that may be chosen."""
        pairs = () if self.division.counts_all_pairs else self.pairs
        return {
            **clique_weights(self.asked.tables, pairs),
            **clique_weights(self.asked.tables, self.larger if self.division.chosen_larger else ()),
        }

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: count columns, and pairs; choose and count, in rounds."""
        division, whole = self.division, self.budget
        parts = division.parts
        steps: list[Step] = [
            counting(whole, f"counts of {name}", parts.known[name,]) for name in self.singles
        ]
        steps += [counting(whole, f"counts of {name}", parts.point) for name in self.points]
        steps += [
            counting(whole, f"counts of {' × '.join(names)}", amount)
            for names, amount in parts.known.items()
            if len(names) > 1
        ]
        steps += [
            counting(whole, f"counts of {one.label}", parts.query, [QUERY])
            for one in self.asked.listed
        ]
        if division.partnered:
            steps += [
                counting(whole, counts_with_most_linked(name), parts.partnered)
                for name in self._partners
            ]
        for time, counts in enumerate(division.screened, start=1):
            if division.screens:
                steps += [comparing(whole, names, time, parts.distance) for names in self.pairs]
            steps += [
                counting(whole, counts_by_distances(n, counts, time), parts.pair)
                for n in range(1, counts + 1)
            ]
        counts = [parts.pair] * division.chosen_pairs + [parts.larger] * division.chosen_larger
        change = MARGINAL * max(self.weights.values(), default=1)
        for number, amount in enumerate(counts, start=1):
            what = f"choice {number} of {division.choices}"
            steps.append(choosing(whole, what, parts.choice, change=change))
            steps.append(counting(whole, counts_of_choice(number), amount))
        return Schedule(whole, tuple(steps))

    @property
    def pairs_to_count(self) -> int:
        """How many pairs are counted."""
        return self.division.chosen_pairs or len(self.pairs)

    @property
    def to_choose(self) -> int:
        """How many of the cliques that may be counted will be."""
        return self.division.choices

    @cached_property
    def _noises(self) -> dict[frozenset[str], Noise]:
        """The noise of all that is counted, or may be."""
        parts = self.division.parts
        amounts = {
            **(dict.fromkeys(self.pairs, parts.pair) if parts.pair else {}),
            **(dict.fromkeys(self.larger, parts.larger) if parts.larger else {}),
            **parts.known,
        }
        bought = {amount: self.budget.noise(amount, MARGINAL) for amount in {*amounts.values()}}
        return {frozenset(names): bought[amount] for names, amount in amounts.items()}

    def noise(self, columns: Names) -> Noise | None:
        """Return the noise of counts by these columns, or None if they are never counted."""
        return self._noises.get(frozenset(columns))

    @property
    def may_join(self) -> bool:
        """Whether pairs are chosen, some of them with numbers."""
        return self.division.chosen_pairs > 0 and not self._grid.ordered.isdisjoint(self.singles)

    def is_chosen(self, columns: Names) -> bool:
        """Tell whether a choice decides that these columns are counted together."""
        if len(columns) <= 1 or self.noise(columns) is None:
            return False
        division = self.division
        is_known = division.counts_all_pairs if len(columns) == 2 else division.counts_all_larger
        return not is_known

    def noise_of_queries(self, part: Queries) -> Noise | None:
        """Return the noise of the queries of a part that are counted by themselves."""
        if part not in self.asked.conditions:
            return None
        return self.budget.noise(self.division.parts.query, QUERY)

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Count, choose and fit in rounds, and make rows."""
        singles = [steps.count((name,)) for name in self.singles]
        for name in self.points:
            steps.count((name,))
        known = [steps.count(names) for names in self.division.parts.known if len(names) > 1]
        queries = [steps.count_condition(o.columns, o.cells, o.label) for o in self.asked.listed]
        if self.division.partnered:
            for name, pairs in self._partners.items():
                _, other = most_linked(known, pairs)
                steps.count((name, other))
        exact = exact_counts(self.known, self.singles, singles)
        singles = [exact.get(one.columns, one) for one in singles]
        known = [one for one in known if one.columns not in exact]
        known += [one for names, one in exact.items() if len(names) > 1]
        sizes = {name: self.sizes[name] for name in self.singles}
        start = StartingPoints(sizes, steps.tallies.rows, self.known, steps.source)
        unknown = [names for names in self.pairs if names not in exact]
        joined: Joined = {}
        if self.division.chosen_pairs:
            noise = self.budget.noise(self.division.parts.pair, MARGINAL)
            joined = join_bins(singles, unknown, self._grid, noise)
        model = ModelInRounds(
            steps,
            sizes,
            self.weights,
            singles,
            known,
            start,
            queries,
            joined,
            chooses_few=self.division.chooses_few,
            # Pairs that were selected one by one were selected because they are linked.
            holds_unlinked=not self.division.chosen_pairs,
        )
        if self.division.screens:
            model.screen_pairs(self.pairs, *self.division.screened)
        if self.division.chosen_pairs:
            model.choose_pairs(unknown or self.pairs, self.division.chosen_pairs)
        if self.division.chosen_larger:
            model.choose_larger(self.larger, self.division.chosen_larger)
        points, notes = model.finish()
        seen = (varying(self.domain, one.columns) for one in (*model.counted, *queries))
        asked = dict.fromkeys([*self.asked.tables, *seen])
        tables = [names for names in asked if names and self.cells(names) <= _MOST_LARGER]
        points, kept = cover_totals(self.known, points, steps, rows)
        drawn = make_rows(points, rows, tables[:_MOST_ROUNDED], steps.source, kept)
        return self.finish(steps, drawn, rows, notes)
