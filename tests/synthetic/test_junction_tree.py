"""Two passes through a junction tree against the whole joint distribution; what its cliques are."""

from itertools import combinations
from math import prod

import numpy as np
import pytest

from noisewright.synthetic.by_mst.choose_pairs import how_many, pairs_of_tree, pairs_that_fit
from noisewright.synthetic.graphs.graph_model import GraphModel, cells_needed
from noisewright.synthetic.graphs.junction_tree import JunctionTree
from noisewright.synthetic.graphs.tree_model import TreeModel

SIZES = {"a": 2, "b": 3, "c": 2, "d": 4, "e": 3, "one": 1, "alone": 3}
GRAPHS = {
    "nothing at all": [],
    "columns apart": [("a",), ("b",), ("d",)],
    "a path": [("a", "b"), ("c", "b"), ("c", "d")],
    "a cycle of four": [("a", "b"), ("c", "b"), ("c", "d"), ("d", "a"), ("b",)],
    "a star with a cycle": [("a", "b"), ("a", "c"), ("a", "d"), ("a", "e"), ("e", "b"), ("one",)],
    "three columns at once": [("d", "a", "b"), ("b", "a"), ("b", "c"), ("a",), ("e", "one")],
    "every pair": list(combinations("abcde", 2)),
}


def random_tables(names: list[tuple[str, ...]], seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(0, 3, [SIZES[name] for name in each]) for each in names]


def whole_joint(names: list[tuple[str, ...]], values: list[np.ndarray]) -> np.ndarray:
    """The weights of all rows at once, cell by cell."""
    order = list(SIZES)
    joint = np.zeros(list(SIZES.values()))
    for cell in np.ndindex(joint.shape):
        joint[cell] = sum(
            table[tuple(cell[order.index(name)] for name in each)]
            for each, table in zip(names, values, strict=True)
        )
    return np.exp(joint)


def summed(joint: np.ndarray, names: tuple[str, ...]) -> np.ndarray:
    letters = dict(zip(SIZES, "abcdefg", strict=True))
    return np.einsum(f"abcdefg->{''.join(letters[name] for name in names)}", joint)


@pytest.mark.parametrize("graph", GRAPHS)
def test_marginals_are_those_of_the_whole_joint_distribution(graph: str) -> None:
    names = GRAPHS[graph]
    values = random_tables(names, 4)
    joint = whole_joint(names, values)
    whole, found = JunctionTree(SIZES, tuple(names)).marginals(values)
    assert whole == pytest.approx(np.log(joint.sum()))
    for each, shares in zip(names, found, strict=True):
        assert shares == pytest.approx(summed(joint / joint.sum(), each), abs=1e-12)


@pytest.mark.parametrize("graph", GRAPHS)
def test_no_clique_lies_in_another_and_each_column_has_one_of_its_own(graph: str) -> None:
    tree = JunctionTree(SIZES, tuple(GRAPHS[graph]))
    sets = [set(one.columns) for one in tree.cliques]
    assert not any(a <= b for a, b in combinations(sets, 2))
    assert not any(b <= a for a, b in combinations(sets, 2))
    assert sorted(name for one in tree.cliques for name in one.own) == sorted(SIZES)
    for one in tree.cliques:
        if one.parent is not None:
            assert set(one.separator) == set(one.columns) & sets[one.parent]
    assert tree.cells <= cells_needed(SIZES, GRAPHS[graph])


def test_weights_of_any_size_are_taken() -> None:
    """e^±2000 is beyond floating point, and so is their sum; shares are not."""
    names = [("a", "b"), ("b", "c")]
    values = [np.array([[2000.0, 0, -2000], [1999, 3, 0]]), np.full((3, 2), -1500.0)]
    whole, (first, second) = JunctionTree(SIZES, tuple(names)).marginals(values)
    assert whole == pytest.approx(
        2000 + np.log1p(np.exp(-1)) - 1500 + np.log(2) + np.log(4 * 3 * 3)
    )
    assert first[:, 0] == pytest.approx(np.array([np.e, 1]) / (1 + np.e))
    assert second[0] == pytest.approx([0.5, 0.5])


def test_a_tree_says_the_same_of_each_pair_as_a_graph() -> None:
    rng = np.random.default_rng(8)
    shares = {name: rng.dirichlet(np.ones(SIZES[name])) for name in "abcde"}
    edges: dict[tuple[str, str], np.ndarray] = {}
    for first, second in (("a", "b"), ("c", "b"), ("e", "c")):
        # Half of them together, half apart: the two sides stay what they are.
        joint = np.outer(shares[first], shares[second])
        move = 0.5 * min(joint[0, 0], joint[1, 1])
        joint[:2, :2] += np.array([[-move, move], [move, -move]])
        edges[first, second] = joint
    tree = TreeModel(shares, edges)
    pairs = list(combinations("abcde", 2))
    found = dict(pairs_of_tree(tree, pairs))
    graph = tree.as_graph()
    assert list(found) == pairs
    for pair in pairs:
        assert found[pair] == pytest.approx(graph.marginal(pair), abs=1e-12)
    assert np.abs(found["a", "e"] - np.outer(shares["a"], shares["e"])).max() > 1e-4


@pytest.mark.parametrize("seed", range(5))
def test_what_is_said_to_fit_does_fit(seed: int) -> None:
    """Trees of ten columns and pairs that close cycles, one after the other."""
    rng = np.random.default_rng(seed)
    names = [f"c{number}" for number in range(10)]
    sizes = {name: int(rng.integers(2, 9)) for name in names}
    known = [(names[rng.integers(0, n)], names[n]) for n in range(1, 10)]
    most = 3000
    for _ in range(12):
        left = [pair for pair in combinations(names, 2) if pair not in known]
        found = pairs_that_fit(sizes, known, left, most=most)
        if not found:
            break
        # The bound is that of one triangulation; ours is found by another rule.
        worst = max(cells_of(sizes, [*known, pair]) for pair in found)
        assert worst <= 1.5 * most
        small = [pair for pair in left if cells_of(sizes, [*known, pair]) <= most / 4]
        assert set(small) <= set(found)
        known.append(found[rng.integers(0, len(found))])
    assert len(known) > 12


def cells_of(sizes: dict[str, int], known: list[tuple[str, str]]) -> int:
    return JunctionTree(sizes, tuple(known)).cells


def test_a_cycle_takes_three_columns_at_a_time() -> None:
    """a–b–c–d closed by a–d: {a, b, c} and {a, c, d}, or the same the other way."""
    sizes, path = {"a": 2, "b": 3, "c": 5, "d": 7, "e": 11}, [("a", "b"), ("b", "c"), ("c", "d")]
    before = prod((2, 3)) + prod((3, 5)) + prod((5, 7)) + 11
    more = min(2 * 3 * 5 + 2 * 5 * 7, 7 * 5 * 3 + 7 * 3 * 2)
    assert pairs_that_fit(sizes, path, [("a", "d")], most=before + more) == [("a", "d")]
    assert not pairs_that_fit(sizes, path, [("a", "d")], most=before + more - 1)
    # Columns without any way between them take their own pair.
    assert pairs_that_fit(sizes, path, [("a", "e")], most=before + 22) == [("a", "e")]
    assert not pairs_that_fit(sizes, path, [("a", "e")], most=before + 21)


def test_how_many_cycles_follows_the_noise() -> None:
    noises = (0.0, 0.05, 0.1, 0.29, 0.3, 0.89, 0.9, 100)
    assert [how_many(20, noise, "rho") for noise in noises] == [20, 20, 16, 9, 9, 5, 0, 0]
    assert [how_many(20, noise, "epsilon") for noise in noises] == [20, 16, 8, 3, 0, 0, 0, 0]
    assert how_many(200, 0.0, "rho") == 20
    assert how_many(1, 0.0, "epsilon") == 1


def test_a_graph_drawn_from_is_the_graph_that_was_passed() -> None:
    """The two ways to take columns out, of one and of many at a time, agree."""
    names = GRAPHS["a star with a cycle"]
    values = random_tables(names, 9)
    model = GraphModel(SIZES, tuple(zip(names, values, strict=True)))
    _, found = JunctionTree(SIZES, tuple(names)).marginals(values)
    for each, shares in zip(names, found, strict=True):
        assert shares == pytest.approx(model.marginal(each), abs=1e-12)
