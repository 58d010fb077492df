"""A tree of small tables that together hold a graph of columns: all its marginals in two passes.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

Columns are taken out one after the other (`graph_model.py` says in which order). The columns beside
one that goes out make a table with it, a clique. Each clique shares some columns, its separator,
with one that is nearer to a root.

    upward     each clique sums what it has over its own columns, and hands that to its parent
    downward   each clique gets the shares of its separator from its parent: that times how its own
               columns are distributed given the separator are the shares of its cells

Upward goes in logarithms, less the largest in each sum. So nothing overflows, and what is summed is
never all zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import final

import numpy as np
from numpy.typing import NDArray

from noisewright.synthetic.graphs.graph_model import elimination

Array = NDArray[np.float64]
Names = tuple[str, ...]
Axes = tuple[int, ...]


@final
@dataclass(frozen=True, eq=False)
class Clique:
    """Some columns with all their cells: first the axes of the separator, then its own."""

    separator: Names
    own: Names
    shape: tuple[int, ...]
    parent: int | None

    @property
    def columns(self) -> Names:
        """All its columns, in the order of its axes."""
        return self.separator + self.own

    @cached_property
    def flat(self) -> tuple[int, int]:
        """Its cells as a matrix: those of the separator, times its own."""
        inside = len(self.separator)
        return prod(self.shape[:inside]), prod(self.shape[inside:])


@final
@dataclass(frozen=True)
class _Part:
    """How a smaller table lies within a larger one."""

    summed: Axes
    """The axes of the larger one that it does not have."""

    order: Axes
    """Its axes in the order of the larger one."""

    back: Axes
    """The other way round."""

    spread: tuple[int, ...]
    """Its shape in the larger one, with ones for what it does not have."""

    def within(self, values: Array) -> Array:
        """Return its values with the axes of the larger table."""
        return values.transpose(self.order).reshape(self.spread)

    def sums_of(self, larger: Array) -> Array:
        """Return the sums of the larger table that are its cells."""
        sums = larger.sum(axis=self.summed) if self.summed else larger
        return sums.transpose(self.back)


def _part(smaller: Names, larger: Names, shape: Sequence[int]) -> _Part:
    kept = [name for name in larger if name in smaller]
    return _Part(
        tuple(place for place, name in enumerate(larger) if name not in smaller),
        tuple(smaller.index(name) for name in kept),
        tuple(kept.index(name) for name in smaller),
        tuple(size if name in smaller else 1 for name, size in zip(larger, shape, strict=True)),
    )


@final
@dataclass(frozen=True, eq=False)
class JunctionTree:
    """The cliques of a graph of columns in which each of these tables lies within one of them."""

    sizes: Mapping[str, int]
    tables: tuple[Names, ...]

    @cached_property
    def _beside(self) -> dict[str, frozenset[str]]:
        """The columns in the order in which they are taken out, each with those beside it."""
        return dict(elimination(self.sizes, self.tables, self.sizes))

    @cached_property
    def _order(self) -> dict[str, int]:
        """When each column is taken out."""
        return {name: place for place, name in enumerate(self._beside)}

    @cached_property
    def _places(self) -> dict[str, int]:
        """Which clique a column belongs to itself."""
        return {name: place for place, one in enumerate(self.cliques) for name in one.own}

    @cached_property
    def cliques(self) -> tuple[Clique, ...]:
        """The cliques, each after its parent; none lies within another one."""
        order = self._order
        owner: dict[str, int] = {}
        found: list[tuple[Names, Names, int | None]] = []
        for name in reversed(order):
            near = self._beside[name]
            parent = owner[min(near, key=lambda each: order[each])] if near else None
            if parent is not None:
                separator, own, above = found[parent]
                if near == frozenset((*separator, *own)):
                    # The parent lies within it: they become one.
                    found[parent] = (separator, (*own, name), above)
                    owner[name] = parent
                    continue
            owner[name] = len(found)
            found.append((tuple(near), (name,), parent))
        return tuple(self._lay_out(found))

    def _lay_out(self, found: Sequence[tuple[Names, Names, int | None]]) -> list[Clique]:
        """Give each clique the axes of its separator in the order that they have in its parent."""
        made: list[Clique] = []
        for near, own, parent in found:
            columns = () if parent is None else made[parent].columns
            separator = tuple(name for name in columns if name in near)
            shape = tuple(self.sizes[name] for name in separator + own)
            made.append(Clique(separator, own, shape, parent))
        return made

    @cached_property
    def _homes(self) -> list[int]:
        """The clique that each table lies in."""
        order, places = self._order, self._places
        return [places[min(table, key=lambda each: order[each])] for table in self.tables]

    @cached_property
    def _held(self) -> list[list[tuple[int, _Part]]]:
        """The tables within each clique, and how they lie in it."""
        held: list[list[tuple[int, _Part]]] = [[] for _ in self.cliques]
        for place, (table, home) in enumerate(zip(self.tables, self._homes, strict=True)):
            one = self.cliques[home]
            held[home].append((place, _part(table, one.columns, one.shape)))
        return held

    @cached_property
    def _messages(self) -> list[_Part | None]:
        """How the separator of each clique lies in its parent."""
        found: list[_Part | None] = []
        for one in self.cliques:
            above = None if one.parent is None else self.cliques[one.parent]
            found.append(
                None if above is None else _part(one.separator, above.columns, above.shape)
            )
        return found

    @cached_property
    def _readings(self) -> list[list[tuple[int, int | None, _Part]]]:
        """Within each clique, large tables first: what each table is summed up from.

        That is the smallest table that holds it and was summed up before, or the whole clique.
        """
        found: list[list[tuple[int, int | None, _Part]]] = []
        for one, held in zip(self.cliques, self._held, strict=True):
            known: list[tuple[int | None, Names]] = [(None, one.columns)]
            parts: list[tuple[int, int | None, _Part]] = []
            for place, _ in sorted(held, key=lambda each: -len(self.tables[each[0]])):
                table = self.tables[place]
                fit = [each for each in known if set(table) <= set(each[1])]
                source, columns = min(fit, key=lambda each: self._cells(each[1]))
                shape = [self.sizes[name] for name in columns]
                parts.append((place, source, _part(table, columns, shape)))
                known.append((place, table))
            found.append(parts)
        return found

    @cached_property
    def ways(self) -> list[list[tuple[int, frozenset[str]]]]:
        """From each clique, those beside it with the columns that they share."""
        found: list[list[tuple[int, frozenset[str]]]] = [[] for _ in self.cliques]
        for place, one in enumerate(self.cliques):
            if one.parent is not None:
                shared = frozenset(one.separator)
                found[place].append((one.parent, shared))
                found[one.parent].append((place, shared))
        return found

    @cached_property
    def holding(self) -> dict[str, list[int]]:
        """The cliques that have each column."""
        found: dict[str, list[int]] = {name: [] for name in self.sizes}
        for place, one in enumerate(self.cliques):
            for name in one.columns:
                found[name].append(place)
        return found

    @cached_property
    def _roots(self) -> list[int]:
        """The root above each clique."""
        found: list[int] = []
        for place, one in enumerate(self.cliques):
            found.append(place if one.parent is None else found[one.parent])
        return found

    def part_of(self, name: str) -> int:
        """Return a number for the part of the graph that a column is in."""
        return self._roots[self._places[name]]

    def _cells(self, names: Names) -> int:
        return prod(self.sizes[name] for name in names)

    @property
    def cells(self) -> int:
        """The cells of all cliques: what one pass goes through."""
        return sum(prod(one.shape) for one in self.cliques)

    def shares(self, potentials: Sequence[Array]) -> tuple[float, list[Array]]:
        """Return the logarithm of the sum of all weights, and the shares of each clique's cells."""
        cliques = self.cliques
        weights: list[Array] = [np.zeros(one.shape) for one in cliques]
        sums: list[Array] = [np.zeros(0)] * len(cliques)
        whole = 0.0
        for place in reversed(range(len(cliques))):
            one, table = cliques[place], weights[place]
            for index, part in self._held[place]:
                table += part.within(potentials[index])
            flat = table.reshape(one.flat)
            top = flat.max(axis=1)
            flat -= top[:, None]
            np.exp(flat, out=flat)
            sums[place] = flat.sum(axis=1)
            message, part = np.log(sums[place]) + top, self._messages[place]
            if part is None or one.parent is None:
                whole += float(message[0])
            else:
                above = weights[one.parent]
                above += message.reshape(part.spread)
        for place, one in enumerate(cliques):
            flat, part = weights[place].reshape(one.flat), self._messages[place]
            if part is None or one.parent is None:
                flat /= sums[place][0]
            else:
                given = weights[one.parent].sum(axis=part.summed).reshape(-1)
                flat *= (given / sums[place])[:, None]
        return whole, weights

    def marginals(self, potentials: Sequence[Array]) -> tuple[float, list[Array]]:
        """Return the logarithm of the sum of all weights, and the shares of each table's cells."""
        whole, shares = self.shares(potentials)
        found: list[Array] = [np.zeros(0)] * len(self.tables)
        for joint, parts in zip(shares, self._readings, strict=True):
            for place, source, part in parts:
                found[place] = part.sums_of(joint if source is None else found[source])
        return whole, found
