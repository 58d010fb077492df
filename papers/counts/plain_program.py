"""The paper's linear program as it is printed, solved in floating point by SciPy.

It shares no code with `nw.design`, so it is a second opinion, and it takes what `nw.design` has
no word for: misprinted constraints, or derivability from the geometric mechanism.
Variables are P(i|j) at place j (n+1) + i.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, hstack

Row = dict[tuple[int, int], float]
"""Coefficients by (i, j): output, input."""

_OPTIONS = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


@dataclass(frozen=True)
class Answer:
    """The optimum and a matrix that attains it, rows = inputs."""

    value: float
    matrix: NDArray[np.float64]


def solve(
    n: int,
    alpha: float,
    costs: NDArray[np.float64],
    *,
    rows: Iterable[Row] = (),
    equal: Iterable[Row] = (),
    floor: float = 0.0,
    diagonal: float = 0.0,
    at_most: tuple[NDArray[np.float64], float] | None = None,
) -> Answer:
    """Minimize Σ costs[j, i] P(i|j) under BASICDP, and each given row ≤ 0 or = 0.

    `floor` is the least entry, `diagonal` the least diagonal entry. `at_most` bounds a second
    linear function of the entries.
    """
    size = n + 1
    upper: list[Row] = [*private_rows(n, alpha), *rows]
    limits = [0.0] * len(upper)
    if at_most is not None:
        weights, limit = at_most
        upper.append({(i, j): float(weights[j, i]) for i in range(size) for j in range(size)})
        limits.append(limit)
    level: list[Row] = [{(i, j): 1.0 for i in range(size)} for j in range(size)]
    sides = [1.0] * size
    for row in equal:
        level.append(row)
        sides.append(0.0)
    lowest = np.full((size, size), floor)
    np.fill_diagonal(lowest, max(floor, diagonal))
    found = linprog(
        costs.ravel(),
        A_ub=sparse(upper, n),
        b_ub=limits,
        A_eq=sparse(level, n),
        b_eq=sides,
        bounds=np.column_stack([lowest.ravel(), np.ones(size * size)]),
        method="highs-ds",
        options=_OPTIONS,
    )
    if found.status != 0:
        raise ArithmeticError(f"the plain program at n={n}, alpha={alpha} ended: {found.message}")
    return Answer(float(found.fun), np.asarray(found.x).reshape(size, size))


def sparse(rows: Sequence[Row], n: int) -> coo_array:
    where = [(r, j * (n + 1) + i) for r, row in enumerate(rows) for (i, j) in row]
    values = [value for row in rows for value in row.values()]
    across, down = zip(*where, strict=True)
    return coo_array((values, (across, down)), shape=(len(rows), (n + 1) ** 2))


def private_rows(n: int, alpha: float) -> list[Row]:
    """Return (7): neighboring inputs differ by a factor of at most 1/α."""
    return [
        {(i, near): alpha, (i, far): -1.0}
        for i in range(n + 1)
        for j in range(n)
        for near, far in ((j, j + 1), (j + 1, j))
    ]


def property_rows(codes: Iterable[str], n: int) -> tuple[list[Row], list[Row]]:
    """Return the inequalities and equations of RH, RM, CH, CM, F and S; WH is a bound."""
    unequal: list[Row] = []
    equal: list[Row] = []
    every = range(n + 1)
    for code in codes:
        if code == "RH":
            unequal += [{(i, j): 1.0, (i, i): -1.0} for i in every for j in every if i != j]
        elif code == "CH":
            unequal += [{(i, j): 1.0, (j, j): -1.0} for i in every for j in every if i != j]
        elif code == "RM":
            unequal += [{(i, j - 1): 1.0, (i, j): -1.0} for i in every for j in range(1, i + 1)]
            unequal += [{(i, j + 1): 1.0, (i, j): -1.0} for i in every for j in range(i, n)]
        elif code == "CM":
            unequal += [{(i - 1, j): 1.0, (i, j): -1.0} for j in every for i in range(1, j + 1)]
            unequal += [{(i + 1, j): 1.0, (i, j): -1.0} for j in every for i in range(j, n)]
        elif code == "F":
            equal += [{(i, i): 1.0, (0, 0): -1.0} for i in range(1, n + 1)]
        elif code == "S":
            equal += [
                {(i, j): 1.0, (n - i, n - j): -1.0}
                for i in every
                for j in every
                if (i, j) < (n - i, n - j)
            ]
    return unequal, equal


def printed_row_monotone(n: int) -> list[Row]:
    """Return row monotonicity as the proof of Theorem 2 prints it: no step at the diagonal."""
    return [
        *({(i, j - 1): 1.0, (i, j): -1.0} for i in range(n + 1) for j in range(1, i)),
        *({(i, j + 1): 1.0, (i, j): -1.0} for i in range(n + 1) for j in range(i + 1, n)),
    ]


def derivable_rows(n: int, alpha: float) -> list[Row]:
    """Return Gupte and Sundararajan's test: (1 + α²) P(i|j) ≥ α (P(i|j−1) + P(i|j+1))."""
    return [
        {(i, j - 1): alpha, (i, j + 1): alpha, (i, j): -(1 + alpha * alpha)}
        for i in range(n + 1)
        for j in range(1, n)
    ]


def optimum(
    n: int,
    alpha: float,
    costs: NDArray[np.float64],
    codes: Iterable[str] = (),
    *,
    derivable: bool = False,
) -> Answer:
    """Minimize a cost under properties of the paper, and on demand derivability from GM."""
    codes = frozenset(codes)
    unequal, equal = property_rows(codes, n)
    if derivable:
        unequal += derivable_rows(n, alpha)
    honest = 1 / (n + 1) if "WH" in codes else 0.0
    return solve(n, alpha, costs, rows=unequal, equal=equal, diagonal=honest)


def worst(n: int, alpha: float, costs: NDArray[np.float64], *, derivable: bool = False) -> float:
    """Minimize the largest Σ_i costs[j, i] P(i|j) over the inputs j, under BASICDP."""
    size = n + 1
    rows = private_rows(n, alpha) + (derivable_rows(n, alpha) if derivable else [])
    rows += [{(i, j): float(costs[j, i]) for i in range(size)} for j in range(size)]
    # The last variable is the bound on all of them.
    above = np.zeros((len(rows), 1))
    above[-size:] = -1
    sums = [{(i, j): 1.0 for i in range(size)} for j in range(size)]
    found = linprog(
        [*[0.0] * size**2, 1.0],
        A_ub=hstack([sparse(rows, n), above]),
        b_ub=np.zeros(len(rows)),
        A_eq=hstack([sparse(sums, n), np.zeros((size, 1))]),
        b_eq=np.ones(size),
        bounds=(0, None),
        method="highs-ds",
        options=_OPTIONS,
    )
    if found.status != 0:
        raise ArithmeticError(f"the worst-case program at n={n}, alpha={alpha}: {found.message}")
    return float(found.fun)
