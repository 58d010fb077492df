from .arrivals import Arrivals as Arrivals
from .client import CollectionClient as CollectionClient
from .collection import Collection as Collection
from .frequencies import (
    FrequencyCollection as FrequencyCollection,
    FrequencyPlan as FrequencyPlan,
    frequencies as frequencies,
)
from .memo import MemoUse as MemoUse
from .opening import open_collection as open_collection
from .poisoning import PoisonedShares as PoisonedShares
from .reports import Reports as Reports
from .server import CollectionServer as CollectionServer
from .shares import Detected as Detected
