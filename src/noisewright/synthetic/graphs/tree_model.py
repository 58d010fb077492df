"""A tree of columns: each depends on one other, and rows are drawn from the root to the leaves.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

    Counts of one column come from its own marginal and from those of its edges, weighted by their
    variances, and are moved to the nearest that are possible (not negative, adding up to n).
    Each edge is moved to the nearest possible table, then scaled until its two sides agree with
    the counts of its columns (iterative proportional fitting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.sampling import Source
from noisewright.synthetic.deal_rows import Given, draw_rows
from noisewright.synthetic.graphs.forest import spanning_forest
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.steps.measurement import Measurement

Array = NDArray[np.float64]

_LEAST = 1e-12
"""The share of a cell that looks empty: nothing is impossible in the model."""

_PASSES = 200
_CLOSE = 1e-9


@final
@dataclass(frozen=True, eq=False)
class TreeModel:
    """Shares of each column, and of each edge of a tree (or several trees) of columns.

    `edges` are joint shares whose two sides are the shares of their columns.
    """

    shares: Mapping[str, Array]
    edges: Mapping[tuple[str, str], Array]

    @property
    def steps(self) -> list[tuple[str, str | None]]:
        """The columns from the roots to the leaves, each with the one that it depends on."""
        found: list[tuple[str, str | None]] = []
        seen: set[str] = set()
        for root in self.shares:
            if root in seen:
                continue
            seen.add(root)
            found.append((root, None))
            waiting = [root]
            while waiting:
                parent = waiting.pop(0)
                for pair in self.edges:
                    if parent in pair:
                        child = pair[1] if pair[0] == parent else pair[0]
                        if child not in seen:
                            seen.add(child)
                            found.append((child, parent))
                            waiting.append(child)
        return found

    def joint(self, parent: str, child: str) -> Array:
        """Return the shares of an edge with the parent's values as rows."""
        if (parent, child) in self.edges:
            return self.edges[parent, child]
        return self.edges[child, parent].T

    def draw(self, rows: int, source: Source | None = None) -> dict[str, NDArray[Any]]:
        """Return codes of so many rows, in random order.

        Ensures: each column's counts, and each edge's within a value of the parent, are within one
        of what the model expects: they are rounded at random, not drawn row by row.
        """
        return draw_rows(
            (
                Given(column, (), self.shares[column])
                if parent is None
                else Given(column, (parent,), self.joint(parent, column))
                for column, parent in self.steps
            ),
            rows,
            source,
        )

    def as_graph(self) -> GraphModel:
        """Return the same distribution as a graph of columns: Π P(edge) / Π P(column)^(edges − 1).

        Requires: positive shares, as `fitted` has them.
        """
        counted = [name for pair in self.edges for name in pair]
        sizes = {name: shares.size for name, shares in self.shares.items()}
        alone = [
            ((name,), (1 - counted.count(name)) * np.log(shares))
            for name, shares in self.shares.items()
        ]
        return GraphModel(
            sizes, (*alone, *((pair, np.log(joint)) for pair, joint in self.edges.items()))
        )


def pairs_of_a_forest(pairs: Sequence[Measurement]) -> list[Measurement]:
    """Return the first pairs that join columns without closing a cycle: all that a tree takes."""
    by_columns = {pair.columns: pair for pair in reversed(pairs)}
    return [by_columns[names] for names in spanning_forest(pair.columns for pair in pairs)]


def fit_tree(singles: Sequence[Measurement], pairs: Sequence[Measurement]) -> TreeModel:
    """Fit a tree to noisy counts of each column and of the edges of the tree.

    Ensures: the two sides of each edge are the shares of its columns, to about 1e-9.
    """
    shares = {one.columns[0]: _node(one, pairs) for one in singles}
    edges = {(m.columns[0], m.columns[1]): _edge(m, shares) for m in pairs}
    return TreeModel(shares, edges)


def _node(own: Measurement, pairs: Sequence[Measurement]) -> Array:
    """Return the shares of a column from all that was counted about it."""
    (name,) = own.columns
    weight = 1 / _variance(own)
    total, weights = own.counts * weight, weight
    for pair in pairs:
        if name in pair.columns:
            axis = 1 - pair.columns.index(name)
            weight = 1 / (_variance(pair) * pair.counts.shape[axis])
            total, weights = total + pair.counts.sum(axis=axis) * weight, weights + weight
    return _possible(total / weights / own.rows)


def _variance(one: Measurement) -> float:
    return max(one.noise.fit_deviation**2, _LEAST)


def _possible(shares: Array) -> Array:
    near = np.maximum(project_to_simplex(shares), _LEAST)
    return near / near.sum()


def _edge(pair: Measurement, shares: Mapping[str, Array]) -> Array:
    first, second = (shares[name] for name in pair.columns)
    return fit_margins(_possible(pair.counts / pair.rows), first, second)


def fit_margins(joint: Array, first: Array, second: Array) -> Array:
    """Scale rows and columns in turn until their sums are these two sides.

    Requires: positive entries, and sides with the same sum.
    Ensures: about 1e-9 from the sides, or as near as 200 turns come.
    """
    for _ in range(_PASSES):
        joint = joint * (first / joint.sum(axis=1))[:, None]
        below = joint.sum(axis=0)
        if np.abs(below - second).max() < _CLOSE:
            break
        joint = joint * (second / below)
    return joint
