"""How a model is fitted to noisy counts: as a tree of columns, or as a graph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from noisewright.given import one_of
from noisewright.synthetic.graphs.graph_fit import fit_graph
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.graphs.tree_model import TreeModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.transaction import Progress

Inference = Literal["graph", "tree"]
INFERENCE: Inference = "graph"


def require_inference(name: str) -> Inference:
    """Return the name of a kind of inference, or say which there are."""
    return one_of(name, ("graph", "tree"), name="inference")


def made_by(method: str, inference: str) -> str:
    """Return how a table was made, in a few words."""
    return method if inference == "tree" else f"{method} on a graph"


def fit_or_simpler(
    inference: Inference,
    sizes: Mapping[str, int],
    measurements: Sequence[Measurement],
    simpler: TreeModel | GraphModel,
    progress: Progress | None,
) -> tuple[TreeModel | GraphModel, tuple[str, ...]]:
    """Return the fit, or a simpler model and a note: what was paid for is not lost."""
    if inference == "tree":
        return simpler, ()
    try:
        start = simpler if isinstance(simpler, GraphModel) else simpler.as_graph()
        return fit_graph(sizes, measurements, start, progress=progress), ()
    except Exception as problem:
        # Its message may be about counts; its name is enough.
        note = (
            f"No graph could be fitted to the noisy counts ({type(problem).__name__}). The rows "
            "come from a simpler model instead."
        )
        return simpler, (note,)
