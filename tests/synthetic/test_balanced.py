"""Noise that adds up to 0: its law against lists of all tables, and what it gives away."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.synthetic.balanced import MOST_CELLS, BalancedLaw, variance_share

CASES = [(d, k) for d in (5.0, 1.0, 0.3, 0.04) for k in (2, 3, 5, 17)]


def by_convolution(decay: float, cells: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Whole numbers, and the chance of each in one cell, given that all cells add up to 0."""
    reach = math.ceil(40 / decay)
    t = np.arange(-reach, reach + 1)
    one = np.exp(-decay * np.abs(t))
    others = np.array([1.0])
    for _ in range(cells - 1):
        others = np.convolve(others, one)
    middle = others.size // 2
    width = min(reach, middle)
    together = np.zeros(t.size)
    together[reach - width : reach + width + 1] = others[middle - width : middle + width + 1]
    chances = one * together
    return t, chances / chances.sum()


@pytest.mark.parametrize(("decay", "cells"), CASES)
def test_the_law_of_a_cell_is_that_of_the_convolution(decay: float, cells: int) -> None:
    t, chances = by_convolution(decay, cells)
    law = BalancedLaw(decay, cells)
    assert law.variance == pytest.approx(float(chances @ t**2), rel=1e-11)
    assert law.mean_size == pytest.approx(float(chances @ np.abs(t)), rel=1e-11)
    inside = [float(chances[np.abs(t) <= law.half_width + by].sum()) for by in (-1, 0)]
    assert inside[0] < 0.95 <= inside[1]
    logs = law.log_chances(t.astype(np.float64))
    seen = chances > 1e-12
    assert np.ptp((logs - np.log(np.maximum(chances, 1e-300)))[seen]) < 1e-9


def test_the_convolution_is_that_of_all_tables() -> None:
    decay, reach = 1.5, 22
    free = np.array(list(product(range(-reach, reach + 1), repeat=3)))
    z = np.column_stack([free, -free.sum(axis=1)])
    weights = np.exp(-decay * np.abs(z).sum(axis=1))
    weights /= weights.sum()
    t, chances = by_convolution(decay, 4)
    for place in range(4):
        assert weights @ z[:, place] ** 2 == pytest.approx(chances @ t**2, rel=1e-9)
    covariance = float(weights @ (z[:, 0] * z[:, 3]))
    assert covariance == pytest.approx(-BalancedLaw(decay, 4).variance / 3, rel=1e-9)


@pytest.mark.parametrize("cells", [2, 4, 10, 100, MOST_CELLS])
def test_small_decays_have_one_shape(cells: int) -> None:
    """The closed form of the variance has no grid; the other numbers do, below 2^-7."""
    near, far = BalancedLaw(2.0**-7, cells), BalancedLaw(1e-9, cells)
    assert far.variance * 1e-18 / 2 == pytest.approx(variance_share(cells), rel=1e-9)
    assert far.mean_size * 1e-9 == pytest.approx(near.mean_size * 2.0**-7, rel=1e-9)
    assert far.half_width * 1e-9 == pytest.approx((near.half_width + 0.5) * 2.0**-7, rel=5e-3)
    points = np.array([0.0, 1e8, 1e9, 2e10])
    assert np.ptp(far.log_chances(points) - near.log_chances(points / 1e9 * 128)) < 1e-3


def test_the_shares_of_the_variance() -> None:
    """A known total alone leaves 1 − 1/K; the rest is what this noise saves."""
    assert [round(variance_share(k), 3) for k in (1, 2, 4, 10)] == [0, 0.25, 0.525, 0.777]
    gains = [(1 - 1 / k) / variance_share(k) for k in (2, 4, 10, MOST_CELLS)]
    assert gains == pytest.approx([2, 10 / 7, 22 / 19, 1 + 3 / 511])
    one = BalancedLaw(0.5, 1)
    assert (one.variance, one.mean_size, one.half_width) == (0, 0, 0)
    assert one.log_chances(np.array([0.0, 1.0])).tolist() == [0, -math.inf]


def tables(n: int, cells: int) -> list[tuple[int, ...]]:
    return [t for t in product(range(n + 1), repeat=cells) if sum(t) == n]


def losses(one: tuple[int, ...], other: tuple[int, ...], reach: int) -> list[float]:
    """log P(y | one) / P(y | other) in units of the decay, over noisy tables y of both totals."""

    def size(y: tuple[int, ...], x: tuple[int, ...]) -> float:
        return sum(abs(a - b) for a, b in zip(y, x, strict=True)) if sum(y) == sum(x) else math.inf

    found: list[float] = []
    for y in product(range(-reach, reach + 1), repeat=len(one)):
        of_one, of_other = size(y, one), size(y, other)
        if of_one < math.inf:
            found.append(of_other - of_one)
    return found


@pytest.mark.parametrize(("n", "cells"), [(2, 2), (3, 3), (2, 4)])
def test_a_replaced_row_costs_twice_the_decay_over_all_tables(n: int, cells: int) -> None:
    """The constants of the two laws are the same: z → z + x maps one lattice to the other."""
    worst = 0.0
    for one in tables(n, cells):
        for a, b in product(range(cells), repeat=2):
            if one[a] and a != b:
                other = tuple(c - (k == a) + (k == b) for k, c in enumerate(one))
                worst = max(worst, *losses(one, other, n + 1))
    assert worst == 2


def test_a_row_more_or_less_is_never_hidden() -> None:
    """So this noise is for totals that are public, and only for those."""
    assert set(losses((1, 1), (1, 0), 4)) == {math.inf}
