"""Problems whose best mechanism is known on paper, with the bound that proves it.

Each route answers None when the problem is not of its kind.
"""

from __future__ import annotations

import math
from fractions import Fraction

from noisewright.designs.answer import Answer
from noisewright.designs.flips import by_flips
from noisewright.designs.losses import read_loss
from noisewright.designs.path import best_relabeling, proof_of_relabeling, proven_bound
from noisewright.designs.problem import Problem
from noisewright.designs.proof import Prices, Proof
from noisewright.mechanisms import (
    Table,
    explicit_fair,
    geometric,
    properties,
    randomized_response,
)
from noisewright.spaces import Counts

_BITS = 192


def closed_form(problem: Problem, tie_break: str | None) -> Answer | None:
    """Return a mechanism, a proven lower bound and the route, if the problem has a closed form."""
    for route in (_fair, _response, by_flips, _relabeled):
        answer = route(problem, tie_break)
        if answer is not None and problem.properties <= properties(answer.mechanism):
            return answer
    return None


def is_path(problem: Problem) -> bool:
    """Whether adjacent counts are promised ε, and counts come out."""
    return problem.is_path and problem.outputs == problem.space


def is_zero_one(problem: Problem) -> bool:
    """Whether the loss is 1 for any wrong answer and 0 for the right one."""
    return problem.outputs == problem.space and all(
        row[x] == 0 and row.count(1) == len(row) - 1 for x, row in enumerate(problem.loss.costs)
    )


def is_uniform(problem: Problem) -> bool:
    """Whether all inputs have the same weight."""
    return len(set(problem.prior)) == 1


def _fair(problem: Problem, tie_break: str | None) -> Answer | None:
    """The explicit fair mechanism: L0 with fairness, or L0 for the worst input.

    On input m every output i has P(i|m) ≥ α^|i−m| P(i|i) ≥ α^|i−m| y, y the least diagonal
    entry, so y ≤ 1 / Σ_i α^|i−m|. With fairness that bounds every diagonal entry.
    """
    del tie_break
    if not is_path(problem) or not is_zero_one(problem):
        return None
    if problem.goal == "expected" and "F" not in problem.properties:
        return None
    n = problem.space.size - 1
    epsilon = problem.guarantee.epsilon
    alpha, _ = epsilon.alpha_bounds(_BITS)
    power, total = 1 << _BITS, 0
    steps = [0] * (n + 1)
    for i in range(n + 1):
        steps[abs(i - n // 2)] += 1
    for often in steps:
        total += often * power
        power = power * alpha >> _BITS
    bound = 1 - Fraction(1 << _BITS, total)
    assert isinstance(problem.space, Counts)
    return Answer(
        explicit_fair(problem.space, epsilon=epsilon),
        bound,
        lambda: _proof_of_fairness(problem),
        "closed form: the explicit fair mechanism (Cormode–Kulkarni–Srivastava 2018, Theorem 6"
        + (", with the diagonal corrected for odd n)" if n % 2 else ")"),
    )


def _proof_of_fairness(problem: Problem) -> Proof:
    """Charge each diagonal entry along the inputs on the way to the middle one.

    With weights v_i = α^|i−m| / Z every output costs the middle input m the same, 1/Z less than
    its weight. Fairness moves the charges of the prior over to those weights.
    """
    last = problem.space.size - 1
    middle = last // 2
    epsilon = problem.guarantee.epsilon
    scale = _BITS + epsilon.ratio_bounds(0)[1].bit_length() * (last - middle)
    prices = Prices(scale, last)
    decayed = [epsilon.alpha_bounds(scale, times=step)[0] for step in range(last - middle + 1)]
    total = sum(decayed[abs(i - middle)] for i in range(last + 1))
    fair = [Fraction(decayed[abs(i - middle)], total) for i in range(last + 1)]
    if problem.goal == "expected":
        for i in range(1, last + 1):
            moved = (problem.prior[i] - fair[i]) * (1 << scale)
            prices.charge_property("F", 0, i, moved.__floor__())
    for i in range(last + 1):
        step = 1 if i < middle else -1
        for j in range(i, middle, step):
            left = decayed[abs(j - middle)]
            price = (left << scale) // total
            prices.charge(j, j + step, i, price, outputs=last + 1)
    weights = problem.prior if problem.goal == "expected" else tuple(fair)
    return Proof(problem, weights, prices)


def _response(problem: Problem, tie_break: str | None) -> Answer | None:
    """Randomized response: L0 when every two points are neighbors.

    Summing P(x|x) ≤ e^ε P(x|x') + δ over all pairs bounds the mean of the diagonal by
    (e^ε + mδ)/(e^ε + m), and the worst input errs at least as often as the mean.
    """
    del tie_break
    if not problem.is_complete or not is_zero_one(problem) or problem.space.size < 2:
        return None
    if problem.goal == "expected" and not is_uniform(problem):
        return None
    guarantee, others = problem.guarantee, problem.space.size - 1
    _, ratio = guarantee.epsilon.ratio_bounds(_BITS)
    bound = others * (1 - guarantee.delta) / (Fraction(ratio, 1 << _BITS) + others)
    mechanism = randomized_response(
        problem.space, epsilon=guarantee.epsilon, delta=guarantee.delta, table=True
    )
    assert isinstance(mechanism, Table)
    return Answer(
        mechanism,
        bound,
        lambda: _proof_of_response(problem),
        "closed form: randomized response (Holohan–Leith–Mason 2016, Theorem 10)",
    )


def _proof_of_response(problem: Problem) -> Proof:
    """Charge each input for its own output, against every other input alike."""
    size = problem.space.size
    _, ratio = problem.guarantee.epsilon.ratio_bounds(_BITS)
    scale = _BITS + ratio.bit_length()
    prices = Prices(scale, size - 1)
    price = (1 << scale + _BITS) // (size * (ratio + (size - 1 << _BITS)))
    for x in range(size):
        for z in range(size):
            if x != z:
                prices.charge(x, z, x, price, outputs=size)
    return Proof(problem, (Fraction(1, size),) * size, prices)


def _relabeled(problem: Problem, tie_break: str | None) -> Answer | None:
    """The geometric mechanism and a relabeling: any expected loss on counts."""
    if not is_path(problem) or problem.goal != "expected":
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
        return Answer(
            base,
            bound,
            lambda: proof_of_relabeling(problem, relabeling),
            "closed form: the geometric mechanism (Cormode–Kulkarni–Srivastava 2018, Theorem 5)",
        )
    return Answer(
        base.then(relabeling.__getitem__, outputs=space),
        bound,
        lambda: proof_of_relabeling(problem, relabeling),
        "closed form: the geometric mechanism, each output relabeled as the best guess "
        "(Ghosh–Roughgarden–Sundararajan 2009)",
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
