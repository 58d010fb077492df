"""MWEM: multiplicative weights over the whole domain, and the exponential mechanism.

Start with the uniform distribution over all points of the domain. In each round, choose in private
what the distribution answers worst (one marginal, or one query of another kind), count it with
noise, and multiply the weights of the points until the distribution fits what was counted so far
(Hardt–Ligett–McSherry 2012, with whole marginals as one step, as their section 4 does).

Scores are whole numbers: 2 |count − expected| for a query, the sum of |count − expected| over the
cells of a marginal, less what the noise of counting it would cost. One row changes them by at
most 2. What was counted already is not chosen again.

Weights are multiplied by √(counted / expected), and counts are first moved to the nearest that
are possible. The paper multiplies by e^((counted − expected) / 2n), which takes far more passes for
rare cells; both see noisy counts only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.estimation.simplex import projected
from noisewright.sampling import Source, default_source
from noisewright.spaces import Records, amount, whole_number
from noisewright.synthetic.allowance import MARGINAL, QUERY, Allowance, nearest_integers
from noisewright.synthetic.dealing import dealt
from noisewright.synthetic.drawing_down import rounded_at_random
from noisewright.synthetic.drawn import Drawn, Progress
from noisewright.synthetic.measured import Measurement
from noisewright.synthetic.noisy_steps import NoisySteps
from noisewright.synthetic.part_errors import PartError, WorkloadErrors, part_name
from noisewright.synthetic.queries import Marginal
from noisewright.synthetic.schedule import Choosing, Counting, Schedule, choosing, counting
from noisewright.synthetic.tallies import Names, Tallies, shape_of
from noisewright.synthetic.workload import Workload

MOST_POINTS = 1 << 20
_MOST_CANDIDATES = 1 << 14
_MOST_MATRIX = 1 << 24
_ROUNDS = 10
_CHOICES, _COUNTS, _POINTS = 5, 15, 2
"""How the whole is divided: choosing, counting, and columns in bins point by point."""

_PASSES = 50
_CLOSE = 1e-6
_LEAST = 1e-9


@final
@dataclass(frozen=True, eq=False)
class Target:
    """One thing that a round can count: a whole marginal, or one query over some columns."""

    columns: Names
    cells: NDArray[np.bool_] | None
    query: str

    def counts(self, marginal: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what is counted, from the counts by its columns."""
        return marginal if self.cells is None else np.atleast_1d(marginal[self.cells].sum())

    def factors(self, marginal: NDArray[np.float64], seen: Measurement) -> NDArray[np.float64]:
        """Return by what each cell is multiplied, given its share now."""
        if self.cells is None:
            wanted = np.maximum(projected(seen.counts / seen.rows), _LEAST)
            return np.sqrt(wanted / np.maximum(marginal, _LEAST))
        inside = min(max(float(seen.counts[0]) / seen.rows, _LEAST), 1 - _LEAST)
        now = min(max(float(marginal[self.cells].sum()), _LEAST), 1 - _LEAST)
        up, down = math.sqrt(inside / now), math.sqrt((1 - inside) / (1 - now))
        return np.where(self.cells, up, down)


@final
@dataclass(frozen=True, eq=False)
class Mwem:
    """The synthesizer for a domain, a workload and an allowance.

    `points` names columns of the tallies, not of the domain, that are counted besides (`bins.py`).
    """

    domain: Records
    workload: Workload
    allowance: Allowance
    wanted_rounds: int | None = None
    points: Names = ()

    def __post_init__(self) -> None:
        if self.domain.size > MOST_POINTS:
            raise TooLargeError(
                f"the domain has {amount(self.domain.size)} points, and MWEM keeps a weight for "
                f"each (at most {MOST_POINTS:,}). Name fewer columns, declare coarser grids, "
                "ask for fewer bins (columns that ranges or conditions ask about have none), or "
                "use method='mst', which needs pairs of columns only.",
                size=self.domain.size,
            )
        if not self.targets:
            raise InputError("the workload has no queries, so there is nothing to count.")
        if self.rounds > len(self.targets):
            raise ParameterError(
                f"rounds is {self.rounds}, and the workload has {len(self.targets)} marginals or "
                "queries to count; each is counted once."
            )

    @cached_property
    def targets(self) -> tuple[Target, ...]:
        """All that a round can count, each once."""
        found: dict[object, Target] = {}
        for part in self.workload.parts:
            if isinstance(part, Marginal):
                found.setdefault(frozenset(part.columns), Target(part.columns, None, ""))
                continue
            shape = shape_of(self.domain, part.columns)
            cells, queries = math.prod(shape), part.count(self.domain)
            if cells * queries > _MOST_MATRIX or len(found) + queries > _MOST_CANDIDATES:
                raise TooLargeError(
                    f"{queries:,} queries on {cells:,} cells are too many to choose from. List "
                    "fewer, or use method='mst'.",
                    size=cells * queries,
                )
            for row, label in zip(part.masks(shape), part.labels(self.domain), strict=True):
                # Two conditions may have got the same name.
                same = (part.columns, row.tobytes())
                found.setdefault(same, Target(part.columns, row.reshape(shape), label))
        return tuple(found.values())

    @cached_property
    def rounds(self) -> int:
        """How often something is chosen and counted."""
        if self.wanted_rounds is None:
            return min(_ROUNDS, len(self.targets))
        return whole_number(self.wanted_rounds, name="rounds", least=1)

    @property
    def groupings(self) -> tuple[Names, ...]:
        """All columns at once."""
        return (self.names, *((name,) for name in self.points))

    @property
    def names(self) -> Names:
        """The columns."""
        return tuple(name for name, _ in self.domain.columns)

    @cached_property
    def _amounts(self) -> tuple[Fraction, Fraction, Fraction]:
        """What one choice, one count of a round and one column by points get of the whole."""
        weights = (_CHOICES, _COUNTS, _POINTS * bool(self.points))
        choice, count, point = self.allowance.divided(weights)
        return choice / self.rounds, count / self.rounds, point / max(len(self.points), 1)

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: count points, then choose and count, round by round.

        Whether a marginal or a single query is counted may depend on the choice.
        """
        (choice, count, point), whole = self._amounts, self.allowance
        kinds = {MARGINAL if target.cells is None else QUERY for target in self.targets}
        steps: list[Counting | Choosing] = [
            counting(whole, f"counts of {name}", point) for name in self.points
        ]
        for number in range(1, self.rounds + 1):
            steps.append(choosing(whole, f"choice {number} of {self.rounds}", choice))
            what = f"counts of what choice {number} chose"
            steps.append(counting(whole, what, count, sorted(kinds, reverse=True)))
        return Schedule(whole, tuple(steps))

    def predicted(self, people: int) -> WorkloadErrors:
        """Return the errors that noise alone causes in parts that are counted in some round.

        What is not chosen comes on top.
        """
        _, count, _ = self._amounts
        counted = True if self.rounds == len(self.targets) else None
        made: list[PartError] = []
        for part in self.workload.parts:
            change = MARGINAL if isinstance(part, Marginal) else QUERY
            each = self.allowance.noise(count, change).mean_size
            queries = part.count(self.domain)
            error = min(2.0 if change == MARGINAL else queries, queries * each / people)
            name = part_name(part, self.domain)
            made.append(PartError(name, part.columns, queries, error, counted))
        return WorkloadErrors("mwem", people, tuple(made), to_choose=self.rounds)

    def draw(
        self,
        tallies: Tallies,
        rows: int,
        *,
        source: Source | None = None,
        progress: Progress | None = None,
    ) -> Drawn:
        """Choose, count and fit, round by round; then make rows."""
        if not tallies.rows:
            raise InputError("the table has no rows.")
        bits = source or default_source()
        steps = NoisySteps(tallies, self.schedule, source, progress)
        points = [steps.counted((name,), tallies.counts[name,]) for name in self.points]
        names = self.names
        truth = tallies.counts[names]
        weights = np.full(truth.shape, 1 / truth.size)
        open_targets, seen = list(self.targets), list[tuple[Target, Measurement]]()
        for _ in range(self.rounds):
            scores = self._scores(open_targets, names, truth, weights)
            target = steps.choice(open_targets, scores)
            open_targets.remove(target)
            counts = target.counts(summed(truth, names, target.columns))
            made = steps.counted(target.columns, counts, query=target.query, cells=target.cells)
            seen.append((target, made))
            weights = fitted_weights(weights, names, seen)
        steps.require_done()
        drawn = rounded_at_random(weights.reshape(-1), rows, bits)
        places = dealt(np.arange(drawn.size), drawn, bits)
        codes = dict(zip(names, np.unravel_index(places, truth.shape), strict=True))
        return Drawn(
            {name: code.astype(np.int64) for name, code in codes.items()},
            (*points, *(made for _, made in seen)),
            tuple(steps.spends),
        )

    def _scores(
        self,
        targets: Sequence[Target],
        names: Names,
        truth: Any,
        weights: Any,
    ) -> list[int]:
        """Return how badly each target is answered by now; see the top of the file."""
        rows = int(truth.sum())
        lost = {
            change: self.allowance.noise(self._amounts[1], change).mean_size
            for change in (MARGINAL, QUERY)
        }
        known: dict[Names, tuple[Any, Any]] = {}
        scores: list[int] = []
        for target in targets:
            if target.columns not in known:
                known[target.columns] = (
                    summed(truth, names, target.columns),
                    summed(weights, names, target.columns) * rows,
                )
            counts, expected = known[target.columns]
            if target.cells is None:
                gap = int(np.abs(counts - nearest_integers(expected)).sum())
                scores.append(gap - round(lost[MARGINAL] * counts.size))
            else:
                gap = abs(int(counts[target.cells].sum()) - round(expected[target.cells].sum()))
                scores.append(2 * gap - round(2 * lost[QUERY]))
        return scores


def summed(full: Any, names: Names, columns: Names) -> Any:
    """Return the sums of an array over all columns but these, in the order of these."""
    others = tuple(place for place, name in enumerate(names) if name not in columns)
    kept = [name for name in names if name in columns]
    return full.sum(axis=others).transpose([kept.index(name) for name in columns])


def fitted_weights(
    weights: Any, names: Names, seen: Sequence[tuple[Target, Measurement]]
) -> NDArray[np.float64]:
    """Multiply the weights until they fit all that was counted, or for some passes."""
    for _ in range(_PASSES):
        before = weights
        for target, made in seen:
            factors = target.factors(summed(weights, names, target.columns), made)
            kept = [name for name in names if name in target.columns]
            factors = factors.transpose([target.columns.index(name) for name in kept])
            shape = [weights.shape[p] if n in kept else 1 for p, n in enumerate(names)]
            weights = weights * factors.reshape(shape)
            weights = weights / weights.sum()
        if np.abs(weights - before).sum() < _CLOSE:
            break
    return weights
