"""One among several: each way of drawing has its own law, and a wrong ε is noticed."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.sampling import EnclosedSampler, GroupSampler
from tests.distributions.alarm import Alarm

NAMES = ["a", "b", "c"]
QUALITIES = [2, 1, 0]
MAKERS: dict[str, Callable[..., nw.results.Selection]] = {
    "exponential": nw.exponential,
    "permute and flip": nw.select.permute_and_flip,
    "noisy max": nw.select.noisy_max,
}


@pytest.mark.parametrize("name", MAKERS)
def test_choices(name: str, alarm: Alarm) -> None:
    def made(epsilon: float) -> nw.results.Selection:
        return MAKERS[name](NAMES, QUALITIES, sensitivity=1, epsilon=epsilon)

    truth = made(3)

    def draw(size: int) -> NDArray[np.int64]:
        drawn = [truth.sample() for _ in range(size)]
        return np.array([drawn.count(candidate) for candidate in NAMES])

    claims = [made(1.8).probabilities, made(4.8).probabilities]
    alarm.judge(draw, truth.probabilities, claims, most=1 << 13)


def test_a_base_measure(alarm: Alarm) -> None:
    def made(*base: int) -> nw.results.Selection:
        return nw.exponential(NAMES, QUALITIES, sensitivity=1, epsilon=3, base=base)

    truth = made(10, 7, 30)

    def draw(size: int) -> NDArray[np.int64]:
        drawn = [truth.sample() for _ in range(size)]
        return np.array([drawn.count(candidate) for candidate in NAMES])

    claims = [made(*base).probabilities for base in ((10, 7, 10), (10, 7, 90), (10, 21, 30))]
    alarm.judge(draw, truth.probabilities, claims, most=1 << 13)


@pytest.mark.parametrize("name", ["exponential", "permute and flip"])
def test_choices_among_many_doubles(name: str, alarm: Alarm) -> None:
    """Four hundred different qualities, in four groups of candidates."""
    qualities = np.random.default_rng(5).random(400) + np.repeat([0.0, 2.0, 1.0, 2.5], 100)

    def made(epsilon: float) -> nw.results.Selection:
        return MAKERS[name](range(400), qualities, sensitivity="0.25", epsilon=epsilon)

    def grouped(choice: nw.results.Selection) -> NDArray[np.float64]:
        return choice.probabilities.reshape(4, 100).sum(axis=1)

    truth = made(1)
    assert len(set(truth.qualities)) == 400
    draws = truth.law.drawer(truth.qualities, truth.factor, Fraction(1))

    def draw(size: int) -> NDArray[np.int64]:
        return np.bincount([draws(None) // 100 for _ in range(size)], minlength=4)

    claims = [grouped(made(0.7)), grouped(made(1.4)), grouped(truth)[[0, 3, 2, 1]]]
    alarm.judge(draw, grouped(truth), claims, most=1 << 13)


@pytest.mark.parametrize("error", [2.0**-44, 0.25])
def test_weights_on_demand(error: float, alarm: Alarm) -> None:
    """The same law whether doubles are enough for nearly all draws or for few of them."""
    weights = [3 * 10**30, 1, 2 * 10**30, 5 * 10**30]
    sampler = EnclosedSampler(np.cumsum([0.3, 0, 0.2, 0.5]), error, lambda: weights)

    def draw(size: int) -> NDArray[np.int64]:
        return np.bincount([sampler.draw() for _ in range(size)], minlength=4)[[0, 2, 3]]

    alarm.judge(draw, [0.3, 0.2, 0.5], [[0.36, 0.2, 0.44], [0.3, 0.25, 0.45]])


def test_weights_of_any_total(alarm: Alarm) -> None:
    sampler = GroupSampler([1, 0, 10**40, 10**40], [1, 5, 1, 2])

    def draw(size: int) -> NDArray[np.int64]:
        groups = [group for group, _ in sampler.draw(size)]
        return np.bincount(groups, minlength=4)[1:]

    claims = [[0.0, 0.38, 0.62], [0.0, 0.29, 0.71]]
    alarm.judge(draw, [0.0, 1 / 3, 2 / 3], claims)


def test_members_of_a_group_are_alike(alarm: Alarm) -> None:
    sampler = GroupSampler([3, 10**40 + 7], [5, 3])

    def draw(size: int) -> NDArray[np.int64]:
        return np.bincount([member for _, member in sampler.draw(size)], minlength=3)

    claims = [[0.39, 0.28, 0.33], [0.33, 0.28, 0.39]]
    alarm.judge(draw, [1 / 3, 1 / 3, 1 / 3], claims)


@pytest.mark.parametrize("measure", ["multisets", "sequences"])
def test_synthetic_databases(measure: Any, alarm: Alarm) -> None:
    """All six databases of two records over three points, by the golden example."""
    workload = nw.workloads.Workload.marginals(nw.Records(value=nw.Categories([0, 1, 2])))
    data = [(0,), (0,), (1,), (2,), (2,), (2,)]
    outputs = list(itertools.combinations_with_replacement([0, 1, 2], 2))

    def made(epsilon: float) -> nw.results.Blr:
        return nw.workloads.blr(data, workload, epsilon=epsilon, m=2, measure=measure)

    def chances(mechanism: nw.results.Blr) -> list[float]:
        counts = [[output.count(x) for x in range(3)] for output in outputs]
        return [float(mechanism.probability(each)) for each in counts]

    truth = made(1)

    def draw(size: int) -> NDArray[np.int64]:
        drawn = [tuple(value for (value,) in truth.sample().records) for _ in range(size)]
        return np.array([drawn.count(output) for output in outputs])

    swapped = "sequences" if measure == "multisets" else "multisets"
    other = nw.workloads.blr(data, workload, epsilon=1, m=2, measure=swapped)
    alarm.judge(draw, chances(truth), [chances(made(2.5)), chances(other)], most=1 << 14)
