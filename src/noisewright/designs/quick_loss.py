"""The least loss as a quick function of ε, in doubles: a hint where to search, never a proof."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from noisewright.designs.problem import Problem


def quick_loss(problem: Problem) -> Callable[[float], float] | None:
    """Return the least loss by a closed form, or a lower bound on it; None if none is known."""
    if problem.outputs != problem.space:
        return None
    delta = float(problem.guarantee.delta)
    zero_one = all(
        cost == (x != y) for x, row in enumerate(problem.loss.costs) for y, cost in enumerate(row)
    )
    size = problem.space.size
    if problem.is_complete and zero_one:
        return lambda epsilon: (size - 1) * (1 - delta) / (math.exp(epsilon) + size - 1)
    if not problem.is_path:
        return None
    if zero_one and (problem.goal == "worst" or "F" in problem.properties):
        steps = np.abs(np.arange(size) - (size - 1) // 2)
        return lambda epsilon: 1 - 1 / float(np.exp(-epsilon * steps).sum())
    return _relabeled(problem) if problem.goal == "expected" else None


def _relabeled(problem: Problem) -> Callable[[float], float]:
    """The geometric mechanism, each output replaced by the best guess."""
    size = problem.space.size
    away = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    weighted = np.array(problem.loss.costs, dtype=float) * np.array(
        [[float(w)] for w in problem.prior]
    )

    def least(epsilon: float) -> float:
        alpha = math.exp(-epsilon)
        seen = (alpha ** np.arange(size) / (1 + alpha))[away]
        seen[:, 1:-1] *= 1 - alpha
        return float((seen.T @ weighted).min(axis=1).sum())

    return least
