"""Which tables to count under pure ε, and at which shares of it.

A table t of decay λ_t on each count has noise of variance about 2 / λ_t², and adds
λ_t² / 2 · ∏ s_t / s_B to the precision of each of its parts B (`question_parts.py`): sums over
blocks of its cells have so many times its variance. Costs are Σ_t λ_t × the change of t in L1. In
the λ_t the loss Σ_B ℓ_B / p_B is not convex: few tables are often better than many. Several sets of
tables are tried, and the shares of each are improved by λ_t ← λ_t (−∂loss/∂λ_t / change)^(1/3),
which is the solution at once where no part is shared. What separate questions would count is among
what is tried, so that nothing is lost by asking together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from noisewright.queries.planning.attribute import MOST_CELLS, Floats
from noisewright.queries.planning.best_precisions import Goal
from noisewright.queries.planning.contrast_cost import Levels, Neighbors
from noisewright.queries.planning.question_parts import QuestionParts

Shares = dict[Levels, float]

BALANCED_CELLS = 256
"""Noise of more cells is independent: that it adds up to 0 would save less than 0.6%."""

_STEPS = 100
_FEW_TABLES = 10
_MANY_TABLES = 150
_NOTHING = 1e-4


def best_shares(
    asked: QuestionParts,
    neighbors: Neighbors,
    goal: Goal,
    starts: Sequence[Shares],
    loss: Callable[[Shares], float],
) -> Shares:
    """Return shares of ε that add up to 1, by table; `loss` is what is made small.

    Ensures: no larger a loss than that of each of `starts`.
    """
    finest = [_finest(asked, question.attributes) for question in asked.questions]
    maximal = [t for t in dict.fromkeys(finest) if not any(_is_below(t, o) for o in finest)]
    sets = [list(dict.fromkeys(finest)), maximal, *(list(start) for start in starts)]
    whole = _join(finest)
    if _cells(asked, whole) <= MOST_CELLS:
        sets.append([whole])
    if len(asked.parts) <= _MANY_TABLES:
        sets.append([part for part in asked.parts if any(part)] or list(asked.parts))
    tried = [_improve(asked, neighbors, goal, tables) for tables in sets]
    if 1 < len(maximal) <= _FEW_TABLES:
        tried.append(_merge(asked, neighbors, goal, maximal, loss))
    return min([*starts, *tried], key=loss)


def _merge(
    asked: QuestionParts,
    neighbors: Neighbors,
    goal: Goal,
    tables: list[Levels],
    loss: Callable[[Shares], float],
) -> Shares:
    """Replace two tables by one that has both, as long as that helps."""
    best = _improve(asked, neighbors, goal, tables)
    while len(tables) > 1:
        pairs = [(a, b) for k, a in enumerate(tables) for b in tables[k + 1 :]]
        merged = [[t for t in tables if t not in pair] + [_join(pair)] for pair in pairs]
        merged = [each for each in merged if _cells(asked, each[-1]) <= MOST_CELLS]
        found = [(_improve(asked, neighbors, goal, each), each) for each in merged]
        better = min(found, key=lambda each: loss(each[0]), default=(best, tables))
        if loss(better[0]) >= loss(best):
            break
        best, tables = better
    return best


def _improve(
    asked: QuestionParts, neighbors: Neighbors, goal: Goal, tables: list[Levels]
) -> Shares:
    """Return good shares for these tables, from even ones on."""
    gains = _gains(asked, tables)
    if neighbors.each_row and neighbors.change == "replace":
        cells = np.array([_cells(asked, table) if any(table) else 0 for table in tables])
        # Noise that adds up to 0 over one more cell leaves little on the sum of the others.
        gains[0] *= np.where(cells < BALANCED_CELLS, cells + 1, 1)
    changes = np.array([0.5 if neighbors.change == "replace" and not any(t) else 1 for t in tables])
    losses = asked.losses * asked.weights[:, None]
    if goal == "worst":
        losses = losses / asked.answers[:, None]
    if neighbors.total_is_public:
        losses = losses * np.array([any(part) for part in asked.parts])
    mu = np.ones(len(losses))
    shares = np.full(len(tables), 1 / len(tables))
    best, least = shares, math.inf
    for _ in range(_STEPS):
        decays = shares / changes
        variances = 1 / (gains @ decays**2)
        each = losses @ variances
        found = float(each.max() if goal == "worst" else each.sum())
        if found < least:
            best, least = shares, found
        slopes = decays * ((mu @ losses) * variances**2 @ gains)
        shares = shares * (slopes / changes) ** (1 / 3)
        shares = shares / shares.sum()
        if goal == "worst":
            mu = mu * np.sqrt(each / each.max())
    kept = best >= _NOTHING * best.max()
    if not (gains[:, kept].sum(axis=1) > 0).all():
        kept[:] = True
    best = np.where(kept, best, 0.0)
    found_shares = zip(tables, (best / best.sum()).tolist(), strict=True)
    return {table: share for table, share in found_shares if share > 0}


def _gains(asked: QuestionParts, tables: Sequence[Levels]) -> Floats:
    """Return what a table of variance 1 adds to the precision of a part, by part and table."""
    logs = [np.log(axis.block_sizes) for axis in asked.axes]

    def sizes(levels: NDArray[np.int64]) -> Floats:
        each = [log[levels[:, place]] for place, log in enumerate(logs)]
        return np.sum(each, axis=0) if each else np.zeros(len(levels))

    fine = np.array(tables, dtype=np.int64).reshape(len(tables), -1)
    coarse = np.array(asked.parts, dtype=np.int64).reshape(len(asked.parts), -1)
    is_part = (coarse[:, None] <= fine[None]).all(axis=2)
    return np.where(is_part, np.exp(sizes(fine)[None] - sizes(coarse)[:, None]), 0.0)


def _finest(asked: QuestionParts, names: Sequence[str]) -> Levels:
    return tuple(axis.height if axis.name in names else 0 for axis in asked.axes)


def _join(tables: Sequence[Levels]) -> Levels:
    return tuple(max(levels) for levels in zip(*tables, strict=True))


def _is_below(part: Levels, table: Levels) -> bool:
    return part != table and all(a <= b for a, b in zip(part, table, strict=True))


def _cells(asked: QuestionParts, table: Levels) -> int:
    return math.prod(axis.widths[lv] for axis, lv in zip(asked.axes, table, strict=True))
