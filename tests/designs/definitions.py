"""The design problem once more, straight from the definitions and without our code.

Rows are inputs. The program goes to scipy as a plain linear program over all entries, with no
symmetry used and no row dropped; properties of tables are checked entry by entry on integers.
"""

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_matrix

CODES = ("RH", "RM", "CH", "CM", "F", "WH", "S")


def path(size: int) -> list[tuple[int, int]]:
    return [(x, x + 1) for x in range(size - 1)]


def everyone(size: int) -> list[tuple[int, int]]:
    return [(a, b) for a in range(size) for b in range(a)]


def named_costs(name: str, size: int) -> list[list[int]]:
    away = [[abs(x - y) for y in range(size)] for x in range(size)]
    if name == "L1":
        return away
    if name == "L2":
        return [[d * d for d in row] for row in away]
    limit = int(name[3:]) if name.startswith("L0,") else 0
    return [[int(d > limit) for d in row] for row in away]


class _Rows:
    def __init__(self) -> None:
        self.row: list[int] = []
        self.column: list[int] = []
        self.value: list[float] = []
        self.limit: list[float] = []

    def add(self, terms: list[tuple[int, float]], limit: float = 0.0) -> None:
        for column, value in terms:
            self.row.append(len(self.limit))
            self.column.append(column)
            self.value.append(value)
        self.limit.append(limit)

    def matrix(self, columns: int) -> Any:
        shape = (len(self.limit), columns)
        return coo_matrix((self.value, (self.row, self.column)), shape=shape).tocsr()


def optimum(
    costs: Any,
    pairs: list[tuple[int, int]],
    *,
    ratio: float,
    delta: float = 0.0,
    goal: str = "expected",
    prior: Any = None,
    properties: Any = (),
    distance: Any = None,
) -> float:
    """The least loss by scipy's HiGHS; `ratio` is e^ε, or e^(ε·distance) if there is one."""
    cost = np.array([[float(c) for c in row] for row in costs])
    inputs, outputs = cost.shape
    weights = np.full(inputs, 1 / inputs) if prior is None else np.array([float(w) for w in prior])
    under, equal = _Rows(), _Rows()
    columns = inputs * outputs

    def at(x: int, y: int) -> int:
        return x * outputs + y

    for x in range(inputs):
        equal.add([(at(x, y), 1.0) for y in range(outputs)], 1.0)
    for a, b in pairs:
        most = ratio if distance is None else ratio ** float(distance(a, b))
        for x, other in ((a, b), (b, a)):
            if delta == 0:
                for y in range(outputs):
                    under.add([(at(x, y), 1.0), (at(other, y), -most)])
                continue
            for y in range(outputs):
                under.add([(at(x, y), 1.0), (at(other, y), -most), (columns + y, -1.0)])
            under.add([(columns + y, 1.0) for y in range(outputs)], delta)
            columns += outputs
    _properties(set(properties), under, equal, at, inputs, ratio)
    objective = np.zeros(columns)
    if goal == "expected":
        objective[: inputs * outputs] = (weights[:, None] * cost).ravel()
    else:
        for x in range(inputs):
            under.add([*((at(x, y), cost[x, y]) for y in range(outputs)), (columns, -1.0)])
        columns += 1
        objective = np.append(objective, 1.0)
    answer = linprog(
        objective,
        A_ub=under.matrix(columns),
        b_ub=under.limit,
        A_eq=equal.matrix(columns),
        b_eq=equal.limit,
        bounds=(0, None),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert answer.status == 0, answer.message
    return float(answer.fun)


def _properties(
    wanted: set[str], under: _Rows, equal: _Rows, at: Any, size: int, ratio: float
) -> None:
    points = range(size)
    for i in points:
        for j in points:
            toward = j + (i > j) - (i < j)  # the input one step nearer to i
            nearer = i + (j > i) - (j < i)  # the output one step nearer to j
            if i != j:
                if "RH" in wanted:
                    under.add([(at(j, i), 1), (at(i, i), -1)])
                if "RM" in wanted:
                    under.add([(at(j, i), 1), (at(toward, i), -1)])
                if "CH" in wanted:
                    under.add([(at(j, i), 1), (at(j, j), -1)])
                if "CM" in wanted:
                    under.add([(at(j, i), 1), (at(j, nearer), -1)])
            if "S" in wanted:
                equal.add([(at(j, i), 1), (at(size - 1 - j, size - 1 - i), -1)])
            if "OD" in wanted and i + 1 < size:
                under.add([(at(j, i), 1), (at(j, i + 1), -ratio)])
                under.add([(at(j, i + 1), 1), (at(j, i), -ratio)])
        if "F" in wanted:
            equal.add([(at(i, i), 1), (at(0, 0), -1)])
        if "WH" in wanted:
            under.add([(at(i, i), -1)], -1 / size)


def has(code: str, table: Any) -> bool:
    """Whether the integers of a table have a property; OD is asked of `has_output_privacy`."""
    w, total = table.weights, table.total
    n = len(w) - 1
    every = [(i, j) for i in range(n + 1) for j in range(n + 1)]
    if code == "RH":
        return all(w[i, i] >= w[j, i] for i, j in every)
    if code == "CH":
        return all(w[j, j] >= w[j, i] for i, j in every)
    if code == "RM":
        return all(w[j, i] <= w[j + (i > j) - (i < j), i] for i, j in every)
    if code == "CM":
        return all(w[j, i] <= w[j, i + (j > i) - (j < i)] for i, j in every)
    if code == "F":
        return all(w[i, i] == w[0, 0] for i in range(n + 1))
    if code == "WH":
        return all(Fraction(w[i, i], total) >= Fraction(1, n + 1) for i in range(n + 1))
    assert code == "S"
    return all(w[j, i] == w[n - j, n - i] for i, j in every)


def has_output_privacy(table: Any, ratio: Fraction) -> bool:
    """Whether outputs next to each other differ by a rational factor at most."""
    w = table.weights
    return all(
        w[j, i] <= ratio * w[j, i + 1] and w[j, i + 1] <= ratio * w[j, i]
        for j in range(w.shape[0])
        for i in range(w.shape[1] - 1)
    )


def true_loss(table: Any, costs: Any, *, goal: str, prior: Any = None) -> Fraction:
    """The loss of a table, summed entry by entry."""
    rows = [
        sum(
            (Fraction(w, table.total) * Fraction(c) for w, c in zip(row, line, strict=True)),
            Fraction(0),
        )
        for row, line in zip(table.weights.tolist(), costs, strict=True)
    ]
    if goal == "worst":
        return max(rows)
    weights = [Fraction(1, len(rows))] * len(rows) if prior is None else prior
    return sum((Fraction(w) * r for w, r in zip(weights, rows, strict=True)), Fraction(0))
