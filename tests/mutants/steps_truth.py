"""What private steps cost, worked out anew from the counts and scores that one person moves.

A marginal: up to k rows go from one cell to another, so that two counts move by k. Noise is then
compared between these two vectors. A choice: scores move as far as it says, into the worst
direction; between exponents this is a number, and for few candidates it is their probabilities.
"""

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tests.mutants.unit_truth import NOISE, UntrueError, alike, decimal


def require_steps(mechanism: Any, rows: int, epsilon: Decimal, delta: Decimal) -> None:
    costs = [cost_of(step, mechanism["unit"], rows) for step in mechanism["steps"]]
    whole = sum(costs, Decimal(0))
    if mechanism["unit"] == "epsilon":
        if whole <= epsilon + NOISE:
            return
        each = {step["amount"] for step in mechanism["steps"]}
        if len(each) > 1:
            raise UntrueError(f"steps cost {whole}, not {epsilon}")
        least = alike(max(costs), len(costs), epsilon) if len(set(costs)) == 1 else Decimal(0)
        if least > delta + NOISE:
            raise UntrueError(f"{len(costs)} steps need delta {least} at {epsilon}, not {delta}")
        return
    spared = implied(float(whole), float(epsilon))
    if spared > float(delta) * (1 + 1e-9):
        raise UntrueError(f"rho {whole} implies delta {spared} at epsilon {epsilon}, not {delta}")
    normal = sum(
        (c for c, s in zip(costs, mechanism["steps"], strict=True) if s["kind"] == "normal"),
        Decimal(0),
    )
    if gaussian(float(normal), float(epsilon)) > float(delta) * (1 + 1e-9) + 1e-15:
        raise UntrueError("the normal noise alone needs a larger delta")


def cost_of(step: Any, unit: str, rows: int) -> Decimal:
    if step["kind"] == "choice":
        return choice(step, unit, rows)
    worst = Decimal(0)
    for noise in step["noise"]:
        moved = [rows, -rows] if noise["counts"] == "marginal" else [rows]
        if step["kind"] == "geometric":
            cost = decimal(noise["decay"]) * sum(map(abs, moved))
        else:
            cost = sum(Decimal(m) ** 2 for m in moved) / (2 * decimal(noise["deviation"]) ** 2)
        worst = max(worst, cost)
    return worst


def choice(step: Any, unit: str, rows: int) -> Decimal:
    """Log of how much likelier a candidate becomes, or a bound of ρ from the range of losses."""
    factor, change = Fraction(step["factor"]), Fraction(step["change"]) * rows
    both = step.get("moves", "both ways") == "both ways"
    if "width" in step:
        width = Fraction(step["width"])
        change = min(change, width)
        f, c, w = (decimal(x) for x in (factor, change, width))
        others = step["candidates"] - 1
        # The candidate starts at the bottom and all others at the top, and they meet half way.
        before = 1 + others * (f * w).exp()
        after = (f * c).exp() + others * (f * (w - c if both else w)).exp()
        return f * c + (before / after).ln()
    loss = decimal((2 if both else 1) * factor * change)
    return loss if unit == "epsilon" else loss**2 / 8


def implied(rho: float, epsilon: float) -> float:
    """The least δ that ρ implies over orders (Canonne–Kamath–Steinke 2020, Prop 12), from below."""
    best = 1.0
    for place in range(1, 4000):
        a = 1 + 10 ** (place / 500 - 4)
        log = (a - 1) * (a * rho - epsilon + math.log1p(-1 / a)) - math.log(a)
        best = min(best, math.exp(min(log, 0.0)))
    return best * 0.98  # the best order lies between two of these


def gaussian(rho: float, epsilon: float) -> float:
    """The exact δ of normal noise of this ρ (Balle–Wang 2018, Theorem 8)."""
    if rho <= 0:
        return 0.0
    shift = math.sqrt(2 * rho)
    first = 0.5 * math.erfc(-(shift / 2 - epsilon / shift) / math.sqrt(2))
    second = 0.5 * math.erfc((shift / 2 + epsilon / shift) / math.sqrt(2))
    return max(0.0, first - math.exp(min(epsilon, 700)) * second)
