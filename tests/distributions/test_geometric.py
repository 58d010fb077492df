"""two_sided_geometric and discrete_laplace: P(z) = (1 − a)/(1 + a) · a^|z|."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.exact import Epsilon
from noisewright.sampling import (
    clamped_geometric,
    discrete_laplace,
    geometric,
    two_sided_geometric,
)
from tests.distributions.alarm import Alarm

TAILS = (0.25, 0.5, 1, 1.6, 2, 4, 8)


def law(epsilon: float, scale: float) -> list[float]:
    """Tails, the sign, a tail with its sign, zero, and the digits of |z| − 1."""
    a = math.exp(-epsilon)
    nonzero = 2 * a / (1 + a)
    tails = [nonzero * math.exp(-epsilon * (z - 1)) for z in thresholds(scale)]
    digits = [nonzero / (1 + math.exp(min(700.0, epsilon * 2**i))) for i in places(scale)]
    return [*tails, nonzero / 2, tails[2] / 2, *digits]


def thresholds(scale: float) -> list[int]:
    return [math.ceil(tail * scale) for tail in TAILS]


def places(scale: float) -> range:
    return range(math.frexp(8 * scale)[1] + 1)


def events(z: NDArray[Any], scale: float) -> list[int]:
    size = abs(z)
    rest = np.where(size > 0, size - 1, 0)
    tails = [size >= limit for limit in thresholds(scale)]
    digits = [(rest >> i & 1).astype(bool) for i in places(scale)]
    return [int(e.sum()) for e in (*tails, z < 0, (z < 0) & tails[2], *digits)]


@pytest.mark.parametrize("epsilon", ["5", "3", "1", "0.3", "0.01", "1e-4", "1e-7", "1e-12"])
def test_a_one_percent_change_of_epsilon_is_rejected(alarm: Alarm, epsilon: str) -> None:
    decay, value = Epsilon.of(epsilon), float(epsilon)
    alarm.judge(
        lambda n: events(two_sided_geometric(decay, n), 1 / value),
        law(value, 1 / value),
        [law(value * 1.01, 1 / value), law(value * 0.99, 1 / value)],
    )


@pytest.mark.parametrize("epsilon", ["5", "1", "0.01"])
def test_draws_without_a_look_up(
    alarm: Alarm, epsilon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a call for a few draws does, and every call at a large scale."""
    monkeypatch.setattr(geometric, "_MANY", math.inf)
    decay, value = Epsilon.of(epsilon), float(epsilon)
    alarm.judge(
        lambda n: events(two_sided_geometric(decay, n), 1 / value),
        law(value, 1 / value),
        [law(value * 1.01, 1 / value), law(value * 0.99, 1 / value)],
    )


@pytest.mark.parametrize(("epsilon", "reach"), [("3", 2), ("0.3", 10), ("0.005", 400)])
def test_clamped_noise(alarm: Alarm, epsilon: str, reach: int) -> None:
    """The ends have the mass of their tails, and nothing lies beyond."""
    decay = Epsilon.of(epsilon)
    steps = sorted({1, 2, -(-reach // 2), reach})

    def clamped(epsilon: float) -> list[float]:
        tails = [math.exp(-epsilon * m) / (1 + math.exp(-epsilon)) for m in steps]
        return [*tails, *tails, 0]

    def draw(n: int) -> list[int]:
        z = clamped_geometric(decay, reach, n)
        up, down = [int((z >= m).sum()) for m in steps], [int((z <= -m).sum()) for m in steps]
        return [*up, *down, int((abs(z) > reach).sum())]

    value = float(epsilon)
    alarm.judge(draw, clamped(value), [clamped(value * 1.01), clamped(value * 0.99)])


@pytest.mark.parametrize("alpha", ["1/20", "1/2", "10/11", "999999/1000000"])
def test_a_one_percent_change_at_a_rational_alpha(alarm: Alarm, alpha: str) -> None:
    decay, value = Epsilon.of(alpha=alpha), -math.log(Fraction(alpha))
    alarm.judge(
        lambda n: events(two_sided_geometric(decay, n), 1 / value),
        law(value, 1 / value),
        [law(value * 1.01, 1 / value), law(value * 0.99, 1 / value)],
    )


@pytest.mark.parametrize("scale", ["1/3", "7/2", "1000"])
def test_a_one_percent_change_of_scale_is_rejected(alarm: Alarm, scale: str) -> None:
    value = float(Fraction(scale))
    alarm.judge(
        lambda n: events(discrete_laplace(scale, n), value),
        law(1 / value, value),
        [law(1 / value / 1.01, value), law(1 / value / 0.99, value)],
    )


def test_beyond_64_bits(alarm: Alarm) -> None:
    """At ε = 2^-80 the integers are Python's; the tails are still the right ones."""

    def draw(n: int) -> list[int]:
        size = abs(two_sided_geometric(Epsilon(rational=Fraction(1, 1 << 80)), n))
        return [int((size >= int(tail * 2**80)).sum()) for tail in TAILS]

    def law(change: float) -> list[float]:
        return [math.exp(-tail * change) for tail in TAILS]

    alarm.judge(draw, law(1), [law(1.01), law(0.99)])
