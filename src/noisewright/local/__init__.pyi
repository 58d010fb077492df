from .arrivals import Arrivals as Arrivals
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
from .memo import MemoUse as MemoUse
from .poisoning import PoisonedShares as PoisonedShares
from .reports import Reports as Reports
from .server import CollectionServer as CollectionServer
from .shares import Detected as Detected
from .succinct_histogram import (
    SuccinctCollection as SuccinctCollection,
    SuccinctPlan as SuccinctPlan,
    succinct_histogram as succinct_histogram,
)
