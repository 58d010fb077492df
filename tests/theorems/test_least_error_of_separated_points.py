"""Holohan–Leith–Mason 2015, Theorem 7: 𝓔 ≥ (1−δ) κm/(m + e^ε) for m + 1 points at least κ apart.
It needs outputs that are points of the space, and is tight for the discrete metric. For outputs
anywhere, 𝓔 ≥ (1−δ) κ min(1/2, m/(m + e^ε)), which is tight for the discrete metric too.
"""

import math
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from tests.theorems.test_least_error_of_two_points import BUDGETS, least_worst_error

SPACES: dict[str, Any] = {
    "three": nw.Categories(["a", "b", "c"]),
    "five": nw.Categories([0, 1, 2, 3, 4]),
    "discrete grid": nw.Interval(0, 1, step="1/4", metric="discrete"),
    "grid": nw.Interval(0, 1, step="1/4"),
    "subsets": nw.Subsets(["a", "b"]),
}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_no_mechanism_into_the_space_is_below(name: str, epsilon: float, delta: float) -> None:
    space = SPACES[name]
    m, kappa = space.size - 1, float(space.separation)
    found = nw.analysis.error_bound(space, epsilon=epsilon, delta=delta, optimum=True)
    by_name = {bound.name: bound.value for bound in found.bounds}
    assert by_name["separated points"] == pytest.approx(
        (1 - delta) * kappa * m / (m + math.exp(epsilon)), rel=1e-14
    )
    least = least_worst_error(
        space.distances().tolist(), space.neighbor_codes().tolist(), epsilon, delta
    )
    assert all(value <= least + 1e-9 for value in by_name.values())
    assert by_name["optimum"] == pytest.approx(least, abs=1e-8)
    if space.diameter == space.separation:
        assert by_name["separated points"] == pytest.approx(least, abs=1e-9)


def test_a_hub_outside_breaks_it() -> None:
    """m = 3, ε = 1: a hub at κ/2 of all points has error 0.5, below 0.5246."""
    distances = [[float(x != y) for y in range(4)] + [0.5] for x in range(4)]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    least = least_worst_error(distances, pairs, 1, 0)
    assert least == pytest.approx(0.5, abs=1e-9)
    space = nw.Categories(["a", "b", "c", "d"])
    inside = nw.analysis.error_bound(space, epsilon=1)
    assert inside.value == pytest.approx(0.5246, abs=1e-4)
    anywhere = nw.analysis.error_bound(space, epsilon=1, outputs_inside=False)
    assert anywhere.value == pytest.approx(least, abs=1e-9)


def outputs_that_matter(distances: list[list[float]]) -> list[list[float]]:
    """List, as distances from the points, the outputs among which an optimum is found.

    An output is a vector a with a_x + a_y ≥ d(x, y). Any such vector is at least a mixture of
    vertices of that polyhedron, and to answer a random vertex instead keeps the guarantee.
    """
    size = len(distances)
    edges = list(combinations_with_replacement(range(size), 2))
    found: set[tuple[float, ...]] = set()
    for tight in combinations(edges, size):
        system = np.zeros((size, size))
        for row, (x, y) in enumerate(tight):
            system[row, x] += 1
            system[row, y] += 1
        if abs(np.linalg.det(system)) < 1e-9:
            continue
        vertex = np.linalg.solve(system, [distances[x][y] for x, y in tight])
        if all(vertex[x] + vertex[y] >= distances[x][y] - 1e-9 for x, y in edges):
            found.add(tuple(np.round(vertex, 9)))
    return [list(each) for each in zip(*sorted(found), strict=True)]


METRICS: dict[str, Any] = {
    "two": [[0, 1], [1, 0]],
    "discrete, three": [[0, 1, 1], [1, 0, 1], [1, 1, 0]],
    "discrete, four": [[int(a != b) for b in range(4)] for a in range(4)],
    "uneven": [[0, 2, 3, 2], [2, 0, 4, 3], [3, 4, 0, 3], [2, 3, 3, 0]],
    "two near, two far": [[0, 1, 5, 5], [1, 0, 5, 5], [5, 5, 0, 5], [5, 5, 5, 0]],
    "path": [[abs(a - b) for b in range(4)] for a in range(4)],
    "cube, two": [[0, 1, 1, 2], [1, 0, 2, 1], [1, 2, 0, 1], [2, 1, 1, 0]],
}


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(("epsilon", "delta"), [*BUDGETS, (1.0, 0.6)])
def test_no_mechanism_with_outputs_anywhere_is_below(
    name: str, epsilon: float, delta: float
) -> None:
    metric = METRICS[name]
    size = len(metric)
    space = nw.Categories(range(size), metric=metric)
    least = least_worst_error(
        outputs_that_matter(metric), list(combinations(range(size), 2)), epsilon, delta
    )
    found = nw.analysis.error_bound(space, epsilon=epsilon, delta=delta, outputs_inside=False)
    assert all(bound.value <= least + 1e-9 for bound in found.bounds)
    if space.diameter == space.separation:
        m = size - 1
        sharp = (1 - delta) * min(1 / 2, m / (m + math.exp(epsilon)))
        assert found.value == pytest.approx(sharp, abs=1e-12)
        assert found.value == pytest.approx(least, abs=1e-9)
    else:
        assert found.value >= (1 - delta) * float(space.diameter) / (1 + math.exp(epsilon)) - 1e-9


def test_distant_points_count_although_others_are_near() -> None:
    """Of 4 points, two are near each other: three at distance 5 bound more than all four at 1."""
    space = nw.Categories(range(4), metric=METRICS["two near, two far"])
    found = nw.analysis.error_bound(space, epsilon=1, outputs_inside=False)
    assert found.value == pytest.approx(5 * 2 / (2 + math.e), abs=1e-12)
    assert "3 inputs at least 5 apart" in found.best.holds


def test_many_labels_are_half_a_unit_apart_from_a_hub() -> None:
    for labels in (10, 50):
        space = nw.Categories(range(labels))
        assert nw.analysis.error_bound(space, epsilon=1, outputs_inside=False).value == 0.5
    by_distance = nw.Categories(range(10), metric="discrete", neighbors="metric")
    assert nw.analysis.error_bound(by_distance, epsilon=1, outputs_inside=False).value == 0.5


def test_an_optimum_for_outputs_anywhere_is_not_pretended() -> None:
    space = nw.Categories(["a", "b", "c"])
    with pytest.raises(nw.errors.ParameterError, match="outputs_inside=False"):
        nw.analysis.error_bound(space, epsilon=1, outputs_inside=False, optimum=True)


def test_goldens() -> None:
    rows = nw.analysis.error_bound(nw.Categories(range(5)), epsilon=1, delta="1/10")
    assert rows.value == pytest.approx(0.5358512923274793, abs=1e-9)
    sets = nw.analysis.error_bound(nw.Subsets(["a", "b", "c"]), epsilon=1)
    assert (sets.best.name, sets.value) == ("optimum", pytest.approx(1.1534121320549926, abs=1e-9))
    grid = nw.analysis.error_bound(nw.Interval(0, 1, step="1/4"), epsilon=1, delta="1/5")
    assert grid.value == pytest.approx(0.25094874718268284, abs=1e-9)


REPORTS: dict[str, Any] = {
    "response": nw.randomized_response(nw.Categories(["a", "b", "c"]), epsilon=1),
    "response, by formula": nw.randomized_response(
        nw.Categories(["a", "b", "c"]), epsilon=1, table=False
    ),
    "laplace": nw.laplace(nw.Interval(0, 1, step="1/8"), epsilon=1),
    "laplace, truncated": nw.laplace(nw.Interval(0, 1, step="1/8"), epsilon=1, form="truncated"),
    "laplace, bounded": nw.laplace(nw.Interval(0, 1, step="1/8"), epsilon=1, form="bounded"),
    "geometric, rows": nw.geometric(nw.Counts(5), epsilon=1) ** 10,
    "no claim": nw.from_matrix(nw.Counts(1), [[3, 1], [1, 3]]),
    "design": nw.design(nw.Interval(0, 1, step="1/8"), epsilon=1, loss="distance", goal="worst"),
}


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_is_above_its_bound(name: str) -> None:
    report = nw.analysis.error_report(REPORTS[name])
    assert report.ratio >= 1
    assert report.mean is not None
    assert report.mean <= report.worst * (1 + 1e-12)
    assert f"{report.bound.value:.6g}" in str(report)
    if name in ("response", "response, by formula", "no claim", "design"):
        assert report.ratio == pytest.approx(1, abs=1e-8)
    if name == "laplace":
        # Its outputs lie outside of the space, and on a line that gains nothing.
        assert report.bound.best.name == "optimum"


def test_what_is_refused() -> None:
    sure = nw.from_matrix(nw.Counts(1), [[1, 0], [0, 1]])
    with pytest.raises(nw.errors.InputError, match="no finite epsilon"):
        nw.analysis.error_report(sure)
    many = nw.laplace(nw.Interval(0, 1, step="1e-5"), epsilon=1, form="truncated")
    assert nw.analysis.error_report(many).mean is None
