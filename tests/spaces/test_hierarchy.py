"""Hierarchies: how far two labels of a tree are apart, and designs that know it."""

import math
from typing import Any

import pytest

import noisewright as nw
from noisewright.spaces import DistanceMatrix
from tests.designs import definitions

FOOD = {"fruit": ["apple", "pear"], "vegetables": {"roots": ["carrot", "beet"], "leaves": ["kale"]}}


def test_labels_meet_where_the_tree_says() -> None:
    space = nw.Categories.hierarchy(FOOD)
    assert space.labels == ("apple", "pear", "carrot", "beet", "kale")
    assert space.distance("apple", "pear") == 2 - 1
    assert space.distance("carrot", "beet") == 1
    assert space.distance("carrot", "kale") == 2
    assert space.distance("apple", "kale") == 3
    assert space.diameter == 3
    assert space.separation == 1


def test_a_flat_list_is_the_discrete_metric() -> None:
    space = nw.Categories.hierarchy(["a", "b", "c"])
    assert space.distances().tolist() == nw.Categories(["a", "b", "c"]).distances().tolist()


@pytest.mark.parametrize("depth", range(1, 6))
def test_it_is_a_metric_for_lopsided_trees(depth: int) -> None:
    tree: Any = ["end", "other end"]
    for level in range(depth):
        tree = [f"leaf {level}", tree, [f"far {level}"]]
    # The constructor checks the triangle inequality of every supplied matrix.
    assert isinstance(nw.Categories.hierarchy(tree).metric, DistanceMatrix)


@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0, 0.05])
def test_the_design_is_the_optimum_of_the_definitions(goal: str, delta: float) -> None:
    space = nw.Categories.hierarchy(FOOD)
    found = nw.design(space, epsilon=1, delta=delta, loss="distance", goal=goal)
    truth = definitions.optimum(
        [[space.distance(a, b) for b in space.labels] for a in space.labels],
        definitions.everyone(5),
        ratio=math.e,
        delta=delta,
        goal=goal,
    )
    assert found.loss == pytest.approx(truth, abs=1e-9)
    assert nw.verify(found.mechanism, epsilon=1, delta=delta)
    plain = nw.randomized_response(space, epsilon=1, delta=delta)
    assert found.loss < nw.loss(plain, "distance", goal=goal) - 0.01


@pytest.mark.parametrize(
    ("tree", "says"),
    [
        ("apple", "mapping from groups"),
        (7, "mapping from groups"),
        ({}, "has no labels"),
        ({"fruit": [], "roots": ["beet"]}, "has no labels"),
        ({"fruit": ["apple"], "red": ["apple"]}, "given twice"),
        ({"fruit": [None]}, "each label is"),
    ],
)
def test_trees_that_are_none(tree: Any, says: str) -> None:
    with pytest.raises(nw.errors.SpaceError, match=says):
        nw.Categories.hierarchy(tree)


def test_a_tree_that_never_ends() -> None:
    tree: list[Any] = ["a"]
    tree.append(tree)
    with pytest.raises(nw.errors.SpaceError, match="levels deep"):
        nw.Categories.hierarchy(tree)
