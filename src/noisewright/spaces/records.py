"""Records: several columns about one person."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from noisewright.errors import SpaceError
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space

if TYPE_CHECKING:
    from noisewright.spaces.unit import Unit


@dataclass(frozen=True)
class Records(Space):
    """The product of named columns; a point is a tuple in the order of the columns.

    Neighbors are all pairs by default: replacing a person may change every column at once.
    Codes count like a clock, the last column fastest.
    """

    columns: tuple[tuple[str, Space], ...]
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="hamming", kw_only=True)

    def __init__(
        self,
        columns: Mapping[str, Space] | None = None,
        /,
        *,
        neighbors: Any = "replace",
        metric: Any = "hamming",
        **named: Space,
    ) -> None:
        if columns is not None and not isinstance(columns, Mapping):
            raise SpaceError(
                f"Records takes columns by name; got a {type(columns).__name__}. Write "
                "Records(job=Categories([...])) or give a mapping."
            )
        both = {**(columns or {}), **named}
        if columns is not None and len(both) != len(columns) + len(named):
            raise SpaceError("a column is given twice, in the mapping and by keyword.")
        if not both:
            raise SpaceError("Records needs at least one column, as in Records(job=Categories(…)).")
        for name, space in both.items():
            if not isinstance(space, Space):
                raise SpaceError(
                    f"the column {name!r} is a {type(space).__name__}; it must be a space such "
                    "as Categories([...]) or Counts(n). A column called 'neighbors' or 'metric' "
                    "goes into a mapping: Records({'metric': …})."
                )
        set_field = object.__setattr__
        set_field(self, "columns", tuple(both.items()))
        self._read_relations(neighbors, metric, metrics=("hamming", "sum", "discrete"))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={space!r}" for name, space in self.columns)
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Records({inner}{relation})"

    @cached_property
    def by_name(self) -> Mapping[str, Space]:
        """The space of each column."""
        return dict(self.columns)

    @property
    def size(self) -> int:
        """How many different records there are."""
        return math.prod(space.size for _, space in self.columns)

    @property
    def unit(self) -> Unit:
        """All columns of a record change at once."""
        return dataclasses.replace(super().unit, whose="record")

    @property
    def of_tuples(self) -> bool:
        """A record is the tuple of its fields."""
        return True

    def split(self, code: int) -> tuple[int, ...]:
        """Return the codes of the columns of a record's code."""
        codes: list[int] = []
        for _, space in reversed(self.columns):
            code, last = divmod(code, space.size)
            codes.append(last)
        return tuple(reversed(codes))

    def join(self, codes: tuple[int, ...]) -> int:
        """Return the record's code from the codes of its columns."""
        joined = 0
        for (_, space), code in zip(self.columns, codes, strict=True):
            joined = joined * space.size + code
        return joined

    def point(self, code: int) -> tuple[Any, ...]:
        """Return the record with this code."""
        if not 0 <= code < self.size:
            raise self.outside()
        parts = zip(self.columns, self.split(int(code)), strict=True)
        return tuple(space.point(part) for (_, space), part in parts)

    def code(self, point: Any) -> int:
        """Return the code of a record given as a tuple in column order or as a mapping."""
        if isinstance(point, Mapping):
            if set(point) != {name for name, _ in self.columns}:
                raise self.outside(why="its columns are not those of the space")
            point = tuple(point[name] for name, _ in self.columns)
        if not isinstance(point, (tuple, list)) or len(point) != len(self.columns):
            raise self.outside(why=f"a record has {len(self.columns)} columns")
        parts = zip(self.columns, point, strict=True)
        return self.join(tuple(space.code(value) for (_, space), value in parts))

    def _parts(self, a: int, b: int) -> list[tuple[Space, int, int]]:
        spaces = (space for _, space in self.columns)
        return list(zip(spaces, self.split(a), self.split(b), strict=True))

    def _named_distance(self, a: int, b: int) -> Distance:
        if self.metric == "discrete":
            return int(a != b)
        if self.metric == "hamming":
            return sum(x != y for _, x, y in self._parts(a, b))
        return sum(
            space.distance(space.point(x), space.point(y)) for space, x, y in self._parts(a, b)
        )

    def _named_diameter(self) -> Distance:
        if self.metric == "discrete":
            return int(self.size > 1)
        if self.metric == "hamming":
            return sum(space.size > 1 for _, space in self.columns)
        return sum(space.diameter for _, space in self.columns)

    def _named_separation(self) -> Distance:
        if self.metric == "sum":
            return min((s.separation for _, s in self.columns if s.size > 1), default=0)
        return int(self.size > 1)

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        return {"kind": "labels", "labels": [_plain(point) for point in self.points]}


def _plain(point: Any) -> Any:
    if isinstance(point, (tuple, list)):
        return [_plain(part) for part in point]
    if isinstance(point, frozenset):
        return sorted(point, key=str)
    return str(point) if isinstance(point, float) else point
