"""The program over all entries of a mechanism, for problems that have no closed form."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from noisewright.designs.losses.loss import exact_loss, read_loss
from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Program, program_for
from noisewright.designs.programs.refine import Refined, sharp_solutions
from noisewright.designs.programs.repair import repair
from noisewright.designs.proofs.conflicts import require_feasible
from noisewright.designs.proofs.lower_bound import lower_bound, proof_of
from noisewright.designs.proofs.proof import Solution
from noisewright.errors import NoisewrightError, ParameterError, TooLargeError, UnrepairedError
from noisewright.mechanisms import Table

_AS_GOOD = Fraction(1, 1 << 31)
"""A tie may be broken at a relative cost of 5e-10, below what a design promises to prove."""

_LARGEST_TIE_BREAK = 3000
"""Programs with more variables are not solved a second time to break ties."""

_CLOSE, _CLOSE_IF_LARGE = Fraction(1, 10**11), Fraction(1, 10**8)
"""A table is good enough when its loss is above the bound by this fraction at most."""

_MOST_ROWS = 500_000
"""Beyond this a program takes hours: some 500 counts, or 80 points that are all neighbors."""


def by_program(problem: Problem, tie_break: str | None) -> Solution:
    """Return the best mechanism by the program over all entries; ties are broken if it is small."""
    _require_solvable(problem)
    program = program_for(problem)
    best, bound, behind = _solve(problem, program)
    symmetry = ", one variable per mirrored pair" if problem.is_centrosymmetric else ""
    route = (
        f"linear program of {program.variables:,} variables and {len(program.constraints):,} "
        f"constraints{symmetry}; solved by HiGHS, sharpened and proven in exact arithmetic"
    )
    if tie_break is not None and program.variables <= _LARGEST_TIE_BREAK:
        best = _break_tie(problem, program, best, tie_break)
    return Solution(best, bound, lambda: proof_of(program, behind), route)


def _require_solvable(problem: Problem) -> None:
    """Refuse what cannot be solved, or has one answer that needs no program."""
    rows = 2 * len(problem.pairs) * problem.outputs.size
    if rows > _MOST_ROWS:
        raise TooLargeError(
            f"the linear program for {problem.space!r} would have {rows:,} privacy constraints "
            f"(at most {_MOST_ROWS:,}). {_what_is_small_enough(problem)}",
            size=rows,
        )
    require_feasible(problem)
    if "OD" in problem.properties and problem.guarantee.epsilon.is_zero:
        raise ParameterError(
            "OD (output privacy) with epsilon=0 makes all outputs equally likely. Give an epsilon "
            "above 0, leave OD out, or use nw.uniform(space)."
        )


def _what_is_small_enough(problem: Problem) -> str:
    if not problem.is_path:
        return "Design for fewer points, or declare fewer neighbors."
    # 2 n (n + 1) constraints for n + 1 counts.
    largest = (isqrt(1 + 2 * _MOST_ROWS) - 1) // 2
    few = f"Design for fewer points: up to nw.Counts({largest})"
    if not problem.properties:
        return f"{few}. Losses that grow with the distance need no program on a line of counts."
    return f"{few}; or leave the properties out: many losses need no program then."


def _solve(problem: Problem, program: Program) -> tuple[Table, Fraction, Refined]:
    """Let the solver try a program until its best table and its best bound meet.

    The third value is the solution that proves the bound.
    """
    close = _CLOSE if program.variables <= _LARGEST_TIE_BREAK else _CLOSE_IF_LARGE
    best: Table | None = None
    failure: UnrepairedError | None = None
    # Costs are not negative, so neither is any loss; no dual values at all prove that.
    least, bound = Fraction(0), Fraction(0)
    behind = Refined([], [0] * len(program.constraints))
    for attempt in sharp_solutions(program):
        proven = lower_bound(program, attempt)
        if proven > bound:
            bound, behind = proven, attempt
        try:
            table = repair(program, attempt)
        except UnrepairedError as problem_with_it:
            failure = problem_with_it
            continue
        reached = problem.loss_of(table)
        if best is None or reached < least:
            best, least = table, reached
        if least <= bound * (1 + close):
            break
    if best is None:
        raise failure or UnrepairedError("the solver had no answer that could be proven.")
    return best, bound, behind


def _break_tie(problem: Problem, program: Program, first: Table, tie_break: str) -> Table:
    """Among mechanisms as good as the first, look for one with the least second loss."""
    try:
        second = read_loss(tie_break, problem.space, problem.outputs)
    except ParameterError:
        # The default needs a distance, which not all pairs of spaces have.
        return first
    if second.costs == problem.loss.costs:
        return first
    reached = problem.loss_of(first)
    again = program.with_second_goal(
        program.costs_of(second), limit=reached * (1 + Fraction(1, 1 << 40))
    )
    unbroken = exact_loss(first, second, prior=problem.prior)
    try:
        for attempt in sharp_solutions(again, attempts=3):
            table = repair(again, attempt)
            if problem.loss_of(table) <= reached * (1 + _AS_GOOD):
                better = exact_loss(table, second, prior=problem.prior) < unbroken
                return table if better else first
    except NoisewrightError:
        # The second program has only rounding slack around the first optimum; without an answer
        # there the first one stands.
        return first
    return first
