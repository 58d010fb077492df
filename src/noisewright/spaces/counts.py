"""Counts 0..n: how many people in a group have some trait."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.given import whole_number
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space


@dataclass(frozen=True)
class Counts(Space):
    """The counts 0..n of a group of n people.

    Neighbors are `adjacent` by default: replacing one person's record moves the count by at
    most one (Cormode–Kulkarni–Srivastava 2018). Say neighbors="replace" when the number is
    itself one person's record, an age for example, so that any two values must look alike.
    A promise for adjacent counts is about one count: where a person can move from one group to
    another, two counts change, and a table of them costs twice as much.
    """

    n: int
    neighbors: Neighbors = field(default="adjacent", kw_only=True)
    metric: Metric = field(default="absolute", kw_only=True)

    def __init__(self, n: int, *, neighbors: Any = "adjacent", metric: Any = "absolute") -> None:
        set_field = object.__setattr__
        set_field(self, "n", whole_number(n, name="n", least=1))
        self._read_relations(neighbors, metric, metrics=("absolute", "discrete"))

    def __repr__(self) -> str:
        relation = "" if self.neighbors == "adjacent" else f", neighbors={self.neighbors!r}"
        return f"Counts({self.n}{relation})"

    @property
    def size(self) -> int:
        """How many points there are: n + 1."""
        return self.n + 1

    @property
    def ordered(self) -> bool:
        """Counts have an order."""
        return True

    @property
    def of_numbers(self) -> bool:
        """Counts are numbers."""
        return True

    @property
    def points(self) -> Sequence[int]:
        """Return 0..n as a range, which costs nothing."""
        return range(self.n + 1)

    def point(self, code: int) -> int:
        """Return the count with this code, which is the code itself."""
        if not 0 <= code <= self.n:
            raise self.outside()
        return int(code)

    def code(self, point: Any) -> int:
        """Return the code of a count, which is the count itself."""
        try:
            if isinstance(point, (bool, np.bool_)):
                raise TypeError
            number: Any = point.item() if isinstance(point, np.floating) else point
            whole: Any = (
                int(number) if isinstance(number, float) and number.is_integer() else number
            )
            value = operator.index(whole)
        except (TypeError, ValueError):
            value = None
        if value is None:
            raise self.outside(why="it is not a whole number")
        if not 0 <= value <= self.n:
            raise self.outside()
        return value

    def decode(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return codes as counts."""
        return codes.astype(np.int64, copy=False)

    def _advice(self) -> str:
        return f"Its points are 0..{self.n:,}: clip the column, or widen the space."

    def _named_distance(self, a: int, b: int) -> Distance:
        return abs(a - b) if self.metric == "absolute" else int(a != b)

    def _named_diameter(self) -> Distance:
        return self.n if self.metric == "absolute" else 1

    def _named_separation(self) -> Distance:
        return 1

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {"kind": "counts", "n": self.n}
