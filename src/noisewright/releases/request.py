"""What was asked of a synthesizer: counted without randomness, and then drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from noisewright.errors import DataError, ParameterError
from noisewright.releases.declared import Declared
from noisewright.releases.synthesis import Evaluation, Synthesis
from noisewright.sampling import Source
from noisewright.spaces import whole_number
from noisewright.synthetic import Workload
from noisewright.synthetic.allowance import Allowance
from noisewright.synthetic.by_blr import ByBlr
from noisewright.synthetic.drawn import Drawn, Progress, Synthesizer
from noisewright.synthetic.mst import Mst
from noisewright.synthetic.mwem import Mwem
from noisewright.synthetic.tallies import Tallies


@dataclass(frozen=True)
class Request:
    """What was asked for, apart from place and ledger."""

    read: Declared
    workload: Workload
    allowance: Allowance
    method: str
    wanted_rows: int | None
    rounds: int | None
    what: str
    evaluation: bool
    progress: Progress | None
    source: Source | None

    @property
    def is_private(self) -> bool:
        """Whether its noise is from a private source."""
        return self.source is None or self.source.private

    def require_possible(self) -> None:
        """Refuse what the declared columns alone show to be impossible."""
        if self.method not in ("mst", "mwem", "blr"):
            raise ParameterError(f"method is {self.method!r}; it must be 'mst', 'mwem' or 'blr'.")
        if self.rounds is not None and self.method != "mwem":
            raise ParameterError("rounds belongs to method='mwem'. Leave it out.")
        if self.wanted_rows is not None:
            whole_number(self.wanted_rows, name="rows", least=1)
        self.synthesizer(1)

    def synthesizer(self, people: int) -> Synthesizer:
        """Return the synthesizer for a table of so many rows."""
        domain, workload, allowance = self.read.domain, self.workload, self.allowance
        if self.method == "mwem":
            return Mwem(domain, workload, allowance, self.rounds)
        if self.method == "mst":
            return Mst(domain, workload, allowance)
        return ByBlr(domain, workload, allowance, self.rows(people), people)

    def rows(self, people: int) -> int:
        """Return how many rows are made from so many."""
        if self.wanted_rows is not None:
            return int(self.wanted_rows)
        return ByBlr.usual_rows(self.read.domain, people) if self.method == "blr" else people

    def counted(self) -> Tallies:
        """Read and check every row, once, without randomness."""
        groupings = list(self.synthesizer(1).groupings)
        groupings += self.workload.groupings if self.evaluation else ()
        tallies = Tallies.of(
            self.read.batches(self.progress, self.source),
            self.read.domain,
            tuple(dict.fromkeys(groupings)),
        )
        if not tallies.rows:
            raise DataError(f"{self.read.reader.name} has no rows; there is nothing to synthesize.")
        # What these rows make impossible must not be found after the debit.
        self.synthesizer(tallies.rows)
        return tallies

    def words(self, name: str) -> str:
        """Return what the ledger says of it."""
        said = self.what or f"synthetic table ({self.method}): {name}"
        return said if self.is_private else f"NOT PRIVATE (a seeded test): {said}"

    def draw(self, counted: Tallies) -> Synthesis:
        """Draw noise, choose and make rows; the budget must have been debited."""
        synthesizer, people = self.synthesizer(counted.rows), counted.rows
        drawn = synthesizer.draw(
            counted, self.rows(people), source=self.source, progress=self.progress
        )
        return Synthesis(
            table=self.read.table(drawn.codes),
            domain=self.read.domain,
            workload=self.workload,
            method=self.method,
            people=people,
            rows_per_person=self.read.rows_per_person,
            guarantee=self.allowance.guarantee,
            spends=drawn.spends,
            measurements=drawn.measurements,
            expected_error=synthesizer.expected_error(people),
            workload_error=_distance_to_measured(drawn, self.read.domain),
            is_private=self.is_private,
            evaluation=self._evaluated(counted, drawn) if self.evaluation else None,
            notes=tuple(_apart(synthesizer)),
        )

    def _evaluated(self, counted: Tallies, drawn: Drawn) -> Evaluation:
        own = Tallies.of([drawn.codes], self.read.domain, self.workload.groupings)
        return Evaluation(own.answers(self.workload).distance(counted.answers(self.workload)))


def _apart(synthesizer: Synthesizer) -> list[str]:
    names = synthesizer.apart if isinstance(synthesizer, Mst) else ()
    return [
        f"The column {name!r} has too many points to be counted together with others: its links to "
        "them are lost. A coarser grid would keep them."
        for name in names
    ]


def _distance_to_measured(drawn: Drawn, domain: Any) -> float | None:
    """Return the mean over the measurements of Σ |share in the table − noisy share|."""
    if not drawn.measurements:
        return None
    own = Tallies.of([drawn.codes], domain, tuple({one.columns for one in drawn.measurements}))
    gaps: list[float] = []
    for one in drawn.measurements:
        counts = own.counts[one.columns]
        found = counts if one.cells is None else counts[one.cells].sum()
        gaps.append(float(np.abs(found / own.rows - one.counts / one.rows).sum()))
    return float(np.mean(gaps))
