"""Neighbors: symmetric, counted right, and any relation may be supplied."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from noisewright.errors import InputError, TooLargeError
from noisewright.spaces import Categories, Counts, Interval, Pairs, Records, Space, Subsets
from tests.spaces.samples import CYCLE, SMALL


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_the_listed_pairs_are_the_neighbors(space: Space) -> None:
    listed = space.neighbor_codes()
    assert listed.shape == (space.pair_count, 2)
    pairs = {frozenset(pair) for pair in listed.tolist()}
    assert len(pairs) == space.pair_count
    points = list(space.points)
    for a, b in combinations(range(space.size), 2):
        related = space.are_neighbors(points[a], points[b])
        assert related == space.are_neighbors(points[b], points[a])
        assert related == (frozenset((a, b)) in pairs)
    assert not any(space.are_neighbors(point, point) for point in points)


PATH = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
SUPPLIED: dict[str, Any] = {
    "pairs": [("a", "b"), ("b", "c")],
    "pairs, both ways and twice": [("a", "b"), ("b", "a"), ("c", "b"), ("b", "c")],
    "a generator": (pair for pair in [("a", "b"), ("b", "c")]),
    "codes": Pairs(((0, 1), (1, 2))),
    "zeros and ones": [[0, 1, 0], [1, 0, 1], [0, 1, 0]],
    "zeros and ones, as numbers": np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.uint8),
    "zeros and ones, with a diagonal": [[1, 1, 0], [1, 1, 1], [0, 1, 1]],
    "bools": [[False, True, False], [True, False, True], [False, True, False]],
    "bools, as an array": np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=bool),
    "distances": PATH,
    "distances, as floats": np.array(PATH) * 1.0,
}


@pytest.mark.parametrize("neighbors", SUPPLIED.values(), ids=SUPPLIED)
def test_any_relation_can_be_supplied(neighbors: Any) -> None:
    space = Categories(list("abc"), neighbors=neighbors)
    assert space.neighbor_codes().tolist() == [[0, 1], [1, 2]]
    assert space.are_neighbors("c", "b")
    assert not space.are_neighbors("a", "c")
    assert "neighbors=Pairs(2 pairs)" in repr(space)
    assert space.describe_neighbors() == {"relation": "pairs", "pairs": [[0, 1], [1, 2]]}


def test_all_ones_are_all_pairs_either_way() -> None:
    ones = np.ones((3, 3)) - np.eye(3)
    assert Categories(list("abc"), neighbors=ones).pair_count == 3


def test_relations_of_records_and_subsets() -> None:
    records = Records(a=Counts(1), b=Counts(1), neighbors=[((0, 0), (0, 1))])
    assert records.neighbor_codes().tolist() == [[0, 1]]
    subsets = Subsets(["x", "y"], neighbors=[(set(), {"x"}), ({"x"}, {"x", "y"})])
    assert subsets.neighbor_codes().tolist() == [[0, 1], [1, 3]]
    cycle = Categories(list("vwxyz"), neighbors=CYCLE)
    assert cycle.neighbor_codes().tolist() == [[0, 1], [0, 4], [1, 2], [2, 3], [3, 4]]
    assert Interval(0, 1, step=0.5, neighbors=[(0, 0.5)]).neighbor_codes().tolist() == [[0, 1]]


def test_rows_differ_in_one_row() -> None:
    space = Counts(2) ** 2
    assert space.are_neighbors((0, 1), (0, 2))
    assert not space.are_neighbors((0, 0), (0, 2))
    assert not space.are_neighbors((0, 0), (1, 1))
    assert space.describe_neighbors() == {"relation": "one row", "row": "adjacent"}
    any_other = Counts(2, neighbors="replace") ** 2
    assert any_other.describe_neighbors() == {"relation": "one row"}


BAD: list[tuple[Any, str]] = [
    ("adjacent", "needs points with an order"),
    (
        "close",
        "neighbors is 'close'; it must be 'replace', 'adjacent', 'metric', pairs of points",
    ),
    (7, "got int"),
    (None, "got NoneType"),
    ([], "no two points are neighbors, so any mechanism would count as private"),
    ([("a", "a")], "point 0 is given as its own neighbor"),
    ([("a", "b", "c")], r"neighbors\[0\] is not a pair"),
    ([("a", "b"), 5], r"neighbors\[1\] is not a pair"),
    ([("a", "x")], "not a point of Categories"),
    (Pairs(((0, 7),)), r"the pair \(0, 7\) is outside the 3 points"),
    (np.ones((2, 2)), r"has shape \(2, 2\); .* each of its 3 points"),
    ([[0, 1, 0], [0, 0, 1], [0, 1, 0]], r"not symmetric: entries \(0, 1\) and \(1, 0\) differ"),
    ([[0, 1, float("nan")], [1, 0, 1], [0, 1, 0]], "finite numbers of at least 0"),
    ([[0, -1, 1], [-1, 0, 1], [1, 1, 0]], "finite numbers of at least 0"),
    ([[0, 5, 5], [5, 0, 5], [5, 5, 0]], "no two points are neighbors"),
    (np.zeros((3, 3)), "no two points are neighbors"),
]


@pytest.mark.parametrize(("neighbors", "message"), BAD)
def test_what_is_no_relation_is_refused(neighbors: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Categories(list("abc"), neighbors=neighbors)


def test_a_list_of_neighboring_databases_is_short() -> None:
    assert (Counts(1) ** 2).describe_listed_neighbors() == {
        "relation": "pairs",
        "pairs": [[0, 1], [0, 2], [1, 3], [2, 3]],
    }
    with pytest.raises(TooLargeError, match="lists neighboring databases one by one"):
        (Counts(1) ** 14).describe_listed_neighbors()
