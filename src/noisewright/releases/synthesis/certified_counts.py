"""Whether what a file says of its noisy counts is what its steps are, and its certificate proves.

Of which columns counts may be, by the method that made them, is in `counted_run.py`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from noisewright.certificates import Certificate
from noisewright.errors import ReleaseError
from noisewright.exact import exactly
from noisewright.mechanisms import Guarantee
from noisewright.synthetic import (
    DISTANCE,
    JoinedBins,
    Measurement,
    ModelDistance,
    Spend,
    deciders,
    distance_name,
)


def require_proven(
    proof: Certificate, guarantee: Guarantee, rows: int, spends: Sequence[Spend]
) -> None:
    """Refuse a description that says other things than its certificate proves."""
    steps = proof.document["mechanism"]["steps"]
    amounts = [exactly(step["amount"]) for step in steps]
    same = (
        proof.guarantee == guarantee
        and proof.document["neighbors"]["rows_per_person"] == rows
        and {proof.document["mechanism"]["unit"]} == {spend.unit for spend in spends}
        and amounts == [spend.amount for spend in spends]
        and [is_count(step) for step in steps] == [spend.is_count for spend in spends]
        # What is counted may have been decided in the run, and then has another name.
        and all(
            spend.is_count or spend.what == step["what"]
            for spend, step in zip(spends, steps, strict=True)
        )
    )
    if not same:
        raise ReleaseError(
            "the guarantee, the rows of a person, or the parts and kinds of its steps are not "
            "those that its certificate proves"
        )


def is_count(step: Mapping[str, Any]) -> bool:
    """Tell whether a step of a certificate counted something: others are choices and distances."""
    return step["kind"] != "choice" and not step["what"].startswith(DISTANCE)


def require_counted(measurements: Sequence[Measurement], spends: Sequence[Spend]) -> None:
    """Refuse noisy counts that are not those of the steps: intervals follow from their noise."""
    steps = [(spend.what, spend.amount) for spend in spends if spend.is_count]
    if [(f"counts of {one.name}", one.noise.amount) for one in measurements] != steps:
        raise ReleaseError(
            "its noisy counts are not those of its steps, in their order and with their parts"
        )


def require_certified_noise(one: Measurement, step: Mapping[str, Any]) -> None:
    """Refuse counts with other noise than that of their step."""
    kind = "query" if one.query else "marginal"
    listed = [each for each in step["noise"] if each["counts"] == kind]
    if not listed:
        raise ReleaseError(
            f"its counts of {one.name} change by more for one person than its certificate has "
            "noise for"
        )
    for noise in listed:
        scale = noise["decay"] if one.noise.unit == "epsilon" else noise["deviation"]
        adds_up = one.counts.size <= noise.get("balanced_cells", 0)
        if exactly(scale) != one.noise.scale or adds_up != bool(one.noise.balanced_cells):
            raise ReleaseError(
                f"the noise of its counts of {one.name} is not that of its certificate, or adds up "
                "to 0 only in one of them"
            )


def require_joined(
    measurements: Sequence[Measurement], spends: Sequence[Spend], inference: str
) -> None:
    """Refuse joined bins of what was not chosen: intervals expect them of chosen pairs alone."""
    for one, decider in zip(measurements, deciders(spends), strict=True):
        is_chosen = inference == "points" and len(one.columns) == 2 and decider == "choice"
        if one.joined and not is_chosen:
            raise ReleaseError(
                f"its counts of {one.name} are in joined bins, which only pairs that a choice of "
                "inference='points' selected can be"
            )


def require_same_bins(measurements: Sequence[Measurement]) -> None:
    """Refuse counts of the same columns in different bins, and bins that are not nested.

    There is one way to join the bins of a pair, and any two ways to join those of a column are
    nested: what intervals may miss is divided by how many sums that allows.
    """
    known: dict[frozenset[str], Mapping[str, JoinedBins]] = {}
    starts: dict[str, set[frozenset[int]]] = defaultdict(set)
    for one in measurements:
        columns = frozenset(one.columns)
        if one.cells is None and known.setdefault(columns, one.joined) != one.joined:
            raise ReleaseError(f"its counts of {one.name} are in different bins")
        for name, bins in one.joined.items():
            starts[name].add(frozenset(bins.starts))
    for name, ways in starts.items():
        if not all(first <= second for first, second in pairwise(sorted(ways, key=len))):
            raise ReleaseError(f"its joined bins of {name} are not nested")


def require_compared(comparisons: Sequence[ModelDistance], spends: Sequence[Spend]) -> None:
    """Refuse distances that are not those of the steps: intervals follow from their noise.

    Names of columns may hold whatever words join them, so that steps are compared as they are
    written, in their order, and never taken apart.
    """
    steps = [(one.what, one.amount) for one in spends if one.what.startswith(DISTANCE)]
    found = [
        (distance_name(one.columns, time), one.noise.amount)
        for time in (1, 2)
        for one in comparisons
    ]
    if found != steps or len({frozenset(one.columns) for one in comparisons}) < len(comparisons):
        raise ReleaseError("its distances from a model are not those of its steps")


def certified_counts(proof: Certificate) -> Iterator[Mapping[str, Any]]:
    """Yield the steps of a certificate that count something."""
    return (step for step in proof.document["mechanism"]["steps"] if is_count(step))
