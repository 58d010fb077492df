"""Subsets of items: what one person owns, likes or bought."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from noisewright.spaces.categories import Label, label_key, read_labels
from noisewright.spaces.metric import Distance, Metric
from noisewright.spaces.neighbors import Neighbors
from noisewright.spaces.space import Space


@dataclass(frozen=True)
class Subsets(Space):
    """All subsets of a list of items; one person's record is one subset.

    The code of a subset is a bit mask: item i has the value 2^i. Nothing is enumerated, so
    thousands of items cost nothing.
    """

    items: tuple[Label, ...]
    neighbors: Neighbors = field(default="replace", kw_only=True)
    metric: Metric = field(default="symmetric difference", kw_only=True)

    def __init__(
        self,
        items: Iterable[Label],
        *,
        neighbors: Any = "replace",
        metric: Any = "symmetric difference",
    ) -> None:
        set_field = object.__setattr__
        set_field(self, "items", read_labels(items, space="Subsets", one="item"))
        self._read_relations(neighbors, metric, metrics=("symmetric difference", "discrete"))

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.items[:4])) + (", …" if len(self.items) > 4 else "")
        count = f" ({len(self.items):,} items)" if len(self.items) > 4 else ""
        relation = "" if self.neighbors == "replace" else f", neighbors={self.neighbors!r}"
        return f"Subsets([{shown}]{count}{relation})"

    @property
    def size(self) -> int:
        """How many subsets there are: 2^items."""
        return 1 << len(self.items)

    @cached_property
    def _bits(self) -> dict[Any, int]:
        return {label_key(item): 1 << position for position, item in enumerate(self.items)}

    def point(self, code: int) -> frozenset[Label]:
        """Return the subset with this bit mask."""
        if not 0 <= code < self.size:
            raise self.outside()
        chosen: list[Label] = []
        rest = int(code)
        while rest:
            lowest = rest & -rest
            chosen.append(self.items[lowest.bit_length() - 1])
            rest ^= lowest
        return frozenset(chosen)

    def code(self, point: Any) -> int:
        """Return the bit mask of a subset."""
        if isinstance(point, (str, bytes)) or not isinstance(point, Iterable):
            raise self.outside(why="it is not a set of items")
        mask = 0
        try:
            for item in point:
                mask |= self._bits[label_key(item)]
        except (KeyError, TypeError):
            raise self.outside(why="it holds an item that was not declared") from None
        return mask

    def _named_distance(self, a: int, b: int) -> Distance:
        return (a ^ b).bit_count() if self.metric == "symmetric difference" else int(a != b)

    def _named_diameter(self) -> Distance:
        return len(self.items) if self.metric == "symmetric difference" else 1

    def _named_separation(self) -> Distance:
        return 1

    def describe(self) -> dict[str, Any]:
        """Return the points as a certificate writes them."""
        labels = [[item for item in self.items if item in subset] for subset in self.points]
        return {"kind": "labels", "labels": labels}
