"""A lower bound on the loss of every (ε, δ)-private mechanism on subsets, δ > 0.

    F_j    the probability that j items differ from the truth; the same for every truth
    d      in how many items two sets x, x' differ
    N      how many answers differ from x in i items and from x' in j

Privacy of x and x' says that the excesses s ≥ F_i N/C(m,i) − e^ε F_j N/C(m,j) sum to at most δ.
Give each of these inequalities a dual value of at least 0, and the sum the largest of its own, π_d.
Adding them up, the loss is at least the cheapest ℓ(j) plus charges, minus δ Σ π_d, whatever the
dual values are. Doubles find good ones; the sum is exact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp
from typing import Any

import numpy as np

from noisewright.designs.losses.loss import Cost
from noisewright.errors import UnsolvedError
from noisewright.mechanisms import Guarantee

_BITS = 192


@dataclass(frozen=True)
class Inequality:
    """F_i N/C(m,i) − e^ε F_j N/C(m,j) − s ≤ 0 for sets that differ in `apart` items."""

    apart: int
    i: int
    j: int
    count: int


def duals_with_delta(costs: Sequence[Cost], claim: Guarantee) -> list[tuple[Inequality, Fraction]]:
    """Return the dual values above 0 that doubles propose."""
    inequalities = list(_inequalities(len(costs) - 1))
    duals = _propose([float(cost) for cost in costs], inequalities, claim)
    both = zip(inequalities, duals, strict=True)
    return [(one, Fraction(dual)) for one, dual in both if dual > 0]


def bound_with_delta(costs: Sequence[Cost], claim: Guarantee) -> Fraction:
    """Return a proven lower bound on the loss of any mechanism with this guarantee."""
    items = len(costs) - 1
    _, ratio = claim.epsilon.ratio_bounds(_BITS)
    charged = [Fraction(cost) for cost in costs]
    largest: dict[int, Fraction] = {}
    for one, dual in duals_with_delta(costs, claim):
        weight = dual * one.count
        charged[one.i] += weight / comb(items, one.i)
        charged[one.j] -= weight * Fraction(ratio, comb(items, one.j) << _BITS)
        largest[one.apart] = max(largest.get(one.apart, dual), dual)
    return max(Fraction(0), min(charged) - claim.delta * sum(largest.values(), Fraction(0)))


def _inequalities(items: int) -> Iterator[Inequality]:
    """List what may matter: sets far apart, answers nearer to the first than to the second."""
    for apart in range(max(1, items // 2), items + 1):
        for inside in range(apart // 2 + 1):
            for outside in range(items - apart + 1):
                i, j = inside + outside, apart - inside + outside
                if i < j:
                    count = comb(apart, inside) * comb(items - apart, outside)
                    yield Inequality(apart, i, j, count)


def _propose(costs: list[float], inequalities: list[Inequality], claim: Guarantee) -> list[float]:
    """Solve the program of the sizes in doubles and return the dual values of its inequalities."""
    from scipy.optimize import linprog
    from scipy.sparse import coo_matrix

    items = len(costs) - 1
    ratio = exp(min(claim.epsilon.ceiling(), 500.0))
    distances = sorted({one.apart for one in inequalities})
    first_excess, first_sum = items + 1, len(inequalities)
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for row, one in enumerate(inequalities):
        excess = first_excess + row
        rows += [row, row, row, first_sum + distances.index(one.apart)]
        columns += [one.i, one.j, excess, excess]
        values += [
            one.count / comb(items, one.i),
            -ratio * one.count / comb(items, one.j),
            -1.0,
            1.0,
        ]
    variables = first_excess + len(inequalities)
    limits = np.zeros(first_sum + len(distances))
    limits[first_sum:] = float(claim.delta)
    target = np.zeros(variables)
    target[: items + 1] = costs
    whole = coo_matrix(
        (np.ones(items + 1), (np.zeros(items + 1, dtype=int), np.arange(items + 1))),
        shape=(1, variables),
    )
    shape = (len(limits), variables)
    solved: Any = linprog(
        target,
        A_ub=coo_matrix((values, (rows, columns)), shape=shape).tocsr(),
        b_ub=limits,
        A_eq=whole.tocsr(),
        b_eq=[1.0],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if not solved.success:
        raise UnsolvedError(f"the solver stopped without an answer: {solved.message}")
    return [-float(dual) for dual in solved.ineqlin.marginals[:first_sum]]
