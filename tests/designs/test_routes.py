"""Which problems take a closed form, and that its bound is the optimum of the full program."""

import math
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from tests.designs import definitions

GEOMETRIC = "the geometric mechanism (Cormode"
RELABELED = "each output relabeled"
FAIR = "the explicit fair mechanism"
RESPONSE = "randomized response"
DIAGONAL = "the largest diagonal"
PROGRAM = "linear program"


def agrees(found: nw.results.Design, pairs: Any, epsilon: float, *, delta: float = 0.0) -> None:
    problem = found.problem
    optimum = definitions.optimum(
        problem.loss.costs,
        pairs,
        ratio=math.exp(epsilon),
        delta=delta,
        goal=problem.goal,
        prior=problem.prior,
        properties=problem.properties,
    )
    assert found.bound <= optimum + 1e-9
    assert found.loss == pytest.approx(optimum, abs=1e-8)
    assert found.gap <= 1e-9


SKEWED = [0.5, 0.25, 0.125, 0.125, 0]


@pytest.mark.parametrize(
    ("keywords", "route"),
    [
        ({}, GEOMETRIC),
        ({"loss": "L2", "prior": SKEWED}, RELABELED),
        ({"loss": "L1", "prior": SKEWED}, RELABELED),
        ({"prior": SKEWED}, RELABELED),
        ({"properties": "RM,S"}, GEOMETRIC),
        ({"properties": "F"}, FAIR),
        ({"properties": "F", "prior": SKEWED}, FAIR),
        ({"goal": "worst"}, FAIR),
        ({"goal": "worst", "properties": "all"}, FAIR),
        ({"goal": "worst", "properties": "OD"}, FAIR),
        ({"properties": "F", "loss": "L1"}, PROGRAM),
        ({"properties": "OD"}, PROGRAM),
        ({"properties": "WH"}, DIAGONAL),
        ({"properties": "CM"}, DIAGONAL),
        ({"properties": "WH", "prior": SKEWED}, PROGRAM),
        ({"properties": "CM,RH"}, PROGRAM),
        ({"properties": "CM,RH", "tie_break": None}, DIAGONAL),
        ({"delta": 0.05}, PROGRAM),
        ({"delta": 0.05, "goal": "worst"}, PROGRAM),
        ({"outputs": nw.Counts(4)}, GEOMETRIC),
    ],
)
def test_counts(keywords: Any, route: str) -> None:
    found = nw.design(nw.Counts(4), epsilon=0.3, **keywords)
    assert route in found.route
    agrees(found, definitions.path(5), 0.3, delta=keywords.get("delta", 0.0))


@pytest.mark.parametrize(
    ("space", "keywords", "route"),
    [
        (nw.Counts(4, metric="discrete"), {"loss": "distance"}, GEOMETRIC),
        (nw.Counts(4, metric="discrete"), {"loss": "L1", "goal": "worst"}, FAIR),
        (nw.Counts(4, metric=np.array(nw.Counts(4).distances()) * 3), {"loss": "L1"}, GEOMETRIC),
        (nw.Interval(0, 4, step=1, neighbors="adjacent"), {}, PROGRAM),
        (nw.Counts(4, neighbors=definitions.path(5)), {}, PROGRAM),
        (nw.Counts(4, neighbors=[(0, 1), (1, 2)]), {"loss": "L1"}, PROGRAM),
    ],
)
def test_other_paths(space: Any, keywords: Any, route: str) -> None:
    found = nw.design(space, epsilon=0.8, **keywords)
    assert route in found.route
    agrees(found, space.neighbor_codes().tolist(), 0.8)


@pytest.mark.parametrize(
    ("space", "keywords", "route"),
    [
        (nw.Categories(["a", "b", "c", "d", "e"]), {}, RESPONSE),
        (nw.Categories(["a", "b", "c", "d", "e"]), {"goal": "worst", "prior": SKEWED}, RESPONSE),
        (nw.Categories(["a", "b", "c", "d", "e"]), {"prior": SKEWED}, PROGRAM),
        (nw.Categories(["a", "b", "c", "d", "e"]), {"properties": "all"}, RESPONSE),
        (nw.Counts(4, neighbors="replace"), {"properties": "all"}, RESPONSE),
        (nw.Counts(4, neighbors="replace"), {"loss": "L1"}, PROGRAM),
        (nw.Counts(4, neighbors="replace"), {"properties": "F", "loss": "L0,1"}, PROGRAM),
        (nw.Interval(0, 1, step="1/4"), {}, RESPONSE),
        (nw.Interval(0, 1, step="1/4", metric="discrete"), {"loss": "L1"}, RESPONSE),
    ],
)
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_everyone_is_a_neighbor(space: Any, keywords: Any, route: str, delta: float) -> None:
    found = nw.design(space, epsilon=1.1, delta=delta, **keywords)
    assert route in found.route
    agrees(found, definitions.everyone(5), 1.1, delta=delta)


@pytest.mark.parametrize("alpha", ["0.05", "0.3", "0.5", "0.62", "0.9", "0.995"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
def test_the_fair_bound_is_tight_for_odd_and_even_n(n: int, alpha: str) -> None:
    for keywords in ({"goal": "worst"}, {"properties": "F"}):
        found = nw.design(nw.Counts(n), alpha=alpha, **keywords)
        assert FAIR in found.route
        agrees(found, definitions.path(n + 1), -math.log(float(alpha)))
