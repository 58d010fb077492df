"""Holohan–Leith–Mason 2015, Theorem 7: 𝓔 ≥ (1−δ) κm/(m + e^ε) for m + 1 points at least κ apart.
It needs outputs that are points of the space, and is tight for the discrete metric.
"""

import math
from typing import Any

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
    found = nw.error_bound(space, epsilon=epsilon, delta=delta, optimum=True)
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
    inside = nw.error_bound(space, epsilon=1)
    assert inside.value == pytest.approx(0.5246, abs=1e-4)
    anywhere = nw.error_bound(space, epsilon=1, outputs_inside=False)
    assert anywhere.value <= least
    assert [bound.name for bound in anywhere.bounds] == ["two points"]


def test_goldens() -> None:
    rows = nw.error_bound(nw.Categories(range(5)), epsilon=1, delta="1/10")
    assert rows.value == pytest.approx(0.5358512923274793, abs=1e-9)
    sets = nw.error_bound(nw.Subsets(["a", "b", "c"]), epsilon=1)
    assert (sets.best.name, sets.value) == ("optimum", pytest.approx(1.1534121320549926, abs=1e-9))
    grid = nw.error_bound(nw.Interval(0, 1, step="1/4"), epsilon=1, delta="1/5")
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
    report = nw.error_report(REPORTS[name])
    assert report.ratio >= 1
    assert report.mean is not None
    assert report.mean <= report.worst * (1 + 1e-12)
    assert f"{report.bound.value:.6g}" in str(report)
    if name in ("response", "response, by formula", "no claim", "design"):
        assert report.ratio == pytest.approx(1, abs=1e-8)
    if name == "laplace":
        assert [bound.name for bound in report.bound.bounds] == ["two points"]


def test_what_is_refused() -> None:
    sure = nw.from_matrix(nw.Counts(1), [[1, 0], [0, 1]])
    with pytest.raises(nw.errors.InputError, match="no finite epsilon"):
        nw.error_report(sure)
    many = nw.laplace(nw.Interval(0, 1, step="1e-5"), epsilon=1, form="truncated")
    assert nw.error_report(many).mean is None
