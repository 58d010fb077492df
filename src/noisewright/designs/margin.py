"""The mechanism whose tightest inequality has the most room, by a linear program.

Every inequality of a problem, and every entry, must keep a distance t from its limit; the program
finds the largest t up to 1. Where t > 0 the solution is interior, and mixing a trace of it into an
optimal one makes room for rounding. Where no t ≥ 0 exists the problem has no solution, and the
prices of the program prove it: charged for all that it breaks, a mechanism would have to pay more
than nothing (Farkas), which is checked in exact arithmetic.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from noisewright.designs.bound import lower_bound
from noisewright.designs.problem import Problem
from noisewright.designs.program import Constraint, Program, program_for
from noisewright.designs.refine import BITS, Refined, sharp_solutions
from noisewright.errors import InfeasibleError, UnsolvedError

_FIRM = frozenset({"excess"})
"""Inequalities that need no room: an excess may be as large as it likes, its budget may not."""


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
        for look in sharp_solutions(spread):
            if look.values[-1] < 1 << BITS:
                rows = [[look.values[v] for v in row] for row in program.variable_of.tolist()]
                return tuple(tuple(max(0, value) for value in row) for row in rows)
            refuted = _is_refuted(free, look)
            if refuted:
                break
    except InfeasibleError:
        # The solver's word alone is no proof; and with enough room to miss this has a solution.
        refuted = False
    if refuted:
        raise InfeasibleError("no mechanism satisfies all of these constraints.")
    raise UnsolvedError(
        "no mechanism with room for rounding was found: what was asked for allows one at most, or "
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


def _is_refuted(program: Program, look: Refined) -> bool:
    """Tell whether prices prove that mechanisms which cost nothing would cost something."""
    prices = Refined([], look.duals[: len(program.constraints)])
    return lower_bound(program, prices) > 0
