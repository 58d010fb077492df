from .book import Balance as Balance, RhoBudget as RhoBudget
from .claims import Claim as Claim
from .decisions import proven_rho as proven_rho
from .entries import LedgerEntry as LedgerEntry
from .fingerprint import Fingerprint as Fingerprint
from .ledger import Ledger as Ledger
from .parts import DataPart as DataPart, Partition as Partition
from .plain_values import plain_balance as plain_balance, plain_guarantee as plain_guarantee
from .reservation import Reservation as Reservation, not_marked as not_marked
from .totals import epsilon_text as epsilon_text, rounded_down as rounded_down
from .units import AccountUnit as AccountUnit, Change as Change
