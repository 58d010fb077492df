"""The durable budget: who was granted what, what was spent on which release, and what is left."""

from noisewright.ledger.book import Balance
from noisewright.ledger.entries import LedgerEntry
from noisewright.ledger.fingerprint import Fingerprint
from noisewright.ledger.ledger import Ledger
from noisewright.ledger.reservation import Reservation, not_marked

__all__ = ["Balance", "Fingerprint", "Ledger", "LedgerEntry", "Reservation", "not_marked"]
