from .rappor.association import Association as Association
from .rappor.decoding import DecodedShares as DecodedShares
from .rappor.discovery import (
    DiscoveredTexts as DiscoveredTexts,
    TextDiscovery as TextDiscovery,
    TextReports as TextReports,
    discovery as discovery,
)
from .rappor.rappor import Rappor as Rappor, rappor as rappor
from .rappor.reports import RapporCounts as RapporCounts, RapporReports as RapporReports
