"""A mechanism that satisfies everything with room to spare.

Mixing a trace of it into an optimal solution gives every inequality room for rounding. It is
the uniform mechanism plus a small multiple of

    g(j, i) = n/2 − |i − j| − [i ≠ j] · j(n − j)/n        (ordered points)
    g(j, i) = n if i = j else −1                          (points without an order)

Rows of g sum to 0 because Σ_i |i − j| = n(n+1)/2 − j(n − j). Its diagonal is constant (F) and
positive (WH), it is centrosymmetric (S), and it falls by 1 along a row and by at least 1/n
along a column with each step away from the diagonal (CM, RM, hence CH, RH), all strictly.
"""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.designs.margin import widest_margin
from noisewright.designs.problem import Problem
from noisewright.designs.refine import BITS
from noisewright.exact import scaled


def interior(problem: Problem) -> list[list[Fraction]]:
    """Return the mechanism as exact rows."""
    rows, whole = interior_weights(problem)
    return [[Fraction(weight, whole) for weight in row] for row in rows]


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
    low, _ = scaled(problem.guarantee.epsilon, problem.nearest).bounds(64)
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
