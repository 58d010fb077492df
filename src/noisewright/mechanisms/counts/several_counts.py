"""A table of counts is not one count: whoever moves from one group to another changes two.

`geometric(Counts(n), epsilon=0.5)` promises ε = 0.5 about one number that each person changes by
one step at most. Given all counts of a table it still looks like ε = 0.5; where a person may be in
one group or in another, it is ε = 1. Whether numbers are such counts cannot be seen in general;
where their labels say so, `sample` warns.
"""

from __future__ import annotations

import warnings
from typing import Any

from noisewright.errors import SeveralCountsWarning
from noisewright.exact import show
from noisewright.mechanisms.guarantee import Guarantee
from noisewright.spaces import Space

_NAMES = {"count", "counts", "len", "size"}
"""What pandas and Polars call the numbers of value_counts(), group_by().len() and the like."""


def warn_of_several_counts(space: Space, claim: Guarantee | None, inputs: Any) -> None:
    """Warn when labeled counts are given to a mechanism that protects one number of a person.

    Only types, names and labels are looked at, never the numbers.
    """
    if not space.of_numbers or space.neighbors == "replace" or not _are_by_group(inputs):
        return
    one = "epsilon" if claim is None else str(claim)
    twice = "twice that"
    if claim is not None and claim.epsilon.ratio is None and not claim.delta:
        twice = f"epsilon={show(2 * claim.epsilon.rational)}"
    warnings.warn(
        f"these look like the counts of several groups, and {one} is promised for one of them. A "
        f"person who moves from one group to another changes two counts: for the table it is "
        f"{twice}. Build the mechanism with half of the epsilon, or let nw.synthesize measure the "
        "table of records. If nobody can be in two of these groups or move between them, give "
        "the bare numbers: inputs.to_numpy().",
        SeveralCountsWarning,
        stacklevel=3,
    )


def _are_by_group(inputs: Any) -> bool:
    """Tell whether these are labeled counts, as value_counts(), size() and crosstab() give."""
    kind = type(inputs)
    room = kind.__module__.split(".")[0]
    if kind is type({}.values()):
        return len(inputs) > 1  # Counter(column).values()
    if room not in {"pandas", "polars"}:
        return False
    if kind.__name__ == "DataFrame":
        return True
    if len(inputs) < 2:
        return False
    if isinstance(name := inputs.name, str) and name.lower() in _NAMES:
        return True
    index = getattr(inputs, "index", None)
    return index is not None and type(index).__name__ != "RangeIndex" and _is_named(index)


def _is_named(index: Any) -> bool:
    # A name, as groupby gives it, or several levels. A plain index may be what is left of a filter.
    return any(name is not None for name in index.names) or index.dtype.kind not in "iu"
