"""The estimate of a count: the mean by brute force, and no designed mechanism is better."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import noisewright as nw
from noisewright.models.counts import expected_counts
from noisewright.synthetic.steps.noise import Noise


def prior(rows: int, cells: int) -> list[Fraction]:
    """P(c) when each table of `rows` rows in `cells` cells is equally likely."""
    tables = math.comb(rows + cells - 1, cells - 1)
    return [Fraction(math.comb(rows - c + cells - 2, cells - 2), tables) for c in range(rows + 1)]


@pytest.mark.parametrize(
    "noise",
    [Noise(Fraction(1), "epsilon", 2), Noise(Fraction(1, 8), "rho", 2)],
    ids=["geometric", "normal"],
)
@pytest.mark.parametrize(("rows", "shape"), [(7, (2, 2)), (12, (3, 5)), (40, (1, 2))])
def test_it_is_the_mean_given_the_noisy_count(
    noise: Noise, rows: int, shape: tuple[int, int]
) -> None:
    cells = math.prod(shape)
    noisy = np.linspace(-3, rows + 3, cells).astype(np.int64).reshape(shape)
    found = expected_counts(noisy, noise, rows=rows)
    for z, mean in zip(noisy.flat, found.flat, strict=True):
        if noise.unit == "epsilon":
            chance = [math.exp(-0.5 * abs(int(z) - c)) for c in range(rows + 1)]
        else:
            chance = [math.exp(-((int(z) - c) ** 2) / 16) for c in range(rows + 1)]
        weights = [float(p) * q for p, q in zip(prior(rows, cells), chance, strict=True)]
        wanted = sum(c * w for c, w in enumerate(weights)) / sum(weights)
        assert mean == pytest.approx(wanted, abs=1e-9)


def tables(rows: int, cells: int) -> NDArray[np.int64]:
    every = np.array(list(product(range(rows + 1), repeat=cells)))
    return every[every.sum(axis=1) == rows]


@pytest.mark.parametrize(("rows", "cells"), [(9, 2), (6, 3), (4, 4)])
def test_with_noise_that_adds_up_to_0_it_is_the_mean_over_all_tables(rows: int, cells: int) -> None:
    """Every table and every noise that adds up to 0, of which one cell is seen."""
    noise = Noise(Fraction(3), "epsilon", 2).on(cells)
    reach = 22 if cells < 4 else 11
    free = np.array(list(product(range(-reach, reach + 1), repeat=cells - 1)))
    z = np.column_stack([free, -free.sum(axis=1)])
    weights = np.exp(-1.5 * np.abs(z).sum(axis=1))
    seen = np.array([-2, 0, 1, rows - 1, rows + 2])
    means: list[float] = []
    for value in seen:
        mass = total = 0.0
        for table in tables(rows, cells):
            chance = float(weights[z[:, 0] == value - table[0]].sum())
            mass, total = mass + chance, total + chance * table[0]
        means.append(total / mass)
    for value, mean in zip(seen.tolist(), means, strict=True):
        noisy = np.zeros(cells, dtype=np.int64)
        noisy[0] = value
        assert expected_counts(noisy, noise, rows=rows)[0] == pytest.approx(mean, rel=1e-4)


@pytest.mark.parametrize("unit", ["epsilon", "rho"])
def test_rows_of_a_person_count_in_the_noise(unit: Any) -> None:
    """Noise for three rows is that of a third of the part, or of a ninth."""
    noisy = np.array([-3, 4, 11, 8])
    several = Noise(Fraction(1, 2), unit, 2, rows_per_person=3)
    alone = Noise(Fraction(1, 6 if unit == "epsilon" else 18), unit, 2)
    found, wanted = (expected_counts(noisy, noise, rows=20) for noise in (several, alone))
    assert found == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(("rows", "cells"), [(5, 4), (9, 6), (12, 3)])
def test_no_designed_mechanism_is_better(rows: int, cells: int) -> None:
    """Geometric noise, relabeled to the nearest whole number, is the best design under L2."""
    weights = prior(rows, cells)
    decay = Fraction(2, 5)
    noise = Noise(2 * decay, "epsilon", 2)
    # The noise beyond the ends says no more than the ends do, so clamping loses nothing.
    mechanism = nw.geometric(nw.Counts(rows), epsilon=decay)
    outputs = np.zeros((rows + 1, cells), dtype=np.int64)
    outputs[:, 0] = np.arange(rows + 1)
    means = np.array([expected_counts(row, noise, rows=rows)[0] for row in outputs])
    errors = (np.arange(rows + 1)[:, None] - means[None, :]) ** 2
    rounded = (np.arange(rows + 1)[:, None] - np.rint(means)[None, :]) ** 2
    chances = np.array(mechanism.matrix)
    p = np.array([float(w) for w in weights])
    ours, whole = (float(p @ (chances * loss).sum(axis=1)) for loss in (errors, rounded))
    best = nw.design(nw.Counts(rows), epsilon=decay, loss="L2", prior=weights)
    assert ours <= whole
    assert whole == pytest.approx(float(best.loss), rel=1e-6)
    assert ours < float(best.loss)


def test_large_tables_are_weighed_on_a_grid() -> None:
    """With a flat prior nearby the mean is the count; beyond the end it is near the end."""
    noise = Noise(Fraction(1, 50), "epsilon", 2)
    noisy = np.array([-5_000, 3_000_000, 5_999_000, 0, 12, 40, 10, 8])
    found = expected_counts(noisy, noise, rows=6_000_000)
    assert found[1] == pytest.approx(3_000_000, abs=1)
    assert 0 < found[0] < 110
    assert 50 < found[3] < 110


def test_one_cell_holds_everybody() -> None:
    noise = Noise(Fraction(1), "epsilon", 2)
    assert expected_counts(np.array([[3]]), noise, rows=9).tolist() == [[9.0]]


@pytest.mark.parametrize(("rows", "cells"), [(4, 4), (7, 2), (8, 6)])
@pytest.mark.parametrize("alpha", [0.9, 0.6, 0.2])
def test_no_mechanism_with_any_answers_is_better(rows: int, cells: int, alpha: float) -> None:
    """A linear program over every mechanism whose answers are ours or on a fine grid."""
    counts = np.arange(rows + 1.0)
    p = np.array([float(w) for w in prior(rows, cells)])
    noise = Noise(2 * Fraction(-math.log(alpha)), "epsilon", 2)
    asked = np.zeros((rows + 1, cells), dtype=np.int64)
    asked[:, 0] = np.arange(rows + 1)
    means = np.array([expected_counts(row, noise, rows=rows)[0] for row in asked])
    law = np.array(nw.geometric(nw.Counts(rows), alpha=alpha).matrix)
    ours = float(p @ (law * (counts[:, None] - means) ** 2).sum(axis=1))
    answers = np.unique(np.concatenate([np.linspace(0, rows, 4 * rows + 1), means]))
    assert _least_loss(p[:, None] * (counts[:, None] - answers) ** 2, alpha) == pytest.approx(
        ours, abs=1e-6
    )


def _least_loss(costs: NDArray[np.float64], alpha: float) -> float:
    """Return the least expected cost of a mechanism with α P(y|x) ≤ P(y|x ± 1)."""
    from scipy.optimize import linprog

    inputs, outputs = costs.shape
    near = [(a, b) for a in range(inputs) for b in (a - 1, a + 1) if 0 <= b < inputs]
    ratios = np.zeros((len(near), outputs, inputs, outputs))
    for row, (a, b) in enumerate(near):
        for y in range(outputs):
            ratios[row, y, a, y] = alpha
            ratios[row, y, b, y] = -1
    found = linprog(
        costs.ravel(),
        A_ub=ratios.reshape(-1, costs.size),
        b_ub=np.zeros(len(near) * outputs),
        A_eq=np.kron(np.eye(inputs), np.ones(outputs)),
        b_eq=np.ones(inputs),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float(found.fun)
