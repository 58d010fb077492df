"""Properties for any outputs on a line, straight from the words and without our code.

An inequality is a list of (input, output, coefficient) and a limit: the sum is at most the limit,
or equal to it. The same list goes into a plain linear program and is checked on integers.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import linprog

Terms = list[tuple[int, int, Any]]
Line = list[Fraction]


def statements(
    code: str, inputs: Line, outputs: Line, ratio: Any
) -> Iterator[tuple[Terms, Any, bool]]:
    """Every (terms, limit, whether it is an equation) that a property consists of."""
    at = {value: y for y, value in enumerate(outputs)}
    points, answers = list(enumerate(inputs)), list(enumerate(outputs))
    middle = inputs[0] + inputs[-1]
    for x, here in points:
        if code == "U":
            yield [(x, y, value) for y, value in answers], here, True
        if code == "WH":
            yield [(x, at[here], -1)], Fraction(-1, len(outputs)), False
        if code == "F" and x:
            yield [(x, at[here], 1), (0, at[inputs[0]], -1)], 0, True
        for y, there in answers:
            if code == "CH":
                yield [(x, y, 1), (x, at[here], -1)], 0, False
            if code == "S":
                mirror = at[middle - there]
                yield [(x, y, 1), (len(inputs) - 1 - x, mirror, -1)], 0, True
            if code == "OD" and y + 1 < len(outputs):
                yield [(x, y, 1), (x, y + 1, -ratio)], 0, False
                yield [(x, y + 1, 1), (x, y, -ratio)], 0, False
            for z, between in answers:
                if code == "CM" and (here <= between < there or there < between <= here):
                    yield [(x, y, 1), (x, z, -1)], 0, False
            for z, between in points:
                if code == "RH" and between == there:
                    yield [(x, y, 1), (z, y, -1)], 0, False
                if code == "RM" and (there <= between < here or here < between <= there):
                    yield [(x, y, 1), (z, y, -1)], 0, False


def holds(code: str, table: Any, inputs: Line, outputs: Line, ratio: Any) -> bool:
    """Whether the integers of a table have a property; `ratio` is rational."""
    for terms, limit, equal in statements(code, inputs, outputs, ratio):
        found = sum(Fraction(table.weights[x, y]) * c for x, y, c in terms)
        if found > limit * table.total or (equal and found != limit * table.total):
            return False
    return True


def optimum(
    costs: Any,
    inputs: Line,
    outputs: Line,
    *,
    ratio: float,
    delta: float = 0.0,
    goal: str = "expected",
    prior: Any = None,
    properties: Any = (),
    pairs: Any = None,
) -> float | None:
    """The least loss by scipy's HiGHS; None if there is no mechanism at all."""
    m, k = len(inputs), len(outputs)
    rows: dict[bool, list[tuple[dict[int, float], float]]] = {True: [], False: []}
    columns = m * k
    for x in range(m):
        rows[True].append(({x * k + y: 1.0 for y in range(k)}, 1.0))
    near = [(x, x + 1) for x in range(m - 1)] if pairs is None else pairs
    for a, b in [*near, *((b, a) for a, b in near)]:
        if delta == 0:
            for y in range(k):
                rows[False].append(({a * k + y: 1.0, b * k + y: -ratio}, 0.0))
            continue
        for y in range(k):
            rows[False].append(({a * k + y: 1.0, b * k + y: -ratio, columns + y: -1.0}, 0.0))
        rows[False].append(({columns + y: 1.0 for y in range(k)}, delta))
        columns += k
    for code in properties:
        for terms, limit, equal in statements(code, inputs, outputs, ratio):
            row: dict[int, float] = {}
            for x, y, c in terms:
                row[x * k + y] = row.get(x * k + y, 0.0) + float(c)
            rows[equal].append((row, float(limit)))
    weights = [1 / m] * m if prior is None else [float(w) for w in prior]
    objective = [float(weights[x] * costs[x][y]) for x in range(m) for y in range(k)]
    objective += [0.0] * (columns - m * k)
    if goal == "worst":
        for x in range(m):
            row = {x * k + y: float(costs[x][y]) for y in range(k)}
            rows[False].append(({**row, columns: -1.0}, 0.0))
        objective = [0.0] * columns + [1.0]
        columns += 1

    def dense(equal: bool) -> tuple[Any, Any]:
        matrix = np.zeros((len(rows[equal]), columns))
        for number, (row, _) in enumerate(rows[equal]):
            for column, value in row.items():
                matrix[number, column] = value
        return matrix, [limit for _, limit in rows[equal]]

    (under, most), (same, to) = dense(False), dense(True)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    answer = linprog(objective, under, most, same, to, method="highs", options=tight)
    if answer.status == 2:
        return None
    assert answer.status == 0, answer.message
    return float(answer.fun)


def smallest_conflicts(
    inputs: Line, outputs: Line, *, epsilon: float, delta: float, properties: list[str]
) -> list[set[str]]:
    """All smallest sets of properties that no mechanism has together; empty if none conflict."""
    nothing = [[0] * len(outputs)] * len(inputs)
    for size in range(1, len(properties) + 1):
        found = [
            set(chosen)
            for chosen in combinations(properties, size)
            if optimum(
                nothing, inputs, outputs, ratio=math.exp(epsilon), delta=delta, properties=chosen
            )
            is None
        ]
        if found:
            return found
    return []
