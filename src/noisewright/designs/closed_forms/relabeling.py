"""Counts without structural properties: the geometric mechanism and then a relabeling.

Every ε-private mechanism for counts that is best for some prior and some loss growing with the
distance is the geometric mechanism followed by a deterministic map of its outputs
(Ghosh–Roughgarden–Sundararajan 2009); for the worst input, by a randomized one (Gupte–
Sundararajan 2010). That gives the mechanism without a program over its entries.

The proof does not lean on the theorem. Dual values y_j of the row sums bound the loss by Σ y_j if
no private column v (α v_j ≤ v_j±1 ≤ v_j/α) can undercut them: Σ_j (w_j c_ji − y_j) v_j ≥ 0. The
extreme columns change by α or 1/α at each step, so one pass over the inputs finds the least.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.losses.loss import Costs, read_loss
from noisewright.designs.problem import Problem
from noisewright.designs.proofs.proof import DualValues, Proof, Solution
from noisewright.exact import Epsilon, fixed_floor
from noisewright.mechanisms import Table, geometric
from noisewright.spaces import Counts

BITS = 256
"""Fixed point: numbers here are integers over 2^256."""

_SPENT = 37
"""A bound may be lowered by this part of it, 2^-37, twice."""


def geometric_in_doubles(size: int, alpha: float) -> NDArray[np.float64]:
    """Return the truncated geometric mechanism in doubles."""
    codes = np.arange(size, dtype=np.float64)
    seen = np.power(alpha, np.abs(codes[:, None] - codes)) / (1 + alpha)
    seen[:, 1:-1] *= 1 - alpha
    return seen


def best_relabeling(
    epsilon: Epsilon, costs: Costs, prior: tuple[Fraction, ...], then: Costs | None = None
) -> list[int]:
    """Return for each output k of the geometric mechanism the output i to publish instead.

    That is argmin_i Σ_j w_j c_ji P(k | j): the best guess once k was seen. Among outputs that
    are equally good, to the precision of doubles, the second loss `then` decides.
    """
    size = len(costs)
    codes = np.arange(size)
    alpha = np.exp(-min(epsilon.ceiling(), 700.0))
    seen = alpha ** np.abs(codes[:, None] - codes).astype(float)
    seen = seen * np.array([float(w) for w in prior])
    expected = seen @ np.array(costs, dtype=float)
    if then is None:
        return np.argmin(expected, axis=1).tolist()
    best = expected.min(axis=1, keepdims=True)
    second = seen @ np.array(then, dtype=float)
    second[expected > best * (1 + 1e-12) + 1e-300] = np.inf
    return np.argmin(second, axis=1).tolist()


def proven_bound(
    epsilon: Epsilon, costs: Costs, prior: tuple[Fraction, ...], relabeling: list[int]
) -> Fraction | None:
    """Return a proven lower bound on the expected loss of any ε-private mechanism.

    The dual values make every used output of the relabeled geometric mechanism break even. They
    are lowered by what some private column could still undercut them, which is rounding when
    the relabeling is optimal; None when it is more.
    """
    found = _unbeaten(epsilon, _whole(costs, prior), relabeling)
    if found is None:
        return None
    duals, undercut = found
    # Lowering every dual value by h adds at least h to any column with v_0 = 1.
    return Fraction(sum(duals) - len(duals) * undercut, 1 << BITS)


def proof_of_relabeling(problem: Problem, relabeling: list[int]) -> Proof:
    """Spell out the dual values behind `proven_bound`, inequality by inequality.

    What the inputs from j + 1 on owe is passed on to j: at the value that P(y|j) ≤ e^ε P(y|j+1)
    allows when it is positive, else by the inequality the other way round.
    """
    epsilon, costs = problem.guarantee.epsilon, problem.loss.costs
    last = len(costs) - 1
    scale = BITS + epsilon.ratio_bounds(0)[1].bit_length()
    whole = _whole(costs, problem.prior)
    unbeaten = _unbeaten(epsilon, whole, relabeling)
    duals = unbeaten[0] if unbeaten else _break_even(epsilon, whole, relabeling)
    low, _ = epsilon.alpha_bounds(scale)
    _, inverse = epsilon.ratio_bounds(BITS)
    found = DualValues(problem, scale)
    for y in range(len(costs[0])):
        rest = 0
        for j in range(last, -1, -1):
            if rest > 0:
                found.add(j, j + 1, y, rest * low >> BITS)
            elif rest < 0:
                found.add(j + 1, j, y, -rest << scale - BITS)
            passed = (rest * low >> scale) if rest >= 0 else (rest * inverse >> BITS)
            rest = whole[j][y] - duals[j] + passed
    return found.proof()


def _whole(costs: Costs, prior: tuple[Fraction, ...]) -> list[list[int]]:
    """Return the weighted costs over 2^BITS; weights are rounded down, which lowers the bound."""
    weights = [fixed_floor(w, BITS) for w in prior]
    return [
        [w * c.numerator // c.denominator for c in row]
        for w, row in zip(weights, costs, strict=True)
    ]


def _unbeaten(
    epsilon: Epsilon, whole: list[list[int]], relabeling: list[int]
) -> tuple[list[int], int] | None:
    """Return dual values, and by how much a private column with v_0 = 1 undercuts them at most.

    A column may be e^(ε j) at j, so that what is rounding there is much at v_0 = 1. All values are
    then lowered a little: whether a column undercuts them at all does not depend on its scale.
    """
    size = len(whole)
    even = _break_even(epsilon, whole, relabeling)
    low, _ = epsilon.alpha_bounds(BITS)
    _, inverse = epsilon.ratio_bounds(BITS)
    most = (max(sum(even), 0) >> _SPENT) // size
    for lowered in (0, most >> BITS // 4, most):
        duals = [dual - lowered for dual in even]
        allowed = (max(sum(duals), 0) >> _SPENT) // size
        undercut = 0
        for output in range(len(whole[0])):
            charged = [row[output] - dual for row, dual in zip(whole, duals, strict=True)]
            undercut = max(undercut, -_least(charged, low, inverse))
            if undercut > allowed:
                break
        else:
            return duals, undercut
    return None


def _least(charged: list[int], alpha: int, inverse: int) -> int:
    """Bound from below the least Σ charged_j v_j over private columns with v_0 = 1."""
    rest = 0
    for part in reversed(charged):
        # What follows shrinks by α at best when it costs, and grows by 1/α when it earns.
        rest = part + ((rest * alpha >> BITS) if rest >= 0 else (rest * inverse >> BITS))
    return rest


def _break_even(epsilon: Epsilon, costs: list[list[int]], relabeling: list[int]) -> list[int]:
    """Solve Σ_j (c_{j, r(k)} − y_j) α^|j−k| = 0 for all k.

    The matrix α^|j−k| has the tridiagonal inverse (1/(1−α²)) · [1, −α; −α, 1+α², −α; …; 1].
    """
    size = len(costs)
    alpha = epsilon.alpha_bounds(BITS)[0]
    right = _smooth(costs, relabeling, alpha)
    square = alpha * alpha >> BITS
    one = 1 << BITS
    gap = one - square
    duals: list[int] = []
    for j in range(size):
        inner = one + square if 0 < j < size - 1 else one
        value = inner * right[j]
        if j > 0:
            value -= alpha * right[j - 1]
        if j < size - 1:
            value -= alpha * right[j + 1]
        duals.append(value // gap)
    return duals


def sharp_relabeling(epsilon: Epsilon, costs: Costs, prior: tuple[Fraction, ...]) -> list[int]:
    """Return the best relabeling with ties decided far beyond doubles.

    Where several answers are nearly as good, as against the worst prior, a choice that is off by
    the last digit of a double shows in the proof: columns may grow by e^ε at each step.
    """
    whole = _whole(costs, prior)
    alpha = epsilon.alpha_bounds(BITS)[0]
    scores = [_all_around([row[i] for row in whole], alpha) for i in range(len(costs[0]))]
    return [min(range(len(scores)), key=lambda i: scores[i][k]) for k in range(len(costs))]


def _smooth(costs: list[list[int]], relabeling: list[int], alpha: int) -> list[int]:
    """Return Σ_j c_{j, r(k)} α^|j−k| for all k; outputs with the same label share the work."""
    right = [0] * len(costs)
    for label in set(relabeling):
        sums = _all_around([row[label] for row in costs], alpha)
        for k, sum_of_label in enumerate(sums):
            if relabeling[k] == label:
                right[k] = sum_of_label
    return right


def _all_around(column: list[int], alpha: int) -> list[int]:
    """Return Σ_j column_j α^|j−k| for all k, by two running sums."""
    size = len(column)
    before = [0] * size
    for j in range(1, size):
        before[j] = (before[j - 1] + column[j - 1]) * alpha >> BITS
    after = [0] * size
    for j in range(size - 2, -1, -1):
        after[j] = (after[j + 1] + column[j + 1]) * alpha >> BITS
    return [before[k] + column[k] + after[k] for k in range(size)]


def by_relabeling(problem: Problem, tie_break: str | None) -> Solution | None:
    """The geometric mechanism and a relabeling: any expected loss on counts."""
    if not problem.is_path or problem.goal != "expected":
        return None
    epsilon = problem.guarantee.epsilon
    space = problem.space
    second = None if tie_break is None else read_loss(tie_break, space, space).costs
    relabeling = best_relabeling(epsilon, problem.loss.costs, problem.prior, second)
    if _is_dishonest(problem, relabeling):
        return None
    bound = proven_bound(epsilon, problem.loss.costs, problem.prior, relabeling)
    if bound is None:
        return None
    assert isinstance(space, Counts)
    base = geometric(space, epsilon=epsilon, table=True)
    assert isinstance(base, Table)
    if relabeling == list(range(space.size)):
        table, how = base, " (Cormode–Kulkarni–Srivastava 2018, Theorem 5)"
    else:
        table = base.then(relabeling.__getitem__, outputs=space)
        how = ", each output relabeled as the best guess (Ghosh–Roughgarden–Sundararajan 2009)"
    return Solution(
        table,
        bound,
        lambda: proof_of_relabeling(problem, relabeling),
        f"closed form: the geometric mechanism{how}",
    )


def _is_dishonest(problem: Problem, relabeling: list[int]) -> bool:
    """Whether honesty is asked for that this mechanism clearly has not.

    That is known before the work of proving a bound: an output that nothing is relabeled to is
    never the truth, and without a relabeling the truth inside has probability (1 − α)/(1 + α).
    """
    if not problem.properties & {"WH", "CH", "CM"}:
        return False
    size = len(relabeling)
    if relabeling != list(range(size)):
        return True
    alpha = math.exp(-problem.guarantee.epsilon.ceiling())
    # Where rounding could matter the properties of the table decide.
    return size > 2 and (1 - alpha) / (1 + alpha) * size < 1 - 1e-9
