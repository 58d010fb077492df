"""dp-accounting's privacy loss distributions as an oracle for δ(ε) of one mechanism.

Its estimates are rounded to a grid: the pessimistic one bounds δ from above, the optimistic one
from below. It takes one ordered pair at a time, so both directions of all neighbors are asked.
"""

import math

import pytest
from dp_accounting.pld import privacy_loss_distribution as pld

import noisewright as nw
from noisewright.mechanisms import Table

GRID = 1e-4
SLACK = 1e-12  # its own sums are in doubles

MECHANISMS = {
    "response": nw.randomized_response(nw.Categories(range(5)), epsilon=1.3),
    "response with delta": nw.randomized_response(
        nw.Categories(range(4)), epsilon=0.5, delta="0.05"
    ),
    "geometric": nw.geometric(nw.Counts(6), epsilon=0.7),
    "explicit fair": nw.explicit_fair(nw.Counts(5), epsilon=0.9),
    "exponential": nw.select.choice_table(
        nw.Counts(4), lambda x, y: -abs(x - y), candidates=nw.Counts(4), epsilon=1
    ),
    "matrix": nw.from_matrix(
        nw.Categories(range(3)), [[0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.25, 0.25, 0.5]]
    ),
    "matrix with zeros": nw.from_matrix(
        nw.Categories(range(2)), [[0.9, 0.1, 0, 0], [0.5, 0.375, 0.125, 0]]
    ),
}


def logs(row: list[float]) -> dict[int, float]:
    return {y: math.log(p) for y, p in enumerate(row) if p > 0}


def worst(table: Table, epsilon: float, *, pessimistic: bool) -> float:
    matrix = table.matrix.tolist()
    found = 0.0
    for pair in table.space.neighbor_codes().tolist():
        for upper, lower in (pair, pair[::-1]):
            distribution = pld.from_two_probability_mass_functions(
                logs(matrix[lower]),
                logs(matrix[upper]),
                pessimistic_estimate=pessimistic,
                value_discretization_interval=GRID,
                symmetric=True,
            )
            found = max(found, float(distribution.get_delta_for_epsilon(epsilon)))
    return found


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.5, 1.0, 1.7])
@pytest.mark.parametrize("name", MECHANISMS)
def test_its_two_estimates_enclose_the_exact_delta(name: str, epsilon: float) -> None:
    mechanism = MECHANISMS[name]
    assert isinstance(mechanism, Table)
    exact = nw.tight_delta(mechanism, epsilon=epsilon)
    above = worst(mechanism, epsilon, pessimistic=True)
    below = worst(mechanism, epsilon, pessimistic=False)
    assert below - SLACK <= exact <= above + SLACK
    assert above - below <= 3 * GRID
