"""MWEM without a weight for each point: a graph of columns, for marginals on large domains.

Rounds are those of `mwem.py`: choose in private the marginal that is answered worst, count it with
noise, fit. Here the distribution is a product of tables, one for each marginal that was counted.
Between rounds these are scaled in turn, a few times, which is enough to choose by; after the last
round all counts are fitted at once (McKenna–Sheldon–Miklau 2019, MWEM+PGM).

A marginal that would make the model too large is not chosen. Where none is left, what was counted
before is counted again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from noisewright.errors import ParameterError, TooLargeError
from noisewright.estimation import project_to_simplex
from noisewright.synthetic.by_mst.choose_pairs import gap_score
from noisewright.synthetic.by_mwem.rounds import Rounds, RoundTarget
from noisewright.synthetic.graphs.graph_fit import fit_or_simpler
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.synthesizer import Drawn
from noisewright.synthetic.tallies import Names, shape_of

_MOST_CELLS = 1 << 18
"""Cells of all tables of a model; they are gone through many times in each round."""

_PASSES = 5
_LEAST = 1e-9


@final
@dataclass(frozen=True, eq=False)
class MwemOnGraph(Rounds):
    """The synthesizer that keeps a graph of columns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        others = [target.query for target in self.targets if target.cells is not None]
        if others:
            raise ParameterError(
                "a graph of columns is fitted to whole marginals, and the workload also has other "
                "queries. Ask for marginals alone."
            )
        if not self._open([]):
            raise TooLargeError(
                f"every marginal of the workload needs more than {_MOST_CELLS:,} cells. Ask for "
                "marginals of fewer columns, for fewer bins, or declare coarser grids.",
                size=min(math.prod(shape_of(self.domain, one.columns)) for one in self.targets),
            )

    @property
    def groupings(self) -> tuple[Names, ...]:
        """The marginals of the workload."""
        return (
            *(target.columns for target in self.targets),
            *((name,) for name in self.points),
        )

    @property
    def _all_fit(self) -> bool:
        return cells_needed(self.sizes, [one.columns for one in self.targets]) <= _MOST_CELLS

    def _open(self, known: Sequence[Names]) -> list[RoundTarget]:
        """Return what may be chosen: this depends on earlier choices, and on nothing private."""
        sizes = self.sizes
        return [
            target
            for target in self.targets
            if target.columns not in known
            and cells_needed(sizes, [*known, target.columns]) <= _MOST_CELLS
        ]

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Choose, count and fit, round by round; then fit all, and make rows."""
        for name in self.points:
            steps.count((name,))
        noise = self.budget.noise(self._amounts[1], MARGINAL)
        model, seen = GraphModel(self.sizes, ()), list[Measurement]()
        for _ in range(self.rounds):
            known = [one.columns for one in seen]
            chosen = self.targets[len(seen)].columns
            if self.chooses:
                targets = self._open(known) or [t for t in self.targets if t.columns in known]
                scores = [
                    gap_score(steps.tallies, target.columns, model.marginal(target.columns))
                    - round(noise.mean_sum(math.prod(shape_of(self.domain, target.columns))))
                    for target in targets
                ]
                chosen = steps.choice(targets, scores).columns
            seen.append(steps.count(chosen))
            model = scale_tables(model, seen)
        best, notes = fit_or_simpler("graph", self.sizes, seen, model, steps.progress)
        return steps.finish(best.draw(rows, steps.source), notes)


def scale_tables(model: GraphModel, seen: Sequence[Measurement]) -> GraphModel:
    """Return the model with one table for each measurement, scaled until it nearly fits them.

    Requires: the tables of the model belong to the first measurements, in this order.
    """
    tables = list(model.potentials)
    tables += [(one.columns, np.zeros(one.counts.shape)) for one in seen[len(tables) :]]
    wanted = [np.maximum(project_to_simplex(one.counts / one.rows), _LEAST) for one in seen]
    for _ in range(_PASSES):
        # The newest first: it is the one that does not fit yet.
        for place in reversed(range(len(tables))):
            columns, values = tables[place]
            now = np.maximum(GraphModel(model.sizes, tables).marginal(columns), _LEAST)
            tables[place] = (columns, values + np.log(wanted[place] / now) / 2)
    return GraphModel(model.sizes, tables)
