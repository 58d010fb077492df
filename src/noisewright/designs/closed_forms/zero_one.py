"""L0, which counts wrong answers: two mechanisms of which it is proven here that none is better.

Explicit fair: L0 with fairness, or for the worst input (Cormode–Kulkarni–Srivastava 2018,
Theorem 6). For odd n the paper's diagonal is corrected: the mechanism itself is
`mechanisms/counts/explicit_fair.py`. Randomized response: L0 where every two points are neighbors
(Holohan–Leith–Mason 2016).
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.problem import Problem
from noisewright.designs.proofs.proof import DualValues, Proof, Solution
from noisewright.mechanisms import Table, explicit_fair, randomized_response
from noisewright.spaces import Counts

_BITS = 192


def by_explicit_fair(problem: Problem) -> Solution | None:
    """The explicit fair mechanism: L0 with fairness, or L0 for the worst input.

    On input m every output i has P(i|m) ≥ α^|i−m| P(i|i) ≥ α^|i−m| y, y the least diagonal
    entry, so y ≤ 1 / Σ_i α^|i−m|. With fairness that bounds every diagonal entry.
    """
    if not problem.is_path or not problem.is_zero_one:
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
    return Solution(
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
    duals = DualValues(problem, scale)
    decayed = [epsilon.alpha_bounds(scale, times=step)[0] for step in range(last - middle + 1)]
    total = sum(decayed[abs(i - middle)] for i in range(last + 1))
    fair = [Fraction(decayed[abs(i - middle)], total) for i in range(last + 1)]
    if problem.goal == "expected":
        for i in range(1, last + 1):
            moved = (problem.prior[i] - fair[i]) * (1 << scale)
            duals.add_property("F", 0, i, moved.__floor__())
    for i in range(last + 1):
        step = 1 if i < middle else -1
        for j in range(i, middle, step):
            left = decayed[abs(j - middle)]
            dual = (left << scale) // total
            duals.add(j, j + step, i, dual)
    weights = problem.prior if problem.goal == "expected" else tuple(fair)
    return duals.proof(weights)


def by_response(problem: Problem) -> Solution | None:
    """Randomized response: L0 when every two points are neighbors.

    Summing P(x|x) ≤ e^ε P(x|x') + δ over all pairs bounds the mean of the diagonal by
    (e^ε + mδ)/(e^ε + m), and the worst input errs at least as often as the mean.
    """
    if not problem.is_complete or not problem.is_zero_one or problem.space.size < 2:
        return None
    if problem.goal == "expected" and not problem.is_uniform:
        return None
    guarantee, others = problem.guarantee, problem.space.size - 1
    _, ratio = guarantee.epsilon.ratio_bounds(_BITS)
    bound = others * (1 - guarantee.delta) / (Fraction(ratio, 1 << _BITS) + others)
    mechanism = randomized_response(
        problem.space, epsilon=guarantee.epsilon, delta=guarantee.delta, table=True
    )
    assert isinstance(mechanism, Table)
    return Solution(
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
    duals = DualValues(problem, scale)
    dual = (1 << scale + _BITS) // (size * (ratio + (size - 1 << _BITS)))
    for x in range(size):
        for z in range(size):
            if x != z:
                duals.add(x, z, x, dual)
    return duals.proof((Fraction(1, size),) * size)
