"""Databases: n rows of one space, as in `space ** n`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import SpaceError, TooLargeError
from noisewright.given import amount, whole_number
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.space import MOST_LISTED, Space

if TYPE_CHECKING:
    from noisewright.spaces.unit import Unit


@dataclass(frozen=True)
class Rows(Space):
    """All databases of `count` rows; a point is a tuple.

    Two databases are neighbors when they differ in one row, whose two values are neighbors
    in the row's space (Holohan–Leith–Mason 2016, Definition 1). With neighbors="replace" all rows
    are one person's, and every two databases are neighbors. The metric is the Hamming distance:
    the number of rows that differ.
    """

    row: Space
    count: int
    neighbors: Literal["one row", "replace"] = field(default="one row", kw_only=True)  # pyright: ignore[reportIncompatibleVariableOverride]
    metric: Metric = field(default="hamming", init=False)

    def __post_init__(self) -> None:
        if self.neighbors not in ("one row", "replace"):
            raise SpaceError(f"neighbors is {self.neighbors!r}; it is 'one row' or 'replace'.")
        object.__setattr__(
            self, "count", whole_number(self.count, name="the number of rows", least=1)
        )

    def __repr__(self) -> str:
        whose = "" if self.neighbors == "one row" else " of one person"
        return f"{self.row!r} ** {self.count}{whose}"

    @property
    def size(self) -> int:
        """How many databases there are."""
        return self.row.size**self.count

    @property
    def of_tuples(self) -> bool:
        """A database is the tuple of its rows."""
        return True

    def point(self, code: int) -> tuple[Any, ...]:
        """Return the database with this code."""
        if not 0 <= code < self.size:
            raise self.outside()
        return tuple(self.row.point(part) for part in self._split(int(code)))

    def _split(self, code: int) -> list[int]:
        parts: list[int] = []
        for _ in range(self.count):
            code, last = divmod(code, self.row.size)
            parts.append(last)
        return parts[::-1]

    def code(self, point: Any) -> int:
        """Return the code of a database given as a sequence of rows."""
        try:
            values = list(point)
        except TypeError:
            values = None
        if values is None:
            raise self.outside(why="it is not a list of rows")
        if len(values) != self.count:
            raise self.outside(why=f"a database here has {self.count} rows")
        code = 0
        for value in values:
            code = code * self.row.size + self.row.code(value)
        return code

    @property
    def pair_count(self) -> int:
        """How many unordered pairs of databases are neighbors."""
        if self.neighbors == "replace":
            return super().pair_count
        return self.count * self.row.pair_count * self.row.size ** (self.count - 1)

    def neighbor_codes(self) -> NDArray[np.intp]:
        """List the unordered pairs of neighbors as codes."""
        self.require_enumerable("its neighbors", most=1 << 16)
        if self.neighbors == "replace":
            return super().neighbor_codes()
        pairs = self.row.neighbor_codes()
        listed: list[NDArray[np.intp]] = []
        for place in range(self.count):
            unit = self.row.size**place
            others = np.arange(self.size, dtype=np.intp)
            others = others[(others // unit) % self.row.size == 0]
            listed.append((others[:, None, None] + unit * pairs[None]).reshape(-1, 2))
        return np.concatenate(listed)

    @property
    def by_distance(self) -> bool:
        """Whether ε counts per unit of distance between the two values of a row."""
        return self.neighbors == "one row" and self.row.by_distance

    @property
    def unit(self) -> Unit:
        """One row, changed as the space of a row says; or all rows of one person."""
        from noisewright.spaces.unit import Unit

        row = self.row.unit
        if self.neighbors == "replace":
            return Unit("person", rows=self.count * row.rows)
        return row.of_a_row

    def neighbor_distance(self, a: int, b: int) -> Distance:
        """Return how often ε counts between two databases that are neighbors."""
        if self.neighbors == "replace":
            return 1
        both = zip(self._split(a), self._split(b), strict=True)
        return next((self.row.neighbor_distance(x, y) for x, y in both if x != y), 1)

    def are_neighbors(self, a: Any, b: Any) -> bool:
        """Tell whether two databases differ in one row, and there by neighbors; or at all."""
        if self.neighbors == "replace":
            return self.code(a) != self.code(b)
        codes = zip(self._split(self.code(a)), self._split(self.code(b)), strict=True)
        differing = [(x, y) for x, y in codes if x != y]
        if len(differing) != 1:
            return False
        before, after = differing[0]
        return self.row.are_neighbors(self.row.point(before), self.row.point(after))

    def describe_neighbors(self) -> dict[str, Any]:
        """Return the relation as a certificate writes it.

        Where not every change of a row is meant, it says which.
        """
        change = self.unit.relation
        if change == "replace":
            return {"relation": self.neighbors}
        return {"relation": self.neighbors, "row": change}

    def describe_listed_neighbors(self) -> dict[str, Any]:
        """Return the relation pair by pair, as the certificate of a table over databases has it."""
        if self.by_distance or self.pair_count > MOST_LISTED:
            raise TooLargeError(
                f"a certificate lists neighboring databases one by one, and {self!r} has "
                f"{amount(self.pair_count)} pairs of them (at most {MOST_LISTED:,}, and not with "
                "neighbors='metric'). Use fewer rows or values.",
                size=self.pair_count,
            )
        return {"relation": "pairs", "pairs": sorted(self.neighbor_codes().tolist())}

    def _named_distance(self, a: int, b: int) -> Distance:
        return sum(x != y for x, y in zip(self._split(a), self._split(b), strict=True))

    def _named_diameter(self) -> Distance:
        return self.count if self.row.size > 1 else 0

    def _named_separation(self) -> Distance:
        return int(self.row.size > 1)

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {"kind": "labels", "labels": [list(point) for point in self.points]}
