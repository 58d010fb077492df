"""From a float solution to integers: the interior mechanism, and tables that keep promises."""

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

import noisewright as nw
from noisewright.designs.problem import Problem
from noisewright.designs.programs.interior import interior_weights
from noisewright.designs.programs.program import program_for
from noisewright.designs.programs.refine import BITS, Refined
from noisewright.designs.programs.repair import repair
from tests.designs import definitions
from tests.designs.test_bound import problem_of


def interior(problem: Problem) -> list[list[Fraction]]:
    rows, whole = interior_weights(problem)
    return [[Fraction(weight, whole) for weight in row] for row in rows]


@pytest.mark.parametrize("n", [*range(1, 61)])
def test_the_interior_mechanism_has_every_property_strictly(n: int) -> None:
    rows = interior(problem_of(n, "0.9"))
    points = range(n + 1)
    assert all(sum(row) == 1 and min(row) > 0 for row in rows)
    assert len({rows[i][i] for i in points}) == 1
    assert rows[0][0] > Fraction(1, n + 1)
    assert all(rows[j][i] == rows[n - j][n - i] for j in points for i in points)
    for j in points:
        for i in points:
            if i != j:
                assert rows[j][i] < rows[j][i + (j > i) - (j < i)]
                assert rows[j][i] < rows[j + (i > j) - (i < j)][i]


@pytest.mark.parametrize("n", [1, 2, 7, 40, 60])
@pytest.mark.parametrize("epsilon", [1e-9, 0.005, 0.7, 3.0, 40.0])
def test_the_interior_mechanism_needs_half_of_epsilon(n: int, epsilon: float) -> None:
    alpha = Fraction(math.exp(-epsilon))
    rows = interior(problem_of(n, str(alpha)))
    largest = max(
        max(a / b, b / a) for one, other in pairwise(rows) for a, b in zip(one, other, strict=True)
    )
    along_outputs = max(max(a / b, b / a) for row in rows for a, b in pairwise(row))
    # ratio² ≤ e^ε, in rationals because doubles cannot tell at 1e-9.
    assert max(largest, along_outputs) ** 2 <= 1 / alpha


@pytest.mark.parametrize("delta", ["1e-9", "0.01", "1"])
def test_the_interior_mechanism_without_epsilon_stays_within_delta(delta: str) -> None:
    for n in (1, 2, 9, 30):
        rows = interior(problem_of(n, "1", delta=delta))
        for one, other in pairwise(rows):
            apart = sum(max(0, a - b) for a, b in zip(one, other, strict=True))
            assert 0 < apart <= Fraction(delta) / 2


@pytest.mark.parametrize("properties", ["", "F", "S", "all", "OD,CM"])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_any_garbage_is_repaired_into_a_feasible_table(n: int, properties: str) -> None:
    problem = problem_of(n, "0.7", properties=properties)
    program = program_for(problem)
    one = 1 << BITS
    for values in (
        [0] * program.variables,
        [one] * program.variables,
        [-one] * program.variables,
        [(k * 7919 % 13 - 3) << (BITS - 4) for k in range(program.variables)],
    ):
        table = repair(program, Refined(values, []))
        assert nw.verify(table, alpha="0.7").holds
        assert all(definitions.has(code, table) for code in problem.properties - {"OD"})
        if "OD" in problem.properties:
            assert definitions.has_output_privacy(table, Fraction(10, 7))


@pytest.mark.parametrize(
    "keywords",
    [
        {"epsilon": 1, "delta": 1, "loss": "L1"},
        {"epsilon": 1, "delta": 1, "loss": "L2", "properties": "all", "goal": "worst"},
        {"epsilon": 1, "loss": "L0,9", "properties": "all", "goal": "worst"},
        {"epsilon": 1, "loss": [[0] * 4] * 4, "properties": "CM", "goal": "worst"},
    ],
)
def test_a_loss_of_nothing_stays_nothing(keywords: Any) -> None:
    found = nw.design(nw.Counts(3), **keywords)
    assert found.loss == found.bound == found.gap == 0


@pytest.mark.parametrize("alpha", ["0.05", "0.1", "0.5", "0.9", "0.99"])
def test_no_zero_stands_beside_a_positive_entry(alpha: str) -> None:
    """At n = 40 and α = 0.05 the tails are 1e-52: infinitely private or not at all in doubles."""
    for keywords in ({"loss": "L1", "goal": "worst"}, {"loss": "L2", "properties": "all"}):
        found = nw.design(nw.Counts(40), alpha=alpha, tie_break=None, **keywords)
        assert (found.mechanism.weights > 0).all()
        assert nw.verify(found.mechanism, alpha=alpha).holds
        assert found.gap <= 1e-9
