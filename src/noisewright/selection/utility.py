"""How good a private choice is: the utility theorem, and the ε that it takes.

With P(y) ∝ e^(f q_y), f = ε/(2Δ) (ε/Δ if monotonic), R candidates of which B are best:

    P(q ≤ best − s) ≤ (R/B) e^(−f s)

(McSherry–Talwar 2007; Theorem 2 of the survey, and its Corollary 2.1 with B = 1). So the choice is
within s = ln(R / (B β)) / f of the best with probability at least 1 − β. Permute-and-flip is
never worse. With a base measure μ, R is the sum of all weights and B that of the best candidates.
"""

from __future__ import annotations

from fractions import Fraction

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon, Number, ceiling_float, exactly, log_bounds
from noisewright.given import brief, flag
from noisewright.public import public
from noisewright.selection.choice_job import rational_below
from noisewright.spaces import whole_number

_BITS = 192


@public
def utility_bound(
    candidates: int,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
    sensitivity: Number = 1,
    beta: Number = 0.05,
    best: int = 1,
    monotonic: bool = False,
) -> float:
    """Return how far from the best a private choice is, at most, with probability 1 − beta.

    Requires: epsilon > 0, 0 < beta ≤ 1; `best` of the candidates are equally good (1 if nobody
    knows). With a base measure (`exponential(…, base=…)`) give, as whole numbers in one unit, the
    sum of its weights for `candidates`, and for `best` the least weight that the best may have.
    Ensures: 2Δ/ε · ln(candidates / (best · beta)), Δ/ε · … if monotonic, rounded up: the quality
    of what `exponential` or `permute_and_flip` chooses is more than this below the best with
    probability at most beta (McSherry–Talwar 2007; survey, Theorem 2 and Corollary 2.1).
    """
    read = Epsilon.of(epsilon, alpha=alpha)
    if read.is_zero:
        raise ParameterError("epsilon is 0, so the choice says nothing; it must be positive.")
    top = _numerator(candidates, sensitivity, beta, best, monotonic)
    return ceiling_float(top / rational_below(read))


@public
def epsilon_for_utility(
    candidates: int,
    *,
    within: Number,
    sensitivity: Number = 1,
    beta: Number = 0.05,
    best: int = 1,
    monotonic: bool = False,
) -> float:
    """Return the ε at which a private choice is `within` of the best with probability 1 − beta.

    Requires: within > 0; the others as in `utility_bound`.
    Ensures: 2Δ/within · ln(candidates / (best · beta)), rounded up: the inverse of
    `utility_bound`. A calibrated mechanism may do with less.
    """
    distance = exactly(within, name="within")
    if distance <= 0:
        raise ParameterError(f"within is {within}; it must be positive.")
    return ceiling_float(_numerator(candidates, sensitivity, beta, best, monotonic) / distance)


def _numerator(
    candidates: int, sensitivity: Number, beta: Number, best: int, monotonic: bool
) -> Fraction:
    """Return 2Δ ln(candidates / (best · beta)), rounded up."""
    one_way = flag(monotonic, name="monotonic")
    count = whole_number(candidates, name="candidates", least=1)
    winners = whole_number(best, name="best", least=1)
    if winners > count:
        raise ParameterError(f"best is {brief(best)}, more than there are candidates: {count}.")
    change = exactly(sensitivity, name="sensitivity")
    if change <= 0:
        raise ParameterError(f"sensitivity is {sensitivity}; it must be positive.")
    risk = exactly(beta, name="beta")
    if not 0 < risk <= 1:
        raise ParameterError(f"beta is {beta}; it is a probability and must lie in (0, 1].")
    high = log_bounds(count / (winners * risk), _BITS)[1]
    return (1 if one_way else 2) * change * Fraction(high, 1 << _BITS)
