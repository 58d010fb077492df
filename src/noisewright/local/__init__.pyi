from .arrivals import Arrivals as Arrivals
from .attributes import (
    AttributesCollection as AttributesCollection,
    AttributesPlan as AttributesPlan,
    one_of as one_of,
)
from .client import CollectionClient as CollectionClient
from .collection import Collection as Collection
from .frequencies import (
    FrequencyCollection as FrequencyCollection,
    FrequencyPlan as FrequencyPlan,
    frequencies as frequencies,
)
from .heavy_hitters import (
    HeavyHitters as HeavyHitters,
    HitterCollection as HitterCollection,
    HitterPlan as HitterPlan,
    heavy_hitters as heavy_hitters,
)
from .item_collection import ItemCollection as ItemCollection, SetCollection as SetCollection
from .items import (
    FoundItems as FoundItems,
    ItemProtocol as ItemProtocol,
    PhasePlan as PhasePlan,
    items as items,
)
from .lifetime import Lifetime as Lifetime, Spent as Spent
from .memo import MemoUse as MemoUse
from .numbers.distribution import (
    DistributionCollection as DistributionCollection,
    distribution as distribution,
)
from .numbers.distribution_estimate import (
    DistributionEstimate as DistributionEstimate,
    DistributionPlan as DistributionPlan,
)
from .numbers.mean import (
    MeanCollection as MeanCollection,
    MeanPlan as MeanPlan,
    mean as mean,
)
from .numbers.poisoned_mean import PoisonedMean as PoisonedMean
from .opening import open_collection as open_collection
from .poisoning import PoisonedShares as PoisonedShares
from .rappor.association import Association as Association
from .rappor.collecting import RapporCollection as RapporCollection
from .rappor.decoding import DecodedShares as DecodedShares
from .rappor.discovery import (
    DiscoveredTexts as DiscoveredTexts,
    TextDiscovery as TextDiscovery,
    TextReports as TextReports,
    discovery as discovery,
)
from .rappor.mechanism import Rappor as Rappor
from .rappor.rappor import rappor as rappor
from .rappor.reports import RapporCounts as RapporCounts, RapporReports as RapporReports
from .reports import Reports as Reports
from .server import CollectionServer as CollectionServer
from .set_sizes import SetSizeCollection as SetSizeCollection
from .shares import Detected as Detected
from .shuffled_reports import ShuffledReports as ShuffledReports
from .succinct_histogram import (
    SuccinctCollection as SuccinctCollection,
    SuccinctPlan as SuccinctPlan,
    succinct_histogram as succinct_histogram,
)
