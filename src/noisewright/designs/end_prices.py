"""From prices at one end of a long line of counts to prices for all of it.

Row sums have prices v_j. At the end they come from its program; in the middle they are those
under which the geometric mechanism breaks even: Σ_k α^|i−k| (w f(|i−k|) − v_k) = 0 for each
output i. With S_i = Σ_k≤i α^(i−k) v_k and h_i = Σ_k α^|i−k| w f(|i−k|) that means

    S_i = (h_i − α h_(i+1)) / (1 − α²)     where i and i + 1 are in the middle,
    S_b = (u + α S_(b−1) − α h_(b+1)) / (1 − α²),

u the price of row b, which stands there for all rows from b on. An output's entries then pay
for each other along its column, from the far ends inwards.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.end_program import ONE, End
from noisewright.designs.program import Program
from noisewright.designs.proof import Prices
from noisewright.designs.refine import BITS


def prices_for(end: End, program: Program, duals: list[int], away: list[Fraction]) -> Prices:
    """Return prices on the inequalities of the whole problem.

    Requires: `away[d]`, what an entry d off the truth adds to the loss.
    Ensures: prices that are not negative; how good a bound they prove is for the caller to see.
    """
    n = end.n
    prices = Prices(BITS, n)
    for constraint, dual in zip(program.constraints, duals, strict=True):
        for origin in constraint.origins if dual < 0 else ():
            for place in (origin, tuple(n - point for point in origin)):
                if constraint.kind == "privacy":
                    x, z, y = place
                    prices.charge(x, z, y, -dual, outputs=n + 1)
                else:
                    a, b = place
                    prices.charge_property(constraint.kind, a, b, -dual)
    costs = [(cost.numerator << BITS) // cost.denominator for cost in away]
    _charge_tails(end, prices, costs, _row_prices(end, duals[: end.last + 1], costs))
    return prices


def _row_prices(end: End, rows: list[int], costs: list[int]) -> list[int]:
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
    for price in rows[:b]:
        states.append(price + (times_alpha(states[-1]) if states else 0))
    before = states[-1] if states else 0
    states.append(((rows[b] + times_alpha(before - whole[b + 1])) << BITS) // spread)
    for i in range(b + 1, n - b - 1):
        states.append(((whole[i] - times_alpha(whole[i + 1])) << BITS) // spread)
    states.append(whole[b + 1] - times_alpha(states[b]))
    prices = [state - (times_alpha(states[i - 1]) if i else 0) for i, state in enumerate(states)]
    return prices + prices[b::-1]


def _charge_tails(end: End, prices: Prices, costs: list[int], rows: list[int]) -> None:
    """Charge entries for being more than α times the next one towards their output.

    Left of the middle an entry of a far input never falls below α times its neighbor's; its
    own cost after the row's price, and what it was charged already, is passed on.
    """
    b, n, alpha = end.last, end.n, end.alpha
    outputs = n + 1
    for i in range(b + 1, outputs):
        nearest = min(i, n - b)
        passed = 0
        for j in range(nearest):
            passed = max(0, (costs[i - j] - rows[j] + passed) * alpha >> BITS)
            prices.charge(j + 1, j, i, passed, outputs=outputs)
            prices.charge(n - j - 1, n - j, n - i, passed, outputs=outputs)
