"""What was asked of a synthesizer: counted without randomness, and then drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from noisewright.errors import DataError
from noisewright.privacy import Certificate
from noisewright.releases.accounting import Payer, payer_for
from noisewright.releases.synthesis.declared import Declared
from noisewright.releases.synthesis.result import Evaluation, Synthesis
from noisewright.releases.synthesis.task import SynthesisTask
from noisewright.sampling import Source, source_or_default
from noisewright.synthetic import (
    Codes,
    Drawn,
    Mst,
    Progress,
    Synthesizer,
    Tallies,
    Workload,
    WorkloadErrors,
)


@dataclass(frozen=True)
class Request:
    """What was asked for, apart from place and ledger."""

    read: Declared
    task: SynthesisTask
    what: str
    evaluation: bool
    progress: Progress | None
    source: Source | None

    @property
    def is_private(self) -> bool:
        """Whether its noise is from a private source."""
        return source_or_default(self.source).private

    def counted(self) -> Tallies:
        """Read and check every row, once, without randomness."""
        groupings = list(self.task.synthesizer(1).groupings)
        groupings += self._answered.groupings if self.evaluation else ()
        grid = self.task.grid
        tallies = Tallies.of(
            grid.batches(self.read.batches(self.progress, self.source)),
            grid.wide,
            tuple(dict.fromkeys(groupings)),
        )
        if not tallies.rows:
            raise DataError(f"{self.read.reader.name} has no rows; there is nothing to synthesize.")
        self.task.require_memory(tallies.rows)
        return tallies

    def payer(
        self, ledger: Any, data: Any, dataset: str | None, *, shown: str | None
    ) -> Payer | None:
        """Return who pays, before the debit."""
        person = self.read.declared.person
        return payer_for(
            ledger,
            data,
            dataset,
            price=self.task.budget.guarantee,
            shown=shown,
            person=None if person is None else person.column,
            source=self.source,
        )

    def words(self, name: str) -> str:
        """Return what the ledger says of it."""
        return self.what or f"synthetic table ({self.task.method}): {name}"

    def draw(self, counted: Tallies, synthesizer: Synthesizer, proof: Certificate) -> Synthesis:
        """Draw noise, choose and make rows.

        `proof` is the certificate of the synthesizer's schedule, and must have been debited.
        """
        people = counted.rows
        drawn = synthesizer.draw(
            counted, self.task.rows(people), source=self.source, progress=self.progress
        )
        grid = self.task.grid
        codes = grid.spread(drawn.codes, drawn.measurements, self.source)
        errors = self._compared(drawn, people)
        limits = (*_apart(synthesizer), *grid.words(), *drawn.notes)
        return Synthesis(
            table=self.read.table(codes),
            domain=self.task.domain,
            _workload=self.task.workload,
            method=self.task.method,
            inference=self.task.fitted_as,
            people=people,
            rows_per_person=self.read.rows_per_person,
            bins=grid,
            guarantee=proof.guarantee,
            certificate_digest=proof.digest,
            _certificate=proof,
            spends=drawn.spends,
            measurements=drawn.measurements,
            errors=errors,
            is_private=self.is_private,
            evaluation=self._evaluated(counted, codes) if self.evaluation else None,
            limits=limits,
            notes=(*limits, *errors.remarks),
        )

    def _compared(self, drawn: Drawn, people: int) -> WorkloadErrors:
        """Return what was expected before, beside what is found against the noisy counts."""
        expected, grid = self.task.predict(people), self.task.grid
        # Counts of points say where rows lie within bins; errors are about bins.
        seen = [one for one in drawn.measurements if one.columns[0] not in grid.counted]
        if not seen:
            return expected
        groupings = tuple({one.columns: None for one in seen})
        own = Tallies.of([drawn.codes], grid.domain, groupings)
        return expected.compare(grid.domain, self.task.asked, own, seen)

    @cached_property
    def _answered(self) -> Workload:
        """The workload with marginals in bins, and all other queries by points."""
        return self.task.grid.workload(self.task.workload, by_points=True)

    def _evaluated(self, counted: Tallies, codes: Codes) -> Evaluation:
        grid, answered = self.task.grid, self._answered
        own = Tallies.of([grid.codes(codes)], grid.wide, answered.groupings)
        return Evaluation(own.answers(answered).distance(counted.answers(answered)))


def _apart(synthesizer: Synthesizer) -> list[str]:
    names = synthesizer.apart if isinstance(synthesizer, Mst) else ()
    return [
        f"The column {name!r} has too many points to be counted together with others: its links to "
        "them are lost. Bins (bins=32) or a coarser grid would keep them."
        for name in names
    ]
