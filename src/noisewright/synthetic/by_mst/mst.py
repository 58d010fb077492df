"""Select, measure, generate: a tree of two-way marginals, chosen in private.

First every column is counted with noise, but for those with one possible value, whose count is
the public number of rows. Then, edge by edge, a spanning tree of columns is chosen
by the exponential mechanism: the score of a pair says how far its joint counts are from what they
would be if the two were independent, less what the noise of measuring it would cost. The pairs of
the tree are counted with noise, and rows are drawn from a tree model that fits them
(McKenna–Miklau–Sheldon 2021, MST, with a model of our own).

A graph may have cycles, too: then some more pairs are chosen, which the tree answers worst, and
counted, and all counts are fitted at once (`graph_fit.py`). Both choices are in `choose_pairs.py`.
Where declared sizes alone say that every pair will be counted, nothing is chosen: all of it goes
into counts.

Scores are whole numbers. What independence or the tree would give is computed from noisy counts,
the same for all neighbors; one row changes the joint counts by one in two cells, so a score by at
most 2, and k rows of a person by at most 2k.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

from noisewright.errors import TooLargeError
from noisewright.synthetic.by_mst.choose_pairs import (
    MOST_IN_CYCLES,
    choose_besides,
    choose_tree,
    how_many,
)
from noisewright.synthetic.clique_synthesizer import CliqueSynthesizer
from noisewright.synthetic.graphs.forest import spanning_forest
from noisewright.synthetic.graphs.graph_fit import Inference, fit_or_simpler
from noisewright.synthetic.graphs.graph_model import cells_needed
from noisewright.synthetic.graphs.tree_model import fit_tree, pairs_of_a_forest
from noisewright.synthetic.steps.decided_in_run import counts_of_chosen_pair
from noisewright.synthetic.steps.noise import MARGINAL, Noise
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
from noisewright.synthetic.steps.schedule import Choosing, Counting, Schedule, choosing, counting
from noisewright.synthetic.tallies import Names

_MOST_POINTS = 1 << 20
_MOST_CELLS = 1 << 22
"""Cells of a pair; larger pairs are never candidates, which the declared spaces alone decide."""

_MOST_COUNTED = 1 << 27
_SINGLES, _CHOICES, _PAIRS, _POINTS = 2, 1, 7, 1
"""How the whole is divided: columns, choices, pairs, and columns in bins point by point."""


@final
@dataclass(frozen=True, eq=False)
class Mst(CliqueSynthesizer):
    """The synthesizer of McKenna, Miklau and Sheldon (2021), with a model of our own.

    `rows` is how many rows there will be, which is public; left out, very many.
    """

    inference: Inference = "tree"
    rows: int | None = None

    def __post_init__(self) -> None:
        for name, space in self.domain.columns:
            if space.size > _MOST_POINTS:
                raise TooLargeError(
                    f"the column {name!r} has {space.size:,} points; at most {_MOST_POINTS:,} are "
                    "counted with noise. Count numbers in bins (bins=32), declare fewer points or "
                    "labels, or drop the column.",
                    size=space.size,
                )
        cells = sum(self.cells(pair) for pair in self.pairs)
        if cells > _MOST_COUNTED:
            raise TooLargeError(
                f"all pairs of columns have {cells:,} cells together (at most {_MOST_COUNTED:,}). "
                "Declare coarser grids, name fewer columns, or give a workload of fewer pairs.",
                size=cells,
            )

    @property
    def most_cells(self) -> int:
        """Cells of the largest pair that can be counted."""
        return _MOST_CELLS if self.inference == "tree" else MOST_IN_CYCLES

    @cached_property
    def _possible(self) -> frozenset[frozenset[str]]:
        """The candidates, whatever their order."""
        return frozenset(frozenset(pair) for pair in self.pairs)

    @property
    def apart(self) -> tuple[str, ...]:
        """The columns that have too many points to be counted with any other that is asked for."""
        paired, wanted = (
            {name for pair in pairs for name in pair} for pairs in (self.pairs, self.asked_pairs)
        )
        return tuple(name for name in self.singles if name in wanted - paired)

    @property
    def groupings(self) -> tuple[Names, ...]:
        """Each column that is counted, and each pair that could be chosen."""
        return (*((name,) for name in (*self.singles, *self.points)), *self.pairs)

    @cached_property
    def edges(self) -> int:
        """How many pairs the tree has: as many as connect what candidates can connect."""
        return len(spanning_forest(self.pairs))

    @cached_property
    def more(self) -> int:
        """How many pairs are chosen besides those of the tree: decided by public facts."""
        left = len(self.pairs) - self.edges
        if self.inference == "tree" or not left:
            return 0
        # What a usual pair would have if the tree were all.
        noise = self.budget.noise(self._divide(self.edges, self.edges)[2], MARGINAL)
        usual = statistics.median(self.cells(pair) for pair in self.pairs)
        error = noise.mean_sum(round(usual)) / self.rows if self.rows else 0.0
        return min(how_many(len(self.singles), error, self.budget.unit), left)

    @cached_property
    def choices(self) -> int:
        """How many pairs are chosen: none where sizes say that every candidate is counted."""
        every = self.edges + self.more
        if every < len(self.pairs):
            return every
        fit = not self.more or cells_needed(self.sizes, self.pairs) <= MOST_IN_CYCLES
        return 0 if fit else every

    @cached_property
    def _amounts(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """What one column, one choice, one pair and one column by points get of the whole."""
        return self._divide(self.edges + self.more, self.choices)

    def _divide(self, pairs: int, choices: int) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        several = (len(self.singles), choices, pairs, len(self.points))
        weights = (_SINGLES, _CHOICES, _PAIRS, _POINTS)
        parts = self.budget.divide(
            [weight * bool(count) for weight, count in zip(weights, several, strict=True)]
        )
        single, choice, pair, point = (
            part / max(count, 1) for part, count in zip(parts, several, strict=True)
        )
        return single, choice, pair, point

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: count columns, choose pairs, count these, twice."""
        (single, choice, pair, point), whole, edges = self._amounts, self.budget, self.edges
        steps: list[Counting | Choosing] = [
            *(counting(whole, f"counts of {name}", single) for name in self.singles),
            *(counting(whole, f"counts of {name}", point) for name in self.points),
        ]
        if not self.choices:
            pairs = [" × ".join(names) for names in self.pairs]
            steps += [counting(whole, f"counts of {names}", pair) for names in pairs]
            return Schedule(whole, tuple(steps))
        every = edges + self.more
        for numbers in (range(1, edges + 1), range(edges + 1, every + 1)):
            steps += [choosing(whole, f"choice {n} of {every}", choice) for n in numbers]
            steps += [counting(whole, counts_of_chosen_pair(n), pair) for n in numbers]
        return Schedule(whole, tuple(steps))

    @property
    def pairs_to_count(self) -> int:
        """How many pairs are counted."""
        return self.edges + self.more

    @property
    def to_choose(self) -> int:
        """How many of those that may be counted will be."""
        return self.pairs_to_count

    def noise(self, columns: Names) -> Noise | None:
        """Return the noise of counts by these columns, or None if they are never counted."""
        single, pair = self.noises
        if len(columns) == 1:
            return single
        return pair if frozenset(columns) in self._possible else None

    def is_chosen(self, columns: Names) -> bool:
        """Tell whether a choice decides that these columns are counted together."""
        return bool(self.choices) and frozenset(columns) in self._possible

    @cached_property
    def noises(self) -> tuple[Noise, Noise]:
        """The noise of one column, and of one pair."""
        single, _, pair, _ = self._amounts
        return self.budget.noise(single, MARGINAL), self.budget.noise(pair, MARGINAL)

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Count the columns, choose a tree, count its pairs, fit, and make rows."""
        singles = [steps.count((name,)) for name in self.singles]
        for name in self.points:
            steps.count((name,))
        _, noise = self.noises
        costs = {pair: round(noise.mean_sum(self.cells(pair))) for pair in self.pairs}
        chosen = choose_tree(steps, costs, singles) if self.choices else list(self.pairs)
        pairs = [steps.count(names) for names in chosen]
        tree = fit_tree(singles, pairs_of_a_forest(pairs))
        if self.choices:
            besides = choose_besides(steps, costs, tree, chosen, self.more, self.sizes)
            pairs += [steps.count(names) for names in besides]
        if steps.progress is not None:
            steps.progress("fit", 0, None)
        sizes = {name: self.sizes[name] for name in self.singles}
        model, notes = fit_or_simpler(
            self.inference, sizes, [*singles, *pairs], tree, steps.progress
        )
        drawn = model.draw(rows, steps.source)
        return self.finish(steps, drawn, rows, notes)
