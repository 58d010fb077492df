"""The best mechanism on all subsets of some items, for any number of items.

    ℓ(j)  what an answer costs that differs from the truth in j items
    f(j)  its probability, the same for all such answers
    E     e^ε

Exchanging items, and flipping an item in inputs and outputs alike, changes neither the promise
(any set may replace any other) nor a loss that depends on |x △ y| alone. Averaging a mechanism over
all these exchanges keeps both, so one may look among P(y | x) = f(|x △ y|) only. Those are
ε-private iff max f ≤ E min f. Minimizing Σ C(m,j) f(j) ℓ(j) over Σ C(m,j) f(j) = 1 is then filling
knapsacks: f is E times as large where ℓ is below the optimum ν as elsewhere, and
    ν = min over thresholds of (E Σ_near C ℓ + Σ_far C ℓ) / (E Σ_near C + Σ_far C).

With δ > 0 telling the truth with probability δ, and doing that otherwise, costs (1 − δ) ν. For
the distance nothing better was ever found; what is claimed is a lower bound on the loss of every
(ε, δ)-private mechanism.

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
from itertools import product
from math import comb, exp
from typing import Any

import numpy as np

from noisewright.designs.losses.loss import Cost, Loss, cost_of_distance
from noisewright.designs.problem import Problem
from noisewright.designs.proofs.proof import DualValues, Proof, Solution
from noisewright.errors import ParameterError, TooLargeError, UnsolvedError
from noisewright.exact import fixed_point
from noisewright.mechanisms import Guarantee, SetFlips, two_levels
from noisewright.spaces import Subsets

_BITS = 192

_LONGEST_PROOF = 5
"""With more items a proof entry by entry is longer than anyone reads: 8^items dual values."""

MOST_ITEMS_IN_A_TABLE = 8
"""With more items, the design is a formula and not a table."""

_MOST_ITEMS_WITH_DELTA = 60
"""Beyond this the program for the bound with a δ takes minutes."""

_CLOSE = Fraction(1, 10**9)
"""With a δ an answer is taken if its loss is above the bound by this fraction at most."""


def _route(guarantee: Guarantee) -> str:
    truth = ", and the truth with probability delta" if guarantee.delta else ""
    return (
        f"closed form: flip a random set of items, those at a small loss e^epsilon times as "
        f"likely{truth}; best among all mechanisms by averaging over the exchanges of items"
    )


def best_flips(
    space: Subsets, claim: Guarantee, costs: list[Cost]
) -> tuple[SetFlips, Fraction, Fraction, list[int]] | None:
    """Return the best mechanism, its exact loss, a proven bound and the likely distances.

    `costs[j]` is what an answer costs that differs from the truth in j items. None if no answer
    is better than another, if the opposite of the truth is as welcome as the truth, or if with
    a δ the bound says that something else may be better.
    """
    items, epsilon = len(space.items), claim.epsilon
    if epsilon.is_zero or claim.delta == 1:
        return None
    counts = [comb(items, j) for j in range(items + 1)]
    _, high = epsilon.ratio_bounds(_BITS + items)
    order = sorted(range(items + 1), key=lambda j: costs[j])
    near_count, far_count = 0, 1 << items
    near_cost: Cost = 0
    far_cost: Cost = sum(c * n for c, n in zip(costs, counts, strict=True))
    best: tuple[Cost, int, int] | None = None
    one = 1 << (_BITS + items)
    for place, j in enumerate(order[:-1], start=1):
        near_count, far_count = near_count + counts[j], far_count - counts[j]
        near_cost, far_cost = near_cost + counts[j] * costs[j], far_cost - counts[j] * costs[j]
        if costs[order[place]] == costs[j]:
            continue
        # The quotient falls in E as long as what is near costs less than the mean: take E high.
        cost, weight = high * near_cost + one * far_cost, high * near_count + one * far_count
        # Products instead of quotients: with thousands of items the numbers are long.
        if best is None or cost * best[1] < best[0] * weight:
            best = cost, weight, place
    if best is None:
        return None
    bound, likely = Fraction(best[0]) / best[1], order[: best[2]]
    if 0 in likely and items in likely:
        return None
    if claim.delta and (0 not in likely or items > _MOST_ITEMS_WITH_DELTA):
        return None
    mechanism = two_levels(space, claim, likely)
    paid = sum(weight * cost for weight, cost in zip(mechanism.shells, costs, strict=True))
    reached = Fraction(paid) / (1 << mechanism.log2_levels)
    if claim.delta:
        bound = bound_with_delta(costs, claim)
        if reached > bound * (1 + _CLOSE):
            return None
    return mechanism, reached, bound, likely


def by_flips(problem: Problem) -> Solution | None:
    """Solution problems on few items as a table."""
    space = problem.space
    if not isinstance(space, Subsets) or not _is_of_its_kind(space):
        return None
    if problem.outputs != space or len(space.items) > MOST_ITEMS_IN_A_TABLE:
        return None
    if problem.goal == "expected" and not problem.is_uniform:
        return None
    costs = _costs_by_distance(problem.loss, len(space.items))
    found = None if costs is None else best_flips(space, problem.guarantee, costs)
    if costs is None or found is None:
        return None
    mechanism, _, bound, likely = found
    return Solution(
        mechanism.table(),
        bound,
        lambda: _proof(problem, costs, bound, set(likely)),
        _route(problem.guarantee),
    )


def _is_of_its_kind(space: Subsets) -> bool:
    return space.neighbors == "replace" and space.largest is None


def _costs_by_distance(loss: Loss, items: int) -> list[Cost] | None:
    """Return ℓ(0..m) if the loss depends on the number of differing items alone."""
    first = loss.costs[0]
    by_size = [first[(1 << j) - 1] for j in range(items + 1)]
    for x, row in enumerate(loss.costs):
        if any(cost != by_size[(x ^ y).bit_count()] for y, cost in enumerate(row)):
            return None
    return by_size


def _proof(problem: Problem, costs: list[Cost], bound: Fraction, likely: set[int]) -> Proof | None:
    """Charge answer y on each near input x against each far input z.

    The dual value is (ν − ℓ(x,y)) (ℓ(z,y) − ν) / K on every such triple, K the sum of the second
    factor over far inputs; that makes every entry cost ν.
    """
    items, size = len(costs) - 1, problem.space.size
    if items > _LONGEST_PROOF:
        return None
    if problem.guarantee.delta:
        return _proof_with_delta(problem, costs)
    counts = [comb(items, j) for j in range(items + 1)]
    far = [j for j in range(items + 1) if j not in likely]
    spread = sum((counts[j] * (costs[j] - bound) for j in far), Fraction(0))
    _, ratio = problem.guarantee.epsilon.ratio_bounds(_BITS)
    scale = _BITS + ratio.bit_length() + items
    duals = DualValues(problem, scale)
    table = {
        (i, j): fixed_point((bound - costs[i]) * (costs[j] - bound) / (spread * size), scale)[0]
        for i in likely
        for j in far
    }
    for x, z, y in product(range(size), repeat=3):
        dual = table.get(((x ^ y).bit_count(), (z ^ y).bit_count()), 0)
        if dual > 0:
            duals.add(x, z, y, dual)
    return duals.proof((Fraction(1, size),) * size)


def _proof_with_delta(problem: Problem, costs: list[Cost]) -> Proof:
    """Share the dual value of each inequality about sizes among all the triples it stands for."""
    items, size = len(costs) - 1, problem.space.size
    _, ratio = problem.guarantee.epsilon.ratio_bounds(_BITS)
    scale = _BITS + ratio.bit_length() + 2 * items
    table = {
        (one.apart, one.i, one.j): fixed_point(dual / (size * comb(items, one.apart)), scale)[0]
        for one, dual in duals_with_delta(costs, problem.guarantee)
    }
    duals = DualValues(problem, scale)
    for x, z, y in product(range(size), repeat=3):
        key = (x ^ z).bit_count(), (x ^ y).bit_count(), (z ^ y).bit_count()
        duals.add(x, z, y, table.get(key, 0))
    return duals.proof((Fraction(1, size),) * size)


def many_items(
    space: Any, guarantee: Guarantee, loss: Any, *, prior: Any, properties: Any, outputs: Any
) -> tuple[SetFlips, Fraction, Fraction, str] | None:
    """Solution problems on many items as a formula; None if they are of another kind.

    Ensures: mechanism, exact loss, proven bound, route. Nothing is enumerated.
    """
    if not isinstance(space, Subsets) or len(space.items) <= MOST_ITEMS_IN_A_TABLE:
        return None
    if not isinstance(loss, str):
        return None
    if not _is_of_its_kind(space) or prior is not None or outputs is not None:
        return None
    if not isinstance(space.metric, str):
        return None
    if properties:
        raise TooLargeError(
            f"{space!r} has too many points to look through for structural properties. Leave "
            "properties= out: the best mechanism treats all items alike anyway.",
            size=space.size,
        )
    costs = named_costs(loss, space)
    found = best_flips(space, guarantee, costs)
    if found is None:
        return None
    mechanism, paid, bound, _ = found
    return mechanism, paid, bound, _route(guarantee)


def named_costs(name: str, space: Subsets) -> list[Cost]:
    """Return a named loss by the number of differing items."""
    cost = cost_of_distance(name)
    if cost is None:
        raise ParameterError(
            f"loss is {name!r}; on many items it is one of 'L0', 'L1', 'L2', 'L0,d' and 'distance'."
        )
    discrete = space.metric == "discrete"
    return [cost(min(away, 1) if discrete else away) for away in range(len(space.items) + 1)]


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
