from .arrivals import Arrivals as Arrivals
from .client import CollectionClient as CollectionClient
from .collection import Collection as Collection
from .frequencies import (
    FrequencyCollection as FrequencyCollection,
    FrequencyPlan as FrequencyPlan,
    frequencies as frequencies,
)
from .item_collection import ItemCollection as ItemCollection, SetCollection as SetCollection
from .items import (
    FoundItems as FoundItems,
    ItemProtocol as ItemProtocol,
    PhasePlan as PhasePlan,
    items as items,
)
from .memo import MemoUse as MemoUse
from .poisoning import PoisonedShares as PoisonedShares
from .reports import Reports as Reports
from .server import CollectionServer as CollectionServer
from .set_sizes import SetSizeCollection as SetSizeCollection
from .shares import Detected as Detected
from .shuffled_reports import ShuffledReports as ShuffledReports
