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
from .reports import Reports as Reports
from .server import CollectionServer as CollectionServer
from .shares import Detected as Detected
