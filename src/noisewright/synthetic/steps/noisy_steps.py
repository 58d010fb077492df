"""The steps of a synthesizer that see the data: noisy counts and private choices, as scheduled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.sampling import Source
from noisewright.selection import exponential
from noisewright.synthetic.steps.measurement import Measurement, add_noise
from noisewright.synthetic.steps.run_budget import MARGINAL, QUERY, Spend
from noisewright.synthetic.steps.schedule import Choosing, Counting, Schedule
from noisewright.synthetic.tallies import Names, Tallies
from noisewright.transaction import Progress

Candidate = TypeVar("Candidate")
Kind = TypeVar("Kind", Counting, Choosing)


@final
@dataclass
class NoisySteps:
    """Does the steps of a schedule one after the other, and keeps what each spent.

    Noise comes from the schedule, which is what is certified. What is not next in it is refused
    before anything is drawn.
    """

    tallies: Tallies
    schedule: Schedule
    source: Source | None
    progress: Progress | None = None
    spends: list[Spend] = field(default_factory=list[Spend])

    def _next(self, kind: type[Kind]) -> Kind:
        """Return the step that is next, if it is of this kind."""
        place, steps = len(self.spends), self.schedule.steps
        step = steps[place] if place < len(steps) else None
        if not isinstance(step, kind):
            words = "nothing" if step is None else f"{type(step).__name__.lower()} ({step.what})"
            raise ParameterError(
                f"{kind.__name__.lower()} is not what was certified as step {place + 1}, which is "
                f"{words}. Nothing was drawn for it. Please report this."
            )
        return step

    def _spend(self, step: Counting | Choosing, what: str) -> None:
        self.spends.append(Spend(what, step.amount, self.schedule.budget.unit))
        if self.progress is not None:
            self.progress("draw", len(self.spends), len(self.schedule.steps))

    def count(
        self,
        names: Names,
        counts: NDArray[np.int64],
        *,
        query: str = "",
        cells: NDArray[np.bool_] | None = None,
    ) -> Measurement:
        """Count the cells of a marginal with noise, or one query, which counts these cells."""
        step = self._next(Counting)
        noise = step.noise(MARGINAL if cells is None else QUERY)
        if cells is None:
            noise = noise.on(counts.size)
        if noise.balanced_cells is not None and int(counts.sum()) != self.tallies.rows:
            raise ParameterError(
                f"the counts of {' × '.join(names)} do not add up to the number of rows, which "
                "their noise keeps. Nothing was drawn for them. Please report this."
            )
        self._spend(step, f"counts of {query or ' × '.join(names)}")
        return add_noise(
            self.tallies.domain,
            names,
            counts,
            noise,
            rows=self.tallies.rows,
            source=self.source,
            query=query,
            cells=cells,
        )

    def choice(self, candidates: Sequence[Candidate], scores: Sequence[int]) -> Candidate:
        """Choose a candidate with a high score, which one row changes by what was certified."""
        step = self._next(Choosing)
        self._spend(step, step.what)
        made = exponential(
            range(len(candidates)),
            _as_array(scores),
            epsilon=step.epsilon,
            sensitivity=step.sensitivity,
        )
        return candidates[made.sample(source=self.source)]

    def require_done(self) -> None:
        """Refuse to go on while steps of the schedule are missing."""
        if len(self.spends) != len(self.schedule.steps):
            raise ParameterError(
                f"{len(self.spends)} of {len(self.schedule.steps)} steps were done. Please report "
                "this: the run did not follow its schedule."
            )


def _as_array(scores: Sequence[int]) -> NDArray[np.int64] | list[int]:
    """Return the scores as they are read fastest; noise may make them too large for 64 bits."""
    try:
        return np.array(scores, dtype=np.int64)
    except OverflowError:
        return list(scores)
