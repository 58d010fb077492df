"""dp-accounting's optimistic and pessimistic estimates must bracket ours.

Its entry point for two mass functions computes one direction of one pair (`symmetric=True`
declares that the other is the same). Here every pair is asked for in both directions.
"""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_distribution import from_two_probability_mass_functions

from noisewright.mechanisms import Table, from_matrix, geometric, randomized_response
from noisewright.privacy.composition.compose import compose
from noisewright.spaces import Categories, Counts

STEP = 1e-3
EPSILONS = [0.0, 0.3, 1.0, 2.0, 4.0]


def one_direction(
    p: Sequence[float], q: Sequence[float], times: int, *, pessimistic: bool
) -> list[float]:
    def logs(row: Sequence[float]) -> dict[int, float]:
        return {i: math.log(v) for i, v in enumerate(row) if v > 0}

    found = from_two_probability_mass_functions(
        logs(q),
        logs(p),
        pessimistic_estimate=pessimistic,
        value_discretization_interval=STEP,
        symmetric=True,
    ).self_compose(times)
    return [float(found.get_delta_for_epsilon(epsilon)) for epsilon in EPSILONS]


def estimate(table: Table, times: int, *, pessimistic: bool) -> list[float]:
    worst = [0.0] * len(EPSILONS)
    rows = table.matrix.tolist()
    for a, b in table.space.neighbor_codes().tolist():
        for x, y in ((a, b), (b, a)):
            found = one_direction(rows[x], rows[y], times, pessimistic=pessimistic)
            worst = [max(old, new) for old, new in zip(worst, found, strict=True)]
    return worst


def table_with_zeros() -> Table:
    return from_matrix(
        Categories(list("abc")), [[0.6, 0.3, 0.1], [0.2, 0.8, 0.0], [0.25, 0.25, 0.5]]
    )


def skewed(seed: int) -> Table:
    matrix = np.random.default_rng(seed).dirichlet([1.0] * 5, size=3)
    return from_matrix(Categories(list("abc")), matrix, outputs=range(5))


@pytest.mark.parametrize(
    ("table", "times"),
    [
        (randomized_response(Categories(list("ab")), epsilon=1), 1),
        (randomized_response(Categories(list("ab")), epsilon=0.2), 30),
        (randomized_response(Categories(list("abcd")), epsilon=0.5, delta=0.01), 6),
        (geometric(Counts(4), epsilon=0.3, table=True), 10),
        (table_with_zeros(), 3),
        (skewed(1), 4),
        (skewed(2), 12),
    ],
)
def test_estimates_bracket_ours(table: Table, times: int) -> None:
    below = estimate(table, times, pessimistic=False)
    above = estimate(table, times, pessimistic=True)
    found = compose(table, times=times)
    for epsilon, low, high in zip(EPSILONS, below, above, strict=True):
        ours = found.delta_bounds(epsilon)
        # Their arithmetic is floating point; ours is not.
        assert low - 1e-9 <= ours[1]
        assert ours[0] <= high + 1e-9
        assert high - low <= 0.02
