"""Staircase noise: a 1% change of epsilon, a wider or a narrower first stair are rejected."""

import math

import numpy as np
import pytest

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.sampling import staircase_noise
from tests.distributions.alarm import Alarm

FARTHEST = 12


def law(epsilon: float, width: int, upper: int) -> list[float]:
    """Noise is z, for small z; it is at least so much; it is negative."""
    b = math.exp(-epsilon)
    weights = [b ** ((m + width - upper) // width) for m in range(60 * width + 1)]
    total = 2 * sum(weights) - weights[0]
    p = [w / total for w in weights]
    tails = [sum(p[k * width :]) for k in (1, 2, 4)]
    return [p[0], *p[1:FARTHEST], *p[1:FARTHEST], *tails, sum(p[1:])]


@pytest.mark.parametrize(
    ("epsilon", "width", "upper"), [("1", 1, 1), ("1", 5, 2), ("3", 7, 7), ("0.3", 4, 1)]
)
def test_the_law(alarm: Alarm, epsilon: str, width: int, upper: int) -> None:
    value = float(epsilon)
    wrong = [law(value * 1.01, width, upper), law(value * 0.99, width, upper)]
    if upper > 1:
        wrong.append(law(value, width, upper - 1))
    if upper < width:
        wrong.append(law(value, width, upper + 1))

    def draw(count: int) -> list[int]:
        z = staircase_noise(Epsilon.of(epsilon), width, upper, count)
        each = [int((z == m).sum()) for m in range(FARTHEST)]
        back = [int((z == -m).sum()) for m in range(1, FARTHEST)]
        tails = [int((z >= k * width).sum()) for k in (1, 2, 4)]
        return [*each, *back, *tails, int((z < 0).sum())]

    alarm.judge(draw, law(value, width, upper), wrong)


def test_beyond_64_bits() -> None:
    """Steps far below the sensitivity: the numbers are Python's."""
    width = 1 << 70
    z = staircase_noise(Epsilon.of(1), width, width // 3, 50, nw.randomness.SeededSource(3))
    assert z.dtype == object
    assert max(abs(value) for value in z) > 1 << 64


def test_what_is_refused() -> None:
    for width, upper, epsilon in ((0, 1, 1), (3, 0, 1), (3, 4, 1), (3, 1, 0)):
        with pytest.raises(nw.errors.ParameterError):
            staircase_noise(Epsilon.of(epsilon), width, upper, 5)
    assert staircase_noise(Epsilon.of(1), 3, 1, 0).tolist() == []
    assert np.issubdtype(staircase_noise(Epsilon.of(1), 3, 1, 4).dtype, np.integer)
