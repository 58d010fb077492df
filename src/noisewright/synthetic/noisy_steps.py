"""The steps of a synthesizer that see the data: noisy counts and private choices, accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.selection import exponential
from noisewright.synthetic.allowance import MARGINAL, QUERY, Allowance, Spend
from noisewright.synthetic.drawn import Progress
from noisewright.synthetic.measured import Measurement, measured
from noisewright.synthetic.tallies import Names, Tallies

Candidate = TypeVar("Candidate")


@final
@dataclass
class NoisySteps:
    """Runs noisy steps one after the other, and keeps what each spent."""

    tallies: Tallies
    allowance: Allowance
    source: Source | None
    progress: Progress | None
    total: int
    spends: list[Spend] = field(default_factory=list[Spend])

    def _spend(self, what: str, amount: Fraction) -> None:
        self.spends.append(Spend(what, amount, self.allowance.unit))
        if self.progress is not None:
            self.progress("measure", len(self.spends), self.total)

    def counted(
        self,
        names: Names,
        counts: NDArray[np.int64],
        amount: Fraction,
        *,
        query: str = "",
        cells: NDArray[np.bool_] | None = None,
    ) -> Measurement:
        """Count the cells of a marginal with noise, or one query if it has a name."""
        self._spend(f"counts of {query or ' × '.join(names)}", amount)
        return measured(
            self.tallies.domain,
            names,
            counts,
            self.allowance.noise(amount, QUERY if query else MARGINAL),
            rows=self.tallies.rows,
            source=self.source,
            query=query,
            cells=cells,
        )

    def choice(
        self,
        candidates: Sequence[Candidate],
        scores: Sequence[int],
        amount: Fraction,
        *,
        what: str,
    ) -> Candidate:
        """Choose a candidate with a high score, which one row changes by at most 2."""
        self._spend(what, amount)
        epsilon = self.allowance.choice_epsilon(amount)
        places = list(range(len(candidates)))
        made = exponential(
            places, list(scores), epsilon=epsilon, sensitivity=self.allowance.score_change
        )
        return candidates[made.sample(source=self.source)]
