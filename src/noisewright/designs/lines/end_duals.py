"""From dual values at one end of a long line of counts to those of all of it.

Row sums have dual values v_j. At the end they come from its program; in the middle they are those
under which the geometric mechanism breaks even: Σ_k α^|i−k| (w f(|i−k|) − v_k) = 0 for each
output i. With S_i = Σ_k≤i α^(i−k) v_k and h_i = Σ_k α^|i−k| w f(|i−k|) that means

    S_i = (h_i − α h_(i+1)) / (1 − α²)     where i and i + 1 are in the middle,
    S_b = (u + α S_(b−1) − α h_(b+1)) / (1 − α²),

u the dual value of row b, which stands there for all rows from b on. An output's entries then pay
for each other along its column, from the far ends inwards.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.lines.end_program import ONE, End
from noisewright.designs.programs.program import Program
from noisewright.designs.programs.refine import BITS
from noisewright.designs.proofs.proof import DualValues
from noisewright.exact import fixed_floor


def dual_values_for(
    end: End, program: Program, solved: list[int], away: list[Fraction]
) -> DualValues:
    """Return dual values of the inequalities of the whole problem.

    Requires: `away[d]`, what an entry d off the truth adds to the loss.
    Ensures: values that are not negative; how good a bound they prove is for the caller to see.
    """
    duals = DualValues(end.problem, BITS)
    for constraint, dual in zip(program.constraints, solved, strict=True):
        for origin in constraint.origins if dual < 0 else ():
            if constraint.kind == "privacy":
                x, z, y = origin
                duals.add_mirrored(x, z, y, -dual)
            else:
                a, b = origin
                duals.add_property_mirrored(constraint.kind, a, b, -dual)
    costs = [fixed_floor(cost, BITS) for cost in away]
    _add_tails(end, duals, costs, _row_duals(end, solved[: end.last + 1], costs))
    return duals


def _row_duals(end: End, rows: list[int], costs: list[int]) -> list[int]:
    """Return v_0, …, v_n."""
    b, n, alpha, powers = end.last, end.n, end.alpha, end.powers
    sums = [0]
    for power, cost in zip(powers, costs, strict=True):
        sums.append(sums[-1] + (power * cost >> BITS))
    whole = [sums[i + 1] + sums[n - i + 1] - costs[0] for i in range(n + 1)]
    spread = ONE - (alpha * alpha >> BITS)

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


def _add_tails(end: End, duals: DualValues, costs: list[int], rows: list[int]) -> None:
    """Charge entries for being more than α times the next one towards their output.

    Left of the middle an entry of a far input never falls below α times its neighbor's; its
    own cost after the row's dual value, and what it was charged already, is passed on.
    """
    b, n, alpha = end.last, end.n, end.alpha
    for i in range(b + 1, n + 1):
        passed = 0
        for j in range(min(i, n - b)):
            passed = max(0, (costs[i - j] - rows[j] + passed) * alpha >> BITS)
            duals.add_mirrored(j + 1, j, i, passed)
