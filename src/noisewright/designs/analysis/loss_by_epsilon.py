"""What is known of the least loss at an ε without solving a program.

At the two ends of the range of ε: what a constant answer loses, and what the best answers lose.
Between them: closed forms in doubles, a hint where to search and never a proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np

from noisewright.designs.closed_forms.relabeling import geometric_in_doubles
from noisewright.designs.design import Design
from noisewright.designs.problem import Problem
from noisewright.mechanisms import Guarantee, Table, properties, uniform

_FREE = frozenset({"RH", "RM", "S"})
_UNIFORM = frozenset({"CH", "CM", "F", "WH"})
"""A constant answer has RH and RM for nothing; these force it to be uniform."""


def constant_design(problem: Problem, *, at_most: Fraction) -> Design | None:
    """Return a mechanism that ignores its input, which is all that ε = δ = 0 allows.

    None when its loss would be more than `at_most`, or when it cannot have all properties.
    """
    bound = _loss_bound(problem)
    if bound > at_most or not problem.properties <= _FREE | _UNIFORM:
        return None
    tables = [] if problem.properties & _UNIFORM else [_answer(problem, _best_fixed(problem))]
    if problem.outputs == problem.space:
        tables.append(uniform(problem.space))
    fitting = [t for t in tables if not problem.properties or problem.properties <= properties(t)]
    losses = [problem.loss_of(t) for t in fitting]
    least, guarantee = min(losses, default=None), Guarantee(0)
    if least is None or least > at_most:
        return None
    return Design(
        replace(problem, guarantee=guarantee),
        fitting[losses.index(least)].rename("constant answer", guarantee),
        least,
        bound,
        "the best answer that ignores the input",
    )


def _best_fixed(problem: Problem) -> tuple[int, int]:
    """Return the best fixed answer twice, or with symmetry the best mirrored pair."""
    if problem.goal == "expected":
        scores = _under(problem, problem.prior)
    else:
        scores = [Fraction(max(column)) for column in zip(*problem.loss.costs, strict=True)]
    last = len(scores) - 1
    if "S" in problem.properties:
        best = min(range(last + 1), key=lambda i: scores[i] + scores[last - i])
        return best, last - best
    best = scores.index(min(scores))
    return best, best


def _answer(problem: Problem, outputs: tuple[int, int]) -> Table:
    weights = np.zeros((problem.space.size, problem.outputs.size), dtype=object)
    for output in outputs:
        weights[:, output] += 1
    return Table(problem.space, weights, total=2, outputs=problem.outputs)


def _loss_bound(problem: Problem) -> Fraction:
    """Bound the loss of any constant answer: under a prior some fixed output is the best.

    For the worst input every prior gives a bound; the uniform one and single inputs are tried.
    """
    if problem.goal == "expected":
        return min(_under(problem, problem.prior))
    costs = problem.loss.costs
    even = (Fraction(1, len(costs)),) * len(costs)
    return max(min(_under(problem, even)), Fraction(max(min(row) for row in costs)))


def _under(problem: Problem, prior: tuple[Fraction, ...]) -> list[Fraction]:
    """Return the expected loss of each fixed answer."""
    # Over one denominator: sums of a million fractions would take their time.
    total = math.lcm(*(w.denominator for w in prior))
    shares = [w.numerator * (total // w.denominator) for w in prior]
    return [
        Fraction(sum(s * c for s, c in zip(shares, column, strict=True)), total)
        for column in zip(*problem.loss.costs, strict=True)
    ]


def least_possible(problem: Problem) -> Fraction:
    """Return the loss of answering every input as well as can be, without any privacy."""
    least = [min(row) for row in problem.loss.costs]
    if problem.goal == "worst":
        return Fraction(max(least))
    return sum((w * c for w, c in zip(problem.prior, least, strict=True)), Fraction(0))


def quick_loss(problem: Problem) -> Callable[[float], float] | None:
    """Return the least loss by a closed form, or a lower bound on it; None if none is known."""
    if problem.outputs != problem.space:
        return None
    delta = float(problem.guarantee.delta)
    zero_one = problem.is_zero_one
    size = problem.space.size
    if problem.is_complete and zero_one:
        return lambda epsilon: (size - 1) * (1 - delta) / (math.exp(epsilon) + size - 1)
    if not problem.is_path:
        return None
    if zero_one and (problem.goal == "worst" or "F" in problem.properties):
        steps = np.abs(np.arange(size) - (size - 1) // 2)
        return lambda epsilon: 1 - 1 / float(np.exp(-epsilon * steps).sum())
    return _relabeling_loss(problem) if problem.goal == "expected" else None


def _relabeling_loss(problem: Problem) -> Callable[[float], float]:
    """The geometric mechanism, each output replaced by the best guess."""
    weights = np.array([[float(w)] for w in problem.prior])
    weighted = np.array(problem.loss.costs, dtype=float) * weights

    def least(epsilon: float) -> float:
        seen = geometric_in_doubles(problem.space.size, math.exp(-epsilon))
        return float((seen.T @ weighted).min(axis=1).sum())

    return least
