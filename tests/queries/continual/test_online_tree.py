"""Running totals from complete nodes: compared with least squares, and with plain sums."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from noisewright.queries.answers.bin_tree import BinTree
from noisewright.queries.continual.online_tree import OnlineTree, online_tree_for

TREES = [
    BinTree(1, (1,)),
    BinTree(7, (1,)),
    BinTree(8, (4, 2, 1)),
    BinTree(11, (4, 2, 1)),
    BinTree(23, (9, 3, 1)),
    BinTree(20, (10, 5, 1)),
]


def complete(tree: BinTree, done: int) -> list[tuple[int, int]]:
    """Return the complete nodes as (level, place)."""
    return [
        (level, place) for level, width in enumerate(tree.widths) for place in range(done // width)
    ]


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_totals_are_those_of_least_squares(tree: BinTree) -> None:
    draw = np.random.default_rng(3)
    for done in range(1, tree.bins + 1):
        nodes = complete(tree, done)
        rows = np.zeros((len(nodes), done))
        for number, (level, place) in enumerate(nodes):
            width = tree.widths[level]
            rows[number, place * width : (place + 1) * width] = 1
        noisy = draw.integers(-50, 50, len(nodes)).astype(object)
        levels = [
            np.array([n for n, (at, _) in zip(noisy, nodes, strict=True) if at == level], object)
            for level in range(len(tree.widths))
        ]
        law = OnlineTree.of(tree, 2.0, 0.0)
        found = law.totals(levels, np.array([done]))[0]
        best = np.linalg.lstsq(rows, noisy.astype(float), rcond=None)[0]
        assert found == pytest.approx(best.sum())
        inverse = np.linalg.inv(rows.T @ rows / 2.0)
        assert law.spread(np.array([done]))[0][0] == pytest.approx(inverse.sum())


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_without_noise_totals_are_sums(tree: BinTree) -> None:
    counts = np.arange(3, 3 + tree.bins)
    levels = [
        counts[: tree.bins // width * width].reshape(-1, width).sum(axis=1).astype(object)
        for width in tree.widths
    ]
    every = np.arange(1, tree.bins + 1)
    assert OnlineTree.of(tree, 1.0, 0.0).totals(levels, every) == pytest.approx(np.cumsum(counts))


@pytest.mark.parametrize("tree", [tree for tree in TREES if tree.bins < 12], ids=str)
def test_one_person_changes_a_node_on_each_level(tree: BinTree) -> None:
    """The change that the certificate counts: L nodes by 1, twice that for a replaced person."""
    worst = {"add or remove": 0, "replace": 0}
    for one, other in itertools.product(range(tree.bins), repeat=2):
        alone = tree.tally(np.eye(tree.bins, dtype=int)[one])
        moved = alone - tree.tally(np.eye(tree.bins, dtype=int)[other])
        worst["add or remove"] = max(worst["add or remove"], np.abs(alone).sum())
        worst["replace"] = max(worst["replace"], np.abs(moved).sum())
    assert worst["add or remove"] == len(tree.widths)
    assert worst["replace"] <= 2 * len(tree.widths)


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
@pytest.mark.parametrize("steps", [2, 30, 365, 5000])
def test_the_tree_is_better_than_noise_on_steps_and_than_a_binary_one(
    steps: int, unit: str
) -> None:
    every = np.arange(1, steps + 1)

    def mean_variance(tree: BinTree) -> float:
        price = len(tree.widths) ** (2 if unit == "epsilon" else 1)
        return float(OnlineTree.of(tree, price, 0.0).spread(every)[0].mean())

    found = mean_variance(online_tree_for(steps, unit))  # pyright: ignore[reportArgumentType]
    powers = [2**k for k in range(steps.bit_length(), -1, -1) if 2**k < steps]
    assert found <= mean_variance(BinTree(steps, (1,)))
    assert found <= mean_variance(BinTree(steps, tuple(powers)))
