"""A graph of columns, cycles allowed, fitted to noisy counts of some of its marginals.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

Wanted is the distribution p that is near to the counts y, each weighted by its noise, and near to
a simpler model q that was fitted before (a tree of columns):

    least   Σ (N p_cell − y_cell)² / 2σ²  +  τ N KL(p ‖ q)

That p is q times e^θ for each counted cell, and θ is where this convex function is least:

    N log Σ q e^θ  −  Σ θ y  +  τ/2 Σ σ² θ²        with gradient   N p − y + τ σ² θ

Half the sum of (gradient / σ)² is how far p is from the best at most (the gap of duality), so one
knows when to stop. The marginals come from a junction tree. With τ = 1/σ of the noisiest counts, a
count that is off by one deviation changes a cell by a factor e at most: cells that are counted well
become what was counted, and cells below the noise stay near the simpler model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.estimation import project_to_simplex
from noisewright.given import one_of
from noisewright.synthetic.graphs.descent import dot, lowest
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.graphs.junction_tree import JunctionTree
from noisewright.synthetic.graphs.tree_model import TreeModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Array = NDArray[np.float64]
Names = tuple[str, ...]

Inference = Literal["points", "graph", "tree"]
INFERENCE: Inference = "points"

_LEAST_DEVIATION = 2.0**-4
"""Counts without noise: certain, but not so much that nothing else counts."""

_CLOSE = 1e-4
"""How far from the best, for each count: the ten-thousandth part of what its noise adds."""

_FEWEST, _MOST = 20, 400
"""Steps."""

_MOST_WORK = 1 << 26
"""Cells times steps; a larger model gets fewer of them."""

_MOST_CELLS = 1 << 23
"""Of all cliques; pairs are chosen so that there are far fewer (`choose_pairs.py`)."""


def fit_graph(
    sizes: Mapping[str, int],
    measurements: Sequence[Measurement],
    simpler: GraphModel,
    *,
    progress: Progress | None = None,
) -> GraphModel:
    """Fit a graph of columns to noisy counts of whole marginals.

    Requires: measurements of whole marginals of the same rows; finite potentials.
    Ensures: nearly the least of what stands at the top of the file; the same counts give the same
    model, in whatever order they come.
    """
    problem = _Problem(sizes, measurements, simpler)
    tree = problem.tree
    if tree.cells > _MOST_CELLS:
        raise MemoryError("too many cells")
    steps = max(_FEWEST, min(_MOST, _MOST_WORK // max(tree.cells, 1)))

    def is_enough(done: int, gradient: Array) -> bool:
        if progress is not None:
            progress("fit", done, steps)
        gap = float((gradient * gradient / problem.variances).sum()) / 2
        return gap <= _CLOSE * gradient.size

    start = np.zeros(problem.counts.size)
    found = lowest(problem.value, start, problem.scales, steps=steps, is_enough=is_enough)
    if not np.isfinite(found).all():
        raise FloatingPointError("no finite model was found")
    if progress is not None:
        progress("fit", steps, steps)
    return GraphModel(sizes, tuple(zip(tree.tables, problem.potentials(found), strict=True)))


@final
@dataclass(frozen=True, eq=False)
class _Problem:
    """The function to be made least, of one number for each cell that was counted."""

    sizes: Mapping[str, int]
    measurements: Sequence[Measurement]
    simpler: GraphModel

    @cached_property
    def _seen(self) -> dict[Names, tuple[Array, float]]:
        """What was counted of each table, and its variance: all counts of it together."""
        weighted: dict[Names, tuple[Array, float]] = {}
        for one in self.measurements:
            names, counts = self._in_order(one.columns, one.counts)
            weight = max(one.noise.fit_deviation, _LEAST_DEVIATION) ** -2
            total, weights = weighted.get(names, (np.zeros(counts.shape), 0.0))
            weighted[names] = (total + weight * counts, weights + weight)
        return {
            names: (weighted[names][0] / weighted[names][1], 1 / weighted[names][1])
            for names in sorted(weighted)
        }

    def _in_order(self, columns: Names, values: NDArray[np.generic]) -> tuple[Names, Array]:
        """Return columns and values with the columns sorted: no order of theirs matters."""
        names = tuple(sorted(columns))
        order = [columns.index(name) for name in names]
        return names, values.transpose(order).astype(np.float64)

    @cached_property
    def _offsets(self) -> dict[Names, Array]:
        """The potentials of the simpler model, and zeros for what was counted besides."""
        found = {names: np.zeros(counts.shape) for names, (counts, _) in self._seen.items()}
        for columns, values in self.simpler.potentials:
            names, ordered = self._in_order(columns, values)
            found[names] = found.get(names, 0.0) + ordered
        return found

    @cached_property
    def tree(self) -> JunctionTree:
        """All tables: first those that were counted."""
        sizes = {name: self.sizes[name] for name in sorted(self.sizes)}
        return JunctionTree(sizes, tuple(self._offsets))

    @cached_property
    def counts(self) -> Array:
        """All counts, one after the other."""
        return np.concatenate([counts.reshape(-1) for counts, _ in self._seen.values()])

    @cached_property
    def variances(self) -> Array:
        """The variance of each."""
        return np.concatenate(
            [np.full(counts.size, variance) for counts, variance in self._seen.values()]
        )

    @property
    def _rows(self) -> int:
        return self.measurements[0].rows

    @cached_property
    def _pull(self) -> Array:
        """What holds each number near zero: τ σ²."""
        return self.variances / np.sqrt(self.variances.max())

    @cached_property
    def scales(self) -> Array:
        """About the second derivatives: the rows that a cell seems to have, and the pull."""
        likely = [project_to_simplex(counts / self._rows) for counts, _ in self._seen.values()]
        expected = self._rows * np.concatenate([shares.reshape(-1) for shares in likely])
        return expected + self._pull

    def potentials(self, numbers: Array) -> list[Array]:
        """Return the potentials of all tables: those of the simpler model, and these numbers."""
        found: list[Array] = []
        place = 0
        for names, offset in self._offsets.items():
            if names in self._seen:
                own = numbers[place : place + offset.size].reshape(offset.shape)
                place += offset.size
                found.append(offset + own)
            else:
                found.append(offset)
        return found

    def value(self, numbers: Array) -> tuple[float, Array]:
        """Return the function and its gradient."""
        whole, shares = self.tree.marginals(self.potentials(numbers))
        expected = np.concatenate([each.reshape(-1) for each in shares[: len(self._seen)]])
        expected *= self._rows
        pull = self._pull * numbers
        value = self._rows * whole - dot(numbers, self.counts) + dot(numbers, pull) / 2
        return value, expected - self.counts + pull


def require_inference(name: str) -> Inference:
    """Return the name of a kind of inference, or say which there are."""
    return one_of(name, ("points", "graph", "tree"), name="inference")


def describe_method(method: str, inference: str) -> str:
    """Return how a table was made, in a few words."""
    on = {"points": " on points", "graph": " on a graph"}
    return method + on.get(inference, "")


@final
@dataclass(frozen=True, eq=False)
class ToldProgress:
    """Progress that is told to somebody, and what that has raised: it stops the work."""

    progress: Progress | None
    raised: list[BaseException] = field(default_factory=list[BaseException])

    def __call__(self, step: str, done: int, total: int | None, /) -> None:
        """Tell how far the work is."""
        try:
            if self.progress is not None:
                self.progress(step, done, total)
        except BaseException as problem:
            self.raised.append(problem)
            raise


def fit_or_simpler(
    inference: Inference,
    sizes: Mapping[str, int],
    measurements: Sequence[Measurement],
    simpler: TreeModel | GraphModel,
    progress: Progress | None,
) -> tuple[TreeModel | GraphModel, tuple[str, ...]]:
    """Return the fit, or a simpler model and a note: what was paid for is not lost.

    Ensures: what `progress` raises, to stop the work for example, is raised.
    """
    if inference == "tree":
        return simpler, ()
    told = ToldProgress(progress)
    try:
        start = simpler if isinstance(simpler, GraphModel) else simpler.as_graph()
        return fit_graph(sizes, measurements, start, progress=told), ()
    except Exception as problem:
        if problem in told.raised:
            raise
        # Its message may be about counts; its name is enough.
        note = (
            f"No graph could be fitted to the noisy counts ({type(problem).__name__}). The rows "
            "come from a simpler model instead."
        )
        return simpler, (note,)
