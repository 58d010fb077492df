"""Graphs of columns against the whole joint distribution, and rows against what they come from."""

import math

import numpy as np
import pytest

import noisewright as nw
from noisewright.synthetic.deal_rows import Given, draw_rows
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.graphs.tree_model import TreeModel

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "alone": 3}
CIRCLE = [("a", "b"), ("c", "b"), ("c", "d"), ("d", "a"), ("b",), ("alone",)]


def random_model(seed: int) -> GraphModel:
    rng = np.random.default_rng(seed)
    tables = [(names, rng.normal(0, 2, [SIZES[n] for n in names])) for names in CIRCLE]
    return GraphModel(SIZES, tables)


def every_row(model: GraphModel) -> np.ndarray:
    """The shares of all rows at once, cell by cell."""
    names = list(SIZES)
    joint = np.empty(list(SIZES.values()))
    for cell in np.ndindex(joint.shape):
        joint[cell] = sum(
            values[tuple(cell[names.index(name)] for name in columns)]
            for columns, values in model.potentials
        )
    joint = np.exp(joint)
    return joint / joint.sum()


def summed(joint: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    order = list(SIZES)
    kept = "".join("abcde"[order.index(name)] for name in names)
    return np.einsum(f"abcde->{kept}", joint)


@pytest.mark.parametrize("seed", range(3))
def test_marginals_are_those_of_the_whole_joint_distribution(seed: int) -> None:
    model = random_model(seed)
    joint = every_row(model)
    for names in [("a",), ("b", "a"), ("a", "c"), ("d", "alone"), ("d", "b", "a"), tuple(SIZES)]:
        assert model.marginal(names) == pytest.approx(summed(joint, names), abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_rows_follow_the_model_whatever_its_cycles(seed: int) -> None:
    """40,000 rows of a fixed seed; drawn one by one they would be off by up to 0.048 on average."""
    model, rows = random_model(seed), 40_000
    drawn = model.draw(rows, nw.randomness.SeededSource(seed))
    found = np.zeros(list(SIZES.values()))
    np.add.at(found, tuple(drawn[name] for name in SIZES), 1)
    assert np.abs(found / rows - every_row(model)).sum() < 0.05
    singles = [model.marginal((name,)) for name in SIZES]
    apart = np.einsum("a,b,c,d,e->abcde", *singles)
    assert np.abs(found / rows - apart).sum() > 0.15


def test_rows_that_agree_in_the_parents_are_rounded_together() -> None:
    rng = np.random.default_rng(4)
    first, second = rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4))
    third = rng.dirichlet(np.ones(5), size=(4, 3))
    steps = [Given("x", (), first), Given("y", (), second), Given("z", ("y", "x"), third)]
    drawn = draw_rows(steps, 500, nw.randomness.SeededSource(1))
    for x in range(3):
        assert abs((drawn["x"] == x).sum() - 500 * first[x]) < 1
        for y in range(4):
            group = drawn["z"][(drawn["x"] == x) & (drawn["y"] == y)]
            counts = np.bincount(group, minlength=5)
            assert np.abs(counts - group.size * third[y, x]).max() < 1


def test_rounding_in_groups_is_right_on_average() -> None:
    """2,000 seeded groups of three rows; 0.05 is four standard errors of a mean."""
    shares = np.array([0.7, 1.1, 1.2]) / 3
    steps = [
        Given("g", (), np.full(2_000, 1 / 2_000)),
        Given("v", ("g",), np.tile(shares, (2_000, 1))),
    ]
    drawn = draw_rows(steps, 6_000, nw.randomness.SeededSource("groups"))
    assert np.bincount(drawn["g"]).tolist() == [3] * 2_000
    assert np.bincount(drawn["v"]) / 2_000 == pytest.approx(3 * shares, abs=0.05)


def test_a_tree_is_a_graph() -> None:
    rng = np.random.default_rng(8)
    ab = rng.dirichlet(np.ones(6)).reshape(2, 3)
    given = rng.dirichlet(np.ones(4), size=3)
    bc = ab.sum(axis=0)[:, None] * given
    alone = rng.dirichlet(np.ones(3))
    shares = {"a": ab.sum(axis=1), "b": ab.sum(axis=0), "c": bc.sum(axis=0), "alone": alone}
    graph = TreeModel(shares, {("a", "b"): ab, ("b", "c"): bc}).as_graph()
    assert graph.marginal(("a", "b")) == pytest.approx(ab)
    assert graph.marginal(("a", "c")) == pytest.approx(ab @ given)
    assert graph.marginal(("alone", "a")) == pytest.approx(np.outer(alone, shares["a"]))


def test_a_cycle_needs_three_columns_at_once() -> None:
    sizes = dict.fromkeys("wxyz", 10)
    path = [("w", "x"), ("x", "y"), ("y", "z")]
    assert cells_needed(sizes, path) == 3 * 100 + 10
    assert cells_needed(sizes, [*path, ("z", "w")]) == 2 * 1000 + 100 + 10
    assert cells_needed(sizes, []) == 4 * 10
    assert math.prod(sizes.values()) == 10_000
