"""Select, measure, generate, round by round: cliques of columns, and weights of points.

First every column is counted with noise, but for those with one possible value. Then cliques of
columns are counted, as the workload asks for them: all pairs where the noise allows it, else those
that are chosen in private. A few that close no cycle are chosen by how far their columns are from
independent, and a model is fitted to them. In each further round a clique is chosen that the model
gets wrong by more than the noise of counting it, and counted, and the model is fitted again
(McKenna, Mullins, Sheldon and Miklau 2022, AIM). Cliques of three columns and more follow, where
the workload has them.

How many there are of each, and what each step spends, is decided by public facts (`division.py`),
so that the list of steps is certified before the first of them. Models are weights of points
(`points.py`), so that any number of cliques fits, however their columns are linked.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import final

import numpy as np

from noisewright.synthetic.by_points.choose_cliques import clique_weights
from noisewright.synthetic.by_points.division import Division
from noisewright.synthetic.by_points.rounds import ModelInRounds
from noisewright.synthetic.by_points.whole_rows import make_rows
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
from noisewright.synthetic.steps.schedule import Choosing, Counting, Schedule, choosing, counting
from noisewright.synthetic.synthesizer import Synthesizer
from noisewright.synthetic.tallies import Names, varying
from noisewright.synthetic.workload_errors import (
    PartError,
    WorkloadErrors,
    marginal_error,
    noise_error,
    part_name,
)
from noisewright.synthetic.workloads.counting_queries import Marginal, Queries

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
class ByPoints(Synthesizer):
    """The synthesizer that chooses cliques round by round and keeps weights of points.

    `points` names columns of the tallies, not of the domain, that are counted besides (`bins.py`).
    `rows` is how many rows there will be, which is public; left out, very many.
    """

    points: Names = ()
    rows: int | None = None

    @property
    def is_possible(self) -> bool:
        """Whether so many columns, of such sizes, can be worked with: declared spaces decide it."""
        return (
            max(self.sizes.values()) <= _MOST_SIZE
            and len(self.pairs) <= _MOST_CANDIDATES
            and all(self.cells(pair) <= _MOST_PAIR for pair in self.pairs)
            and sum(self.cells(pair) for pair in self.pairs) <= _MOST_CELLS
        )

    @cached_property
    def singles(self) -> Names:
        """The columns that are counted by themselves; of constants alone one, to spend all on."""
        return varying(self.domain, self.names) or self.names[:1]

    @cached_property
    def pairs(self) -> tuple[Names, ...]:
        """The pairs that some part of the workload is about; a constant is linked to nothing."""
        asked = {
            frozenset(pair) for names in self._asked for pair in combinations(sorted(names), 2)
        }
        return tuple(pair for pair in combinations(self.singles, 2) if frozenset(pair) in asked)

    @cached_property
    def _possible_pairs(self) -> frozenset[Names]:
        return frozenset(self.pairs)

    @cached_property
    def _asked(self) -> tuple[Names, ...]:
        """The columns that vary of each part of the workload."""
        return tuple(varying(self.domain, part.columns) for part in self.workload.parts)

    @cached_property
    def larger(self) -> tuple[Names, ...]:
        """The cliques of three columns and more that the workload has and that can be counted.

        Those with fewest cells, as far as there is room for them beside the pairs.
        """
        order = {name: place for place, name in enumerate(self.names)}
        asked = {
            tuple(sorted(names, key=lambda name: order[name])): None
            for names in self._asked
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
        return (*((name,) for name in (*self.singles, *self.points)), *self.pairs, *self.larger)

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
        )

    @cached_property
    def weights(self) -> dict[Names, int]:
        """How much the workload asks for each clique that may be chosen."""
        pairs = () if self.division.counts_all_pairs else self.pairs
        return {
            **clique_weights(self._asked, pairs),
            **clique_weights(self._asked, self.larger if self.division.chosen_larger else ()),
        }

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: count columns, and pairs; choose and count, in rounds."""
        division, whole = self.division, self.budget
        known, choice, pair, larger, point = division.parts
        steps: list[Counting | Choosing] = [
            counting(whole, f"counts of {name}", known[name,]) for name in self.singles
        ]
        steps += [counting(whole, f"counts of {name}", point) for name in self.points]
        steps += [
            counting(whole, f"counts of {' × '.join(names)}", amount)
            for names, amount in known.items()
            if len(names) > 1
        ]
        counts = [pair] * division.chosen_pairs + [larger] * division.chosen_larger
        change = MARGINAL * max(self.weights.values(), default=1)
        for number, amount in enumerate(counts, start=1):
            what = f"choice {number} of {division.choices}"
            steps.append(choosing(whole, what, choice, change=change))
            steps.append(counting(whole, f"counts of what choice {number} chose", amount))
        return Schedule(whole, tuple(steps))

    def noise(self, columns: Names) -> Noise | None:
        """Return the noise of counts by these columns, or None if they are never counted."""
        known, _, pair, larger, _ = self.division.parts
        names = tuple(name for name in self.singles if name in columns)
        if names in known:
            return self.budget.noise(known[names], MARGINAL)
        if pair and names in self._possible_pairs:
            return self.budget.noise(pair, MARGINAL)
        if larger and set(names) in [set(one) for one in self.larger]:
            return self.budget.noise(larger, MARGINAL)
        return None

    def _is_counted(self, columns: Names) -> bool | None:
        """Tell whether these columns are counted together; None if a choice decides it."""
        names = varying(self.domain, columns)
        if not names:
            return True
        if self.noise(names) is None:
            return False
        return True if len(names) == 1 or self._is_known(names) else None

    def _is_known(self, names: Names) -> bool:
        return len(names) == 2 and self.division.counts_all_pairs

    def predict(self, rows: int) -> WorkloadErrors:
        """Return the errors that noise alone causes; the columns are counted whatever is asked.

        A part counts as if it were counted by itself. What is not counted together is taken as a
        tree of its pairs. What the model cannot express comes on top, and the fit takes some away.
        """
        made = [
            PartError(
                part_name(part, self.domain),
                part.columns,
                part.count(self.domain),
                self._noise_error(part, rows),
                self._is_counted(part.columns),
            )
            for part in self.workload.parts
        ]
        asked = {
            varying(self.domain, part.columns)
            for part in self.workload.parts
            if isinstance(part, Marginal)
        }
        for name in self.singles:
            if (name,) not in asked:
                one = Marginal((name,))
                error, cells = self._noise_error(one, rows), one.count(self.domain)
                made.append(PartError(name, (name,), cells, error, True, in_workload=False))
        return WorkloadErrors("mst", rows, tuple(made), to_choose=self.division.choices)

    def _noise_error(self, part: Queries, rows: int) -> float:
        columns = varying(self.domain, part.columns)
        if not columns:
            return 0.0
        own = self.noise(columns)
        if own is not None:
            return noise_error(part, self.domain, own, rows)
        pairs = [self._marginal_error(two, rows) for two in combinations(columns, 2)]
        alone = [self._marginal_error((name,), rows) for name in columns]
        known, links = [error for error in pairs if error is not None], len(columns) - 1
        apart = sum(error for error in alone if error is not None)
        whole = links * sum(known) / len(known) if len(known) >= links else apart
        if isinstance(part, Marginal):
            return min(2.0, whole)
        # A set of cells is off by at most half of what all cells are off by together.
        return part.count(self.domain) * min(1.0, whole / 2)

    def _marginal_error(self, columns: Names, rows: int) -> float | None:
        noise = self.noise(columns)
        return None if noise is None else marginal_error(self.cells(columns), noise, rows)

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Count, choose and fit in rounds, and make rows."""
        singles = [steps.count((name,)) for name in self.singles]
        for name in self.points:
            steps.count((name,))
        pairs = [steps.count(names) for names in self.pairs if self._is_known(names)]
        sizes = {name: self.sizes[name] for name in self.singles}
        model = ModelInRounds(steps, sizes, self.weights, singles, pairs)
        if self.division.chosen_pairs:
            model.choose_pairs(self.pairs, self.division.chosen_pairs)
        if self.division.chosen_larger:
            model.choose_larger(self.larger, self.division.chosen_larger)
        points, notes = model.finish()
        asked = dict.fromkeys([*self._asked, *(one.columns for one in model.counted)])
        tables = [names for names in asked if names and self.cells(names) <= _MOST_LARGER]
        drawn = make_rows(points, rows, tables[:_MOST_ROUNDED], steps.source)
        # A constant has the code 0 in every row.
        codes = {n: drawn[n] if n in drawn else np.zeros(rows, np.int64) for n in self.names}
        return steps.finish(codes, notes)

    def cells(self, names: Names) -> int:
        """Return how many cells the table of these columns has."""
        return prod(self.sizes[name] for name in names)
