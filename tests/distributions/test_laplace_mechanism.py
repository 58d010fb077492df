"""Numbers with Laplace noise: the released numbers have the stated scale."""

import math
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.mechanisms import Laplace
from tests.distributions.alarm import Alarm

SPACE = nw.Interval(-2, 3, step="1/4")
TAILS = (1, 3, 10, 20, 40)


def law(decay: float) -> list[float]:
    """How often noise is 0, and how often it is at least so many steps, to each side."""
    alpha = math.exp(-decay)
    tails = [alpha**k / (1 + alpha) for k in TAILS]
    return [(1 - alpha) / (1 + alpha), *tails, *tails]


@pytest.mark.parametrize("delta", [0, 0.1])
@pytest.mark.parametrize("form", ["unbounded", "truncated"])
def test_a_one_percent_change_is_rejected(alarm: Alarm, delta: float, form: Any) -> None:
    mechanism = nw.laplace(SPACE, epsilon=1, delta=delta, form=form)
    assert isinstance(mechanism, Laplace)
    decay = float(mechanism.decay)
    inside = slice(None) if form == "unbounded" else slice(0, 4)

    def draw(count: int) -> list[int]:
        steps = (mechanism.sample(np.full(count, 0.5)) - 0.5) * 4
        up = [int((steps >= k).sum()) for k in TAILS]
        down = [int((steps <= -k).sum()) for k in TAILS]
        return [int((steps == 0).sum()), *up, *down][inside]

    alarm.judge(draw, law(decay)[inside], [law(decay * 1.01)[inside], law(decay * 0.99)[inside]])
