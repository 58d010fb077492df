"""The job of `fit`: rows are counted, and once that is proven and paid for, counted with noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, final

from noisewright.certificates import Certificate
from noisewright.errors import InputError
from noisewright.mechanisms import Guarantee
from noisewright.models.reader import Reader
from noisewright.sampling import Source
from noisewright.synthetic import Drawn, NoisySteps, Schedule, Tallies
from noisewright.tables import Codes
from noisewright.transaction import Job, Payment, Progress, Subject


class Counter(Protocol):
    """What counts with noise, as its schedule says: a synthesizer, of which no rows are asked."""

    @property
    def schedule(self) -> Schedule:
        """All that will be done to the data."""
        ...

    def make(self, steps: NoisySteps, rows: int) -> Drawn:
        """Do the steps of the schedule; the budget must have been debited."""
        ...


@final
@dataclass
class FitJob(Job[Drawn]):
    """Counts the rows that a model learns from; `counter` says how, for so many rows.

    The rows of a fit may be any part of a table, so that they have no fingerprint.
    """

    what: str
    price: Guarantee
    reader: Reader
    batches: Iterator[Codes]
    groupings: Sequence[tuple[str, ...]]
    counter: Callable[[int], Counter]
    source: Source | None
    notes: tuple[str, ...] = ()
    certificate: Certificate = field(init=False)
    _tallies: Tallies = field(init=False)
    _counter: Counter = field(init=False)

    @property
    def subject(self) -> Subject:
        """Whose rows they are, if a person may have several."""
        return Subject(person=self.reader.person_column)

    def check(self, progress: Progress | None) -> None:
        """Count every row, without randomness."""
        self._tallies = Tallies.of(self._watch(progress), self.reader.domain, self.groupings)
        if not self._tallies.rows:
            raise InputError("there are no rows to learn from.")

    def _watch(self, progress: Progress | None) -> Iterator[Codes]:
        rows = 0
        for codes in self.batches:
            yield codes
            rows += len(next(iter(codes.values())))
            if progress is not None:
                progress("check", rows, None)

    def prove(self) -> Certificate:
        """Prove the schedule."""
        self._counter = self.counter(self._tallies.rows)
        self.certificate = self._counter.schedule.certificate
        return self.certificate

    def draw(self, progress: Progress | None) -> Drawn:
        """Draw the noise of all counts; no rows are made here."""
        steps = NoisySteps(self._tallies, self._counter.schedule, self.source, progress)
        return self._counter.make(steps, 0)

    def note(self, made: Any, payment: Payment) -> Any:
        """Keep what is to be said about the debit."""
        self.notes = tuple(payment.notes)
        return made
