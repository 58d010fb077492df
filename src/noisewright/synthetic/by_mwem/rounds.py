"""Round by round: what MWEM chooses from, and what each round may spend."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, ParameterError, TooLargeError
from noisewright.estimation import project_to_simplex
from noisewright.spaces import whole_number
from noisewright.synthetic.steps.decided_in_run import counts_of_choice
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.schedule import Choosing, Counting, Schedule, choosing, counting
from noisewright.synthetic.synthesizer import Synthesizer
from noisewright.synthetic.tallies import Names, shape_of, varying
from noisewright.synthetic.workload_errors import PartError, WorkloadErrors, part_name
from noisewright.synthetic.workloads.counting_queries import Marginal

_MOST_CANDIDATES = 1 << 14
_MOST_MATRIX = 1 << 24
_ROUNDS = 10
_CHOICES, _COUNTS, _POINTS = 5, 15, 2
"""How the whole is divided: choosing, counting, and columns in bins point by point."""

_LEAST = 1e-9


@final
@dataclass(frozen=True, eq=False)
class RoundTarget:
    """One thing that a round can count: a whole marginal, or one query over some columns."""

    columns: Names
    cells: NDArray[np.bool_] | None
    query: str

    @property
    def change(self) -> Literal[1, 2]:
        """By how much one row changes what is counted."""
        return MARGINAL if self.cells is None else QUERY

    @property
    def name(self) -> str:
        """What is counted, in words."""
        return self.query or " × ".join(self.columns)

    def counts(self, marginal: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what is counted, from the counts by its columns."""
        return marginal if self.cells is None else np.atleast_1d(marginal[self.cells].sum())

    def factors(self, marginal: NDArray[np.float64], seen: Measurement) -> NDArray[np.float64]:
        """Return by what each cell is multiplied, given its share now."""
        if self.cells is None:
            wanted = np.maximum(project_to_simplex(seen.counts / seen.rows), _LEAST)
            return np.sqrt(wanted / np.maximum(marginal, _LEAST))
        inside = min(max(float(seen.counts[0]) / seen.rows, _LEAST), 1 - _LEAST)
        now = min(max(float(marginal[self.cells].sum()), _LEAST), 1 - _LEAST)
        up, down = math.sqrt(inside / now), math.sqrt((1 - inside) / (1 - now))
        return np.where(self.cells, up, down)


@dataclass(frozen=True, eq=False)
class Rounds(Synthesizer):
    """The rounds for a domain, a workload and a budget, whatever keeps the distribution.

    `points` names columns of the tallies, not of the domain, that are counted besides (`bins.py`).
    """

    wanted_rounds: int | None = None
    points: Names = ()

    def __post_init__(self) -> None:
        if not self.targets:
            raise InputError("the workload has no queries, so there is nothing to count.")
        if self.rounds > len(self.targets):
            raise ParameterError(
                f"rounds is {self.rounds:,}; give at most {len(self.targets):,}, as many marginals "
                "and queries as the workload has to count, each of them once."
            )

    @cached_property
    def targets(self) -> tuple[RoundTarget, ...]:
        """All that a round can count, each once; constants have nothing to count.

        Where all are constants, they are counted all the same, to spend the whole on.
        """
        return self._list_targets(but_constants=True) or self._list_targets(but_constants=False)

    def _list_targets(self, *, but_constants: bool) -> tuple[RoundTarget, ...]:
        found: dict[object, RoundTarget] = {}
        for part in self.workload.parts:
            columns = varying(self.domain, part.columns) if but_constants else part.columns
            if not columns:
                continue
            if isinstance(part, Marginal):
                found.setdefault(frozenset(columns), RoundTarget(columns, None, ""))
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
                found.setdefault(same, RoundTarget(part.columns, row.reshape(shape), label))
        return tuple(found.values())

    @cached_property
    def rounds(self) -> int:
        """How often something is chosen and counted."""
        if self.wanted_rounds is None:
            return min(_ROUNDS, len(self.targets))
        return whole_number(self.wanted_rounds, name="rounds", least=1)

    @cached_property
    def chooses(self) -> bool:
        """Whether anything is chosen: not where all there is will be counted, as sizes say."""
        return self.rounds < len(self.targets) or not self._all_fit

    @property
    def _all_fit(self) -> bool:
        """Whether a model can have all targets at once."""
        return True

    @cached_property
    def _amounts(self) -> tuple[Fraction, Fraction, Fraction]:
        """What one choice, one count of a round and one column by points get of the whole."""
        weights = (_CHOICES * self.chooses, _COUNTS, _POINTS * bool(self.points))
        choice, count, point = self.budget.divide(weights)
        return choice / self.rounds, count / self.rounds, point / max(len(self.points), 1)

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: count points, then choose and count, round by round.

        Whether a marginal or a single query is counted may depend on the choice. Where nothing is
        to be chosen, all targets are counted in their order.
        """
        (choice, count, point), whole = self._amounts, self.budget
        kinds = {target.change for target in self.targets}
        steps: list[Counting | Choosing] = [
            counting(whole, f"counts of {name}", point) for name in self.points
        ]
        if not self.chooses:
            steps += [
                counting(whole, f"counts of {target.name}", count, [target.change])
                for target in self.targets
            ]
            return Schedule(whole, tuple(steps))
        for number in range(1, self.rounds + 1):
            steps.append(choosing(whole, f"choice {number} of {self.rounds}", choice))
            both = sorted(kinds, reverse=True)
            steps.append(counting(whole, counts_of_choice(number), count, both))
        return Schedule(whole, tuple(steps))

    def predict(self, rows: int) -> WorkloadErrors:
        """Return the errors that noise alone causes in parts that are counted in some round.

        What is not chosen comes on top.
        """
        _, count, _ = self._amounts
        counted = None if self.chooses else True
        made: list[PartError] = []
        for part in self.workload.parts:
            name, queries = part_name(part, self.domain), part.count(self.domain)
            if not varying(self.domain, part.columns):
                # The number of rows is public.
                made.append(PartError(name, part.columns, queries, 0.0, True))
                continue
            is_table = isinstance(part, Marginal)
            noise = self.budget.noise(count, MARGINAL if is_table else QUERY)
            whole = noise.mean_error(queries) if is_table else queries * noise.mean_size
            error = min(2.0 if is_table else queries, whole / rows)
            made.append(PartError(name, part.columns, queries, error, counted))
        return WorkloadErrors("mwem", rows, tuple(made), to_choose=self.rounds)
