"""Counts without structural properties: the geometric mechanism and then a relabeling.

Every ε-private mechanism for counts that is best for some prior and some loss growing with the
distance is the geometric mechanism followed by a deterministic map of its outputs
(Ghosh–Roughgarden–Sundararajan 2009); for the worst input, by a randomized one (Gupte–
Sundararajan 2010). That gives the mechanism without a program over its entries.

The proof does not lean on the theorem. Prices y_j for the inputs bound the loss by Σ y_j if no
private column v (α v_j ≤ v_j±1 ≤ v_j/α) can undercut them: Σ_j (w_j c_ji − y_j) v_j ≥ 0. The
extreme columns change by α or 1/α at each step, so one pass over the inputs finds the least.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.design.losses import Costs
from noisewright.exact import Epsilon

BITS = 256
"""Fixed point: numbers here are integers over 2^256."""


def best_relabeling(epsilon: Epsilon, costs: list[list[Fraction]]) -> list[int]:
    """Return for each output k of the geometric mechanism the output i to publish instead.

    That is argmin_i Σ_j w_j c_ji P(k | j): the best guess once k was seen. `costs[j][i]` are
    already weighted by the prior. The lowest i wins ties near the middle of the posterior.
    """
    import numpy as np

    size = len(costs)
    codes = np.arange(size)
    alpha = np.exp(-epsilon.ceiling())
    seen = alpha ** np.abs(codes[:, None] - codes)
    expected = seen @ np.array([[float(c) for c in row] for row in costs])
    return np.argmin(expected, axis=1).tolist()


def proven_bound(epsilon: Epsilon, costs: list[list[Fraction]], relabeling: list[int]) -> Fraction | None:
    """Return a proven lower bound on the expected loss of any ε-private mechanism.

    `costs` are weighted by the prior. The prices make every used output of the relabeled
    geometric mechanism break even. None when they can be undercut by more than rounding: then
    the relabeling was not optimal.
    """
    one = 1 << BITS
    whole = [[(c.numerator << BITS) // c.denominator for c in row] for row in costs]
    prices = _break_even(epsilon, whole, relabeling)
    # Rounding may leave prices a hair too high; lowering all of them by a hair mends that.
    size = len(costs)
    hair = size << (BITS // 4)
    low, high = epsilon.alpha_bounds(BITS)
    _, inverse = epsilon.ratio_bounds(BITS)
    lowered = [price - hair for price in prices]
    for output in range(len(costs[0])):
        if _least([whole[j][output] - lowered[j] for j in range(size)], low, inverse) < 0:
            return None
    del one, high
    return Fraction(sum(lowered), 1 << BITS)


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
    right = _smoothed(costs, relabeling, alpha)
    square = alpha * alpha >> BITS
    one = 1 << BITS
    gap = one - square
    prices: list[int] = []
    for j in range(size):
        inner = one + square if 0 < j < size - 1 else one
        value = inner * right[j]
        if j > 0:
            value -= alpha * right[j - 1]
        if j < size - 1:
            value -= alpha * right[j + 1]
        prices.append(value // gap)
    return prices


def _smoothed(costs: list[list[int]], relabeling: list[int], alpha: int) -> list[int]:
    """Return Σ_j c_{j, r(k)} α^|j−k| for all k.

    Outputs k with the same label share two running sums over j, so the work is
    (number of labels) · n.
    """
    size = len(costs)
    right = [0] * size
    for label in set(relabeling):
        column = [row[label] for row in costs]
        before = [0] * size
        for j in range(1, size):
            before[j] = (before[j - 1] + column[j - 1]) * alpha >> BITS
        after = [0] * size
        for j in range(size - 2, -1, -1):
            after[j] = (after[j + 1] + column[j + 1]) * alpha >> BITS
        for k in range(size):
            if relabeling[k] == label:
                right[k] = before[k] + column[k] + after[k]
    return right


def weighted(costs: Costs, prior: tuple[Fraction, ...]) -> list[list[Fraction]]:
    """Return the costs weighted by a prior."""
    return [[w * c for c in row] for w, row in zip(prior, costs, strict=True)]
