"""Expected errors of a fit against least squares with the covariance of all noisy counts."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.synthetic import (
    ByPoints,
    CliqueSynthesizer,
    ExpectedFit,
    Mst,
    RunBudget,
    Workload,
)

ROWS = 1000
VERY_MANY = 10**9


def covariance(made: CliqueSynthesizer, pairs: Any) -> Any:
    """Return that of all cells by weighted least squares, where the number of rows is known.

    Only what the counts determine is looked at: interactions of all three columns are not.
    """
    cells = list(product(*(range(made.sizes[name]) for name in made.names)))
    rows: list[list[float]] = []
    for names in [*((name,) for name in made.names), *pairs]:
        noise = made.noise(names)
        assert noise is not None
        places = [made.names.index(name) for name in names]
        sizes = [range(made.sizes[name]) for name in names]
        for wanted in product(*sizes):
            inside = [all(c[p] == w for p, w in zip(places, wanted, strict=True)) for c in cells]
            deviation = noise.on(int(np.prod([len(size) for size in sizes]))).fit_deviation
            rows.append([float(one) / deviation for one in inside])
    design = np.array(rows)
    # Directions in which the total does not change.
    free = np.linalg.svd(np.ones((1, len(cells))))[2][1:].T
    return cells, free @ np.linalg.pinv((design @ free).T @ (design @ free)) @ free.T


DOMAIN = nw.Records(a=nw.Categories(list("xyz")), b=nw.Categories(list("uv")), c=nw.Counts(3))
PAIRS = Workload.marginals(DOMAIN, ways=2)


@pytest.mark.parametrize("delta", [0, "1e-6"])
@pytest.mark.parametrize("way", ["graph", "points"])
def test_errors_are_those_of_least_squares(way: str, delta: Any) -> None:
    """Of so many rows that no cell is below the noise."""
    budget = RunBudget.of(1, delta)
    made: CliqueSynthesizer = (
        Mst(DOMAIN, PAIRS, budget, inference="graph", rows=VERY_MANY)
        if way == "graph"
        else ByPoints(DOMAIN, PAIRS, budget, (), VERY_MANY)
    )
    fit = ExpectedFit(made, VERY_MANY)
    cells, spread = covariance(made, fit.pairs)

    def deviation(weights: list[Any]) -> float:
        return float(np.sqrt(np.array(weights) @ spread @ np.array(weights))) / VERY_MANY

    for place, name in enumerate(made.names):
        assert fit.share(name) == pytest.approx(deviation([float(c[place] == 0) for c in cells]))
        values = np.arange(made.sizes[name], dtype=float) ** 2
        mean = deviation([values[c[place]] for c in cells])
        assert fit.sum_of_shares(name, values) == pytest.approx(mean)
    assert fit.pairs
    for first, second in fit.pairs:
        places = made.names.index(first), made.names.index(second)
        exact = deviation([float(c[places[0]] == 0 and c[places[1]] == 1) for c in cells])
        assert fit.share_of_pair(first, second) == pytest.approx(exact)


def test_what_is_below_the_noise_is_off_by_no_more_than_its_mean() -> None:
    """Cells of a pair: with little noise it is the noise that counts, else how small they are."""
    few, many = (
        ExpectedFit(ByPoints(DOMAIN, PAIRS, RunBudget.of(1), (), rows), rows) for rows in (2, 10**6)
    )
    assert few.share_of_pair("a", "b") < few.share("a") / 2 + few.share("b") / 3 + 1 / 6
    noise = many.synthesizer.noise(("a", "b"))
    assert noise is not None
    assert many.share_of_pair("a", "b") > noise.on(6).fit_deviation * np.sqrt(1 / 3) / 10**6


def test_a_tree_of_the_smallest_pairs_stands_for_the_choice() -> None:
    sizes = {"a": 9, "b": 2, "c": 3, "d": 4, "e": 30}
    domain = nw.Records({n: nw.Categories([f"{n}{k}" for k in range(s)]) for n, s in sizes.items()})
    made = Mst(domain, Workload.marginals(domain, ways=2), RunBudget.of(1, 0), rows=ROWS)
    assert made.choices == 4
    assert set(ExpectedFit(made, ROWS).pairs) == {("a", "b"), ("b", "c"), ("b", "d"), ("b", "e")}


def test_a_constant_is_known() -> None:
    domain = nw.Records(a=nw.Categories(["x"]), b=nw.Categories(["u", "v"]))
    made = Mst(domain, Workload.marginals(domain, ways=2), RunBudget.of(1, 0), rows=ROWS)
    fit = ExpectedFit(made, ROWS)
    assert fit.share("a") == 0 == fit.sum_of_shares("a", np.ones(1))
    assert fit.share_of_pair("a", "b") == fit.share_of_pair("b", "a") == fit.share("b") > 0
