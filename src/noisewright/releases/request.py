"""What was asked of a synthesizer: counted without randomness, and then drawn."""

from __future__ import annotations

from dataclasses import dataclass

from noisewright.errors import DataError
from noisewright.privacy import Certificate
from noisewright.releases.declared import Declared
from noisewright.releases.synthesis import Evaluation, Synthesis
from noisewright.releases.task import Task
from noisewright.sampling import Source
from noisewright.synthetic import WorkloadErrors
from noisewright.synthetic.drawn import Drawn, Progress, Synthesizer
from noisewright.synthetic.mst import Mst
from noisewright.synthetic.tallies import Tallies


@dataclass(frozen=True)
class Request:
    """What was asked for, apart from place and ledger."""

    read: Declared
    task: Task
    what: str
    evaluation: bool
    progress: Progress | None
    source: Source | None

    @property
    def is_private(self) -> bool:
        """Whether its noise is from a private source."""
        return self.source is None or self.source.private

    def counted(self) -> Tallies:
        """Read and check every row, once, without randomness."""
        groupings = list(self.task.synthesizer(1).groupings)
        groupings += self.task.workload.groupings if self.evaluation else ()
        tallies = Tallies.of(
            self.read.batches(self.progress, self.source),
            self.task.domain,
            tuple(dict.fromkeys(groupings)),
        )
        if not tallies.rows:
            raise DataError(f"{self.read.reader.name} has no rows; there is nothing to synthesize.")
        return tallies

    def words(self, name: str) -> str:
        """Return what the ledger says of it."""
        said = self.what or f"synthetic table ({self.task.method}): {name}"
        return said if self.is_private else f"NOT PRIVATE (a seeded test): {said}"

    def draw(self, counted: Tallies, synthesizer: Synthesizer, proof: Certificate) -> Synthesis:
        """Draw noise, choose and make rows.

        `proof` is the certificate of the synthesizer's schedule, and must have been debited.
        """
        people = counted.rows
        drawn = synthesizer.draw(
            counted, self.task.rows(people), source=self.source, progress=self.progress
        )
        return Synthesis(
            table=self.read.table(drawn.codes),
            domain=self.task.domain,
            workload=self.task.workload,
            method=self.task.method,
            people=people,
            rows_per_person=self.read.rows_per_person,
            guarantee=proof.guarantee,
            certificate=proof,
            spends=drawn.spends,
            measurements=drawn.measurements,
            errors=self._compared(synthesizer, drawn, people),
            is_private=self.is_private,
            evaluation=self._evaluated(counted, drawn) if self.evaluation else None,
            notes=tuple(_apart(synthesizer)),
        )

    def _compared(self, synthesizer: Synthesizer, drawn: Drawn, people: int) -> WorkloadErrors:
        """Return what was expected before, beside what is found against the noisy counts."""
        expected, domain = synthesizer.predicted(people), self.task.domain
        if not drawn.measurements:
            return expected
        groupings = tuple({one.columns: None for one in drawn.measurements})
        own = Tallies.of([drawn.codes], domain, groupings)
        return expected.compared(domain, self.task.workload, own, drawn.measurements)

    def _evaluated(self, counted: Tallies, drawn: Drawn) -> Evaluation:
        own = Tallies.of([drawn.codes], self.task.domain, self.task.workload.groupings)
        return Evaluation(
            own.answers(self.task.workload).distance(counted.answers(self.task.workload))
        )


def _apart(synthesizer: Synthesizer) -> list[str]:
    names = synthesizer.apart if isinstance(synthesizer, Mst) else ()
    return [
        f"The column {name!r} has too many points to be counted together with others: its links to "
        "them are lost. A coarser grid would keep them."
        for name in names
    ]
