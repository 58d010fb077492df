"""Section 8: a table released as a whole, against one mechanism for each of its cells.

The number of people n is public, so the cells of a table add up to n, and a person who is replaced
moves from one cell to another. One mechanism for each cell knows nothing of that. Noise z on all
cells with P(z) ∝ e^(−ε|z|₁/2) over whole numbers that add up to 0 does: it is two-sided geometric
noise given that its sum is 0. A replaced person changes |z|₁ by 2 at most, so it is ε-private, with
the decay that independent noise has; and it is smaller.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

import noisewright as nw
from papers.claims import Claim, Grid, Setting, judge

Array = NDArray[np.float64]
Table = tuple[int, ...]


def tables(n: int, cells: int) -> list[Table]:
    """List all tables of n people."""
    if cells == 1:
        return [(n,)]
    return [(first, *rest) for first in range(n + 1) for rest in tables(n - first, cells - 1)]


def moves(listed: list[Table]) -> list[tuple[int, int]]:
    """List the ordered pairs of tables between which one person moves."""
    place = {table: code for code, table in enumerate(listed)}
    found: list[tuple[int, int]] = []
    for table, code in place.items():
        for a, b in product(range(len(table)), repeat=2):
            if a != b and table[a]:
                moved = tuple(c - (k == a) + (k == b) for k, c in enumerate(table))
                found.append((code, place[moved]))
    return found


def least_error(law: Array, listed: list[Table]) -> tuple[float, Array]:
    """Return the least mean squared error, summed over cells, and the estimate that has it.

    `law` has a row of probabilities for each table; all tables are equally likely. The estimate
    is the mean given the output.
    """
    points = np.array(listed, dtype=float)
    joint = law / len(points)
    mass = joint.sum(axis=0)
    means = joint.T @ points / np.where(mass > 0, mass, 1)[:, None]
    error = (points**2).sum() / len(points) - (mass * (means**2).sum(axis=1)).sum()
    return float(error), means


def _cell_law(n: int, epsilon: Fraction) -> Array:
    """Geometric noise of half the ε, moved into 0..n, which loses nothing about a cell."""
    return np.asarray(nw.geometric(nw.Counts(n), epsilon=epsilon / 2).matrix)


def cell_by_cell(n: int, cells: int, epsilon: Fraction) -> float:
    """The best mechanism for each cell at half of ε, and the best estimate from that cell alone."""
    law = _cell_law(n, epsilon)
    listed = tables(n, cells)
    prior = np.bincount([table[0] for table in listed], minlength=n + 1) / len(listed)
    joint = prior[:, None] * law
    counts = np.arange(n + 1.0)
    means = counts @ joint / joint.sum(axis=0)
    return cells * float((joint * (counts[:, None] - means) ** 2).sum())


def independent(n: int, cells: int, epsilon: Fraction) -> float:
    """The same noise, and the best estimate from all noisy cells together."""
    law = _cell_law(n, epsilon)
    listed = tables(n, cells)
    whole = np.array([reduce(np.kron, [law[count] for count in table]) for table in listed])
    return least_error(whole, listed)[0]


def balanced_law(n: int, cells: int, epsilon: Fraction, reach: int) -> Array:
    """Noise that adds up to 0: a row for each table, a column for each noisy table."""
    some = np.array(list(product(range(-reach, reach + 1), repeat=cells - 1)))
    outputs = np.column_stack([some, n - some.sum(axis=1)])
    far = np.array([np.abs(outputs - np.array(table)).sum(axis=1) for table in tables(n, cells)])
    law = np.exp(-float(epsilon) / 2 * far)
    return law / law.sum(axis=1, keepdims=True)


def designed(n: int, cells: int, epsilon: Fraction, *, rounds: int = 2) -> float:
    """The best mechanism on whole tables, by linear programs over finer and finer answers.

    Each round adds the best estimates found as possible answers; what is returned is attained.
    """
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    listed = tables(n, cells)
    pairs = np.array(moves(listed))
    points = np.array(listed, dtype=float)
    answers = np.array(tables(2 * n, cells), dtype=float) / 2
    best = math.inf
    for _ in range(rounds):
        inputs, outputs = len(points), len(answers)
        costs = ((points[:, None] - answers) ** 2).sum(axis=2) / inputs
        one, other = (
            (pairs[:, side, None] * outputs + np.arange(outputs)).ravel() for side in (0, 1)
        )
        rows = np.arange(one.size)
        ratios = coo_matrix(
            (
                np.repeat([1.0, -math.exp(epsilon)], one.size),
                (np.tile(rows, 2), np.concatenate([one, other])),
            ),
            shape=(one.size, inputs * outputs),
        )
        sums = coo_matrix(
            (
                np.ones(inputs * outputs),
                (np.repeat(np.arange(inputs), outputs), np.arange(inputs * outputs)),
            ),
            shape=(inputs, inputs * outputs),
        )
        found = linprog(
            costs.ravel(),
            A_ub=ratios.tocsr(),
            b_ub=np.zeros(one.size),
            A_eq=sums.tocsr(),
            b_eq=np.ones(inputs),
            method="highs",
        )
        law = found.x.reshape(inputs, outputs)
        error, means = least_error(law, listed)
        best = min(best, error)
        answers = np.unique(np.vstack([answers, means[law.sum(axis=0) > 1e-9].round(9)]), axis=0)
    return best


def balanced_variance(cells: int, decay: float) -> float:
    """The variance of one cell's noise, if the noise of all cells adds up to 0.

    Each z is a difference of two geometric numbers; both kinds have the same sum s, with weights
    C(s + K − 1, K − 1)² e^(−2s·decay), and given s every composition of it is equally likely.
    """
    sums = range(int(2 * (60 + cells) / decay))
    logs = np.array(
        [
            2 * (math.lgamma(s + cells) - math.lgamma(s + 1) - math.lgamma(cells)) - 2 * decay * s
            for s in sums
        ]
    )
    weights = np.exp(logs - logs.max())
    s = np.array(sums, dtype=float)
    spread = 2 * s * (cells - 1) * (s + cells) / (cells**2 * (cells + 1))
    return float(weights @ spread / weights.sum())


def section_8_whole(setting: Setting) -> Claim:
    """Better than any mechanism for each cell: noise that adds up to zero."""
    cases = setting.pick(
        [(4, 2, "1"), (8, 2, "1"), (4, 3, "1/2"), (4, 3, "1"), (4, 3, "2"), (3, 4, "1")],
        [(4, 2, "1"), (3, 3, "1")],
    )
    rows: list[list[object]] = []
    private = better = True
    nearest: list[float] = []
    saved: list[float] = []
    for n, cells, text in cases:
        epsilon = Fraction(text)
        law = balanced_law(n, cells, epsilon, round(30 / epsilon) if cells < 4 else 30)
        listed = tables(n, cells)
        worst = max(float((law[a] / law[b]).max()) for a, b in moves(listed))
        # The sum over outputs is cut off far away, where tables differ by less than this.
        private &= worst <= math.exp(epsilon) * (1 + 1e-5)
        ours = cell_by_cell(n, cells, epsilon)
        whole, found = least_error(law, listed)[0], designed(n, cells, epsilon)
        better &= found <= whole + 1e-7 and whole < ours
        nearest.append(whole / found)
        saved.append(1 - whole / ours)
        rows.append([n, cells, text, ours, independent(n, cells, epsilon), whole, found])
    sizes = (2, 3, 4, 6, 10, 30, 100)
    plain = 1 / (2 * math.sinh(0.025) ** 2)
    share = {cells: balanced_variance(cells, 0.05) / plain for cells in sizes}
    return Claim(
        "Section 8",
        "mechanisms tuned to the application",
        "Generic mechanisms for counts do not give good results under tighter privacy; novel ones, "
        "more directly tuned to the application, are needed.",
        "The table of a group is an application to tune to: all tables of n people are equally "
        "likely, the loss is the squared error of all cells, and neighbors replace one person. The "
        "best mechanism for each cell at ε/2 is GM with a relabeling (Ghosh, Roughgarden and "
        "Sundararajan). But the cells add up to n, and a linear program over whole tables finds "
        "mechanisms with less error. Geometric noise given "
        "that it adds up to 0 has the same decay and is as private, since a replaced person moves "
        f"it by 2 in L1 at most; it has {min(saved):.0%} to {max(saved):.0%} less error than cell "
        f"by cell, and is {max(nearest) - 1:.1%} above the program's optimum at most "
        f"({min(nearest) - 1:.1%} at two cells). "
        "For large tables the variance of a cell is "
        + ", ".join(f"{part:.0%} (K = {cells})" for cells, part in share.items())
        + " of that of independent noise; subtracting the excess afterwards would leave 1 − 1/K.",
        judge(better and private, more=max(nearest) < 1.1),
        "Where n is public, draw the noise of a table so that it adds up to 0, as synthetic tables "
        "and models here do.",
        grids=(
            Grid(
                "Mean squared error, summed over the cells; the last is a linear program",
                (
                    *("n", "cells", "ε", "cell by cell"),
                    *("best estimate from all cells", "noise adds up to 0", "best of all"),
                ),
                rows,
            ),
        ),
        numbers={
            "two_cells": nearest[0],
            "saved_least": min(saved),
            **{f"variance_{cells}": part for cells, part in share.items()},
        },
    )


CLAIMS = {"section-8-whole": section_8_whole}
