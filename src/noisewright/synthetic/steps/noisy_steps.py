"""The steps of a synthesizer that see the data: noisy counts and private choices, as scheduled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.sampling import Source, source_or_default
from noisewright.selection import exponential
from noisewright.synthetic.steps.joined_bins import JoinedBins, add_up
from noisewright.synthetic.steps.measurement import Measurement, ModelDistance, add_noise
from noisewright.synthetic.steps.noise import MARGINAL, QUERY
from noisewright.synthetic.steps.run_budget import Spend
from noisewright.synthetic.steps.schedule import Choosing, Comparing, Counting, Schedule, Step
from noisewright.synthetic.tallies import Names, Tallies
from noisewright.transaction import Progress

_MOST_ROWS = 1 << 40

Candidate = TypeVar("Candidate")
Kind = TypeVar("Kind", Counting, Comparing, Choosing)


@final
@dataclass(frozen=True, eq=False)
class Drawn:
    """Synthetic rows as codes, the noisy counts that they come from, and what each step spent."""

    codes: Mapping[str, NDArray[Any]]
    measurements: tuple[Measurement, ...]
    spends: tuple[Spend, ...]
    notes: tuple[str, ...] = ()
    comparisons: tuple[ModelDistance, ...] = ()


@final
@dataclass
class NoisySteps:
    """Does the steps of a schedule one after the other, and keeps what each spent and counted.

    Of the distances of a table the last one is kept.

    Noise comes from the schedule, which is what is certified. What is not next in it is refused
    before anything is drawn.
    """

    tallies: Tallies
    schedule: Schedule
    source: Source | None
    progress: Progress | None = None
    spends: list[Spend] = field(default_factory=list[Spend])
    measurements: list[Measurement] = field(default_factory=list[Measurement])
    comparisons: dict[Names, ModelDistance] = field(default_factory=dict[Names, ModelDistance])

    @property
    def bits(self) -> Source:
        """Where random bits come from."""
        return source_or_default(self.source)

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

    def spend(self, step: Step, what: str) -> None:
        """Keep what a step spends."""
        self.spends.append(Spend(what, step.amount, self.schedule.budget.unit))
        if self.progress is not None:
            self.progress("draw", len(self.spends), len(self.schedule.steps))

    def count(
        self,
        names: Names,
        counts: NDArray[np.int64] | None = None,
        *,
        query: str = "",
        cells: NDArray[np.bool_] | None = None,
        joined: Mapping[str, JoinedBins] | None = None,
    ) -> Measurement:
        """Count the cells of a marginal with noise, or one query, which counts these cells.

        Without `counts` they are those of the tallies; `joined` are bins to be counted as one.
        """
        counts = self.tallies.counts[names] if counts is None else counts
        joined = joined or {}
        counts = add_up(counts, names, joined)
        step = self._next(Counting)
        noise = step.noise(MARGINAL if cells is None else QUERY)
        if cells is None:
            noise = noise.on(counts.size)
        if noise.balanced_cells is not None and int(counts.sum()) != self.tallies.rows:
            raise ParameterError(
                f"the counts of {' × '.join(names)} do not add up to the number of rows, which "
                "their noise keeps. Nothing was drawn for them. Please report this."
            )
        self.spend(step, f"counts of {query or ' × '.join(names)}")
        rows, source = self.tallies.rows, self.source
        noisy = add_noise(counts, noise, source)
        found = Measurement(self.tallies.domain, names, noisy, noise, rows, query, cells, joined)
        self.measurements.append(found)
        return found

    def count_condition(self, names: Names, cells: NDArray[np.bool_], query: str) -> Measurement:
        """Count the rows in some cells of these columns with noise: one query."""
        counts = np.atleast_1d(self.tallies.counts[names][cells].sum())
        return self.count(names, counts, query=query, cells=cells)

    def distance(self, names: Names, shares: NDArray[np.float64]) -> int:
        """Return half the distance in L1 between joint counts and these shares, with noise.

        It is the sum of what the counts exceed the shares by. To replace one row takes 1 from a
        cell and adds 1 to another, which changes this sum by 1 at most.
        """
        step = self._next(Comparing)
        expected = nearest_integers(shares * self.tallies.rows)
        apart = np.maximum(self.tallies.counts[names] - expected, 0).sum()
        self.spend(step, step.what)
        found = int(add_noise(np.atleast_1d(apart), step.noise, self.source)[0])
        self.comparisons[names] = ModelDistance(names, expected, found, step.noise)
        return found

    def choice(self, candidates: Sequence[Candidate], scores: Sequence[int]) -> Candidate:
        """Choose a candidate with a high score, which one row changes by what was certified."""
        step = self.choosing()
        made = exponential(
            range(len(candidates)),
            _as_array(scores),
            epsilon=step.epsilon,
            sensitivity=step.sensitivity,
        )
        return candidates[made.sample(source=self.source)]

    def choosing(self) -> Choosing:
        """Return the next step, a choice, as one that is spent."""
        step = self._next(Choosing)
        self.spend(step, step.what)
        return step

    def require_done(self) -> None:
        """Refuse to go on while steps of the schedule are missing."""
        if len(self.spends) != len(self.schedule.steps):
            raise ParameterError(
                f"{len(self.spends)} of {len(self.schedule.steps)} steps were done. Please report "
                "this: the run did not follow its schedule."
            )

    def finish(self, codes: Mapping[str, NDArray[Any]], notes: tuple[str, ...] = ()) -> Drawn:
        """Return rows with all that was counted and spent, if no step is missing."""
        self.require_done()
        compared = tuple(self.comparisons.values())
        return Drawn(codes, tuple(self.measurements), tuple(self.spends), notes, compared)


def _as_array(scores: Sequence[int]) -> NDArray[np.int64] | list[int]:
    """Return the scores as they are read fastest; noise may make them too large for 64 bits."""
    try:
        return np.array(scores, dtype=np.int64)
    except OverflowError:
        return list(scores)


def nearest_integers(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return whole numbers, so that scores of private data are exact.

    Whatever a fit may have come to, they are numbers of rows: differences never leave 64 bits.
    """
    finite = np.nan_to_num(np.rint(values), nan=0.0, posinf=_MOST_ROWS, neginf=0.0)
    return np.clip(finite, 0, _MOST_ROWS).astype(np.int64)
