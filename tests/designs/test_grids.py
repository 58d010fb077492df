"""The best mechanism on a grid of numbers, against what Laplace and the staircase reach."""

from typing import Any

import pytest

import noisewright as nw
from tests.designs import definitions


@pytest.mark.parametrize("neighbors", ["replace", "adjacent", 0.5])
@pytest.mark.parametrize("loss", ["distance", "L1", "L2"])
@pytest.mark.parametrize("goal", ["expected", "worst"])
def test_no_noise_beats_the_design(neighbors: Any, loss: str, goal: str) -> None:
    grid = nw.Interval(0, 1, step="1/8", neighbors=neighbors)
    found = nw.design(grid, epsilon=1, loss=loss, goal=goal)
    assert nw.verify(found.mechanism, epsilon=1)
    assert found.gap <= 1e-9
    for form in ("truncated", "bounded"):
        other = nw.laplace(grid, epsilon=1, form=form, table=True)
        assert nw.loss(other, loss, goal=goal) >= found.bound
    stairs = nw.staircase(grid, epsilon=1, form="truncated")
    assert nw.loss(stairs, loss, goal=goal) >= found.bound


@pytest.mark.parametrize("loss", ["distance", "L2"])
@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_neighbors_within_a_distance(loss: str, goal: Any, delta: float) -> None:
    grid = nw.Interval(0, 2, step="1/4", neighbors=0.5)
    found = nw.design(grid, epsilon=0.8, delta=delta, loss=loss, goal=goal)
    optimum = definitions.optimum(
        found.problem.loss.costs,
        grid.neighbor_codes().tolist(),
        ratio=2.718281828459045**0.8,
        delta=delta,
        goal=goal,
        prior=found.problem.prior,
        properties=found.problem.properties,
    )
    assert found.loss == pytest.approx(optimum, abs=1e-8)
    assert nw.check(nw.certify(found))


def test_golden() -> None:
    """Five numbers, ε = 1, δ = 1/5."""
    grid = nw.Interval(0, 1, step="1/4")
    found = nw.design(grid, epsilon=1, delta="1/5", loss="distance", goal="worst")
    assert found.loss == pytest.approx(0.25094874718268284, abs=1e-9)
