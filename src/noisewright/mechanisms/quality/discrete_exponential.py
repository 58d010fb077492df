"""The discrete exponential mechanism: likelier databases are those with a higher utility.

P(d' | d) = e^(k u(d, d')) / C_d over databases d' of the same rows (Holohan–Leith–Mason 2016,
Definition 4, with the scale k written out; its base measure is uniform, and `exponential` takes
others). With u = −Hamming it is randomized response on each row, p = 1/(e^k + m) (Theorem 7), so
nothing is enumerated and any number of rows is fine. Any other utility is a table over all
databases.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import NotPrivateError, ParameterError, SpaceError
from noisewright.exact import Epsilon, Number, exactly, halve
from noisewright.mechanisms.categories.randomized_response import randomized_response
from noisewright.mechanisms.categories.response import Response
from noisewright.mechanisms.decay import least
from noisewright.mechanisms.guarantee import Guarantee, require_dependence
from noisewright.mechanisms.mechanism import require_tabulable
from noisewright.mechanisms.products.products import RowProduct
from noisewright.mechanisms.quality.powers import rounded_powers
from noisewright.mechanisms.quality.qualities import Quality, read_qualities
from noisewright.mechanisms.table import Table
from noisewright.public import public
from noisewright.spaces import Rows, Space, require_space

_HALVINGS = 60
"""The scale is found to a relative 2^-60, then proven."""

_AT_ONCE = 1 << 20
"""Entries of pairs that are compared together, in doubles."""


@public
def discrete_exponential(
    space: Space,
    utility: Quality | None = None,
    *,
    k: Number | Epsilon | None = None,
    epsilon: Number | Epsilon | None = None,
    delta: Number = 0,
    alpha: Number | None = None,
    rows: int | None = None,
) -> Table | Response | RowProduct:
    """Return the discrete exponential mechanism on databases of `rows` rows (one by default).

    Requires: `k`, the scale of the utility, or epsilon (and delta), from which the largest
    scale is found. `utility` is minus the Hamming distance by default; or a function of
    (database, released database), which are tuples if `rows` is given, or a matrix.
    Ensures: for the Hamming distance a product of randomized responses with p = 1/(e^k + m), no
    table over databases: private iff e^k ≤ (e^ε + mδ)/(1 − δ) (Holohan–Leith–Mason 2016,
    Theorems 4 and 7), so from `k` it claims ε = k, and from (ε, δ) it takes that largest k.
    For another utility an integer table: from `k` it claims the least ε at δ = 0, exactly; from
    (ε, δ) the scale is the largest found by bisection, and the table is proven.
    """
    require_space(space)
    if space.by_distance:
        raise SpaceError(
            "discrete_exponential() promises the same to all neighbors. With neighbors='metric' "
            "use exponential(), whose sensitivity is then per unit of distance."
        )
    wanted = epsilon is not None or alpha is not None
    if (k is None) != wanted:
        raise ParameterError(
            "give k=, the scale of the utility, or epsilon= (and delta=), but not both."
        )
    if k is not None and exactly(delta, name="delta") != 0:
        raise ParameterError(
            "delta= goes with epsilon=. With k= the mechanism is fixed; nw.tight_delta finds the "
            "delta that it needs at any epsilon."
        )
    if utility is None:
        scale = k if k is not None else epsilon
        parent = randomized_response(space, epsilon=scale, delta=delta, alpha=alpha)
        return parent if rows is None else RowProduct(parent, rows)
    databases = space if rows is None else Rows(space, rows)
    require_tabulable(databases, databases, instead="Use fewer rows, or the Hamming distance.")
    utilities = read_qualities(utility, databases, databases)
    if k is not None:
        return _at_scale(databases, utilities, _read_scale(k))
    return _for_promise(databases, utilities, Guarantee(epsilon, delta, alpha=alpha))


def _read_scale(k: Number | Epsilon) -> Fraction:
    if isinstance(k, Epsilon):
        # Below the truth by less than the rounding of the table to integers.
        return k.rational if k.ratio is None else Fraction(k.bounds(192)[0], 1 << 192)
    scale = exactly(k, name="k")
    if scale < 0:
        raise ParameterError(
            f"k is {k}; it must be at least 0. At 0 all outputs are equally likely."
        )
    return scale


def _table(
    databases: Space,
    utilities: list[list[Fraction]],
    scale: Fraction,
    claim: Guarantee | None,
    *,
    fine: Fraction,
) -> Table:
    """Return the integer table of a scale; rounding moves log ratios by at most fine · 2^-57."""
    powers = [[u * scale for u in row] for row in utilities]
    weights, bits = rounded_powers(powers, fine)
    name = f"discrete exponential mechanism, k={float(scale):.9g}"
    return Table(databases, weights, total=1 << bits, claim=claim, name=name)


def _at_scale(databases: Space, utilities: list[list[Fraction]], scale: Fraction) -> Table:
    spread = max(max(row) - min(row) for row in utilities) * scale
    table = _table(databases, utilities, scale, None, fine=min(spread, Fraction(1)) or Fraction(1))
    ratio = _widest(table)
    claim = None if ratio is None else Guarantee(Epsilon.log(ratio).brief())
    return table.rename(table.name, claim)


def _widest(table: Table) -> Fraction | None:
    """Return e^ε of the least ε at δ = 0, exactly; None when an output gives an input away."""
    widest = Fraction(1)
    for a, b in table.space.neighbor_codes().tolist():
        for p, q in zip(table.weights[a].tolist(), table.weights[b].tolist(), strict=True):
            low, high = min(p, q), max(p, q)
            if high * widest.denominator <= low * widest.numerator:
                continue
            if not low:
                return None
            widest = Fraction(high, low)
    return widest


def _for_promise(databases: Space, utilities: list[list[Fraction]], claim: Guarantee) -> Table:
    if databases.size < 2:
        raise SpaceError(f"discrete_exponential() needs at least two points; got {databases!r}.")
    require_dependence(claim)
    pairs = databases.neighbor_codes()
    doubles = np.array([[float(u) for u in row] for row in utilities])
    scale = _largest_scale(doubles, pairs, float(claim.epsilon.floor()), float(claim.delta))
    small = claim.delta if claim.epsilon.is_zero else least(claim.epsilon)
    # Doubles proposed; slightly less leaves slack for their rounding and for that of the table.
    for shrink in (46, 40, 32, 24):
        proposal = Fraction(scale) * (1 - Fraction(1, 1 << shrink))
        table = _table(databases, utilities, proposal, claim, fine=min(small, Fraction(1)))
        if _holds(table, pairs, claim):
            return table
    raise NotPrivateError(f"no scale of this utility could be proven to give {claim}.")


def _largest_scale(
    utilities: NDArray[np.float64], pairs: NDArray[np.intp], epsilon: float, delta: float
) -> float:
    """Find in doubles the largest scale up to which (ε, δ) seems to hold."""
    change = np.abs(utilities[pairs[:, 0]] - utilities[pairs[:, 1]]).max(initial=0.0)
    if change == 0:
        raise ParameterError(
            "the utility is the same for all neighbors, so there is nothing to protect: no scale "
            "is too large. Give k= instead of epsilon=."
        )
    # At this scale ε holds whatever the utility is (McSherry–Talwar 2007).
    low = max(epsilon, 2.0**-40) / (2 * change) if epsilon else 0.0
    high = max(low, 1 / change)

    def holds(scale: float) -> bool:
        return _seems_private(utilities, pairs, scale, epsilon, delta)

    while holds(high):
        low, high = high, 2 * high
        if high * change > 1e6:
            raise ParameterError(
                "every scale seems to be private, so there is no largest one. Give k= instead."
            )
    return halve(low, high, holds, times=_HALVINGS)[0]


def _seems_private(
    utilities: NDArray[np.float64],
    pairs: NDArray[np.intp],
    scale: float,
    epsilon: float,
    delta: float,
) -> bool:
    logs = scale * utilities
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    step = max(1, _AT_ONCE // utilities.shape[1])
    for start in range(0, len(pairs), step):
        one, other = logs[pairs[start : start + step, 0]], logs[pairs[start : start + step, 1]]
        for p, q in ((one, other), (other, one)):
            if delta == 0:
                if (p - q).max() > epsilon:
                    return False
            # e^p − e^(ε+q) without overflow: the sum counts only where p is the larger one.
            elif (np.exp(p) * -np.expm1(np.minimum(epsilon + q - p, 0))).sum(axis=1).max() > delta:
                return False
    return True


def _holds(table: Table, pairs: NDArray[np.intp], claim: Guarantee) -> bool:
    """Prove Σ_y max(0, P(y|d) − e^ε P(y|d')) ≤ δ for all neighbors, both ways, in integers."""
    epsilon = claim.epsilon
    spare = claim.delta * table.total
    weights = table.weights.tolist()
    for a, b in (way for i, j in pairs.tolist() for way in ((i, j), (j, i))):
        over = [
            (p, q)
            for p, q in zip(weights[a], weights[b], strict=True)
            if p > q and epsilon.sign(p, q) > 0
        ]
        p, q = sum(p for p, _ in over), sum(q for _, q in over)
        if (
            over
            and epsilon.sign(p * spare.denominator - spare.numerator, q * spare.denominator) > 0
        ):
            return False
    return True
