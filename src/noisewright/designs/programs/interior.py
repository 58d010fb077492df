"""A mechanism that satisfies everything with room to spare.

Mixing a trace of it into an optimal solution gives every inequality room for rounding. It is
the uniform mechanism plus a small multiple of

    g(j, i) = n/2 − |i − j| − [i ≠ j] · j(n − j)/n        (ordered points)
    g(j, i) = n if i = j else −1                          (points without an order)

Rows of g sum to 0 because Σ_i |i − j| = n(n+1)/2 − j(n − j). Its diagonal is constant (F) and
positive (WH), it is centrosymmetric (S), and it falls by 1 along a row and by at least 1/n
along a column with each step away from the diagonal (CM, RM, hence CH, RH), all strictly.

Where being unbiased or other outputs ask for more, a program finds the mechanism whose tightest
inequality has the most room: every inequality, and every entry, must keep a distance t from its
limit, and t ≤ 1 is as large as can be. Where no t ≥ 0 exists the problem has no solution, and the
dual values of the program prove it: charged for all that it breaks, a mechanism would have to pay
more than nothing (Farkas), which is checked in exact arithmetic.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Constraint, Program, program_for
from noisewright.designs.programs.refine import BITS, Refined, sharp_solutions
from noisewright.designs.proofs.lower_bound import lower_bound
from noisewright.errors import InfeasibleError, UnsolvedError
from noisewright.exact import scale_epsilon

_FIRM = frozenset({"excess"})
"""Inequalities that need no room: an excess may be as large as it likes, its budget may not."""


def interior_weights(problem: Problem) -> tuple[list[list[int]], int]:
    """Return the mechanism as rows of whole numbers, and what each row sums to.

    Where U or other outputs ask for more, it is found by a program, and rows sum to it only up to
    rounding.
    """
    if "U" in problem.properties or (problem.properties and problem.outputs != problem.space):
        return [list(row) for row in widest_margin(problem)], 1 << BITS
    inputs, outputs = problem.shape
    share = Fraction(1, outputs)
    if problem.outputs != problem.space or inputs == 1:
        return [[1] * outputs for _ in range(inputs)], outputs
    n = inputs - 1
    under = 2 * n if problem.space.ordered else 1
    # Entries stay within a factor of 1 ± ε/8 of uniform, so ratios stay below e^(ε/2).
    low, _ = scale_epsilon(problem.guarantee.epsilon, problem.nearest).bounds(64)
    size = min(Fraction(low, 1 << 64), Fraction(1)) / 8
    size = size or Fraction(problem.guarantee.delta, 8)
    step = size * share / (n * under)
    whole = math.lcm(share.denominator, step.denominator)
    first, each = (int(part * whole) for part in (share, step))
    if not problem.space.ordered:
        return [
            [first + each * (n if i == j else -1) for i in range(outputs)] for j in range(inputs)
        ], whole
    peak, slope = first + each * n * n, each * 2 * n
    rows: list[list[int]] = []
    for j in range(inputs):
        # On both sides of the diagonal a row falls by the same amount at each step.
        beside = peak - slope - each * 2 * j * (n - j)
        left = [beside - slope * away for away in range(j)]
        right = [beside - slope * away for away in range(n - j)]
        rows.append([*reversed(left), peak, *right])
    return rows, whole


@lru_cache(maxsize=32)
def widest_margin(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return a mechanism that satisfies every inequality strictly, as rows of integers over 2^BITS.

    Requires: numbers of inputs within those of the outputs where U is asked for.
    Ensures: InfeasibleError only when it is proven in exact arithmetic that there is no
    mechanism at all; UnsolvedError when there is one, but none with room, or nothing is known.
    """
    if problem.goal == "worst":
        # The loss does not matter here, and a prior that does not count must break no symmetry.
        even = (Fraction(1, problem.space.size),) * problem.space.size
        return widest_margin(replace(problem, goal="expected", prior=even))
    program = program_for(problem)
    free = Program(problem, program.variable_of, program.entries, constraints=program.constraints)
    free.costs = [Fraction(0)] * program.variables
    spread = _with_room(free)
    refuted = False
    try:
        for attempt in sharp_solutions(spread):
            if attempt.values[-1] < 1 << BITS:
                rows = [[attempt.values[v] for v in row] for row in program.variable_of.tolist()]
                return tuple(tuple(max(0, value) for value in row) for row in rows)
            # Dual values that prove: mechanisms which cost nothing would cost something.
            proof = Refined([], attempt.duals[: len(free.constraints)])
            refuted = lower_bound(free, proof) > 0
            if refuted:
                break
    except InfeasibleError:
        # The solver's word alone is no proof; and with enough room to miss this has a solution.
        refuted = False
    if refuted:
        raise InfeasibleError("no mechanism satisfies all of these constraints.")
    raise UnsolvedError(
        "no mechanism with room for rounding was found: the constraints allow at most one, or "
        "hardly more. Ask for a larger epsilon or delta, wider outputs or fewer properties."
    )


def _with_room(program: Program) -> Program:
    """Ask every inequality to keep away from its limit by 1 − v, and make v small."""
    short = program.variables
    nothing = _never_used(program)
    constraints: list[Constraint] = []
    for constraint in program.constraints:
        idle = all(v in nothing for v, _, _ in constraint.terms)
        if constraint.equal or constraint.kind in _FIRM or idle:
            constraints.append(constraint)
        else:
            constraints.append(
                replace(
                    constraint,
                    terms=(*constraint.terms, (short, -1, 0)),
                    limit=constraint.limit - 1,
                )
            )
    for variable in set(range(program.entries)) - nothing:
        positive = ((variable, -1, 0), (short, -1, 0))
        constraints.append(Constraint("positive", positive, -1, equal=False))
    return Program(
        program.problem,
        program.variable_of,
        program.entries,
        [*program.costs, Fraction(1)],
        constraints,
    )


def _never_used(program: Program) -> set[int]:
    """Return the variables that are 0 in every solution, because their input has one answer."""
    grid = program.variable_of.tolist()
    certain = program.problem.certain.items()
    return {v for x, only in certain for y, v in enumerate(grid[x]) if y != only}
