"""How a model is fitted to noisy counts: as a tree, as a graph of our own, or as a graph by mbi."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from noisewright.errors import ParameterError
from noisewright.synthetic.by_mbi import fitted_by_mbi, require_mbi
from noisewright.synthetic.graphs.graph_fit import fit_graph
from noisewright.synthetic.graphs.graph_model import GraphModel
from noisewright.synthetic.graphs.tree_model import TreeModel
from noisewright.synthetic.steps.measurement import Measurement
from noisewright.synthetic.synthesizer import Progress

Inference = Literal["graph", "tree", "mbi"]
INFERENCE: Inference = "graph"
_ALL: tuple[Inference, ...] = ("graph", "tree", "mbi")


def require_inference(name: str) -> Inference:
    """Return the name of a kind of inference, or say which there are."""
    for known in _ALL:
        if name == known:
            return known
    raise ParameterError(f"inference is {name!r}; it must be 'graph', 'tree' or 'mbi'.")


def require_parts(inference: Inference) -> None:
    """Refuse what needs a part that is not installed."""
    if inference == "mbi":
        require_mbi()


def made_by(method: str, inference: str) -> str:
    """Return how a table was made, in a few words."""
    if inference == "tree":
        return method
    return f"{method} on a graph" if inference == "graph" else f"{method} and {inference}"


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
        if inference == "mbi":
            return fitted_by_mbi(sizes, measurements, progress=progress), ()
        start = simpler if isinstance(simpler, GraphModel) else simpler.as_graph()
        return fit_graph(sizes, measurements, start, progress=progress), ()
    except Exception as problem:
        # Its message may be about counts; its name is enough.
        note = (
            f"No graph could be fitted to the noisy counts by inference={inference!r} "
            f"({type(problem).__name__}). The rows come from a simpler model instead."
        )
        return simpler, (note,)
