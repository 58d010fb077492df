"""A graph of columns: a weight for each cell of some small tables, multiplied for each row.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

    P(row) ∝ Π exp(potential of the row's cell in each table)

Columns are taken out one after the other: all tables that hold a column are multiplied, which gives
how it is distributed given the columns beside it, and is then summed over it. Rows are drawn the
other way round, each column given those that were drawn before it. How large these tables become
depends on the order; the next to go is one that makes nothing larger, or else has the smallest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source
from noisewright.synthetic.deal_rows import Given, draw_rows

Array = NDArray[np.float64]
Names = tuple[str, ...]


@final
@dataclass(frozen=True, eq=False)
class GraphModel:
    """A distribution over columns of these sizes, by potentials of some sets of them."""

    sizes: Mapping[str, int]
    potentials: Sequence[tuple[Names, Array]]

    @cached_property
    def _given(self) -> list[Given]:
        """How each column is distributed given some of those before it, first to last."""
        return self._eliminate(self.sizes)[0][::-1]

    def _eliminate(self, columns: Iterable[str]) -> tuple[list[Given], list[tuple[Names, Array]]]:
        """Take these columns out; return how each was distributed, and the tables that are left."""
        wanted = set(columns)
        tables = list(self.potentials)
        found: list[Given] = []
        for name, _ in elimination(self.sizes, [names for names, _ in tables], wanted):
            held = [table for table in tables if name in table[0]]
            others = tuple({each: None for names, _ in held for each in names if each != name})
            whole = _sum_of(held, (*others, name), self.sizes)
            top = whole.max(axis=-1, keepdims=True)
            weights = np.exp(whole - top)
            sums = weights.sum(axis=-1)
            found.append(Given(name, others, weights / sums[..., None]))
            tables = [table for table in tables if name not in table[0]]
            tables.append((others, np.log(sums) + top[..., 0]))
        return found, tables

    def marginal(self, names: Names) -> Array:
        """Return the shares of the cells of these columns."""
        _, left = self._eliminate(set(self.sizes) - set(names))
        whole = _sum_of(left, names, self.sizes)
        weights = np.exp(whole - whole.max())
        return weights / weights.sum()

    def draw(self, rows: int, source: Source | None = None) -> dict[str, NDArray[Any]]:
        """Return codes of so many rows, in random order, rounded at random."""
        return draw_rows(self._given, rows, source)


def _sum_of(tables: Sequence[tuple[Names, Array]], names: Names, sizes: Mapping[str, int]) -> Array:
    """Return the sum of tables in logarithms as one with these axes."""
    whole = np.zeros([sizes[name] for name in names])
    for columns, values in tables:
        kept = [name for name in names if name in columns]
        axes = values.transpose([columns.index(name) for name in kept])
        whole += axes.reshape([sizes[name] if name in kept else 1 for name in names])
    return whole


def elimination(
    sizes: Mapping[str, int], tables: Iterable[Iterable[str]], columns: Iterable[str]
) -> list[tuple[str, frozenset[str]]]:
    """Return in which order these columns are taken out, each with those beside it by then."""
    beside: dict[str, set[str]] = {name: {name} for name in sizes}
    for names in tables:
        together = set(names)
        for name in together:
            beside[name] |= together
    wanted = set(columns)

    def rank(name: str) -> tuple[bool, int]:
        """Columns whose neighbors are all together anyway go first: they add nothing."""
        near = beside[name]
        return not all(near <= beside[each] for each in near), _cells(sizes, near)

    ranks = {name: rank(name) for name in sizes if name in wanted}
    found: list[tuple[str, frozenset[str]]] = []
    while ranks:
        name = min(ranks, key=lambda each: ranks[each])
        del ranks[name]
        others = frozenset(beside.pop(name) - {name})
        found.append((name, others))
        for each in others:
            beside[each] |= others
            beside[each].discard(name)
        for each in others:
            if each in ranks:
                ranks[each] = rank(each)
    return found


def cells_needed(sizes: Mapping[str, int], tables: Iterable[Iterable[str]]) -> int:
    """Return how many cells a model with these tables works with."""
    return sum(
        sizes[name] * _cells(sizes, others) for name, others in elimination(sizes, tables, sizes)
    )


def _cells(sizes: Mapping[str, int], names: Iterable[str]) -> int:
    return prod(sizes[name] for name in names)
