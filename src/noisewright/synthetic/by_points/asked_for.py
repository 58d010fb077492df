"""What a workload asks for: conditions that are counted by themselves, and tables that matter most.

One query among many cells is best counted by itself: it then has the noise of one count, and not
that of all cells that it adds up. But k queries share what they get, while a table of their columns
answers all of them at once. With m cells in a usual one, queries by themselves are better while
k ≤ 2 m where parts of ρ add up, and while k ≤ 2 √m where parts of ε do.

Everything here follows from declared columns and the workload, which are public.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import prod, sqrt
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.tallies import Names, shape_of, varying
from noisewright.synthetic.workloads.counting_queries import (
    Conjunction,
    Predicate,
    Prefixes,
    Queries,
    Ranges,
)
from noisewright.synthetic.workloads.workload import Workload

_MOST_CELLS = 1 << 16
_MOST_CONDITIONS = 1 << 8
"""Cells of the columns of a condition, and conditions that are counted by themselves."""

_RUNNING = 2.0
"""How much more a part is worth whose queries add up many cells: each has the noise of all."""

_LEAST = 1 / 16
"""What a column is worth that no part of the workload is about: it is in the table all the same."""


@final
@dataclass(frozen=True, eq=False)
class CountedCondition:
    """One query that is counted by itself, over the cells of its columns."""

    columns: Names
    cells: NDArray[np.bool_]
    label: str


@final
@dataclass(frozen=True, eq=False)
class AskedFor:
    """What a workload asks of counts whose parts of ε, or of ρ, add up."""

    workload: Workload
    unit: Literal["epsilon", "rho"]

    @cached_property
    def conditions(self) -> dict[Queries, tuple[CountedCondition, ...]]:
        """The conditions that are counted by themselves, by the part of the workload they are."""
        by_columns: dict[Names, dict[Queries, NDArray[np.bool_]]] = {}
        for part in self.workload.parts:
            is_listed = isinstance(part, Ranges) and part.ends is not None
            is_condition = is_listed or isinstance(part, Conjunction | Predicate)
            shape = shape_of(self.workload.domain, part.columns)
            few = part.count(self.workload.domain) <= _MOST_CONDITIONS
            if is_condition and few and prod(shape) <= _MOST_CELLS:
                by_columns.setdefault(part.columns, {})[part] = part.masks(shape)
        found: dict[Queries, tuple[CountedCondition, ...]] = {}
        for columns, masks in by_columns.items():
            if self._are_better_alone(list(masks.values())):
                shape = shape_of(self.workload.domain, columns)
                for part, rows in masks.items():
                    labels = part.labels(self.workload.domain)
                    found[part] = tuple(
                        CountedCondition(columns, row.reshape(shape), label)
                        for row, label in zip(rows, labels, strict=True)
                    )
        if sum(map(len, found.values())) > _MOST_CONDITIONS:
            return {}
        return found

    def _are_better_alone(self, masks: Sequence[NDArray[np.bool_]]) -> bool:
        sizes = np.concatenate([rows.sum(axis=1) for rows in masks])
        cells = float(np.mean(sizes * (1 - sizes / masks[0].shape[1])))
        return len(sizes) <= 2 * (cells if self.unit == "rho" else sqrt(cells))

    @cached_property
    def listed(self) -> tuple[CountedCondition, ...]:
        """All of these conditions, in the order of the workload."""
        return tuple(one for each in self.conditions.values() for one in each)

    @cached_property
    def tables(self) -> tuple[Names, ...]:
        """The columns that vary of each other part: it is answered by counts of these."""
        return tuple(
            varying(self.workload.domain, part.columns)
            for part in self.workload.parts
            if part not in self.conditions
        )

    @property
    def part_of_conditions(self) -> float:
        """Which part of the workload are conditions that are counted by themselves."""
        return 1 - len(self.tables) / len(self.workload.parts)

    @property
    def part_of_columns(self) -> float:
        """Which part of the rest is about single columns."""
        whole = sum(self._exact.values())
        return sum(w for names, w in self._exact.items() if len(names) == 1) / whole if whole else 0

    @cached_property
    def _exact(self) -> dict[frozenset[str], float]:
        """What is asked about exactly these columns."""
        found: dict[frozenset[str], float] = {}
        for part in self.workload.parts:
            names = frozenset(varying(self.workload.domain, part.columns))
            if names and part not in self.conditions:
                worth = _RUNNING if isinstance(part, Prefixes | Ranges) else 1.0
                found[names] = found.get(names, 0.0) + worth
        return found

    def worth(self, tables: Sequence[Names]) -> list[float]:
        """Return how much each of these tables matters: 1 for what matters most.

        That is how much is asked about these columns and no others, and in how many of the parts
        about more columns they are.
        """
        ways = {len(names) for names in tables}
        held = Counter(
            some
            for part in self.workload.parts
            for way in ways
            if way < len(part.columns)
            for some in combinations(sorted(part.columns), way)
        )
        above = [held[tuple(sorted(names))] for names in tables]
        most = max([*above, 1])
        raw = [
            times / most + self._exact.get(frozenset(names), 0.0)
            for times, names in zip(above, tables, strict=True)
        ]
        top = max([*raw, _LEAST])
        return [max(one / top, _LEAST) for one in raw]
