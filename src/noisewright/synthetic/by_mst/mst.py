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
from itertools import combinations
from typing import final

import numpy as np

from noisewright.errors import TooLargeError
from noisewright.synthetic.by_mst.choose_pairs import (
    MOST_IN_CYCLES,
    Pair,
    choose_besides,
    choose_tree,
    how_many,
)
from noisewright.synthetic.graphs.graph_fit import Inference, fit_or_simpler
from noisewright.synthetic.graphs.graph_model import cells_needed
from noisewright.synthetic.graphs.tree_model import fit_tree, pairs_of_a_forest
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

_MOST_POINTS = 1 << 20
_MOST_CELLS = 1 << 22
"""Cells of a pair; larger pairs are never candidates, which the declared spaces alone decide."""

_MOST_COUNTED = 1 << 27
_SINGLES, _CHOICES, _PAIRS, _POINTS = 2, 1, 7, 1
"""How the whole is divided: columns, choices, pairs, and columns in bins point by point."""


@final
@dataclass(frozen=True, eq=False)
class Mst(Synthesizer):
    """The synthesizer of McKenna, Miklau and Sheldon (2021), with a model of our own.

    `points` names columns of the tallies, not of the domain, that are counted besides (`bins.py`).
    `rows` is how many rows there will be, which is public; left out, very many.
    """

    points: Names = ()
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
        cells = sum(self._cells(pair) for pair in self.candidates)
        if cells > _MOST_COUNTED:
            raise TooLargeError(
                f"all pairs of columns have {cells:,} cells together (at most {_MOST_COUNTED:,}). "
                "Declare coarser grids, name fewer columns, or give a workload of fewer pairs.",
                size=cells,
            )

    @cached_property
    def candidates(self) -> tuple[Pair, ...]:
        """The pairs that the workload is about and that are not too large to be counted."""
        most = _MOST_CELLS if self.inference == "tree" else MOST_IN_CYCLES
        return tuple(pair for pair in self._wanted if self._cells(pair) <= most)

    @cached_property
    def _wanted(self) -> tuple[Pair, ...]:
        """The pairs that some part of the workload is about; a constant is linked to nothing."""
        asked = {
            frozenset(pair)
            for part in self.workload.parts
            for pair in combinations(part.columns, 2)
        }
        return tuple(pair for pair in combinations(self._varying, 2) if frozenset(pair) in asked)

    @cached_property
    def _varying(self) -> Names:
        """The columns that can hold more than one value."""
        return varying(self.domain, self.names)

    @cached_property
    def singles(self) -> Names:
        """The columns that are counted by themselves; of constants alone one, to spend all on."""
        return self._varying or self.names[:1]

    @cached_property
    def _possible(self) -> frozenset[frozenset[str]]:
        """The candidates, whatever their order."""
        return frozenset(frozenset(pair) for pair in self.candidates)

    @property
    def apart(self) -> tuple[str, ...]:
        """The columns that have too many points to be counted with any other that is asked for."""
        paired, wanted = (
            {name for pair in pairs for name in pair} for pairs in (self.candidates, self._wanted)
        )
        return tuple(name for name in self._varying if name in wanted - paired)

    @property
    def groupings(self) -> tuple[Names, ...]:
        """Each column that is counted, and each pair that could be chosen."""
        return (*((name,) for name in (*self.singles, *self.points)), *self.candidates)

    @cached_property
    def edges(self) -> int:
        """How many pairs the tree has: as many as connect what candidates can connect."""
        groups = {name: frozenset([name]) for name in self.names}
        for first, second in self.candidates:
            if second not in groups[first]:
                both = groups[first] | groups[second]
                groups.update(dict.fromkeys(both, both))
        return len(self.names) - len(set(groups.values()))

    @cached_property
    def more(self) -> int:
        """How many pairs are chosen besides those of the tree: decided by public facts."""
        left = len(self.candidates) - self.edges
        if self.inference == "tree" or not left:
            return 0
        # What a usual pair would have if the tree were all.
        noise = self.budget.noise(self._divide(self.edges, self.edges)[2], MARGINAL)
        usual = statistics.median(self._cells(pair) for pair in self.candidates)
        error = noise.mean_sum(round(usual)) / self.rows if self.rows else 0.0
        return min(how_many(len(self._varying), error, self.budget.unit), left)

    @cached_property
    def choices(self) -> int:
        """How many pairs are chosen: none where sizes say that every candidate is counted."""
        every = self.edges + self.more
        if every < len(self.candidates):
            return every
        fit = not self.more or cells_needed(self.sizes, self.candidates) <= MOST_IN_CYCLES
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
            pairs = [" × ".join(names) for names in self.candidates]
            steps += [counting(whole, f"counts of {names}", pair) for names in pairs]
            return Schedule(whole, tuple(steps))
        every = edges + self.more
        for numbers in (range(1, edges + 1), range(edges + 1, every + 1)):
            steps += [choosing(whole, f"choice {n} of {every}", choice) for n in numbers]
            steps += [counting(whole, f"counts of the pair of choice {n}", pair) for n in numbers]
        return Schedule(whole, tuple(steps))

    def predict(self, rows: int) -> WorkloadErrors:
        """Return the errors that noise alone causes; the columns are counted whatever is asked.

        A part counts as if it were counted by itself: one column, or one pair. Constants add
        nothing. What a tree cannot express comes on top, and the fit takes some away. More than
        two columns are never counted together: their noise is taken as that of a tree of their
        pairs.
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
                error = self._noise_error(one, rows)
                cells = one.count(self.domain)
                made.append(PartError(name, (name,), cells, error, True, in_workload=False))
        chosen = self.edges + self.more
        return WorkloadErrors("mst", rows, tuple(made), to_choose=chosen)

    def _is_counted(self, columns: Names) -> bool | None:
        """Tell whether these columns are counted together; None if a choice decides it."""
        columns = varying(self.domain, columns)
        if len(columns) <= 1:
            return True
        if frozenset(columns) not in self._possible:
            return False
        return None if self.choices else True

    @cached_property
    def noises(self) -> tuple[Noise, Noise]:
        """The noise of one column, and of one pair."""
        single, _, pair, _ = self._amounts
        return self.budget.noise(single, MARGINAL), self.budget.noise(pair, MARGINAL)

    def _noise_error(self, part: Queries, rows: int) -> float:
        single, pair = self.noises
        columns = varying(self.domain, part.columns)
        if not columns:
            return 0.0
        if self._is_counted(columns) is not False:
            noise = single if len(columns) == 1 else pair
            return noise_error(part, self.domain, noise, rows)
        pairs = [
            marginal_error(self._cells(two), pair, rows)
            for two in combinations(columns, 2)
            if self._is_counted(two) is not False
        ]
        alone = [marginal_error(self.sizes[name], single, rows) for name in columns]
        links = len(columns) - 1
        whole = links * sum(pairs) / len(pairs) if len(pairs) >= links else sum(alone)
        if isinstance(part, Marginal):
            return min(2.0, whole)
        # A set of cells is off by at most half of what all cells are off by together.
        return part.count(self.domain) * min(1.0, whole / 2)

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Count the columns, choose a tree, count its pairs, fit, and make rows."""
        singles = [steps.count((name,)) for name in self.singles]
        for name in self.points:
            steps.count((name,))
        _, noise = self.noises
        costs = {pair: round(noise.mean_sum(self._cells(pair))) for pair in self.candidates}
        chosen = choose_tree(steps, costs, singles) if self.choices else list(self.candidates)
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
        # A constant has the code 0 in every row.
        codes = {n: drawn[n] if n in drawn else np.zeros(rows, np.int64) for n in self.names}
        return steps.finish(codes, notes)

    def _cells(self, pair: Pair) -> int:
        return self.sizes[pair[0]] * self.sizes[pair[1]]
