from .rappor.rappor import Rappor as Rappor, rappor as rappor
from .rappor.reports import RapporCounts as RapporCounts, RapporReports as RapporReports
