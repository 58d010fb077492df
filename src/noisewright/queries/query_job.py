"""The job of `Question.release`: prove, debit, compute whole numbers in the engine, add noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.certificates import Certificate
from noisewright.mechanisms import Guarantee
from noisewright.queries.answer import Answer, with_payment
from noisewright.queries.measurements import QueryMeasurement
from noisewright.queries.noise import CellNoise
from noisewright.queries.readings import NoisyNumbers
from noisewright.transaction import Job, Payment, Progress, Subject

if TYPE_CHECKING:
    from noisewright.queries.question import Priced, Question
    from noisewright.sampling import Source


@final
@dataclass
class QueryJob(Job[Answer]):
    """One question. No step before the debit reads rows, so that no error tells about them."""

    question: Question
    priced: Priced
    source: Source | None
    title: str = ""
    _certificate: Certificate | None = None

    @property
    def what(self) -> str:
        """What the ledger says of it."""
        text = self.title or f"question: {self.question}"
        return text if len(text) <= 1000 else f"{text[:999]}…"

    @property
    def price(self) -> Guarantee:
        """The privacy loss of each person."""
        return self.priced.budget.guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent."""
        return self.question.table.budget.subject

    def prove(self) -> Certificate:
        """Prove what a person can change, and what the noise costs."""
        self._certificate = self.question.certify_priced(self.priced)
        return self._certificate

    def draw(self, progress: Progress | None) -> Answer:
        """Compute the numbers and add noise to them."""
        measured: list[NoisyNumbers] = []
        parts = list(zip(self.priced.measurements, self.priced.noises, strict=True))
        for done, (measurement, noise) in enumerate(parts, start=1):
            numbers = add_noise(measurement, noise, self.source)
            measured.append(NoisyNumbers(measurement, noise, numbers))
            if progress is not None:
                progress("draw", done, len(parts))
        assert self._certificate is not None
        return Answer(self.question, tuple(measured), self._certificate)

    def note(self, made: Answer, payment: Payment) -> Answer:
        """Return the answer with what the ledger was charged."""
        return with_payment(made, payment, self.source)


def add_noise(
    measurement: QueryMeasurement, noise: CellNoise, source: Source | None
) -> NDArray[Any]:
    """Return the numbers of a measurement with noise on each; whole numbers of any size."""
    numbers = measurement.compute()
    size = numbers.size
    if noise.balanced_cells is not None:
        # The last draw is that of the rows in no cell, which nobody is shown.
        drawn = noise.draw(size + 1, source)[:size]
    else:
        drawn = noise.draw(size, source)
    # As Python's own integers: sums of large numbers do not wrap around.
    return numbers.astype(object) + np.asarray(drawn, dtype=object).reshape(numbers.shape)
