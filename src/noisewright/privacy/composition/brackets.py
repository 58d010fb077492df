"""Certified bounds on the worst of many products, as tight as is worth the time.

Every upper curve that was ever computed for a candidate bounds it, and every lower curve is
attained; so the bounds are right at each moment, and refining only decides how close they
are. Candidates whose bound lies above the best lower curve are refined first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.exact import log_bounds
from noisewright.privacy.composition.exact_products import Factor, expanded_size, product
from noisewright.privacy.composition.grid_products import lower_product, upper_product
from noisewright.privacy.composition.loss_grid import aligned_grid, fine_grid
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
    search = _Refinement(lowers, uppers, precision, points)
    for level in (*(n for n in _LEVELS if n < points), points):
        if not search.refine(level):
            break
    pure = (
        _largest([_pure(factors) for factors in lowers], 0),
        _largest([_pure(factors) for factors in uppers], 1),
    )
    method = "privacy-loss distributions on a grid, rounded outwards"
    return Bracket(highest(search.below), highest(search.above), False, method, pure)


class _Refinement:
    """The state of the refinement: one curve for each candidate, at its own level."""

    def __init__(
        self, lowers: Sequence[Factors], uppers: Sequence[Factors], precision: float, points: int
    ) -> None:
        self.lowers, self.uppers = lowers, uppers
        self.precision, self.points = precision, points
        self.below: list[Frontier] = [([], 1)] * len(lowers)
        self.above: list[Frontier] = [([], 1)] * len(uppers)
        self.sketch_below = np.zeros((len(lowers), len(SAMPLES)))
        self.sketch_above = np.full((len(uppers), len(SAMPLES)), np.inf)
        self.done_below = [False] * len(lowers)
        self.done_above = [False] * len(uppers)

    def refine(self, level: int) -> bool:
        """Refine what is worth it at this level; say whether anything may be left to do."""
        most = max(_WORK // level, 4)
        for index in self._lower_to_refine()[:most]:
            self.below[index], self.done_below[index] = self._bound_product(
                self.lowers[index], level, upper=False
            )
            self.sketch_below[index] = sketch(self.below[index], SAMPLES)
        for index in self._upper_to_refine(most):
            self.above[index], self.done_above[index] = self._bound_product(
                self.uppers[index], level, upper=True
            )
            self.sketch_above[index] = sketch(self.above[index], SAMPLES)
        return bool((_gaps(self.sketch_above, self.floor) > self.precision).any())

    @property
    def floor(self) -> NDArray[np.float64]:
        """The best lower bound on ε at each sample."""
        return self.sketch_below.max(axis=0)

    def _lower_to_refine(self) -> list[int]:
        """Those not computed yet, and those that are best where the bounds are still apart."""
        apart = (_gaps(self.sketch_above, self.floor) > self.precision).any(axis=0)
        best = (self.sketch_below >= self.floor) & apart
        return [
            i
            for i, done in enumerate(self.done_below)
            if not done and (not self.below[i][0] or best[i].any())
        ]

    def _upper_to_refine(self, most: int) -> list[int]:
        """Those not computed yet, and those farthest above the best lower bound."""
        farthest = _gaps(self.sketch_above, self.floor).max(axis=1)
        order = [int(i) for i in np.argsort(-farthest, kind="stable")]
        high = [i for i in order if farthest[i] > self.precision and not self.done_above[i]]
        fresh = [i for i in order if not self.above[i][0]]
        return list(dict.fromkeys(fresh + high[:most]))

    def _bound_product(self, factors: Factors, level: int, *, upper: bool) -> tuple[Frontier, bool]:
        """Bound one product; also say whether a finer level would be of no use."""
        size = expanded_size(factors)
        bits = sum(times * pair.total.bit_length() for pair, times in factors)
        if size is not None and size <= _SMALL_ATOMS and bits <= _SMALL_BITS:
            return frontier_of(*product(factors)), True
        bound = upper_product if upper else lower_product
        aligned = aligned_grid(factors, points=self.points)
        if aligned is not None:
            return bound(factors, aligned), True
        grid, enough = fine_grid(factors, precision=self.precision, points=level)
        return bound(factors, grid), enough


def _gaps(sketches: NDArray[np.float64], floor: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far each curve's ε is above the floor's; nowhere above an infinite one."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(floor), 0.0, sketches - floor)


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
