"""A graph of columns, cycles allowed, fitted to noisy counts of some of its marginals.

Everything here sees noisy counts only, so it is post-processing, and floating point is fine.

What is wanted stands in `joined_counts.py`: the simpler model is one that was fitted before (a tree
of columns), and the marginals come from a junction tree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, final

import numpy as np
from numpy.typing import NDArray

from noisewright.given import one_of
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.graphs.joined_counts import JoinedCounts, in_order, join
from noisewright.synthetic.graphs.junction_tree import JunctionTree
from noisewright.synthetic.graphs.tree_model import TreeModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Array = NDArray[np.float64]
Names = tuple[str, ...]

Inference = Literal["points", "graph", "tree"]
INFERENCE: Inference = "points"

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
    holds_unlinked: bool = False,
) -> GraphModel:
    """Fit a graph of columns to noisy counts of whole marginals.

    With `holds_unlinked`, pairs that look independent are held there more strongly.
    Requires: measurements of whole marginals of the same rows; finite potentials.
    Ensures: nearly the least of what `joined_counts.py` says; the same counts give the same model,
    in whatever order they come.
    """
    counts = JoinedCounts(measurements, holds_unlinked=holds_unlinked)
    offsets = {names: np.zeros(shape) for names, shape in counts.shapes.items()}
    for columns, values in simpler.potentials:
        names, ordered = in_order(columns, values)
        offsets[names] = offsets.get(names, 0.0) + ordered
    # All tables: first those that were counted.
    tree = JunctionTree({name: sizes[name] for name in sorted(sizes)}, tuple(offsets))
    if tree.cells > _MOST_CELLS:
        raise MemoryError("too many cells")

    def potentials(numbers: Mapping[Names, Array]) -> list[Array]:
        return [
            offset + numbers[names] if names in numbers else offset
            for names, offset in offsets.items()
        ]

    def model(numbers: Mapping[Names, Array]) -> tuple[float, Array]:
        whole, shares = tree.marginals(potentials(numbers))
        return whole, join(shares[: len(numbers)])

    steps = max(_FEWEST, min(_MOST, _MOST_WORK // max(tree.cells, 1)))
    found = counts.fit(model, steps=steps, progress=progress)
    return GraphModel(sizes, tuple(zip(tree.tables, potentials(found), strict=True)))


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
    *,
    holds_unlinked: bool = False,
) -> tuple[TreeModel | GraphModel, tuple[str, ...]]:
    """Return the fit, or a simpler model and a note: what was paid for is not lost.

    Ensures: what `progress` raises, to stop the work for example, is raised.
    """
    if inference == "tree":
        return simpler, ()
    told = ToldProgress(progress)
    try:
        start = simpler if isinstance(simpler, GraphModel) else simpler.as_graph()
        fitted = fit_graph(sizes, measurements, start, progress=told, holds_unlinked=holds_unlinked)
        return fitted, ()
    except Exception as problem:
        if problem in told.raised:
            raise
        # Its message may be about counts; its name is enough.
        note = (
            f"No graph could be fitted to the noisy counts ({type(problem).__name__}). The rows "
            "come from a simpler model instead."
        )
        return simpler, (note,)
