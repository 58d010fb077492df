"""One debit, and what became of it: released, wasted, or reserved if that was not recorded."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from noisewright.errors import LedgerError

if TYPE_CHECKING:
    from noisewright.certificates import Certificate
    from noisewright.ledger import Balance, Reservation
    from noisewright.mechanisms import Guarantee
    from noisewright.transaction.payer import Payer


@dataclass
class Payment:
    """A debit that is on record; without a ledger there is none, and nothing is recorded."""

    reservation: Reservation | None = None
    balance: Balance | None = None
    notes: list[str] = field(default_factory=list[str])
    _went_out: Callable[[], bool] = lambda: False

    @property
    def entry(self) -> int | None:
        """The number of the spend in the ledger."""
        return None if self.reservation is None else self.reservation.sequence

    @property
    def charged(self) -> Guarantee | None:
        """What the ledger was charged, in the unit of the account."""
        return None if self.reservation is None else self.reservation.guarantee

    def goes_out(self, staged: Path, target: Path) -> None:
        """Announce that the file is renamed next: an interruption may come just after that."""
        drawn = os.stat(staged)
        self._went_out = lambda: target.exists() and os.path.samestat(os.stat(target), drawn)

    def is_out(self) -> bool:
        """Tell whether the file has its final name."""
        return self._went_out()


@contextmanager
def pay(payer: Payer | None, certificate: Certificate, *, what: str) -> Generator[Payment]:
    """Debit, let the block draw and publish, and record what became of it.

    Ensures: the block runs only if the debit is committed. If it raises, the spend is marked as
    wasted, unless the file has its final name already. What cannot be recorded stays reserved,
    which counts as spent.
    """
    if payer is None:
        yield Payment()
        return
    payment = Payment(payer.debit(certificate, what=what))
    try:
        yield payment
    except BaseException as problem:
        if payment.is_out():
            _record(payment, "released")
            problem.add_note("The file is complete under its final name, and is accounted for.")
        else:
            # The name of the error only: its words may come from the data.
            _record(payment, "wasted", type(problem).__name__)
        for note in payment.notes:
            problem.add_note(note)
        raise
    _record(payment, "released")
    try:
        payment.balance = payer.balance()
        payment.notes += payer.doubts(payment.balance)
    except LedgerError as problem:
        payment.notes.append(f"What is left could not be read: {problem}")


def _record(payment: Payment, state: str, why: str = "") -> None:
    from noisewright.ledger import not_marked

    reservation = payment.reservation
    assert reservation is not None
    number = reservation.sequence
    try:
        if state == "released":
            reservation.record_release()
            return
        reservation.record_waste(why)
        payment.notes.append(
            f"Nothing was released. The debit of {reservation.entry.amount_text} (entry {number}) "
            "was made before and is not refunded: it is marked as wasted. If you are sure that "
            "nothing got out, grant the same amount again and record why."
        )
    except LedgerError as problem:
        payment.notes.append(f"{not_marked(number, state, problem)}: {problem}")
