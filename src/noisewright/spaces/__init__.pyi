from .categories import Categories as Categories, Label as Label, label_key as label_key
from .counts import Counts as Counts, whole_number as whole_number
from .curve_rows import RowError as RowError, read_rows as read_rows
from .curves import Curves as Curves
from .dates import Dates as Dates, in_seconds as in_seconds
from .grid import SNAP as SNAP, as_written as as_written
from .interval import Interval as Interval
from .metric import Distance as Distance, DistanceMatrix as DistanceMatrix
from .neighbors import (
    Neighbors as Neighbors,
    Pairs as Pairs,
    Within as Within,
    pair_count as pair_count,
)
from .places import Places as Places, numbers as numbers
from .records import Records as Records
from .rows import Rows as Rows
from .space import MOST_POINTS as MOST_POINTS, Space as Space, require_space as require_space
from .subsets import Subsets as Subsets, positions as positions
from .temporal import ADVICE as ADVICE
from .unbounded import AnyCurves as AnyCurves, Lattice as Lattice
from .unit import Unit as Unit
