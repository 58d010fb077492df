"""Designs for d-privacy, ε per unit of distance, against a plain linear program over all pairs."""

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest

import noisewright as nw
from tests.designs import definitions
from tests.spaces.metrics import METRICS, scattered


def categories(metric: Any) -> nw.Categories:
    return nw.Categories(range(len(metric)), metric=metric, neighbors="metric")


def agrees(found: nw.results.Design, epsilon: Any, delta: float) -> None:
    problem = found.problem
    space = problem.space
    optimum = definitions.optimum(
        problem.loss.costs,
        list(combinations(range(space.size), 2)),
        ratio=math.exp(epsilon),
        delta=delta,
        goal=problem.goal,
        prior=problem.prior,
        properties=problem.properties,
        distance=lambda a, b: space.distance(space.point(a), space.point(b)),
    )
    assert nw.verify(found.mechanism, epsilon=epsilon, delta=delta).holds
    assert found.mechanism.claim == nw.accounting.Guarantee(epsilon, delta)
    assert found.bound <= optimum + 1e-9
    assert found.loss == pytest.approx(optimum, abs=1e-8)
    assert found.gap <= 1e-9


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize("goal", ["expected", "worst"])
@pytest.mark.parametrize("delta", [0.0, 0.07])
def test_the_optimum_of_the_definition(name: str, goal: str, delta: float) -> None:
    space = categories(METRICS[name])
    for keywords in ({"loss": "distance"}, {"loss": "L0", "properties": "F,CH"}):
        agrees(nw.design(space, epsilon=0.8, delta=delta, goal=goal, **keywords), 0.8, delta)


SPACES: dict[str, Any] = {
    "counts": nw.Counts(5, neighbors="metric"),
    "counts, discrete": nw.Counts(3, neighbors="metric", metric="discrete"),
    "counts, own metric": nw.Counts(4, neighbors="metric", metric=scattered(3, 5)),
    "interval": nw.Interval(0, 1, step="1/4", neighbors="metric"),
    "subsets": nw.Subsets(["tv", "cars", "books"], neighbors="metric"),
    "records": nw.Records(a=nw.Counts(1), b=nw.Counts(2), metric="sum", neighbors="metric"),
}


@pytest.mark.parametrize("name", SPACES)
@pytest.mark.parametrize("delta", [0.0, 0.07])
def test_every_space(name: str, delta: float) -> None:
    agrees(nw.design(SPACES[name], epsilon=1.3, delta=delta, loss="distance"), 1.3, delta)
    agrees(nw.design(SPACES[name], epsilon=1.3, delta=delta, goal="worst"), 1.3, delta)


def test_ordered_properties() -> None:
    for name in ("counts", "counts, own metric", "interval"):
        found = nw.design(SPACES[name], epsilon=0.9, loss="L1", properties="all")
        agrees(found, 0.9, 0.0)
        assert all(definitions.has(code, found.mechanism) for code in definitions.CODES)


def test_alpha_at_fractional_distances() -> None:
    """Coefficients r^d are irrational here, and not powers of e either."""
    found = nw.design(categories(METRICS["star"]), alpha="2/5", loss="distance")
    assert nw.verify(found.mechanism, alpha="2/5").holds
    same = nw.design(categories(METRICS["star"]), epsilon=math.log(2.5), loss="distance")
    assert found.loss == pytest.approx(same.loss, abs=1e-9)
    assert found.gap <= 1e-9


def test_counts_by_distance_are_counts() -> None:
    """Without a δ, ε per unit of |a − b| and ε for adjacent counts are the same promise."""
    near, far = nw.Counts(9), nw.Counts(9, neighbors="metric")
    for keywords in ({"loss": "L2"}, {"loss": "L0", "properties": "CM"}, {"goal": "worst"}):
        one = nw.design(near, epsilon=0.4, **keywords)  # type: ignore[arg-type]
        other = nw.design(far, epsilon=0.4, **keywords)  # type: ignore[arg-type]
        assert one.route == other.route
        assert one.mechanism.weights.tolist() == other.mechanism.weights.tolist()


def test_the_discrete_metric_gives_randomized_response() -> None:
    space = nw.Categories(list("abcd"), neighbors="metric")
    found = nw.design(space, epsilon=1, delta=0.02)
    assert found.route.startswith("closed form: randomized response")
    assert found.mechanism == nw.randomized_response(space, epsilon=1, delta=0.02)
    agrees(found, 1, 0.02)


def test_scaling_the_distance_is_scaling_epsilon() -> None:
    metric = METRICS["cycle"]
    doubled = [[2 * d for d in row] for row in metric]
    one = nw.design(categories(metric), epsilon="3/5", delta="1/20", loss="L0")
    other = nw.design(categories(doubled), epsilon="3/10", delta="1/20", loss="L0")
    assert one.loss == pytest.approx(other.loss, rel=1e-12)


def test_the_smallest_epsilon_per_unit_of_distance() -> None:
    space = categories(METRICS["scattered"])
    found = nw.planning.epsilon_for(space, loss="distance", target=Fraction(1, 4), tolerance=1e-5)
    assert nw.verify(found.design.mechanism, epsilon=found.epsilon).holds
    assert found.design.loss <= 0.25
    assert nw.design(space, epsilon=found.lower, loss="distance").bound > 0.25
