"""Many counts: only the ends of the line need a program.

For a loss that depends on how far off an answer is, under the uniform prior, the best
mechanism is geometric in the middle, and the program for one end does not grow with n. That is
not proven here: the whole table is checked, and dual values for the whole problem prove the bound.
Where they do not meet, the end was too short; None when it would be as long as the line.

Far from both ends the best mechanism is the geometric one, whatever the ends look like. Let the
first b + 1 inputs and outputs be free, and let

    P(i|j) = c α^|i−j|           for b < i < n − b,  c = (1 − α)/(1 + α)
    P(i|j) = α^(j−b) P(i|b)      for i ≤ b < j

and the mirror image at the other end. Rows b..n−b sum to 1 exactly if Σ_i≤b P(i|b) = 1/(1 + α),
and row j ≤ b does if its first b + 1 entries sum to 1 − α^(b−j) α/(1 + α). So the rest of the
mechanism enters one end through constants only, and n through the costs of row b.

Row sums have dual values v_j. At the end they come from its program; in the middle they are those
under which the geometric mechanism breaks even: Σ_k α^|i−k| (w f(|i−k|) − v_k) = 0 for each
output i. With S_i = Σ_k≤i α^(i−k) v_k and h_i = Σ_k α^|i−k| w f(|i−k|) that means

    S_i = (h_i − α h_(i+1)) / (1 − α²)     where i and i + 1 are in the middle,
    S_b = (u + α S_(b−1) − α h_(b+1)) / (1 − α²),

u the dual value of row b, which stands there for all rows from b on. An output's entries then pay
for each other along its column, from the far ends inwards.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from noisewright.designs.closed_forms.relabeling import best_relabeling
from noisewright.designs.losses.loss import Loss, read_loss
from noisewright.designs.problem import Problem
from noisewright.designs.programs.program import Constraint, Program, program_for
from noisewright.designs.programs.refine import BITS, sharp_solutions
from noisewright.designs.programs.repair import table_near
from noisewright.designs.proofs.proof import DualValues, Solution
from noisewright.errors import NoisewrightError
from noisewright.exact import fixed_floor, fixed_powers
from noisewright.mechanisms import Table
from noisewright.spaces import Counts

_ONE = 1 << BITS

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
            found = _solve(_End(problem, last), away, second)
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


def _solve(end: _End, away: list[Fraction], second: list[Fraction]) -> Solution | None:
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
    end: _End, program: Program, first: list[int], second: list[Fraction]
) -> Table | None:
    """Among ends as good as the first, take one with the least second loss."""
    reached = sum((c * v for c, v in zip(program.costs, first, strict=True)), Fraction(0))
    again = program.with_second_goal(end.costs(second), limit=reached / _ONE + _AS_GOOD)
    try:
        attempt = next(sharp_solutions(again, attempts=_ATTEMPTS))
        return table_near(end.problem, _rows(end, attempt.values))
    except NoisewrightError:
        # The second program has only rounding slack around the first optimum, which stands.
        return None


def _rows(end: _End, values: list[int]) -> list[list[int]]:
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


@dataclass(frozen=True)
class _End:
    """Inputs and outputs 0..last are free; α and its powers are integers over 2^BITS."""

    problem: Problem
    last: int

    @property
    def n(self) -> int:
        """The largest count."""
        return self.problem.space.size - 1

    @cached_property
    def alpha(self) -> int:
        """e^-ε, rounded up, which is the private side."""
        return self.problem.guarantee.epsilon.alpha_bounds(BITS)[1]

    @cached_property
    def powers(self) -> list[int]:
        """α^0, α^1, …, α^n."""
        return fixed_powers(self.alpha, self.n, BITS, up=True)

    @property
    def middle(self) -> int:
        """The constant c of the geometric mechanism."""
        return ((_ONE - self.alpha) << BITS) // (_ONE + self.alpha)

    def costs(self, away: list[Fraction]) -> list[Fraction]:
        """Return what each entry adds to a loss that only depends on how far off an answer is.

        An entry of row b stands for all entries that follow it in its column.
        """
        b, n, powers = self.last, self.n, self.powers
        costs = [away[abs(i - j)] for j in range(b) for i in range(b + 1)]
        for i in range(b + 1):
            whole = sum((powers[j - b] * away[j - i] for j in range(b, n + 1)), Fraction(0))
            costs.append(whole / _ONE)
        return costs

    def program(self, costs: list[Fraction]) -> Program:
        """Return the program; its first constraints are the sums of the rows.

        Symmetry is no constraint of an end: the other one is its mirror image.
        """
        size = self.last + 1
        short = replace(
            self.problem,
            space=Counts(self.last),
            outputs=Counts(self.last),
            loss=Loss("end", tuple(row[:size] for row in self.problem.loss.costs[:size])),
            prior=self.problem.prior[:size],
            properties=self.problem.properties - {"S"},
        )
        program = program_for(short, symmetric=False)
        program.costs = costs
        program.constraints = [
            self._limit(row, constraint) for row, constraint in enumerate(program.constraints)
        ]
        return program

    def _limit(self, row: int, constraint: Constraint) -> Constraint:
        """Return a constraint of the short line as it is at the end of the long one."""
        if constraint.kind == "row":
            beyond = Fraction(self.alpha, _ONE + self.alpha)
            return replace(constraint, limit=1 - beyond * self.powers[self.last - row] / _ONE)
        if constraint.kind == "WH":
            return replace(constraint, limit=Fraction(-1, self.n + 1))
        return constraint

    def dual_values(self, program: Program, solved: list[int], away: list[Fraction]) -> DualValues:
        """Return dual values of the inequalities of the whole problem.

        Requires: `away[d]`, what an entry d off the truth adds to the loss.
        Ensures: values that are not negative; how good a bound they prove is for the caller to see.
        """
        duals = DualValues(self.problem, BITS)
        for constraint, dual in zip(program.constraints, solved, strict=True):
            for origin in constraint.origins if dual < 0 else ():
                if constraint.kind == "privacy":
                    x, z, y = origin
                    duals.add_mirrored(x, z, y, -dual)
                elif constraint.kind != "row":
                    a, b = origin
                    duals.add_property_mirrored(constraint.kind, a, b, -dual)
        costs = [fixed_floor(cost, BITS) for cost in away]
        self._add_tails(duals, costs, self._row_duals(solved[: self.last + 1], costs))
        return duals

    def _row_duals(self, rows: list[int], costs: list[int]) -> list[int]:
        """Return v_0, …, v_n."""
        b, n, alpha = self.last, self.n, self.alpha
        sums = [0]
        for power, cost in zip(self.powers, costs, strict=True):
            sums.append(sums[-1] + (power * cost >> BITS))
        whole = [sums[i + 1] + sums[n - i + 1] - costs[0] for i in range(n + 1)]
        spread = _ONE - (alpha * alpha >> BITS)

        def times_alpha(value: int) -> int:
            return value * alpha >> BITS

        states: list[int] = []
        for dual in rows[:b]:
            states.append(dual + (times_alpha(states[-1]) if states else 0))
        before = states[-1] if states else 0
        states.append(((rows[b] + times_alpha(before - whole[b + 1])) << BITS) // spread)
        for i in range(b + 1, n - b - 1):
            states.append(((whole[i] - times_alpha(whole[i + 1])) << BITS) // spread)
        states.append(whole[b + 1] - times_alpha(states[b]))
        duals = [state - (times_alpha(states[i - 1]) if i else 0) for i, state in enumerate(states)]
        return duals + duals[b::-1]

    def _add_tails(self, duals: DualValues, costs: list[int], rows: list[int]) -> None:
        """Charge entries for being more than α times the next one towards their output.

        Left of the middle an entry of a far input never falls below α times its neighbor's; its
        own cost after the row's dual value, and what it was charged already, is passed on.
        """
        b, n, alpha = self.last, self.n, self.alpha
        for i in range(b + 1, n + 1):
            passed = 0
            for j in range(min(i, n - b)):
                passed = max(0, (costs[i - j] - rows[j] + passed) * alpha >> BITS)
                duals.add_mirrored(j + 1, j, i, passed)
