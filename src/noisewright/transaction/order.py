"""The order of a release, for every job: check → prove → debit → draw → publish → page.

What can fail without spending fails before the debit, and no noise is drawn before it. Files get
their final names within the debit, so that an error before that marks it as wasted. The page comes
last, when nothing can be lost any more. docs/decisions/0008 says why each step is where it is.

A job says what the steps are for one kind of release: rows that are randomized (`releases`), a
synthetic table (`releases`), a model that is fitted (`models`), a choice (`selection`).
"""

from __future__ import annotations

import os
import warnings
from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, ExitStack, nullcontext
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeAlias, TypeVar

from noisewright.errors import ParameterError
from noisewright.transaction.payment import Payment, pay

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.ledger import Ledger
    from noisewright.mechanisms import Guarantee
    from noisewright.sampling import Source
    from noisewright.transaction.payer import Subject

LedgerLike: TypeAlias = "Ledger | str | os.PathLike[str] | None"
"""Where the budget is kept: a ledger, its path or URL, or None, which debits nothing."""

Made = TypeVar("Made")


class Progress(Protocol):
    """A function that is called during a job with a step, how much of it is done, and the total.

    Steps are "check" (rows), "draw" (rows, or steps of a synthesizer), "fit" and "page". The total
    may be unknown.
    """

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Take note."""
        ...


class Job(ABC, Generic[Made]):
    """One release, step by step; `transact` calls the steps in their order, each once.

    `what` says in the ledger what it is, and `price` is the least that it costs: a budget without
    room for that is refused before rows are checked. What is debited is what is proven.
    """

    what: str
    price: Guarantee

    @property
    def subject(self) -> Subject:
        """Whose privacy is spent; by default, data without a fingerprint."""
        from noisewright.transaction.payer import Subject

        return Subject()

    def hold_place(self) -> AbstractContextManager[Any]:
        """Lock the place of the files to write, and refuse to overwrite others."""
        return nullcontext()

    def check(self, progress: Progress | None) -> None:
        """Read and check all rows without drawing; refuse what is impossible."""

    @abstractmethod
    def prove(self) -> Certificate:
        """Return the certificate of what will be drawn, proven by the stand-alone checker."""

    def open(self, *, accounted: bool) -> AbstractContextManager[Any]:
        """Open what is written while noise is drawn; at the end of the block it is synced."""
        return nullcontext()

    @abstractmethod
    def draw(self, progress: Progress | None) -> Made:
        """Draw all noise: the only step that does."""

    def publish(self, made: Made, payment: Payment) -> Made:
        """Give files their final names, the data last."""
        return made

    def note(self, made: Made, payment: Payment) -> Made:
        """Return the result with the notes about its debit."""
        for words in payment.notes:
            warnings.warn(words, stacklevel=4)
        return made

    def page(self, made: Made, progress: Progress | None) -> Made:
        """Write the page about a finished release; what goes wrong here is a note."""
        return made


def transact(
    job: Job[Made],
    *,
    ledger: LedgerLike,
    dataset: str | None = None,
    source: Source | None = None,
    progress: Progress | None = None,
) -> Made:
    """Run the steps of a job in the order in which nothing is wasted or released by accident.

    Ensures: an error before the debit costs nothing; one after it wastes the debit and releases
    nothing; what has its final name is complete and accounted for. No ledger pays for a seeded
    source.
    """
    if progress is not None and not callable(progress):
        raise ParameterError(
            f"progress is of type {type(progress).__name__}; it must be a function, or None."
        )
    with job.hold_place():
        payer = None
        if ledger is not None or dataset is not None:
            from noisewright.transaction.payer import find_payer

            payer = find_payer(ledger, dataset, subject=job.subject, price=job.price, source=source)
        job.check(progress)
        certificate = job.prove()
        with ExitStack() as outer:
            # Opened before the debit: what cannot be written at all costs nothing.
            outer.enter_context(job.open(accounted=payer is not None))
            with pay(payer, certificate, what=job.what) as payment:
                # Closed within the debit: what fails while it is synced wastes it.
                with outer.pop_all():
                    made = job.draw(progress)
                made = job.publish(made, payment)
        return job.page(job.note(made, payment), progress)
