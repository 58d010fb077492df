"""BLR as a synthesizer: one draw of the exponential mechanism, without noisy counts.

A person with up to k rows changes a share by k/n, k times as much as a row: `blr` gets ε/k.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from noisewright.errors import ParameterError
from noisewright.mechanisms import Guarantee
from noisewright.spaces import Records
from noisewright.synthetic.by_blr.accuracy import blr_accuracy
from noisewright.synthetic.by_blr.blr import list_databases, require_listable
from noisewright.synthetic.by_blr.multisets import most_records
from noisewright.synthetic.deal_rows import deal_values
from noisewright.synthetic.steps.noise import QUERY
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
from noisewright.synthetic.steps.schedule import Choosing, Schedule, choosing
from noisewright.synthetic.synthesizer import Synthesizer
from noisewright.synthetic.tallies import Names
from noisewright.synthetic.workload_errors import WorkloadErrors

_MOST_LISTED = 10**6


@final
@dataclass(frozen=True, eq=False)
class ByBlr(Synthesizer):
    """The synthesizer for a pure ε: `m` records for a table of so many `rows`."""

    m: int
    rows: int

    def __post_init__(self) -> None:
        if self.budget.unit != "epsilon":
            raise ParameterError("BLR does not use a delta. Leave it out (delta=0).")
        # Now, and not when the budget was debited.
        claim = Guarantee(self.row_epsilon)
        require_listable(self.workload, self.rows, self.m, claim, "multisets")
        self.workload.matrix()

    @property
    def row_epsilon(self) -> Fraction:
        """What each row of a person may spend."""
        return self._choice.epsilon / self._choice.rows_per_person

    @staticmethod
    def usual_rows(domain: Records, rows: int) -> int:
        """Return how many records are drawn unless told: few enough that all can be listed."""
        return max(1, min(rows, most_records(domain.size, _MOST_LISTED)))

    @property
    def groupings(self) -> tuple[Names, ...]:
        """All columns at once."""
        return (self.names,)

    @cached_property
    def _choice(self) -> Choosing:
        """Its only step. Of the count of each query, one row changes 1."""
        whole = self.budget
        return choosing(whole, "one choice among all databases", whole.total, change=QUERY)

    @property
    def schedule(self) -> Schedule:
        """What it will do to the data: choose once."""
        return Schedule(self.budget, (self._choice,))

    def predict(self, rows: int) -> WorkloadErrors:
        """Return the error that no query exceeds, with probability 95% (`blr_accuracy`)."""
        bound = blr_accuracy(
            self.domain.size,
            queries=self.workload.queries,
            rows=rows,
            m=self.m,
            epsilon=self.row_epsilon,
        )
        return WorkloadErrors("blr", rows, (), bound)

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Draw a database, and shuffle its records."""
        (names,) = self.groupings
        table = steps.tallies.counts[names]
        answers = self.workload.answers_of_counts(table.reshape(-1))
        claim = Guarantee(self.row_epsilon)
        made = list_databases(answers, self.workload, rows, claim, "multisets")
        steps.choosing()
        counts = made.sample(source=steps.source).counts
        places = deal_values(np.arange(counts.size), counts, steps.bits)
        named = zip(names, np.unravel_index(places, table.shape), strict=True)
        return steps.finish({name: code.astype(np.int64) for name, code in named})
