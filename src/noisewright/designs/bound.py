"""A number that no mechanism's loss can be below, proven in exact arithmetic.

Give each constraint a price λ ≥ 0 (any sign for equations) and charge the mechanism for
breaking it. The best it can then do is at most the optimum, for any prices: in each row it puts
all mass on the entry with the least cost after charges. Prices come from the solver; only the
quality of the bound depends on them, never its truth. e^ε is rounded so that the bound only
falls.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.program import Program
from noisewright.designs.proof import PROVABLE, Prices, Proof
from noisewright.designs.refine import BITS, Refined

_ROOM = 8
"""Prices of a proof have this many bits more, since one may stand for several inequalities."""


def lower_bound(program: Program, solution: Refined) -> Fraction:
    """Return a proven lower bound on the loss of every feasible mechanism."""
    prices = _admissible(program, solution.duals)
    # Costs after charges, over 2^BITS, rounded down; e^ε is taken where it hurts the bound.
    charged = [_floor(cost) for cost in program.costs]
    constant = 0
    for constraint, price in zip(program.constraints, prices, strict=True):
        if price == 0 or constraint.kind == "row":
            continue
        constant -= _ceil_product(constraint.limit, price)
        ratio_low, ratio_high = program.ratio_bounds(constraint, BITS)
        for variable, rational, multiple in constraint.terms:
            if rational:
                charged[variable] += _floor_product(rational, price)
            if multiple:
                amount = multiple * price
                charged[variable] += amount * (ratio_low if amount > 0 else ratio_high) >> BITS
    least = _rows_at_least(program, charged)
    return Fraction(least + constant, 1 << BITS)


def proof_of(program: Program, solution: Refined) -> Proof | None:
    """Spell out the prices on every inequality of the full problem, two for each mirrored pair.

    None when the problem has a property that a proof cannot speak of.
    """
    problem = program.problem
    elsewhere = problem.properties and problem.outputs != problem.space
    if elsewhere or not problem.properties <= PROVABLE:
        return None
    inputs, outputs = problem.shape
    found = Prices(BITS + _ROOM, inputs - 1)
    weights = list(problem.prior) if problem.goal == "expected" else [Fraction(0)] * inputs
    mirrors = (False, True) if problem.is_centrosymmetric else (False,)
    for constraint, price in zip(
        program.constraints, _admissible(program, solution.duals), strict=True
    ):
        ways = len(constraint.origins) * len(mirrors)
        if price == 0 or constraint.kind in ("row", "budget"):
            continue
        for origin in constraint.origins:
            for mirror in mirrors:
                if constraint.kind == "worst":
                    x = inputs - 1 - origin[0] if mirror else origin[0]
                    weights[x] += Fraction(price, ways << BITS)
                elif constraint.kind in ("privacy", "excess"):
                    x, z, y = origin
                    if mirror:
                        x, z, y = inputs - 1 - x, inputs - 1 - z, outputs - 1 - y
                    found.charge(x, z, y, (price << _ROOM) // ways, outputs=outputs)
                else:
                    a, b = (inputs - 1 - point if mirror else point for point in origin)
                    share = (abs(price) << _ROOM) // ways
                    found.charge_property(constraint.kind, a, b, share if price > 0 else -share)
    return Proof(problem, tuple(weights), found)


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


def _admissible(program: Program, duals: list[int]) -> list[int]:
    """Turn the solver's duals into prices with the right signs.

    HiGHS gives duals ≤ 0 for upper limits of a minimization; a price is their negative. Slack
    variables must not be able to earn, so budgets must be dear enough for the excesses.
    The prices of the worst-case rows must sum to 1, because the worst case has no row to
    live in.
    """
    prices = [
        -dual if constraint.equal else max(0, -dual)
        for constraint, dual in zip(program.constraints, duals, strict=True)
    ]
    _price_worst(program, prices)
    # Last, because rounding the prices of excesses and budgets apart would let slacks earn.
    _price_budgets(program, prices)
    return prices


def _price_budgets(program: Program, prices: list[int]) -> None:
    """Raise the prices of budgets until every slack costs at least what its excesses pay.

    With centrosymmetry one slack may stand in several budgets, which then share its price.
    """
    owed: dict[int, int] = {}
    budgets: list[tuple[int, list[tuple[int, int]]]] = []
    for row, constraint in enumerate(program.constraints):
        if constraint.kind == "excess":
            slack = next(v for v, r, _ in constraint.terms if v >= program.entries and r == -1)
            owed[slack] = owed.get(slack, 0) + prices[row]
        elif constraint.kind == "budget":
            budgets.append((row, [(v, int(often)) for v, often, _ in constraint.terms]))
    for row, slacks in budgets:
        for slack, often in slacks:
            owed[slack] = owed.get(slack, 0) - often * prices[row]
    for row, slacks in budgets:
        short = max(-(-owed[slack] // often) for slack, often in slacks)
        if short > 0:
            prices[row] += short
            for slack, often in slacks:
                owed[slack] -= often * short


def _price_worst(program: Program, prices: list[int]) -> None:
    rows = [row for row, constraint in enumerate(program.constraints) if constraint.kind == "worst"]
    if not rows:
        return
    total = sum(prices[row] for row in rows)
    one = 1 << BITS
    if total == 0:
        prices[rows[0]] = one
        return
    # Dividing all prices by one positive number keeps them admissible.
    for row in range(len(prices)):
        prices[row] = prices[row] * one // total
    prices[rows[0]] += one - sum(prices[row] for row in rows)


def _floor(value: Fraction) -> int:
    return (value.numerator << BITS) // value.denominator


def _floor_product(rational: Fraction | int, price: int) -> int:
    return rational.numerator * price // rational.denominator


def _ceil_product(rational: Fraction | int, price: int) -> int:
    return -(-rational.numerator * price // rational.denominator)
