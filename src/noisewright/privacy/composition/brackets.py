"""Certified bounds on the worst of many products, as tight as is worth the time.

Every upper curve that was ever computed for a candidate bounds it, and every lower curve is
attained; so the bounds are right at each moment, and refining only decides how close they
are. Candidates whose bound lies above the best lower curve are refined first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import log_bounds
from noisewright.privacy.composition.exact_products import Factor, expanded_size, product
from noisewright.privacy.composition.grid_products import lower_product, upper_product
from noisewright.privacy.composition.loss_grid import Grid, aligned_grid, fine_grid
from noisewright.privacy.composition.pairs import (
    Frontier,
    concave,
    frontier_of,
    highest,
    mirror,
    sketch,
)
from noisewright.privacy.profile import Profile

Factors = Sequence[Factor]

SAMPLES = (0.9, 0.75, 0.5, 0.25, *(10.0**-n for n in range(1, 13)))
"""The δ at which curves are compared when deciding what to refine."""

_LEVELS = (512, 2048, 8192)
_WORK = 1 << 19
_SMALL_ATOMS, _SMALL_BITS = 2048, 4096
_LOG_BITS = 160


@dataclass(frozen=True)
class Bracket:
    """Curves below and above the truth; `pure` bounds ε at δ = 0 (None: infinite)."""

    lower: Profile
    upper: Profile
    exact: bool
    method: str
    pure: tuple[Fraction | None, Fraction | None]


def exactly_worst(candidates: Sequence[Factors], *, both: bool) -> Bracket:
    """Return the exact worst curve of products small enough to expand.

    With `both`, each candidate also stands for its two inputs exchanged.
    """
    frontiers: list[Frontier] = []
    sums: list[tuple[Fraction | None, Fraction | None]] = []
    for factors in candidates:
        frontier = frontier_of(*product(factors))
        frontiers.append(frontier)
        sums.append(_pure(factors))
        exchanged = [(pair.flip(), times) for pair, times in factors]
        if both and any(a != b for (a, _), (b, _) in zip(factors, exchanged, strict=True)):
            frontiers.append(mirror(frontier))
            sums.append(_pure(exchanged))
    curve = concave(*frontiers[0]) if len(frontiers) == 1 else highest(frontiers)
    method = "exact product of privacy-loss distributions"
    return Bracket(curve, curve, True, method, (_largest(sums, 0), _largest(sums, 1)))


def bracket_products(
    lowers: Sequence[Factors], uppers: Sequence[Factors], *, precision: float, points: int
) -> Bracket:
    """Bound the worst of some products from both sides.

    Requires: products that occur (`lowers`); products that dominate all that occur (`uppers`).
    """
    below, above = _Side(lowers, lower_product, 0.0), _Side(uppers, upper_product, np.inf)
    for level in (*(n for n in _LEVELS if n < points), points):
        most = max(_WORK // level, 4)
        for index in _lower_to_refine(below, above, precision)[:most]:
            below.refine(index, level, precision=precision, points=points)
        for index in _upper_to_refine(below, above, precision, most):
            above.refine(index, level, precision=precision, points=points)
        if not (_gaps(below, above) > precision).any():
            break
    pure = (
        _largest([_pure(factors) for factors in lowers], 0),
        _largest([_pure(factors) for factors in uppers], 1),
    )
    method = "privacy-loss distributions on a grid, rounded outwards"
    return Bracket(highest(below.curves), highest(above.curves), False, method, pure)


class _Side:
    """One curve for each candidate of a side, at its own level, and about its ε at each sample."""

    def __init__(
        self,
        candidates: Sequence[Factors],
        bound: Callable[[Factors, Grid], Frontier],
        start: float,
    ) -> None:
        self.candidates, self.bound = candidates, bound
        self.curves: list[Frontier] = [([], 1)] * len(candidates)
        self.sketches = np.full((len(candidates), len(SAMPLES)), start)
        self.done = [False] * len(candidates)

    def refine(self, index: int, level: int, *, precision: float, points: int) -> None:
        """Bound one product; it is done if a finer level would be of no use."""
        factors = self.candidates[index]
        size = expanded_size(factors)
        bits = sum(times * pair.total.bit_length() for pair, times in factors)
        if size is not None and size <= _SMALL_ATOMS and bits <= _SMALL_BITS:
            curve, enough = frontier_of(*product(factors)), True
        elif (aligned := aligned_grid(factors, points=points)) is not None:
            curve, enough = self.bound(factors, aligned), True
        else:
            grid, enough = fine_grid(factors, precision=precision, points=level)
            curve = self.bound(factors, grid)
        self.curves[index], self.done[index] = curve, enough
        self.sketches[index] = sketch(curve, SAMPLES)

    @property
    def best(self) -> NDArray[np.float64]:
        """The largest ε of all candidates at each sample."""
        return self.sketches.max(axis=0)


def _lower_to_refine(below: _Side, above: _Side, precision: float) -> list[int]:
    """Those not computed yet, and those that are best where the bounds are still apart."""
    apart = (_gaps(below, above) > precision).any(axis=0)
    best = (below.sketches >= below.best) & apart
    return [
        i
        for i, done in enumerate(below.done)
        if not done and (not below.curves[i][0] or best[i].any())
    ]


def _upper_to_refine(below: _Side, above: _Side, precision: float, most: int) -> list[int]:
    """Those not computed yet, and those farthest above the best lower bound."""
    farthest = _gaps(below, above).max(axis=1)
    order = [int(i) for i in np.argsort(-farthest, kind="stable")]
    high = [i for i in order if farthest[i] > precision and not above.done[i]]
    fresh = [i for i in order if not above.curves[i][0]]
    return list(dict.fromkeys(fresh + high[:most]))


def _gaps(below: _Side, above: _Side) -> NDArray[np.float64]:
    """How far each upper ε is above the best lower one; nowhere above an infinite one."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(below.best), 0.0, above.sketches - below.best)


def _pure(factors: Factors) -> tuple[Fraction | None, Fraction | None]:
    """Bound Σ times · ln(largest ratio)."""
    low = high = Fraction(0)
    one = 1 << _LOG_BITS
    for pair, times in factors:
        ratio = pair.largest_ratio
        if times and ratio is None:
            return None, None
        if times and ratio is not None:
            below, above = log_bounds(ratio, _LOG_BITS)
            low += Fraction(times * below, one)
            high += Fraction(times * above, one)
    return low, high


def _largest(sums: Sequence[tuple[Fraction | None, Fraction | None]], side: int) -> Fraction | None:
    values = [pair[side] for pair in sums]
    finite = [value for value in values if value is not None]
    return None if len(finite) < len(values) else max(finite, default=Fraction(0))
