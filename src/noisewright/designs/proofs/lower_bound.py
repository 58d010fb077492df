"""A number that no mechanism's loss can be below, proven in exact arithmetic.

Give each constraint a dual value λ ≥ 0 (any sign for equations) and charge the mechanism for
breaking it. The best it can then do is at most the optimum, whatever the dual values are: in each
row it puts all mass on the entry with the least cost after charges. They come from the solver; only
the quality of the bound depends on them, never its truth. e^ε is rounded so that the bound only
falls.
"""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.designs.programs.program import Program
from noisewright.designs.programs.refine import BITS, Refined
from noisewright.designs.proofs.proof import PROVABLE, DualValues, Proof
from noisewright.exact import fixed_floor

_ROOM = 8
"""Dual values of a proof have this many bits more, since one may stand for several inequalities."""


def lower_bound(program: Program, solution: Refined) -> Fraction:
    """Return a proven lower bound on the loss of every feasible mechanism."""
    duals = _admissible(program, solution.duals)
    # Costs after charges, over 2^BITS, rounded down; e^ε is taken where it hurts the bound.
    charged = [fixed_floor(cost, BITS) for cost in program.costs]
    constant = 0
    for constraint, dual in zip(program.constraints, duals, strict=True):
        if dual == 0 or constraint.kind == "row":
            continue
        constant -= math.ceil(constraint.limit * dual)
        ratio_low, ratio_high = program.ratio_bounds(constraint, BITS)
        for variable, rational, multiple in constraint.terms:
            if rational:
                charged[variable] += math.floor(rational * dual)
            if multiple:
                amount = multiple * dual
                charged[variable] += amount * (ratio_low if amount > 0 else ratio_high) >> BITS
    least = _rows_at_least(program, charged)
    return Fraction(least + constant, 1 << BITS)


def proof_of(program: Program, solution: Refined) -> Proof | None:
    """Spell out the dual value of every inequality of the full problem, two for each mirrored pair.

    None when the problem has a property that a proof cannot speak of.
    """
    problem = program.problem
    elsewhere = problem.properties and problem.outputs != problem.space
    if elsewhere or not problem.properties <= PROVABLE:
        return None
    inputs, outputs = problem.shape
    found = DualValues(problem, BITS + _ROOM)
    weights = list(problem.prior) if problem.goal == "expected" else [Fraction(0)] * inputs
    mirrors = (False, True) if problem.is_centrosymmetric else (False,)
    for constraint, dual in zip(
        program.constraints, _admissible(program, solution.duals), strict=True
    ):
        ways = len(constraint.origins) * len(mirrors)
        if dual == 0 or constraint.kind in ("row", "budget"):
            continue
        for origin in constraint.origins:
            for mirror in mirrors:
                if constraint.kind == "worst":
                    x = inputs - 1 - origin[0] if mirror else origin[0]
                    weights[x] += Fraction(dual, ways << BITS)
                elif constraint.kind in ("privacy", "excess"):
                    x, z, y = origin
                    if mirror:
                        x, z, y = inputs - 1 - x, inputs - 1 - z, outputs - 1 - y
                    found.add(x, z, y, (dual << _ROOM) // ways)
                else:
                    a, b = (inputs - 1 - point if mirror else point for point in origin)
                    share = (abs(dual) << _ROOM) // ways
                    found.add_property(constraint.kind, a, b, share if dual > 0 else -share)
    return found.proof(tuple(weights))


def _rows_at_least(program: Program, charged: list[int]) -> int:
    """Return Σ over inputs of the least charged cost in its row.

    A variable that stands for two mirrored entries carries the cost of both; half of it
    belongs to each.
    """
    often: dict[int, int] = {}
    grid = program.variable_of.tolist()
    for row in grid:
        for variable in row:
            often[variable] = often.get(variable, 0) + 1
    return sum(min(charged[v] // often[v] for v in row) for row in grid)


def _admissible(program: Program, raw: list[int]) -> list[int]:
    """Turn the solver's dual values into some with the right signs.

    HiGHS gives values ≤ 0 for upper limits of a minimization; ours are their negatives. Slack
    variables must not be able to earn, so those of budgets must be large enough for the excesses.
    Those of the worst-case rows must sum to 1, because the worst case has no row to live in.
    """
    duals = [
        -value if constraint.equal else max(0, -value)
        for constraint, value in zip(program.constraints, raw, strict=True)
    ]
    _normalize_worst(program, duals)
    # Last, because rounding those of excesses and budgets apart would let slacks earn.
    _raise_budgets(program, duals)
    return duals


def _raise_budgets(program: Program, duals: list[int]) -> None:
    """Raise the dual values of budgets until every slack costs at least what its excesses pay.

    With centrosymmetry one slack may stand in several budgets, which then share it.
    """
    owed: dict[int, int] = {}
    budgets: list[tuple[int, list[tuple[int, int]]]] = []
    for row, constraint in enumerate(program.constraints):
        if constraint.kind == "excess":
            slack = next(v for v, r, _ in constraint.terms if v >= program.entries and r == -1)
            owed[slack] = owed.get(slack, 0) + duals[row]
        elif constraint.kind == "budget":
            budgets.append((row, [(v, int(often)) for v, often, _ in constraint.terms]))
    for row, slacks in budgets:
        for slack, often in slacks:
            owed[slack] = owed.get(slack, 0) - often * duals[row]
    for row, slacks in budgets:
        short = max(-(-owed[slack] // often) for slack, often in slacks)
        if short > 0:
            duals[row] += short
            for slack, often in slacks:
                owed[slack] -= often * short


def _normalize_worst(program: Program, duals: list[int]) -> None:
    rows = [row for row, constraint in enumerate(program.constraints) if constraint.kind == "worst"]
    if not rows:
        return
    total = sum(duals[row] for row in rows)
    one = 1 << BITS
    if total == 0:
        duals[rows[0]] = one
        return
    # Dividing all dual values by one positive number keeps them admissible.
    for row in range(len(duals)):
        duals[row] = duals[row] * one // total
    duals[rows[0]] += one - sum(duals[row] for row in rows)
