from .order import Job as Job, LedgerLike as LedgerLike, Progress as Progress, transact as transact
from .payer import Payer as Payer, Subject as Subject, covers as covers, find_payer as find_payer
from .payment import Payment as Payment, pay as pay
