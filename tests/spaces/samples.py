"""One small space of each kind, by name."""

from fractions import Fraction
from typing import Any

import numpy as np

from noisewright.spaces import Categories, Counts, Curves, Interval, Records, Rows, Space, Subsets

COLORS = Categories(["red", "green", "blue"])
CYCLE = [[min(abs(a - b), 5 - abs(a - b)) for b in range(5)] for a in range(5)]

SMALL: dict[str, Space] = {
    "counts": Counts(6),
    "counts, one person": Counts(1),
    "counts, replace, discrete": Counts(5, neighbors="replace", metric="discrete"),
    "counts, pairs": Counts(3, neighbors=[(0, 3), (1, 2)]),
    "categories": COLORS,
    "categories, one": Categories(["only"]),
    "categories, mixed labels": Categories(["a", 0, True, 2.5, b"x"]),
    "categories, on a cycle": Categories("vwxyz"[i] for i in range(5)),
    "categories, cyclic metric": Categories(list("vwxyz"), metric=CYCLE, neighbors=CYCLE),
    "categories, per distance": Categories(list("vwxyz"), metric=CYCLE, neighbors="metric"),
    "counts, per distance": Counts(4, neighbors="metric"),
    "subsets, per distance": Subsets(["tv", "cars"], neighbors="metric"),
    "subsets": Subsets(["tv", "cars", "games"]),
    "subsets, discrete": Subsets([1, 2], metric="discrete"),
    "interval": Interval(0, 1, step=0.1),
    "interval, fractions": Interval("-1/3", 1, step="1/3", neighbors="adjacent"),
    "curves, sup": Curves([0, 1, 3], low=0, high=1, step=0.5),
    "curves, L2": Curves([0, 1, "7/3"], low=-1, high=1, step=1, norm="L2"),
    "curves, one position, discrete": Curves([5], low=0, high=3, step=1, norm="discrete"),
    "records": Records(color=COLORS, age=Counts(2)),
    "records, sum": Records(color=COLORS, x=Interval(0, 2, step=Fraction(1, 2)), metric="sum"),
    "records, discrete": Records({"one": Categories(["only"]), "n": Counts(3)}, metric="discrete"),
    "records, of one point, sum": Records(one=Categories(["only"]), metric="sum"),
    "records, per distance": Records(color=COLORS, n=Counts(2), metric="sum", neighbors="metric"),
    "rows per distance": Interval(0, 1, step="1/2", neighbors="metric") ** 2,
    "rows": Rows(COLORS, 3),
    "rows of a person": Rows(COLORS, 2, neighbors="replace"),
    "rows of counts": Counts(2) ** 2,
    "rows of records": Records(a=Counts(1), b=Counts(1)) ** 2,
}


def as_array(points: list[Any]) -> np.ndarray:
    """Return points as an array of objects, whatever they are."""
    values = np.empty(len(points), dtype=object)
    values[:] = points
    return values
