"""Holohan–Leith–Mason 2015, Theorem 6: 𝓔 ≥ (1−δ) diam / (2(1 + e^ε)). The sharp bound is twice
that, (1−δ) diam / (1 + e^ε): two-point randomized response attains it, wherever outputs lie.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

import noisewright as nw

BUDGETS = [(0.0, 0.1), (0.3, 0.0), (1.0, 0.0), (1.0, 0.2), (3.0, 0.05)]


def least_worst_error(
    distances: list[list[float]], pairs: list[tuple[int, int]], epsilon: float, delta: float
) -> float:
    """Minimize the worst expected distance over all mechanisms, by a linear program.

    Variables: P(y|x), then the excesses max(0, P(y|x) − e^ε P(y|z)), then the worst error.
    """
    inputs, outputs = len(distances), len(distances[0])
    both = [*pairs, *((b, a) for a, b in pairs)]
    count = inputs * outputs + len(both) * outputs + 1
    rows: list[Any] = []
    limits: list[float] = []
    for x in range(inputs):
        row = np.zeros(count)
        row[x * outputs : (x + 1) * outputs] = distances[x]
        row[-1] = -1
        rows.append(row)
        limits.append(0)
    for place, (x, z) in enumerate(both):
        total = np.zeros(count)
        for y in range(outputs):
            excess = inputs * outputs + place * outputs + y
            row = np.zeros(count)
            row[x * outputs + y], row[z * outputs + y] = 1, -math.exp(epsilon)
            row[excess] = -1
            total[excess] = 1
            rows.append(row)
            limits.append(0)
        rows.append(total)
        limits.append(delta)
    sums = np.zeros((inputs, count))
    for x in range(inputs):
        sums[x, x * outputs : (x + 1) * outputs] = 1
    goal = np.zeros(count)
    goal[-1] = 1
    found = linprog(goal, np.array(rows), limits, sums, np.ones(inputs), method="highs")
    return float(found.fun)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_two_points_attain_twice_the_printed_bound(epsilon: float, delta: float) -> None:
    for diameter in (1, 5):
        bound = nw.analysis.error_bound(
            nw.Interval(0, diameter, step=diameter), epsilon=epsilon, delta=delta, optimum=False
        )
        sharp = (1 - delta) * diameter / (1 + math.exp(epsilon))
        assert bound.value == pytest.approx(sharp, rel=1e-14)
        # Outputs between and beyond the two points do not help.
        places = np.linspace(-1, 2, 13) * diameter
        distances = [np.abs(places).tolist(), np.abs(places - diameter).tolist()]
        least = least_worst_error(distances, [(0, 1)], epsilon, delta)
        assert least == pytest.approx(sharp, abs=1e-9)
        response = nw.randomized_response(nw.Categories([0, 1]), epsilon=epsilon, delta=delta)
        assert diameter * nw.loss(response, "L0", goal="worst") == pytest.approx(sharp, rel=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), BUDGETS)
def test_no_mechanism_with_outputs_anywhere_is_below(epsilon: float, delta: float) -> None:
    """Five numbers, neighbors at most two steps apart, outputs on a finer and wider grid."""
    places = np.linspace(-1, 5, 25)
    distances = [np.abs(places - x).tolist() for x in range(5)]
    space = nw.Interval(0, 4, step=1, neighbors=2)
    pairs = [(int(a), int(b)) for a, b in space.neighbor_codes()]
    least = least_worst_error(distances, pairs, epsilon, delta)
    bound = nw.analysis.error_bound(space, epsilon=epsilon, delta=delta, outputs_inside=False)
    by_name = {one.name: one.value for one in bound.bounds}
    assert 0 < by_name["two points"] <= least + 1e-9
    # On a line, outputs outside of the space gain nothing.
    assert by_name["optimum"] == pytest.approx(least, abs=1e-8)


def test_inputs_several_neighbors_apart_bound_too() -> None:
    """At ε = 0.01 the ends of Counts(100) are 1-private: 100/(1 + e) beats 1/(1 + e^0.01)."""
    bound = nw.analysis.error_bound(nw.Counts(100), epsilon="1/100", optimum=False)
    assert bound.value == pytest.approx(100 / (1 + math.e), rel=1e-12)
    # With delta, inputs k apart have delta (e^(kε) − 1)/(e^ε − 1).
    relaxed = nw.analysis.error_bound(
        nw.Counts(100), epsilon="1/100", delta="1/1000", optimum=False
    )
    best = max(
        (1 - 0.001 * math.expm1(k / 100) / math.expm1(0.01)) * k / (1 + math.exp(k / 100))
        for k in range(1, 101)
    )
    assert relaxed.value == pytest.approx(best, rel=1e-12)
    path = nw.Categories(
        list(range(30)),
        neighbors=[(i, i + 1) for i in range(29)],
        metric=[[abs(a - b) for b in range(30)] for a in range(30)],
    )
    walked = nw.analysis.error_bound(path, epsilon="1/100", optimum=False)
    assert walked.value == pytest.approx(29 / (1 + math.exp(0.29)), rel=1e-12)


def test_privacy_by_distance() -> None:
    space = nw.Interval(0, 10, step=1, neighbors="metric")
    bound = nw.analysis.error_bound(space, epsilon="1/2", optimum=False)
    assert bound.value == pytest.approx(max(d / (1 + math.exp(d / 2)) for d in range(1, 11)))
    pairs = [(a, b) for a in range(11) for b in range(a)]
    # Each pair has its own ε here; the largest error any optimum of one pair forces is below.
    for a, b in pairs:
        alone = least_worst_error([[0, a - b], [a - b, 0]], [(0, 1)], (a - b) / 2, 0)
        assert alone <= bound.value + 1e-9


def test_the_bound_is_rounded_down() -> None:
    exact = Fraction(1, 3)
    bound = nw.analysis.error_bound(nw.Categories(["a", "b"]), alpha="1/2", optimum=False)
    assert Fraction(bound.value) <= exact
    assert float(bound) == pytest.approx(1 / 3, rel=1e-15)


def test_what_is_refused() -> None:
    with pytest.raises(nw.errors.SpaceError, match="one row"):
        nw.analysis.error_bound(nw.Counts(3) ** 2, epsilon=1)
    with pytest.raises(nw.errors.ParameterError, match="must be a space"):
        nw.analysis.error_bound(3, epsilon=1)  # pyright: ignore[reportArgumentType]
