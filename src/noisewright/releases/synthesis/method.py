"""How a synthetic table is made: by which method, and with which of its options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, final

from noisewright.errors import ParameterError
from noisewright.given import one_of, whole_number
from noisewright.synthetic import BINS, INFERENCE, Inference, require_inference

_FITTED_AS: dict[str, tuple[Inference, ...]] = {
    "mst": ("points", "graph", "tree"),
    "mwem": ("graph", "tree"),
    "blr": ("tree",),
}
"""How counts may have been fitted, by the name of the method; "tree" stands for no graph, too."""


@final
@dataclass(frozen=True)
class Method:
    """How rows are made: "mst", "mwem" or "blr", and how many `rows`.

    "mst" counts columns, privately selects pairs and, where the workload has them, larger cliques
    of columns, counts these and makes rows from a model that fits all counts. "mwem" selects and
    counts in `rounds`; it keeps a weight for each point of the domain, up to a million, and beyond
    that a graph, for marginals only. "blr" lists all small tables and draws one, see `blr`. `rows`
    is the size of the table, that of the data if left out (for "blr" what can be listed).

    `inference`: "points" counts as many cliques as are worth their noise, and fits weights of
    points; where columns are too many or too large for that, it is "graph". That fits a graphical
    model whose few pairs may form cycles; "tree" counts fewer pairs and is the fastest.

    A number on a grid of more than `bins` points (Interval or Counts) is counted with other columns
    in at most so many bins of equally many points, and by itself point by point; rows have points
    of the declared grid. bins=None counts every point.
    """

    name: Literal["mst", "mwem", "blr"] = "mst"
    rows: int | None = None
    inference: Inference = INFERENCE
    rounds: int | None = None
    bins: int | None = BINS

    def __post_init__(self) -> None:
        one_of(self.name, tuple(_FITTED_AS), name="method")
        if self.rounds is not None and self.name != "mwem":
            raise ParameterError("rounds belongs to method='mwem'. Leave it out.")
        require_inference(self.inference)
        if self.rows is not None:
            whole_number(self.rows, name="rows", least=1)

    @staticmethod
    def of(given: Any) -> Method:
        """Read what was given as `method`: the name of one, or one with its options."""
        return given if isinstance(given, Method) else Method(given)


def require_fitted(method: str, inference: str) -> Inference:
    """Return how the counts of a run were fitted, or refuse what no such method does."""
    known = _FITTED_AS[one_of(method, tuple(_FITTED_AS), name="method")]
    found = require_inference(inference)
    return one_of(found, known, name="inference", where=f"with method={method!r} ")
