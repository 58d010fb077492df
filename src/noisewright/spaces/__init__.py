"""What a record can be: points, metrics and neighbors."""

from typing import TYPE_CHECKING

from noisewright.on_use import names_on_use

if TYPE_CHECKING:
    from noisewright.spaces.amounts import amount, counted
    from noisewright.spaces.any_curves import AnyCurves
    from noisewright.spaces.categories import Categories, Label
    from noisewright.spaces.counts import Counts, whole_number
    from noisewright.spaces.curves import Curves
    from noisewright.spaces.interval import Interval
    from noisewright.spaces.lattice import Lattice
    from noisewright.spaces.metric import Distance, DistanceMatrix
    from noisewright.spaces.neighbors import Neighbors, Pairs, Within, pair_count
    from noisewright.spaces.numbers import numbers
    from noisewright.spaces.places import Places
    from noisewright.spaces.records import Records
    from noisewright.spaces.rows import Rows
    from noisewright.spaces.space import Space, require_space
    from noisewright.spaces.subsets import Subsets
    from noisewright.spaces.unit import Unit

names_on_use(
    __name__,
    {
        "amounts": ("amount", "counted"),
        "any_curves": ("AnyCurves",),
        "categories": ("Categories", "Label"),
        "counts": ("Counts", "whole_number"),
        "curves": ("Curves",),
        "interval": ("Interval",),
        "lattice": ("Lattice",),
        "metric": ("Distance", "DistanceMatrix"),
        "neighbors": ("Neighbors", "Pairs", "Within", "pair_count"),
        "numbers": ("numbers",),
        "places": ("Places",),
        "records": ("Records",),
        "rows": ("Rows",),
        "space": ("Space", "require_space"),
        "subsets": ("Subsets",),
        "unit": ("Unit",),
    },
)

__all__ = [
    "AnyCurves",
    "Categories",
    "Counts",
    "Curves",
    "Distance",
    "DistanceMatrix",
    "Interval",
    "Label",
    "Lattice",
    "Neighbors",
    "Pairs",
    "Places",
    "Records",
    "Rows",
    "Space",
    "Subsets",
    "Unit",
    "Within",
    "amount",
    "counted",
    "numbers",
    "pair_count",
    "require_space",
    "whole_number",
]
