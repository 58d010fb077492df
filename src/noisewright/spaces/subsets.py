"""Subsets of items: what one person owns, likes or bought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from math import comb
from typing import Any

from noisewright.errors import SpaceError
from noisewright.given import brief
from noisewright.spaces.categories import Label, label_key, read_labels
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space


@dataclass(frozen=True)
class Subsets(Space):
    """All subsets of a list of items, or those of at most `largest`; a record is one subset.

    The code of a subset is a bit mask: item i has the value 2^i. With a bound on the size, codes
    count the subsets by size instead. Nothing is enumerated, so thousands of items cost nothing.
    """

    items: tuple[Label, ...]
    largest: int | None = field(default=None, kw_only=True)
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="symmetric difference", kw_only=True)

    def __init__(
        self,
        items: Iterable[Label],
        *,
        largest: int | None = None,
        neighbors: Any = "replace",
        metric: Any = "symmetric difference",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "items", read_labels(items, space="Subsets", one="item"))
        set_field(self, "largest", _read_largest(largest, len(self.items)))
        self._read_relations(neighbors, metric, metrics=("symmetric difference", "discrete"))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.items[:4])) + (", …" if len(self.items) > 4 else "")
        count = f" ({len(self.items):,} items)" if len(self.items) > 4 else ""
        bound = "" if self.largest is None else f", largest={self.largest}"
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Subsets([{shown}]{count}{bound}{relation})"

    @property
    def most(self) -> int:
        """How many items a subset may have: `largest`, or all of them."""
        return len(self.items) if self.largest is None else self.largest

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        """The first code of each size, and how many codes there are."""
        starts = [0]
        for size in range(self.most + 1):
            starts.append(starts[-1] + comb(len(self.items), size))
        return tuple(starts)

    @property
    def size(self) -> int:
        """How many subsets there are: 2^items, or fewer with a bound."""
        return 1 << len(self.items) if self.largest is None else self._starts[-1]

    @cached_property
    def _bits(self) -> dict[Any, int]:
        return {label_key(item): 1 << position for position, item in enumerate(self.items)}

    def mask(self, code: int) -> int:
        """Return the bit mask of the subset with this code: item i has the value 2^i."""
        if not 0 <= code < self.size:
            raise self.outside()
        if self.largest is None:
            return int(code)
        size = next(size for size, start in enumerate(self._starts[1:]) if code < start)
        rest, mask, position = int(code) - self._starts[size], 0, len(self.items)
        # The rank of positions a < b < … among the sets of one size is C(a,1) + C(b,2) + ….
        for place in range(size, 0, -1):
            position -= 1
            while comb(position, place) > rest:
                position -= 1
            rest -= comb(position, place)
            mask |= 1 << position
        return mask

    def code_of_mask(self, mask: int) -> int:
        """Return the code of the subset with this bit mask."""
        if self.largest is None:
            return mask
        places = positions(mask)
        if len(places) > self.largest:
            raise self.outside(why=f"it has more than {self.largest} items")
        rank = sum(comb(position, place) for place, position in enumerate(places, start=1))
        return self._starts[len(places)] + rank

    def point(self, code: int) -> frozenset[Label]:
        """Return the subset with this code."""
        return frozenset(self.items[position] for position in positions(self.mask(code)))

    def code(self, point: Any) -> int:
        """Return the code of a subset."""
        if isinstance(point, (str, bytes)) or not isinstance(point, Iterable):
            raise self.outside(why="it is not a set of items")
        mask: int | None = 0
        try:
            for item in point:
                mask |= self._bits[label_key(item)]
        except (KeyError, TypeError):
            mask = None
        if mask is None:
            raise self.outside(why="it holds an item that was not declared")
        return self.code_of_mask(mask)

    def _advice(self) -> str:
        if self.largest is None:
            return "Map it to a point first, or widen the space."
        return "Cut it to fewer items first, or widen the space."

    def _named_distance(self, a: int, b: int) -> Distance:
        if self.metric == "discrete":
            return int(a != b)
        return (self.mask(a) ^ self.mask(b)).bit_count()

    def _named_diameter(self) -> Distance:
        if self.metric == "discrete":
            return int(self.size > 1)
        return min(2 * self.most, len(self.items))

    def _named_separation(self) -> Distance:
        return int(self.size > 1)

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        labels = [[item for item in self.items if item in subset] for subset in self.points]
        return {"kind": "labels", "labels": labels}


def positions(mask: int) -> list[int]:
    """Return the positions of the ones of a bit mask, lowest first."""
    found: list[int] = []
    while mask:
        lowest = mask & -mask
        found.append(lowest.bit_length() - 1)
        mask ^= lowest
    return found


def _read_largest(largest: Any, items: int) -> int | None:
    if largest is None:
        return None
    if isinstance(largest, bool) or not isinstance(largest, int) or largest < 1:
        raise SpaceError(
            f"largest is {brief(largest)}; it must be a whole number of at least 1: the most items "
            "that one set may have. Leave it out if there is no bound."
        )
    # A bound that binds nobody is no bound: one space, one value.
    return largest if largest < items else None
