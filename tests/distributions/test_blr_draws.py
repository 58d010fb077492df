"""Ten thousand draws of BLR over four points and sixty records: its law, and its theorem.

The false alarms of the last test: if the theorem holds, more than β n + d of n draws are further
off than promised with probability at most e^(−2 d² / n) (Hoeffding), 1e-12 / 3 for d as below.
"""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from tests.distributions.alarm import PER_TEST, Alarm

DRAWS = 10_000
DOMAIN = nw.Records(a=nw.Counts(1), b=nw.Counts(1))
WORKLOAD = nw.workloads.Workload.marginals(DOMAIN, ways=2) + nw.workloads.Workload.marginals(DOMAIN)
TABLE: dict[str, NDArray[Any]] = {
    "a": np.repeat([0, 1], [140, 160]),
    "b": np.tile([0, 0, 0, 0, 1], 60),
}


@cache
def made(epsilon: float) -> nw.results.Blr:
    return nw.workloads.blr(TABLE, WORKLOAD, epsilon=epsilon, m=60)


def errors(draws: int) -> NDArray[np.float64]:
    truth, matrix = WORKLOAD.answers(TABLE).shares, WORKLOAD.matrix()
    drawn = np.array([made(1).sample().counts for _ in range(draws)])
    return np.abs(drawn @ matrix.T / 60 - truth).max(axis=1)


def test_the_law_of_the_error(alarm: Alarm) -> None:
    limits = [0.02, 0.04, 0.08]
    cut = np.array(limits) + 1e-9

    def chances(mechanism: nw.results.Blr) -> list[float]:
        return [float(mechanism.chance_within(edge)) for edge in cut.tolist()]

    def draw(size: int) -> NDArray[np.int64]:
        return (errors(size)[:, None] <= cut).sum(axis=0)

    alarm.judge(draw, chances(made(1)), [chances(made(0.8)), chances(made(1.25))], most=DRAWS)


def test_the_accuracy_theorem_in_ten_thousand_draws() -> None:
    found = errors(DRAWS)
    slack = math.sqrt(DRAWS * math.log(3 / PER_TEST) / 2)
    for beta in (0.5, 0.2, 0.05):
        promised = made(1).accuracy(beta=beta)
        # The promise is not empty: some databases are further off.
        assert promised < max(made(1).errors) / (300 * 60)
        assert (found > promised).sum() <= beta * DRAWS + slack
