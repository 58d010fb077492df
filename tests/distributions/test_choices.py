"""One among several: each way of drawing has its own law, and a wrong ε is noticed."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.sampling import weighted_index
from tests.distributions.alarm import Alarm

NAMES = ["a", "b", "c"]
QUALITIES = [2, 1, 0]
MAKERS: dict[str, Callable[..., nw.Selection]] = {
    "exponential": nw.exponential,
    "permute and flip": nw.permute_and_flip,
    "noisy max": nw.noisy_max,
}


@pytest.mark.parametrize("name", MAKERS)
def test_choices(name: str, alarm: Alarm) -> None:
    def made(epsilon: float) -> nw.Selection:
        return MAKERS[name](NAMES, QUALITIES, sensitivity=1, epsilon=epsilon)

    truth = made(3)

    def draw(size: int) -> NDArray[np.int64]:
        drawn = [truth.sample() for _ in range(size)]
        return np.array([drawn.count(candidate) for candidate in NAMES])

    claims = [made(1.8).probabilities, made(4.8).probabilities]
    alarm.judge(draw, truth.probabilities, claims, most=1 << 13)


def test_weights_of_any_total(alarm: Alarm) -> None:
    weights = [1, 0, 10**40, 2 * 10**40]

    def draw(size: int) -> NDArray[np.int64]:
        return np.bincount(weighted_index(weights, size), minlength=4)[1:]

    claims = [[0.0, 0.34, 0.66], [0.0, 0.32, 0.68]]
    alarm.judge(draw, [0.0, 1 / 3, 2 / 3], claims)
