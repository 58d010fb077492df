"""What every synthesizer has: what it needs to count, what it will do, and what it draws."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from noisewright.errors import InputError
from noisewright.sampling import Source
from noisewright.spaces import Records
from noisewright.synthetic.steps.noisy_steps import Drawn, NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Schedule
from noisewright.synthetic.tallies import Names, Tallies
from noisewright.synthetic.workload_errors import WorkloadErrors
from noisewright.synthetic.workloads.workload import Workload
from noisewright.transaction import Progress


@dataclass(frozen=True, eq=False)
class Synthesizer(ABC):
    """One way from tallies to synthetic rows; public in all but what it draws."""

    domain: Records
    workload: Workload
    budget: RunBudget

    @cached_property
    def names(self) -> Names:
        """The columns."""
        return tuple(name for name, _ in self.domain.columns)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many points each column has."""
        return {name: space.size for name, space in self.domain.columns}

    @property
    @abstractmethod
    def schedule(self) -> Schedule:
        """All that it will do to the data, known before it does."""

    @property
    @abstractmethod
    def groupings(self) -> tuple[Names, ...]:
        """The sets of columns by which the table must be counted."""

    @abstractmethod
    def predict(self, rows: int) -> WorkloadErrors:
        """Return the errors to be expected for a table of so many rows, before it is looked at."""

    @abstractmethod
    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Do the steps of the schedule, and make so many rows."""

    def draw(
        self,
        tallies: Tallies,
        rows: int,
        *,
        source: Source | None = None,
        progress: Progress | None = None,
    ) -> Drawn:
        """Draw noise, choose and make rows; the budget must have been debited."""
        if not tallies.rows:
            raise InputError("the table has no rows.")
        return self.make(NoisySteps(tallies, self.schedule, source, progress), rows)
