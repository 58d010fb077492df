"""Structural properties by their definitions, and the least loss of all by a linear program."""

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.optimize import linprog

from tests.mutants.unit_truth import SENTENCE, UNIT, UntrueError, changes

BOUND = re.compile(r"Its (\S+) loss is (\S+); nothing with this (.*) has one below (\S+)\.")


def require_properties(document: Any, proved: tuple[str, ...]) -> None:
    """Each property that is said to hold holds; i is an output and j an input."""
    weights = [[int(w, 16) for w in row] for row in document["mechanism"].get("weights", [])]
    last = len(weights) - 1
    every = range(last + 1)
    for line in proved:
        if not line.startswith("Property "):
            continue
        code = line.split()[1]
        rules = {
            "RH": lambda i, j: weights[i][i] >= weights[j][i],
            "CH": lambda i, j: weights[j][j] >= weights[j][i],
            "RM": lambda i, j: (
                j in (i, 0 if j < i else last)
                or weights[j][i] >= weights[j + (1 if j > i else -1)][i]
            ),
            "CM": lambda i, j: (
                i in (j, 0 if i < j else last)
                or weights[j][i] >= weights[j][i + (1 if i > j else -1)]
            ),
            "F": lambda i, j: weights[i][i] == weights[j][j],
            "WH": lambda i, j: Fraction(weights[i][i], sum(weights[i])) >= Fraction(1, last + 1),
            "S": lambda i, j: weights[j][i] == weights[last - j][last - i],
        }
        if not all(rules[code](i, j) for i in every for j in every):
            raise UntrueError(f"it has not the property {code}")


def require_bound(document: Any, proved: tuple[str, ...]) -> None:
    """No private mechanism with the asked properties has a loss below the bound."""
    said = next((match for line in proved if (match := BOUND.fullmatch(line))), None)
    promise = SENTENCE.fullmatch(proved[-1])
    if said is None or promise is None or promise[1]:
        return
    unit = UNIT.fullmatch(promise[4])
    assert unit is not None
    best, mechanism = document["claims"]["optimality"], document["mechanism"]
    loss = np.array([[float(Fraction(c)) for c in row] for row in best["loss"]])
    size, outputs = loss.shape
    pairs = list(changes(unit, document["neighbors"], size))
    rows: list[Any] = []
    limits: list[float] = []
    ways = [(x, z, far) for i, j, far in pairs for x, z, far in ((i, j, far), (j, i, far))]
    count = size * outputs
    spare = count + len(ways) * outputs  # the excess of each output, and the worst loss
    for place, (x, z, far) in enumerate(ways):
        power = float((Decimal(promise[2]) * far).exp())
        for y in range(outputs):
            row = np.zeros(spare + 1)
            row[x * outputs + y], row[z * outputs + y] = 1.0, -power
            row[count + place * outputs + y] = -1.0
            rows.append(row)
            limits.append(0.0)
        row = np.zeros(spare + 1)
        row[count + place * outputs : count + (place + 1) * outputs] = 1.0
        rows.append(row)
        limits.append(float(Decimal(promise[3])))
    cost = np.zeros(spare + 1)
    weights = [float(Fraction(w)) for w in best["weights"]]
    if said[1] == "worst":
        cost[spare] = 1.0
        for x in range(size):
            row = np.zeros(spare + 1)
            row[x * outputs : (x + 1) * outputs], row[spare] = loss[x], -1.0
            rows.append(row)
            limits.append(0.0)
    else:
        for x in range(size):
            cost[x * outputs : (x + 1) * outputs] = weights[x] * loss[x]
    sums = np.zeros((size, spare + 1))
    for x in range(size):
        sums[x, x * outputs : (x + 1) * outputs] = 1.0
    bounds = [(0, None)] * spare + [(None, None)]
    # Properties only make the least loss larger, so they are left out where none was asked for.
    if best["properties"]:
        return
    solved = linprog(cost, A_ub=np.array(rows), b_ub=limits, A_eq=sums, b_eq=np.ones(size),
                     bounds=bounds)  # fmt: skip
    if solved.status != 0:
        return
    if float(said[4]) > solved.fun + 1e-7 * max(1.0, abs(solved.fun)):
        raise UntrueError(f"a mechanism with a loss of {solved.fun} exists, below {said[4]}")
    del mechanism
