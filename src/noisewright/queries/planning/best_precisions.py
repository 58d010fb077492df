"""The precisions of parts at which noisy contrasts answer best, for a cost of 1.

    ℓ_B   what 1 / p_B adds to the weighted sum of variances (`question_parts.py`)
    H     what p_B adds to the squared change, by kind of pair of rows and part (`contrast_cost.py`)

Least Σ_B ℓ_B / p_B where H p ≤ 1. For weights λ of the kinds of pairs that add up to 1, h = λᵀH, it
is at least (Σ_B √(ℓ_B h_B))² (Cauchy–Schwarz), with equality for p_B ∝ √(ℓ_B / h_B) where that
satisfies H p ≤ 1 (Xiao, He, Zhang, Kifer 2023, Theorem 5, for one kind). That bound is concave in
λ; λ_r ← λ_r (H p)_r² raises it (a minorant by Jensen's inequality), and for p scaled to a cost of 1
the loss is max(H p) times the bound, which says when to stop. Kinds of pairs are added when they
turn out to be violated. The least maximum over questions of their mean weighted variances is
found in the same way, with weights μ of the questions beside λ: μ_q ← μ_q V_q².
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from noisewright.queries.planning.attribute import Floats
from noisewright.queries.planning.contrast_cost import (
    MOST_PAIRS,
    Neighbors,
    count_pairs,
    pair_cost,
    row_cost,
)
from noisewright.queries.planning.question_parts import QuestionParts

Goal = Literal["total", "worst"]

_CLOSE = 1e-4
_STEPS = 1000
_CUTS = 20


def best_precisions(asked: QuestionParts, neighbors: Neighbors, goal: Goal) -> Floats:
    """Return p for the parts of the questions, with max(H p) about 1.

    Ensures: within a part in 10,000 or so of the least loss, unless that takes too many steps; a
    public total, which needs no measurement, has an infinite precision.
    """
    free = np.array([neighbors.total_is_public and not any(part) for part in asked.parts])
    if free.all():
        return np.full(len(asked.parts), np.inf)
    losses = asked.losses[:, ~free]
    if goal == "worst":
        losses = losses / asked.answers[:, None]
    losses = losses * asked.weights[:, None]
    pairs = _Pairs(asked, neighbors, ~free)
    rows = pairs.first()
    mu = np.full(len(losses), 1 / len(losses)) if goal == "worst" else np.ones(len(losses))
    for _ in range(_CUTS):
        found, mu = _saddle(losses, np.array(rows), mu, goal)
        largest, row = pairs.worst(found)
        if largest <= 1 + 2 * _CLOSE:
            break
        rows.append(row)
    out = np.full(len(asked.parts), np.inf)
    out[~free] = found  # pyright: ignore[reportPossiblyUnboundVariable]
    return out


def _saddle(losses: Floats, rows: Floats, mu: Floats, goal: Goal) -> tuple[Floats, Floats]:
    """Return p with max(rows · p) = 1, and the weights of questions."""
    weights = np.full(len(rows), 1 / len(rows))
    p = np.ones(losses.shape[1])
    for _ in range(_STEPS):
        costs = weights @ rows
        p = np.sqrt(mu @ losses / costs)
        p /= costs @ p
        changes = rows @ p
        p /= changes.max()
        gap = float(changes.max())
        weights = weights * changes**2
        weights /= weights.sum()
        if goal == "worst":
            variances = losses @ (1 / p)
            gap *= float(variances.max() / (mu @ variances))
            mu = mu * variances**2
            mu = mu / mu.sum()
        if gap <= 1 + _CLOSE:
            break
    return p, mu


class _Pairs:
    """The rows of H: one for a row that comes or goes, others for kinds of pairs of rows."""

    def __init__(self, asked: QuestionParts, neighbors: Neighbors, kept: np.ndarray) -> None:
        self._parts = [part for part, keep in zip(asked.parts, kept, strict=True) if keep]
        used = [any(part[place] for part in self._parts) for place in range(len(asked.axes))]
        self._used = [place for place, is_used in enumerate(used) if is_used]
        self._axes = [asked.axes[place] for place in self._used]
        self._neighbors = neighbors
        self._whole = asked.axes
        self._own = np.array([float(row_cost(asked.axes, part)) for part in self._parts])
        self._is_exact = count_pairs(self._axes) <= MOST_PAIRS
        self._levels = np.array(self._parts, dtype=np.int64).reshape(len(self._parts), -1)
        # Products by level and by the first level that tells two rows apart.
        self._products = [
            np.array(
                [
                    np.array(axis.products(level)) / (axis.branching[level - 1] if level else 1)
                    for level in range(axis.height + 1)
                ]
            )
            for axis in self._axes
        ]

    def first(self) -> list[Floats]:
        """Return the rows to begin with."""
        rows = [] if self._neighbors.total_is_public else [self._own]
        if self._neighbors.change == "replace":
            if self._is_exact:
                # Told apart in all attributes; and in one each, so that every part costs something.
                same = [axis.height for axis in self._axes]
                rows.append(self._row([0] * len(same)))
                for place in range(len(same)):
                    rows.append(self._row([*same[:place], 0, *same[place + 1 :]]))
            else:
                costs = [float(pair_cost(self._whole, part)) for part in self._parts]
                rows.append(np.array(costs))
        return rows

    def worst(self, p: Floats) -> tuple[float, Floats]:
        """Return the largest squared change of a pair of rows, and its row of H."""
        if self._neighbors.change != "replace" or not self._is_exact or not self._axes:
            return 0.0, self._own
        values = np.zeros([axis.height + 1 for axis in self._axes])
        np.add.at(values, tuple(self._levels[:, self._used].T), p)
        for products in self._products:
            # The first axis is contracted, its kinds of pairs go to the end.
            values = np.tensordot(values, products, axes=(0, 0))
        place = np.unravel_index(int(values.argmin()), values.shape)
        row = self._row([int(each) for each in place])
        return float(row @ p), row

    def _row(self, apart: Sequence[int]) -> Floats:
        shared = np.ones(len(self._parts))
        for place, products, each in zip(self._used, self._products, apart, strict=True):
            shared *= products[self._levels[:, place], each]
        return 2 * (self._own - shared)
