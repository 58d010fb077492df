from .book import Balance as Balance
from .entries import LedgerEntry as LedgerEntry
from .fingerprint import Fingerprint as Fingerprint
from .ledger import Ledger as Ledger
from .reservation import Reservation as Reservation, not_marked as not_marked
from .totals import epsilon_text as epsilon_text, rounded_down as rounded_down
from .units import AccountUnit as AccountUnit, Change as Change, Claim as Claim
