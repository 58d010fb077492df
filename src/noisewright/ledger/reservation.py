"""A spend that is on record, and the release that it pays for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from noisewright.errors import LedgerError, UnconfirmedError
from noisewright.ledger.entries import RELEASED, WASTED, LedgerEntry
from noisewright.mechanisms import Guarantee
from noisewright.public import public_methods

if TYPE_CHECKING:
    from noisewright.ledger.ledger import Ledger


@public_methods
class Reservation:
    """A spend that the ledger has committed: only now may noise be drawn.

    As a context manager it is marked released at the end of the block, or wasted when the block
    raises. Either way it stays spent: an error may come after something has already left, and
    nobody can tell. A process that is killed leaves it reserved, which counts as spent too.
    """

    def __init__(self, ledger: Ledger, entry: LedgerEntry) -> None:
        self._ledger = ledger
        self.entry = entry
        self._is_finished = False

    @property
    def sequence(self) -> int:
        """The number of the spend's entry."""
        return self.entry.sequence

    @property
    def guarantee(self) -> Guarantee:
        """What was spent: (ε, δ). In an account of ρ, `entry.rho` is what adds up."""
        return self.entry.guarantee

    def record_release(self, note: str = "") -> LedgerEntry:
        """Record that the release went out."""
        return self._finish(RELEASED, note)

    def record_waste(self, why: str = "") -> LedgerEntry:
        """Record that nothing was released; the spend is not refunded."""
        return self._finish(WASTED, why)

    def _finish(self, state: str, note: str) -> LedgerEntry:
        entry = self._ledger.finish(self.sequence, state, why=note, who=self.entry.who)
        self._is_finished = True
        return entry

    def __enter__(self) -> Reservation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: object
    ) -> None:
        if self._is_finished:
            return
        try:
            if kind is None:
                self.record_release()
            else:
                # The name of the error only: its words may come from the data.
                self.record_waste(kind.__name__)
        except LedgerError as second:
            state = WASTED if kind else RELEASED
            note = not_marked(self.sequence, state, second)
            if problem is None:
                second.add_note(f"The release is accounted for: {note}.")
                raise
            problem.add_note(f"{note}: {second}")

    def __repr__(self) -> str:
        shown = f"{self.entry.dataset!r}, {self.entry.amount_text}"
        return f"Reservation(entry {self.sequence}, {shown})"


def not_marked(sequence: int, state: str, problem: LedgerError) -> str:
    """Say what a spend counts as when recording its outcome failed."""
    if isinstance(problem, UnconfirmedError):
        return f"Entry {sequence} counts as spent, whether it is marked as {state} or not"
    return (
        f"Entry {sequence} could not be marked as {state} and stays reserved, which counts as spent"
    )
