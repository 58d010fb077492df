"""MWEM: multiplicative weights over the whole domain, and the exponential mechanism.

Start with the uniform distribution over all points of the domain. In each round, choose in private
what the distribution answers worst (one marginal, or one query of another kind), count it with
noise, and multiply the weights of the points until the distribution fits what was counted so far
(Hardt–Ligett–McSherry 2012, with whole marginals as one step, as their section 4 does).

Scores are whole numbers: 2 |count − expected| for a query, the sum of |count − expected| over the
cells of a marginal, less what the noise of counting it would cost. One row changes them by at
most 2. What was counted already is not chosen again, and nothing is chosen where all will be
counted.

Weights are multiplied by √(counted / expected), and counts are first moved to the nearest that
are possible. The paper multiplies by e^((counted − expected) / 2n), which takes far more passes for
rare cells; both see noisy counts only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.given import amount
from noisewright.synthetic.by_mwem.rounds import Rounds, RoundTarget
from noisewright.synthetic.deal_rows import deal_values, round_at_random
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.noisy_steps import NoisySteps, nearest_integers
from noisewright.synthetic.synthesizer import Drawn
from noisewright.synthetic.tallies import Names

MOST_POINTS = 1 << 20
_PASSES = 50
_CLOSE = 1e-6


@final
@dataclass(frozen=True, eq=False)
class Mwem(Rounds):
    """The synthesizer that keeps a weight for each point of the domain."""

    def __post_init__(self) -> None:
        if self.domain.size > MOST_POINTS:
            raise TooLargeError(
                f"the domain has {amount(self.domain.size)} points, and MWEM keeps a weight for "
                f"each (at most {MOST_POINTS:,}). Name fewer columns, declare coarser grids, "
                "ask for fewer bins (columns that ranges or conditions ask about have none), "
                "or use method='mst', which needs pairs of columns only. For marginals alone, "
                "inference='graph' needs no such weights.",
                size=self.domain.size,
            )
        super().__post_init__()

    @property
    def groupings(self) -> tuple[Names, ...]:
        """All columns at once."""
        return (self.names, *((name,) for name in self.points))

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Choose, count and fit, round by round; then make rows."""
        for name in self.points:
            steps.count((name,))
        names, bits = self.names, steps.bits
        truth = steps.tallies.counts[names]
        weights = np.full(truth.shape, 1 / truth.size)
        open_targets, seen = list(self.targets), list[tuple[RoundTarget, Measurement]]()
        for _ in range(self.rounds):
            target = open_targets[0]
            if self.chooses:
                scores = self._scores(open_targets, names, truth, weights)
                target = steps.choice(open_targets, scores)
            open_targets.remove(target)
            counts = target.counts(marginal_of(truth, names, target.columns))
            made = steps.count(target.columns, counts, query=target.query, cells=target.cells)
            seen.append((target, made))
            weights = fit_weights(weights, names, seen)
        drawn = round_at_random(weights.reshape(-1), rows, bits)
        places = deal_values(np.arange(drawn.size), drawn, bits)
        codes = dict(zip(names, np.unravel_index(places, truth.shape), strict=True))
        return steps.finish({name: code.astype(np.int64) for name, code in codes.items()})

    def _scores(
        self,
        targets: Sequence[RoundTarget],
        names: Names,
        truth: Any,
        weights: Any,
    ) -> list[int]:
        """Return how badly each target is answered by now; see the top of the file."""
        rows = int(truth.sum())
        table, query = (self.budget.noise(self._amounts[1], c) for c in (MARGINAL, QUERY))
        known: dict[Names, tuple[Any, Any]] = {}
        scores: list[int] = []
        for target in targets:
            if target.columns not in known:
                known[target.columns] = (
                    marginal_of(truth, names, target.columns),
                    marginal_of(weights, names, target.columns) * rows,
                )
            counts, expected = known[target.columns]
            if target.cells is None:
                gap = int(np.abs(counts - nearest_integers(expected)).sum())
                scores.append(gap - round(table.mean_sum(counts.size)))
            else:
                gap = abs(int(counts[target.cells].sum()) - round(expected[target.cells].sum()))
                scores.append(2 * gap - round(2 * query.mean_size))
        return scores


def marginal_of(full: Any, names: Names, columns: Names) -> Any:
    """Return the sums of an array over all columns but these, in the order of these."""
    others = tuple(place for place, name in enumerate(names) if name not in columns)
    kept = [name for name in names if name in columns]
    return full.sum(axis=others).transpose([kept.index(name) for name in columns])


def fit_weights(
    weights: Any, names: Names, seen: Sequence[tuple[RoundTarget, Measurement]]
) -> NDArray[np.float64]:
    """Multiply the weights until they fit all that was counted, or for some passes."""
    for _ in range(_PASSES):
        before = weights
        for target, made in seen:
            factors = target.factors(marginal_of(weights, names, target.columns), made)
            kept = [name for name in names if name in target.columns]
            factors = factors.transpose([target.columns.index(name) for name in kept])
            shape = [weights.shape[p] if n in kept else 1 for p, n in enumerate(names)]
            weights = weights * factors.reshape(shape)
            weights = weights / weights.sum()
        if np.abs(weights - before).sum() < _CLOSE:
            break
    return weights
