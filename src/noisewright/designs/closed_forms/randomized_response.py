"""Randomized response: L0 where every two points are neighbors (Holohan–Leith–Mason 2016)."""

from __future__ import annotations

from fractions import Fraction

from noisewright.designs.problem import Problem
from noisewright.designs.proofs.proof import DualValues, Proof, Solution
from noisewright.mechanisms import Table, randomized_response

_BITS = 192


def by_response(problem: Problem, tie_break: str | None) -> Solution | None:
    """Randomized response: L0 when every two points are neighbors.

    Summing P(x|x) ≤ e^ε P(x|x') + δ over all pairs bounds the mean of the diagonal by
    (e^ε + mδ)/(e^ε + m), and the worst input errs at least as often as the mean.
    """
    del tie_break
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
