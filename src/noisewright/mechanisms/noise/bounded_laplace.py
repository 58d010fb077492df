"""Laplace mechanisms whose outputs are the points of the interval, as tables of integers.

`truncated`: outputs beyond an end are moved to it; x α^|i−j| at the ends, y α^|i−j| inside.
`bounded`: noise is drawn anew until the output lies inside, so P(i | j) = α^|i−j| / C(j) with
C(j) = Σ_i α^|i−j|. C is smaller near the ends, so neighbors may differ by more than the noise
alone: between j and j' = j + t outputs up to j have the ratio α^-t C(j')/C(j). Over the whole
interval C(0) = C(n) and the ratio is α^-n, that of the noise; between close neighbors it is
more, and the decay is calibrated to that (compare Holohan–Antonatos–Braghin–Mac Aonghusa 2020).

Floating point proposes the decay; each table is then proven in integers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import TooLargeError
from noisewright.exact import Epsilon, halve
from noisewright.mechanisms.counts.clamped import clamped_geometric
from noisewright.mechanisms.decay import decay_for, require_ratios, self_proof_failed
from noisewright.mechanisms.guarantee import Guarantee, require_dependence
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.table import Table
from noisewright.spaces import Interval

_MOST_WORK = 1 << 23
"""Comparisons of integers that a proof may take: some 250 points that are all neighbors."""

_ROUNDS = 60
_SLACK = 2.0**-42
"""The proposed decay is taken smaller by this fraction, to make room for rounding."""

Floats = NDArray[np.float64]


def truncated_laplace(space: Interval, decay: Epsilon, claim: Guarantee) -> Table:
    """Return the truncated mechanism as a table and prove its claim."""
    require_tabulable(space, space, instead="Sample from the formula instead.")
    made = clamped_geometric(space.size - 1, decay)
    return proven_table(space, made.weights(), made.total, claim, "truncated Laplace mechanism")


def bounded_laplace(space: Interval, claim: Guarantee) -> Table:
    """Return the bounded mechanism with about the largest decay that the claim allows.

    Ensures: the claim, proven in integers; a decay larger by a relative 1e-11 breaks it.
    """
    require_dependence(claim, most=True)
    require_tabulable(space, space, instead="Use form='truncated', which needs no table.")
    _require_provable(space, claim)
    rate = _largest_rate(space, claim) * (1 - _SLACK)
    plan = decay_for(Epsilon(rational=Fraction(rate)), length=space.size - 1, outputs=space.size)
    room = plan.total - space.size * plan.floor
    powers = np.array(plan.powers, dtype=object)
    codes = np.arange(space.size)
    weights = np.empty((space.size, space.size), dtype=object)
    for j in range(space.size):
        row = powers[np.abs(codes - j)]
        weights[j] = plan.floor + room * row // int(row.sum())
        weights[j, j] += plan.total - int(weights[j].sum())
    return proven_table(space, weights, plan.total, claim, "bounded Laplace mechanism")


def proven_table(
    space: Interval, weights: NDArray[Any], total: int, claim: Guarantee, name: str
) -> Table:
    """Return the table with its claim, proven in integers."""
    _require_provable(space, claim)
    if claim.delta == 0:
        require_ratios(weights, space, claim.epsilon)
    else:
        _require_excess(weights, space, claim, total)
    return Table(space, weights, total=total, claim=claim, name=name)


def _require_provable(space: Interval, claim: Guarantee) -> None:
    """Refuse a table whose proof would take too long."""
    if claim.delta == 0 and space.neighbors == "replace":
        return
    work = space.pair_count * space.size
    if work > _MOST_WORK:
        raise TooLargeError(
            f"proving a table on {space!r} would take {work:,} comparisons (at most "
            f"{_MOST_WORK:,}). Use a larger step, or form='truncated' without a table.",
            size=work,
        )


def _require_excess(weights: NDArray[Any], space: Interval, claim: Guarantee, total: int) -> None:
    """Check exactly that Σ max(0, P − e^ε Q) ≤ δ for all neighbors, both ways."""
    bits = 192
    ratio, _ = claim.epsilon.ratio_bounds(bits)
    allowed = claim.delta * (total << bits)
    scaled, charged = weights << bits, weights * ratio
    for a, b in space.neighbor_codes().tolist():
        for x, y in ((a, b), (b, a)):
            excess = scaled[x] - charged[y]
            if int(excess[excess > 0].sum()) > allowed:
                raise self_proof_failed("with delta", claim.epsilon)


def _largest_rate(space: Interval, claim: Guarantee) -> float:
    """Propose the largest decay: bisect on the worst pair until it stays the worst."""
    pairs = space.neighbor_codes() if claim.delta else _widest_pairs(space)
    ratio_limit, delta = float(claim.epsilon), float(claim.delta)
    chosen = pairs[[0, len(pairs) // 2]]
    rate = 0.0
    for _ in range(8):
        rate = _bisect(space.size, chosen, ratio_limit, delta)
        over, worst = _breach(space.size, rate, pairs, ratio_limit, delta)
        if over <= 1e-13:
            break
        chosen = np.concatenate([chosen, pairs[worst : worst + 1]])
    return rate


def _bisect(size: int, pairs: NDArray[np.intp], epsilon: float, delta: float) -> float:
    """About the largest decay that none of these pairs forbids."""

    def holds(rate: float) -> bool:
        return _breach(size, rate, pairs, epsilon, delta)[0] <= 0

    low, high = 0.0, 2.0
    while holds(high):
        low, high = high, high * 2
    return halve(low, high, holds, times=_ROUNDS)[0]


def _widest_pairs(space: Interval) -> NDArray[np.intp]:
    """Return the pairs that are farthest apart: at δ = 0 the worst are among them."""
    if space.neighbors == "replace":
        return np.array([[0, space.size - 1]], dtype=np.intp)
    return space.neighbor_codes()


def _breach(
    size: int, rate: float, pairs: NDArray[np.intp], epsilon: float, delta: float
) -> tuple[float, int]:
    """About how much the worst of these pairs exceeds the budget, and which pair it is.

    Tables are symmetric end to end, so one direction of each pair and of its mirror image is
    enough when pairs are given with their mirror images.
    """
    codes = np.arange(size)
    first, second = pairs[:, 0], pairs[:, 1]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    norms = _norms(size, rate, codes)
    if delta == 0:
        distance = np.abs(second - first) * rate
        over = distance + np.abs(np.log(norms[second] / norms[first])) - epsilon
        return float(over.max()), int(np.argmax(over))
    worst, place = -np.inf, 0
    for start in range(0, len(both), 4096):
        part = both[start : start + 4096]
        p = np.exp(-rate * np.abs(codes[None] - part[:, :1])) / norms[part[:, 0]][:, None]
        q = np.exp(-rate * np.abs(codes[None] - part[:, 1:])) / norms[part[:, 1]][:, None]
        over = np.maximum(p - np.exp(epsilon) * q, 0).sum(axis=1) - delta
        if over.max() > worst:
            worst, place = float(over.max()), (start + int(np.argmax(over))) % len(pairs)
    return worst, place


def _norms(size: int, rate: float, codes: NDArray[np.intp]) -> Floats:
    """Return C(j) = (1 + α − α^(j+1) − α^(n−j+1)) / (1 − α) for all j."""
    if rate == 0:
        return np.full(size, float(size))
    ends = np.exp(-rate * (codes + 1)) + np.exp(-rate * (size - codes))
    return (1 + np.exp(-rate) - ends) / -np.expm1(-rate)
