"""What every synthesizer has: what it needs to count, and what it draws."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, final

from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.steps.run_budget import RunBudget, Spend
from noisewright.synthetic.steps.schedule import Schedule
from noisewright.synthetic.tallies import Names, Tallies
from noisewright.synthetic.workload_errors import WorkloadErrors
from noisewright.transaction import Progress


@final
@dataclass(frozen=True, eq=False)
class Drawn:
    """Synthetic rows as codes, the noisy counts that they come from, and what each step spent."""

    codes: Mapping[str, NDArray[Any]]
    measurements: tuple[Measurement, ...]
    spends: tuple[Spend, ...]
    notes: tuple[str, ...] = ()


class Synthesizer(Protocol):
    """One way from tallies to synthetic rows; public in all but what it draws."""

    @property
    def budget(self) -> RunBudget:
        """What it spends."""
        ...

    @property
    def schedule(self) -> Schedule:
        """All that it will do to the data, known before it does."""
        ...

    @property
    def groupings(self) -> tuple[Names, ...]:
        """The sets of columns by which the table must be counted."""
        ...

    def predict(self, people: int) -> WorkloadErrors:
        """Return the errors to be expected for a table of so many rows, before it is looked at."""
        ...

    def draw(
        self,
        tallies: Tallies,
        rows: int,
        *,
        source: Source | None = None,
        progress: Progress | None = None,
    ) -> Drawn:
        """Draw noise, choose and make rows; the budget must have been debited."""
        ...
