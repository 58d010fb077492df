"""Designs beyond counts: categories, subsets, grids, records, other neighbors and outputs."""

import math
from typing import Any

import pytest

import noisewright as nw
from tests.designs import definitions

RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
SPACES: dict[str, Any] = {
    "categories": nw.Categories(["a", "b", "c", "d"]),
    "ring": nw.Categories([0, 1, 2, 3, 4], neighbors=RING),
    "two parts": nw.Categories(["a", "b", "c", "d"], neighbors=[("a", "b"), ("c", "d")]),
    "subsets": nw.Subsets(["a", "b", "c"]),
    "subsets, one item at a time": nw.Subsets(
        ["a", "b"],
        neighbors=[([], ["a"]), ([], ["b"]), (["a"], ["a", "b"]), (["b"], ["a", "b"])],
    ),
    "grid": nw.Interval(-1, 1, step="1/3"),
    "grid, adjacent": nw.Interval(0, 2, step="1/4", neighbors="adjacent"),
    "counts, some pairs": nw.Counts(5, neighbors=[(0, 1), (2, 3), (1, 4)]),
    "counts, replace": nw.Counts(5, neighbors="replace"),
    "records": nw.Records(job=nw.Categories(["x", "y"]), age=nw.Counts(2)),
}


def agrees(found: nw.results.Design, epsilon: float, delta: float) -> None:
    problem = found.problem
    optimum = definitions.optimum(
        problem.loss.costs,
        problem.space.neighbor_codes().tolist(),
        ratio=math.exp(epsilon),
        delta=delta,
        goal=problem.goal,
        prior=problem.prior,
        properties=problem.properties,
    )
    assert nw.verify(found.mechanism, epsilon=epsilon, delta=delta).holds
    assert found.bound <= optimum + 1e-9
    assert found.loss == pytest.approx(optimum, abs=1e-8)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0.0, 0.07])
def test_the_optimum_of_the_definitions(name: str, goal: str, delta: float) -> None:
    space = SPACES[name]
    for keywords in ({"loss": "distance"}, {"loss": "L0", "properties": "F,CH,RH"}):
        found = nw.design(space, epsilon=0.9, delta=delta, goal=goal, **keywords)
        agrees(found, 0.9, delta)
        if "properties" in keywords:
            assert all(definitions.has(code, found.mechanism) for code in ("F", "CH", "RH"))


@pytest.mark.parametrize(
    ("space", "outputs", "loss"),
    [
        (nw.Counts(5), [0, 2, 5], "L1"),
        (nw.Counts(4), nw.Interval(0, 4, step="1/2"), "L2"),
        (nw.Counts(4), nw.Counts(9), "L0,1"),
        (nw.Categories(["a", "b", "c"]), ["x", "y"], [[0, 1], [1, 0], [1, 1]]),
        (nw.Categories(["a", "b", "c"]), ["x"], [[0], [1], [2]]),
        (nw.Subsets(["a", "b"]), ["some", "none"], lambda x, y: int((y == "some") != bool(x))),
    ],
)
@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0.0, 0.07])
def test_other_outputs(space: Any, outputs: Any, loss: Any, goal: str, delta: float) -> None:
    found = nw.design(space, epsilon=0.6, delta=delta, goal=goal, loss=loss, outputs=outputs)
    agrees(found, 0.6, delta)


def test_a_hub_outside_of_the_space_helps() -> None:
    """Holohan–Leith–Mason 2015, Theorem 7 needs outputs in D: a hub at half the distance wins."""
    points = ["a", "b", "c", "d"]
    space = nw.Categories(points)
    found = nw.design(
        space,
        epsilon=1,
        loss=lambda x, y: 0.5 if y == "hub" else int(x != y),
        outputs=[*points, "hub"],
        goal="worst",
    )
    inside = nw.design(space, epsilon=1, loss="distance", goal="worst")
    assert found.loss == pytest.approx(0.5, abs=1e-9)
    assert inside.bound == pytest.approx(0.5246, abs=1e-4)


def test_subsets_beat_both_classical_mechanisms() -> None:
    """Three items, ε = 1: 1.1534 against 1.2348 (response) and 1.2523 (one bit at a time)."""
    found = nw.design(nw.Subsets(["a", "b", "c"]), epsilon=1, loss="distance")
    assert found.loss == pytest.approx(1.153412, abs=1e-6)
