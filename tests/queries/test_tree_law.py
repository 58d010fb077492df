"""Trees of noisy counts: estimates and errors against explicit matrices."""

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

from noisewright.errors import ParameterError
from noisewright.queries.answers.bin_tree import Binning, BinTree, bins_for
from noisewright.queries.answers.tree_law import law_of_tree, tree_for

TREES = [BinTree(23, (12, 4, 1)), BinTree(8, (4, 2, 1)), BinTree(9, (1,)), BinTree(10, (9, 3, 1))]


def tallies(tree: BinTree) -> Any:
    """The matrix from counts of bins to counts of nodes."""
    return tree.tally(np.eye(tree.bins)).T


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_estimates_are_those_of_least_squares(tree: BinTree) -> None:
    matrix = tallies(tree)
    assert matrix.shape == (sum(tree.sizes), tree.bins)
    numbers = np.random.default_rng(2).normal(size=(3, len(matrix)))
    law = law_of_tree(tree, 3.0, 0.0)
    expected = numbers @ np.linalg.pinv(matrix).T
    assert law.estimate(numbers, None) == pytest.approx(expected, abs=1e-9)
    people = np.array([4.0, 9.0, 0.0])
    covariance = np.linalg.inv(matrix.T @ matrix)
    share = covariance.sum(axis=0) / covariance.sum()
    expected += np.outer(people - expected.sum(axis=1), share)
    assert law.estimate(numbers, people) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_errors_of_running_totals_are_those_of_least_squares(tree: BinTree) -> None:
    matrix = tallies(tree)
    covariance = 3.0 * np.linalg.inv(matrix.T @ matrix)
    law = law_of_tree(tree, 3.0, 0.0)
    below = np.tril(np.ones((tree.bins, tree.bins)))
    for at in (0.0, 0.3, 1.0):
        wanted = (below - at) @ covariance @ (below - at).T
        assert law.spread(at)[0] == pytest.approx(np.diag(wanted), abs=1e-9)
    known = np.outer(covariance.sum(axis=0), covariance.sum(axis=0)) / covariance.sum()
    wanted = below @ (covariance - known) @ below.T
    assert law.spread(None)[0] == pytest.approx(np.diag(wanted), abs=1e-9)


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_fourth_cumulants_are_near_the_true_ones(tree: BinTree) -> None:
    """Of Laplace noise, κ4 = 3 Var². Kurtosis within 0.3 moves no quantile by more than 1%."""
    weights = np.linalg.pinv(tallies(tree))
    below = (np.tril(np.ones((tree.bins, tree.bins))) - 0.4) @ weights
    exact = 3 * (below**4).sum(axis=1) / (below**2).sum(axis=1) ** 2
    second, fourth = law_of_tree(tree, 1.0, 3.0).spread(0.4)
    assert fourth / second**2 == pytest.approx(exact, abs=0.3)


@pytest.mark.parametrize("bins", [1, 2, 7, 40, 100, 360])
@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_the_chosen_tree_is_nearly_the_best(bins: int, unit: Any) -> None:
    """Against all trees of up to three levels with any branching."""

    def error(tree: BinTree) -> float:
        price = len(tree.widths) ** (2 if unit == "epsilon" else 1)
        return float(law_of_tree(tree, price, 0.0).spread(0.5)[0].mean())

    branchings = [*product(range(2, 20), repeat=2), *((b,) for b in range(2, 40)), ()]
    widths = [tuple(np.cumprod([1, *branching])[::-1].tolist()) for branching in branchings]
    others = [BinTree(bins, each) for each in widths if each[0] < bins or len(each) == 1]
    assert error(tree_for(bins, unit)) <= 1.06 * min(error(tree) for tree in others)


@pytest.mark.parametrize(("low", "high"), [(0, 0), (-5, 7), (0, 65_535), (0, 65_536), (3, 10**12)])
def test_bins_hold_each_number_once(low: int, high: int) -> None:
    binning = bins_for(low, high)
    assert binning.bins <= 65_536
    assert binning.width == 1 or high - low >= 65_536
    first, last = binning.ends(np.arange(binning.bins))
    assert (first[0], last[-1]) == (low, high)
    assert all(b == a + 1 for a, b in pairwise([last[0], first[1]] if binning.bins > 1 else []))
    assert (first <= last).all()
    assert (first[1:] == last[:-1] + 1).all()


def test_what_is_no_tree_is_refused() -> None:
    for widths in ((), (4, 2), (3, 2, 1), (4, 4, 1)):
        with pytest.raises(ParameterError, match="multiple of the next"):
            BinTree(9, widths)
    with pytest.raises(ParameterError, match="it takes 1 to 65,536"):
        tree_for(65_537)
    with pytest.raises(ParameterError, match="low must not exceed high"):
        bins_for(1, 0)
    assert Binning(0, 9, 4).bins == 3
