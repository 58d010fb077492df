"""What steps say of themselves whose columns are decided in the run."""

from fractions import Fraction
from typing import Any

import pytest

from noisewright.synthetic.steps.decided_in_run import (
    counts_by_distances,
    counts_of_choice,
    counts_of_chosen_pair,
    deciders,
    is_decided_so,
)
from noisewright.synthetic.steps.run_budget import Spend


def test_what_decided_a_count_is_the_last_step_before_it_that_is_no_count() -> None:
    names = ["counts of a", "choice 1 of 1", "counts of a × b", "counts of b × c"]
    names += ["distance of a × b from the model, 1 of 2", "counts of a × c"]
    spends = [Spend(name, Fraction(1), "rho") for name in names]
    assert deciders(spends) == ["list", "choice", "choice", "distances"]


@pytest.mark.parametrize(
    ("what", "decider", "method", "inference"),
    [
        (counts_of_choice(12), "choice", "mst", "points"),
        (counts_of_choice(1), "choice", "mwem", "tree"),
        (counts_of_choice(1), "choice", "mwem", "graph"),
        (counts_of_chosen_pair(3), "choice", "mst", "graph"),
        (counts_of_chosen_pair(3), "choice", "mst", "tree"),
        (counts_by_distances(3, 10, 2), "distances", "mst", "points"),
    ],
)
def test_each_method_decides_in_its_own_words(
    what: str, decider: Any, method: str, inference: str
) -> None:
    deciding: list[Any] = ["list", "choice", "distances"]
    ways = [(d, m, i) for d in deciding for m, i in FITTED]
    found = {(d, m, i) for d, m, i in ways if is_decided_so(what, d, method=m, inference=i)}
    assert (decider, method, inference) in found
    assert {d for d, _, _ in found} == {decider}
    assert not is_decided_so(f"{what} ", decider, method=method, inference=inference)
    if method == "mst":
        assert (decider, method, "graph" if inference == "points" else "points") not in found


FITTED = [
    ("mst", "points"),
    ("mst", "graph"),
    ("mst", "tree"),
    ("mwem", "graph"),
    ("mwem", "tree"),
]
