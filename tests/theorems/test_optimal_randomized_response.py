"""Holohan–Leith–Mason 2016, Theorem 10.

Randomized response with p = (1 − δ) / (e^ε + m) has the least possible largest error. Held to a
linear program over *all* stochastic matrices that are (ε, δ)-private.
"""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from scipy.optimize import linprog

import noisewright as nw
from tests.designs import definitions
from tests.theorems.databases import databases, hamming, neighbors


def least_error(size: int, epsilon: float, delta: float) -> float:
    """Minimize max_x P(wrong | x) over P(y|x), the positive parts of each pair, and the error."""
    pairs = list(permutations(range(size), 2))
    chances = size * size
    count = chances + len(pairs) * size + 1
    at_most: list[np.ndarray] = []
    limits: list[float] = []
    for place, (x, other) in enumerate(pairs):
        spent = np.zeros(count)
        for y in range(size):
            excess = chances + place * size + y
            row = np.zeros(count)
            row[x * size + y], row[other * size + y], row[excess] = 1, -math.exp(epsilon), -1
            at_most.append(row)
            limits.append(0.0)
            spent[excess] = 1
        at_most.append(spent)
        limits.append(delta)
    for x in range(size):
        row = np.zeros(count)
        row[x * size + x] = row[-1] = -1
        at_most.append(row)
        limits.append(-1.0)
    sums = np.zeros((size, count))
    for x in range(size):
        sums[x, x * size : (x + 1) * size] = 1
    cost = np.zeros(count)
    cost[-1] = 1
    solved = linprog(
        cost, A_ub=np.array(at_most), b_ub=limits, A_eq=sums, b_eq=np.ones(size), method="highs"
    )
    assert solved.success
    return float(solved.fun)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.1), (0.3, 0.0), (2.5, 0.01), (0.0, 0.3)])
def test_no_private_matrix_errs_less(m: int, epsilon: float, delta: float) -> None:
    response = nw.randomized_response(nw.Categories(range(m + 1)), epsilon=epsilon, delta=delta)
    error = float(1 - Fraction(response.weights[0, 0], response.total))
    assert error == pytest.approx(least_error(m + 1, epsilon, delta), abs=1e-8)
    assert error == pytest.approx((1 - delta) * m / (math.exp(epsilon) + m), rel=1e-14)


def test_the_error_for_five_points() -> None:
    response = nw.randomized_response(nw.Categories(range(5)), epsilon=1, delta="1/10")
    error = float(1 - Fraction(response.weights[0, 0], response.total))
    assert error == pytest.approx(0.5358512923274793, rel=1e-15)


@pytest.mark.parametrize(("m", "rows"), [(1, 2), (1, 3), (2, 2)])
@pytest.mark.parametrize(("epsilon", "delta"), [(1.0, 0.0), (0.5, 0.1)])
def test_no_mechanism_on_whole_databases_errs_less(
    m: int, rows: int, epsilon: float, delta: float
) -> None:
    """The paper compares with products over rows only; the bound holds for all of D^n."""
    points = databases(m + 1, rows)
    least = definitions.optimum(
        [[hamming(d, e) for e in points] for d in points],
        [(a, b) for a, b in neighbors(points) if a < b],
        ratio=math.exp(epsilon),
        delta=delta,
        goal="worst",
    )
    bounds = nw.analysis.response_bounds(m + 1, epsilon=epsilon, delta=delta, rows=rows)
    assert bounds.least_error == pytest.approx(least, abs=1e-8)
