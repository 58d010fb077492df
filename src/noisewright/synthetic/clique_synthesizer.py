"""What synthesizers share that count columns and cliques of them, and make rows from a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.steps.noise import Noise
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
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


@dataclass(frozen=True, eq=False)
class CliqueSynthesizer(Synthesizer):
    """One that counts every column, and some cliques of columns that the workload is about.

    `points` names columns of the tallies, not of the domain, that are counted besides (`bins.py`).
    """

    points: Names = ()

    @cached_property
    def singles(self) -> Names:
        """The columns that are counted by themselves; of constants alone one, to spend all on."""
        return varying(self.domain, self.names) or self.names[:1]

    @cached_property
    def asked_pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs that some part of the workload is about; a constant is linked to nothing."""
        asked = {
            frozenset(pair)
            for part in self.workload.parts
            for pair in combinations(part.columns, 2)
        }
        every = combinations(varying(self.domain, self.names), 2)
        return tuple(pair for pair in every if frozenset(pair) in asked)

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Those of them that are counted, or that may be chosen: none that is too large."""
        return tuple(pair for pair in self.asked_pairs if self.cells(pair) <= self.most_cells)

    @property
    @abstractmethod
    def most_cells(self) -> int:
        """Cells of the largest pair that can be counted; declared spaces alone decide it."""

    @property
    @abstractmethod
    def pairs_to_count(self) -> int:
        """How many of them are counted: where it is all, nothing is chosen."""

    @property
    @abstractmethod
    def to_choose(self) -> int:
        """How many of the cliques that may be counted will be."""

    @property
    def may_join(self) -> bool:
        """Whether pairs may be counted in joined bins."""
        return False

    @abstractmethod
    def noise(self, columns: Names) -> Noise | None:
        """Return the noise of counts by these columns, or None if they are never counted."""

    @abstractmethod
    def is_chosen(self, columns: Names) -> bool:
        """Tell whether a choice decides that these columns are counted together."""

    def noise_of_queries(self, part: Queries) -> Noise | None:
        """Return the noise of the queries of a part, or None if none is counted by itself."""
        return None

    def cells(self, names: Names) -> int:
        """Return how many cells the table of these columns has."""
        return prod(self.sizes[name] for name in names)

    def predict(self, rows: int) -> WorkloadErrors:
        """Return the errors that noise alone causes; the columns are counted whatever is asked.

        A part counts as if it were counted by itself. Constants add nothing. What is not counted
        together is taken as a tree of its pairs. What the model cannot express comes on top, and
        the fit takes some away.
        """
        made = [self._predict_part(part, rows) for part in self.workload.parts]
        asked = {
            varying(self.domain, part.columns)
            for part in self.workload.parts
            if isinstance(part, Marginal)
        }
        made += [
            self._predict_part(Marginal((name,)), rows, in_workload=False)
            for name in self.singles
            if (name,) not in asked
        ]
        return WorkloadErrors(
            "mst", rows, tuple(made), to_choose=self.to_choose, may_join=self.may_join
        )

    def _predict_part(self, part: Queries, rows: int, *, in_workload: bool = True) -> PartError:
        columns, queries = varying(self.domain, part.columns), part.count(self.domain)
        alone, own = self.noise_of_queries(part), self.noise(columns)
        if alone is not None:
            error, counted = queries * min(1.0, alone.mean_size / rows), True
        elif own is not None:
            error = noise_error(part, self.domain, own, rows)
            counted = None if self.is_chosen(columns) else True
        else:
            error, counted = self._error_of_tree(part, columns, rows), not columns
        name = part_name(part, self.domain)
        return PartError(name, part.columns, queries, error, counted, in_workload=in_workload)

    def _error_of_tree(self, part: Queries, columns: Names, rows: int) -> float:
        """Return the error of a part that follows from a tree of pairs, or else from columns."""
        links = max(len(columns) - 1, 1)
        alone, pairs = (self._errors_of(combinations(columns, ways), rows) for ways in (1, 2))
        whole = links * sum(pairs) / len(pairs) if len(pairs) >= links else sum(alone)
        if isinstance(part, Marginal):
            return min(2.0, whole)
        # A set of cells is off by at most half of what all cells are off by together.
        return part.count(self.domain) * min(1.0, whole / 2)

    def _errors_of(self, tables: Iterable[Names], rows: int) -> list[float]:
        noises = {names: self.noise(names) for names in tables}
        return [
            marginal_error(self.cells(names), noise, rows)
            for names, noise in noises.items()
            if noise is not None
        ]

    def finish(
        self,
        steps: NoisySteps,
        drawn: Mapping[str, NDArray[Any]],
        rows: int,
        notes: tuple[str, ...],
    ) -> Drawn:
        """Return so many rows of all columns; a constant has the code 0 in every row."""
        codes = {n: drawn[n] if n in drawn else np.zeros(rows, np.int64) for n in self.names}
        return steps.finish(codes, notes)
