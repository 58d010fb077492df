"""Many counts: only the ends of the line need a program.

For a loss that depends on how far off an answer is, under the uniform prior, the best
mechanism is geometric in the middle, and the program for one end does not grow with n. That is
not proven here: the whole table is checked, and dual values for the whole problem prove the bound.
Where they do not meet, the end was too short; None when it would be as long as the line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from noisewright.designs.closed_forms.relabeling import best_relabeling
from noisewright.designs.lines.end_program import ONE, End
from noisewright.designs.losses.loss import Loss, read_loss
from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Program
from noisewright.designs.programs.refine import BITS, sharp_solutions
from noisewright.designs.programs.repair import table_near
from noisewright.designs.proofs.proof import Solution
from noisewright.errors import NoisewrightError
from noisewright.mechanisms import Table

_CLOSE = Fraction(1, 10**11)
"""A table is good enough when its loss is above the bound by this fraction at most."""

_TOO_SHORT = Fraction(1, 10**8)
"""Another solver attempt is not worth it when loss and bound are this far apart."""

_AS_GOOD = Fraction(1, 1 << 100)
"""A tie may be broken at this cost."""

_ATTEMPTS = 2
_LOCAL = frozenset(("RH", "RM", "CH", "CM", "WH", "S"))
_SMALL = 13
"""The whole program of fewer points takes no time."""


def by_ends(problem: Problem, tie_break: str | None) -> Solution | None:
    """Return a mechanism and the proof of its bound, if the line is long enough."""
    if not _is_a_long_line(problem):
        return None
    away = _by_distance(problem, problem.loss)
    second = away
    if tie_break is not None:
        second = _by_distance(problem, read_loss(tie_break, problem.space, problem.outputs))
    if away is None or second is None:
        return None
    for last in _lengths(problem):
        try:
            found = _solve(End(problem, last), away, second)
        except NoisewrightError:
            # An end that is too short may have no solution; the longer one may.
            continue
        if found is not None:
            return found
    return None


def _is_a_long_line(problem: Problem) -> bool:
    return (
        problem.is_path
        and problem.is_uniform
        and problem.goal == "expected"
        and problem.properties <= _LOCAL
        and problem.space.size > _SMALL
    )


def _by_distance(problem: Problem, loss: Loss) -> list[Fraction] | None:
    """Return what an entry adds to a loss by its distance from the truth, if that is all."""
    costs = loss.costs
    for j, row in enumerate(costs):
        if row[j:] != costs[0][: len(row) - j] or row[j::-1] != costs[0][: j + 1]:
            return None
    return [problem.prior[0] * cost for cost in costs[0]]


def _lengths(problem: Problem) -> Iterator[int]:
    """Guess how far an end reaches: α/(1 − α) counts, and as far as best guesses move."""
    n = problem.space.size - 1
    alpha = math.exp(-problem.guarantee.epsilon.ceiling())
    if alpha >= 1:
        return
    guesses = best_relabeling(problem.guarantee.epsilon, problem.loss.costs, problem.prior)
    moved = max((i + 1 for i, guess in enumerate(guesses[: n // 2]) if guess != i), default=0)
    reach = alpha / (1 - alpha)
    # Measured: with column properties α = 0.9 needs 1.4 times the reach, α = 0.95 twice.
    last = max(
        math.ceil(reach * max(1.4, 0.85 + 0.06 * reach)) + 2, moved + math.ceil(0.4 * reach) + 1
    )
    longest = (n - 3) // 2
    while last <= longest:
        yield last
        last += 1 + last // 4


def _solve(end: End, away: list[Fraction], second: list[Fraction]) -> Solution | None:
    """Let the solver try the program of an end until the whole table meets the bound."""
    problem = end.problem
    program = end.program(end.costs(away))
    for attempt in sharp_solutions(program, attempts=_ATTEMPTS):
        proof = end.dual_values(program, attempt.duals, away).proof()
        bound = proof.bound
        table = table_near(problem, _rows(end, attempt.values))
        reached = problem.loss_of(table)
        if reached > bound * (1 + _TOO_SHORT):
            return None
        if reached > bound * (1 + _CLOSE):
            continue
        if second != away:
            better = _break_tie(end, program, attempt.values, second)
            if better is not None and problem.loss_of(better) <= bound * (1 + _CLOSE):
                table = better
        route = (
            f"linear program of {program.variables:,} variables for each end of the line, with the "
            "geometric mechanism between them; solved by HiGHS, sharpened and proven in exact "
            "arithmetic"
        )
        return Solution(table, bound, lambda proof=proof: proof, route)
    return None


def _break_tie(
    end: End, program: Program, first: list[int], second: list[Fraction]
) -> Table | None:
    """Among ends as good as the first, take one with the least second loss."""
    reached = sum((c * v for c, v in zip(program.costs, first, strict=True)), Fraction(0))
    again = program.with_second_goal(end.costs(second), limit=reached / ONE + _AS_GOOD)
    try:
        attempt = next(sharp_solutions(again, attempts=_ATTEMPTS))
        return table_near(end.problem, _rows(end, attempt.values))
    except NoisewrightError:
        # The second program has only rounding slack around the first optimum, which stands.
        return None


def _rows(end: End, values: list[int]) -> list[list[int]]:
    """Return the whole mechanism, over 2^BITS up to rounding."""
    b, n, powers, middle = end.last, end.n, end.powers, end.middle
    size = b + 1
    free = [[max(0, v) for v in values[j * size : j * size + size]] for j in range(size)]

    def start(j: int) -> list[int]:
        return free[j] if j <= b else [v * powers[j - b] >> BITS for v in free[b]]

    starts = [start(j) for j in range(n + 1)]
    return [
        [
            *starts[j],
            *(middle * powers[abs(i - j)] >> BITS for i in range(size, n + 1 - size)),
            *reversed(starts[n - j]),
        ]
        for j in range(n + 1)
    ]
