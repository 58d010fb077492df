"""Noise that adds up to 0: its law against lists of all tables, and what it gives away."""

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.sampling import SeededSource
from noisewright.spaces import Counts, Records
from noisewright.synthetic.steps.balanced_law import MOST_CELLS, BalancedLaw, variance_share
from noisewright.synthetic.steps.noise import MARGINAL, QUERY, Noise
from noisewright.synthetic.steps.noisy_steps import NoisySteps
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.steps.schedule import Schedule, counting
from noisewright.synthetic.tallies import Tallies

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
    inside = [float(chances[np.abs(t) <= law.half_width() + by].sum()) for by in (-1, 0)]
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
    """Variance and mean have closed forms; the other numbers have a grid, below 2^-5."""
    near, far = BalancedLaw(2.0**-7, cells), BalancedLaw(1e-9, cells)
    assert far.variance * 1e-18 / 2 == pytest.approx(variance_share(cells), rel=1e-9)
    assert far.mean_size * 1e-9 == pytest.approx(near.mean_size * 2.0**-7, rel=1e-4)
    points = np.array([0.0, 1e8, 1e9, 2e10])
    logs = far.log_chances(points) - near.log_chances(points / 1e9 * 128)
    assert np.ptp(logs) < 1e-3


@pytest.mark.parametrize("decay", [0.031, 0.02])
@pytest.mark.parametrize("cells", [2, 3, 9])
def test_intervals_of_small_decays_hold_what_they_say(cells: int, decay: float) -> None:
    t, chances = by_convolution(decay, cells)
    inside = float(chances[np.abs(t) <= BalancedLaw(decay, cells).half_width()].sum())
    assert 0.95 <= inside < 0.954


def test_the_shares_of_the_variance() -> None:
    """A known total alone leaves 1 − 1/K; the rest is what this noise saves."""
    assert [round(variance_share(k), 3) for k in (1, 2, 4, 10)] == [0, 0.25, 0.525, 0.777]
    gains = [(1 - 1 / k) / variance_share(k) for k in (2, 4, 10, MOST_CELLS)]
    assert gains == pytest.approx([2, 10 / 7, 22 / 19, 1 + 3 / 511])
    one = BalancedLaw(0.5, 1)
    assert (one.variance, one.mean_size, one.half_width()) == (0, 0, 0)
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


def histograms(rows: int, cells: int) -> list[tuple[int, ...]]:
    """Counts of all ways to have from one to so many rows."""
    return [
        tuple(chosen.count(cell) for cell in range(cells))
        for size in range(1, rows + 1)
        for chosen in combinations_with_replacement(range(cells), size)
    ]


def test_persons_with_several_rows_get_independent_noise() -> None:
    """All rows of a person are replaced, by fewer too: independent noise hides it at its price.

    Noise that adds up to 0 would not, since the total tells. So it is not made for them, although
    how many rows of each person count is said to be public.
    """
    amount, cells = Fraction(1), 2
    noise = RunBudget.of(amount, rows_per_person=2).noise(amount, MARGINAL).on(cells)
    assert noise.balanced_cells is None
    decay = noise.scale
    worst, kept = Fraction(0), 0.0
    for one, other in product(histograms(2, cells), repeat=2):
        gaps = [
            max(abs(y - b) - abs(y - a) for y in range(-1, 4))
            for a, b in zip(one, other, strict=True)
        ]
        worst = max(worst, decay * sum(gaps))
        kept = max(kept, *losses(one, other, 3))
    assert worst == amount
    assert kept == math.inf
    with pytest.raises(ParameterError, match="one row for each person"):
        Noise(amount, "epsilon", MARGINAL, 2, balanced_cells=cells)


@pytest.mark.parametrize(("unit", "change"), [("rho", MARGINAL), ("epsilon", QUERY)])
def test_other_noise_never_adds_up(unit: Any, change: int) -> None:
    noise = Noise(Fraction(1), unit, change)
    assert noise.on(4) == noise
    with pytest.raises(ParameterError, match="other totals are not the same"):
        Noise(Fraction(1), unit, change, balanced_cells=4)


@pytest.mark.parametrize("cells", [1, 2, MOST_CELLS, MOST_CELLS + 1])
def test_the_cells_decide_and_nothing_else(cells: int) -> None:
    noise = Noise(Fraction(1, 3), "epsilon", MARGINAL)
    drawn = noise.on(cells).draw(cells, SeededSource(4))
    assert (noise.on(cells).balanced_cells is None) == (cells > MOST_CELLS)
    assert (drawn.sum() == 0) == (cells <= MOST_CELLS)
    if cells <= MOST_CELLS:
        with pytest.raises(ParameterError, match="would not add up"):
            noise.on(cells).draw(cells + 1, None)


@pytest.mark.parametrize("cells", [2, 5, MOST_CELLS])
def test_sums_of_cells_are_as_spread_as_their_covariances_say(cells: int) -> None:
    """Each two cells have the same covariance, and all of them together are never off."""
    noise = Noise(Fraction(1, 2), "epsilon", MARGINAL).on(cells)
    variance = noise.deviation**2
    covariance = -variance / (cells - 1)
    for added in {1, cells // 2, cells - 1, cells}:
        by_parts = added * variance + added * (added - 1) * covariance
        assert noise.variance_of_sum(added) == pytest.approx(by_parts, abs=1e-9)
    free = noise.fit_deviation**2
    assert free * (1 - 1 / cells) == pytest.approx(variance)
    assert -free / cells == pytest.approx(covariance)


def test_counts_of_another_total_are_refused_before_anything_is_drawn() -> None:
    domain = Records(a=Counts(1))
    tallies = Tallies.of([{"a": np.array([0, 1, 1])}], domain, [("a",)])
    whole = RunBudget.of(1)
    steps = NoisySteps(
        tallies, Schedule(whole, (counting(whole, "counts of a", whole.total),)), SeededSource(1)
    )
    with pytest.raises(ParameterError, match="do not add up to the number of rows"):
        steps.count(("a",), np.array([1, 1]))
    assert not steps.spends
    assert steps.count(("a",), tallies.counts["a",]).counts.sum() == 3
