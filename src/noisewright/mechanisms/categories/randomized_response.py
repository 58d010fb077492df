"""k-ary randomized response: tell the truth, or any other point, each with equal probability.

P(other | d) = p, P(d | d) = 1 − mp for m + 1 points. Private iff p ≥ (1−δ)/(e^ε + m)
(Holohan–Leith–Mason 2016, Theorem 8); with equality the largest expected number of changed
rows is the least that any mechanism can have (Theorem 10).

With many points there is no table: keep the truth with probability `keep`, else draw any point
uniformly, which is the same family with p = (1 − keep)/(m + 1). At ε = δ = 0 only the uniform
mechanism is left.
"""

from __future__ import annotations

import numpy as np

from noisewright.errors import SpaceError
from noisewright.exact import Epsilon, Number, scale_epsilon
from noisewright.given import brief
from noisewright.mechanisms.categories.response import Response, most_kept, response_table
from noisewright.mechanisms.decay import bits_below_one, least, self_proof_failed, stays_short
from noisewright.mechanisms.guarantee import Guarantee, require_dependence
from noisewright.mechanisms.mechanism import MOST_ENTRIES, require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Space, require_space


@public
def randomized_response(
    space: Space,
    *,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    table: bool | None = None,
) -> Table | Response:
    """Return the optimal (ε, δ)-private randomized response on a finite space.

    Requires: at least two points; (epsilon, delta) other than (0, 0), for which only a
    constant distribution is private: use `uniform`.
    Ensures: (ε, δ)-private for every two points, so for any neighbors (with neighbors="metric"
    for the two nearest points, so for all at ε · distance). Where e^ε is rational, p is exactly
    (1−δ)/(e^ε + m); otherwise the truth is as likely as integers over 2^k allow, so no smaller ε
    holds to a relative 2^-56. With `table=True` an integer table; with `table=False` a formula
    without one; by default a table up to 2,048 points.
    Source: Holohan–Leith–Mason 2016, Theorems 8 and 10.
    """
    require_space(space)
    claim = Guarantee(epsilon, delta, alpha=alpha)
    if space.size < 2:
        raise SpaceError(f"randomized_response() needs at least two points; got {brief(space)}.")
    require_dependence(claim)
    others = space.size - 1
    if table is None:
        table = space.by_distance or space.size * space.size <= MOST_ENTRIES
    if not table:
        return Response(space, *most_kept(claim, space.size, _bits(claim, others)), claim)
    require_tabulable(space, space, instead="Use table=False: the formula needs no table.")
    nearest = _between_nearest(claim, space)
    other, total = _exact_weight(nearest, others) or _rounded_weight(nearest, others)
    if total - others * other < other:
        # Private it would be only if the truth were still the likelier answer.
        raise self_proof_failed("that the truth is likelier", claim.epsilon)
    return response_table(space, other, total, claim)


def _between_nearest(claim: Guarantee, space: Space) -> Guarantee:
    """Return what is promised to the two points that are nearest to each other.

    All points are told apart equally well, so the nearest two decide when ε counts per unit of
    distance.
    """
    if not space.by_distance:
        return claim
    pairs = space.neighbor_codes().tolist()
    nearest = min(space.neighbor_distance(a, b) for a, b in pairs)
    return Guarantee(scale_epsilon(claim.epsilon, nearest).below(), claim.delta)


def _exact_weight(claim: Guarantee, others: int) -> tuple[int, int] | None:
    """Return p = (1−δ)/(e^ε + others) as a weight and its total, where that is rational."""
    power = claim.epsilon.power
    if power is None:
        return None
    share = (1 - claim.delta) / (power + others)
    other, total = share.as_integer_ratio()
    return (other, total) if stays_short(total.bit_length(), entries=(others + 1) ** 2) else None


def _rounded_weight(claim: Guarantee, others: int) -> tuple[int, int]:
    bits = _bits(claim, others)
    return least_other_weight(claim, others, bits), 1 << bits


def _bits(claim: Guarantee, others: int) -> int:
    """Return a total fine enough that rounding p up costs a relative 2^-56 of ε at most."""
    _, ratio = claim.epsilon.ratio_bounds(0)
    # What keeps truth and lies apart is ε or, when it is 0, δ: its size sets the resolution.
    apart = claim.delta if claim.epsilon.is_zero else least(claim.epsilon)
    depth = bits_below_one(apart) + (bits_below_one(1 - claim.delta) if claim.delta < 1 else 0)
    return 64 + 2 * (ratio + others).bit_length() + depth


def least_other_weight(claim: Guarantee, others: int, bits: int) -> int:
    """Return the least integer p with total − others·p ≤ e^ε p + δ·total, exactly.

    That is p = ⌈(1−δ) total / (e^ε + others)⌉ (Theorem 8), decided by exact comparisons.
    """
    free = (1 - claim.delta) * (1 << bits)
    scale = bits + 64
    ratio, _ = claim.epsilon.ratio_bounds(scale)
    candidate = max(0, int(free * (1 << scale) / (ratio + (others << scale))) - 2)
    share = free.denominator
    while claim.epsilon.sign(free.numerator - others * candidate * share, candidate * share) > 0:
        candidate += 1
    return candidate


@public
def uniform(space: Space) -> Table:
    """Return the mechanism that ignores its input.

    Ensures: 0-private, and every output is exactly as likely as any other.
    Source: the mechanism UM of Cormode–Kulkarni–Srivastava 2018.
    """
    require_space(space)
    require_tabulable(space, space, instead="Use fewer points.")
    weights = np.ones((space.size, space.size), dtype=object)
    return Table(space, weights, total=space.size, claim=Guarantee(0), name="uniform mechanism")
