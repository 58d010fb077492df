"""Many counts and the worst input: the geometric mechanism and a randomized relabeling.

For losses that grow with the distance the best mechanism for the worst input is the geometric
mechanism followed by a random map of its outputs (Gupte–Sundararajan 2010). That is a game: an
opponent chooses weights on the inputs, we choose what to publish for each output k. Few answers
per output ever matter, so a small program over those is solved, and answers that would be better
against its weights are added, until none is.

Nothing is taken on trust. Any relabeling keeps the promise, and the loss of the table is computed
exactly. Any weights bound the loss of every mechanism from below, as in `relabeling.py`. Where the
two do not meet the program over all entries is solved instead.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.designs.closed_forms.relabeling import (
    geometric_in_doubles,
    proof_of_relabeling,
    proven_bound,
    sharp_relabeling,
)
from noisewright.designs.problem import Problem
from noisewright.designs.proofs.proof import Solution
from noisewright.errors import MissingPartError
from noisewright.mechanisms import Table, geometric, properties
from noisewright.spaces import Counts

_FEW = 76
"""Up to here the program over all entries is small; it proves more digits, and breaks ties."""

_NEVER = {"F", "OD", "U"}
"""Not looked for in a table (OD, U), or never found after a game: the ends differ from the rest."""

_ROUNDS = 40
_CLOSE = Fraction(1, 10**7)
_SCALES = (1024, 1)
"""About the value of a program: its tolerances are absolute, and entries below 1e-9 count as 0, so
the larger the better, but not every program can be solved that sharply."""

_BITS = 96
"""Shares of a randomized relabeling are integers over 2^96."""

Floats = NDArray[np.float64]


def by_game(problem: Problem, *, more_than: int = _FEW) -> Solution | None:
    """Return the best mechanism for the worst input on a line of more than so many counts."""
    if not problem.is_path or problem.goal != "worst" or not isinstance(problem.space, Counts):
        return None
    if problem.space.size <= more_than or problem.properties & _NEVER:
        return None
    alpha = float(np.exp(-problem.guarantee.epsilon.ceiling()))
    if not 0 < alpha < 1:
        return None
    costs = np.array(problem.loss.costs, dtype=np.float64)
    if not _grow_with_distance(costs):
        return None
    seen = geometric_in_doubles(problem.space.size, alpha)
    # Seen from the other end the game is mostly the same: so are shares and weights.
    is_even = bool((costs == costs[::-1, ::-1]).all())
    found = _equilibrium(seen, costs, is_even=True) if is_even else None
    found = found or _equilibrium(seen, costs, is_even=False)
    if found is None:
        return None
    shares, weights = found
    prior = _exact_weights(weights)
    relabeling = sharp_relabeling(problem.guarantee.epsilon, problem.loss.costs, prior)
    bound = proven_bound(problem.guarantee.epsilon, problem.loss.costs, prior, relabeling)
    if bound is None:
        return None
    base = geometric(problem.space, epsilon=problem.guarantee.epsilon, table=True)
    assert isinstance(base, Table)
    table = _relabel(base, shares)
    loss = problem.loss_of(table)
    if loss > bound * (1 + _CLOSE) or not problem.properties <= properties(table):
        return None
    return Solution(
        table,
        bound,
        lambda: replace(
            proof_of_relabeling(replace(problem, prior=prior), relabeling), problem=problem
        ),
        "the geometric mechanism, each output relabeled at random (Gupte–Sundararajan 2010): a "
        f"game of {len(prior):,} inputs against {len(shares):,} answers; proven exactly",
    )


def _grow_with_distance(costs: Floats) -> bool:
    """Whether no answer costs less than one between it and the truth; the theorem needs that."""
    steps = np.diff(costs, axis=1)
    return bool((np.triu(steps) >= 0).all() and (np.tril(steps, -1) <= 0).all())


def _equilibrium(
    seen: Floats, costs: Floats, *, is_even: bool
) -> tuple[dict[tuple[int, int], float], Floats] | None:
    """Return shares of answers i for outputs k, and the opponent's weights on the inputs.

    Requires: is_even only if all costs are the same from both ends. Then so are shares and weights,
    and half of the inputs are enough.
    """
    ends = (len(seen) - 1, costs.shape[1] - 1)
    weights = np.full(len(seen), 1 / len(seen))
    chosen: set[tuple[int, int]] = set()
    shares: dict[tuple[int, int], float] = {}
    for _ in range(_ROUNDS):
        better = _good_answers(seen, costs, weights)
        if is_even:
            better = {min((k, i), (ends[0] - k, ends[1] - i)) for k, i in better}
        better -= chosen
        if not better:
            return shares, weights
        chosen |= better
        pairs = np.array(sorted(chosen))
        paid, times = seen[:, pairs[:, 0]] * costs[:, pairs[:, 1]], np.ones(len(pairs))
        if is_even:
            paid, times = _fold(paid, pairs, ends)
        solved = _solve(paid, pairs[:, 0], times)
        if solved is None:
            return None
        parts, value, found = solved
        shares = {
            (int(k), int(i)): float(part)
            for (k, i), part in zip(pairs, parts, strict=True)
            if part > 0
        }
        if is_even:
            shares |= {(ends[0] - k, ends[1] - i): part for (k, i), part in shares.items()}
            weights = np.zeros(len(seen))
            weights[: len(found)] = found / 2
            weights[::-1][: len(found)] += found / 2
        else:
            weights = found
        least = float(((seen * weights[:, None]).T @ costs).min(axis=1).sum())
        if value - least <= 1e-13 * value:
            return shares, weights
    return None


def _fold(paid: Floats, pairs: NDArray[np.intp], ends: tuple[int, int]) -> tuple[Floats, Floats]:
    """Return what half of the inputs pay if each answer comes with its mirror image.

    Also how often an answer then counts among those to its output: twice if the output is the one
    in the middle, and the answer is not.
    """
    mirrored = np.array(ends) - pairs
    is_middle = mirrored == pairs
    is_alone = is_middle.all(axis=1)
    both = np.where(is_alone, paid, paid + paid[::-1])
    return both[: (len(paid) + 1) // 2], np.where(is_middle[:, 0] & ~is_alone, 2.0, 1.0)


def _good_answers(seen: Floats, costs: Floats, weights: Floats) -> set[tuple[int, int]]:
    """Return the best answer to each output under these weights, and those next to it."""
    best = ((seen * weights[:, None]).T @ costs).argmin(axis=1)
    last = costs.shape[1] - 1
    return {
        (k, i)
        for k, answer in enumerate(best.tolist())
        for i in (answer - 1, answer, answer + 1)
        if 0 <= i <= last
    }


def _solve(
    paid: Floats, outputs: NDArray[np.intp], times: Floats
) -> tuple[Floats, float, Floats] | None:
    """Minimize the largest loss over shares of the answers that are allowed.

    Requires: the shares to each output, each as many times as said, are to add up to 1.
    """
    try:
        from scipy.optimize import linprog
        from scipy.sparse import csr_matrix
    except ImportError as problem:
        raise MissingPartError(
            "designing by linear program needs SciPy, which comes with noisewright and is missing "
            "here: pip install scipy."
        ) from problem
    inputs, answers = paid.shape
    whole: Any = csr_matrix((times, (outputs, np.arange(answers))), shape=(inputs, answers + 1))
    # What choosing evenly costs: the value is not far below.
    even = float((paid / np.bincount(outputs, times)[outputs]).sum(axis=1).max()) or 1.0
    for scale in _SCALES:
        found: Any = linprog(
            np.append(np.zeros(answers), 1.0),
            A_ub=np.hstack([paid * (scale / even), -np.ones((inputs, 1))]),
            b_ub=np.zeros(inputs),
            A_eq=whole,
            b_eq=np.ones(inputs),
            method="highs-ds",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if found.status == 0:
            weights = np.maximum(-found.ineqlin.marginals, 0)
            value = float(found.fun) * even / scale
            return np.maximum(found.x[:-1], 0), value, weights / weights.sum()
    return None


def _exact_weights(weights: Floats) -> tuple[Fraction, ...]:
    """Return rationals next to the weights that sum to exactly 1."""
    parts = [int(Fraction(float(weight)) * (1 << _BITS)) for weight in weights]
    return tuple(Fraction(part, sum(parts)) for part in parts)


def _relabel(base: Table, shares: dict[tuple[int, int], float]) -> Table:
    """Return the table after publishing i for output k with these shares."""
    of_output: dict[int, list[tuple[int, int]]] = {}
    for (k, i), share in shares.items():
        of_output.setdefault(k, []).append((i, int(Fraction(share) * (1 << _BITS))))
    weights = np.zeros_like(base.weights)
    for k, parts in of_output.items():
        total = sum(part for _, part in parts)
        scaled = [(i, (part << _BITS) // total) for i, part in parts]
        # What rounding left over goes to the first answer.
        left = (1 << _BITS) - sum(part for _, part in scaled)
        for place, (i, part) in enumerate(scaled):
            weights[:, i] += base.weights[:, k] * (part + (left if place == 0 else 0))
    return Table(base.space, weights, total=base.total << _BITS, claim=base.claim)
