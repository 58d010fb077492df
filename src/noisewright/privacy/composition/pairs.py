"""Two distributions side by side, as exact masses: what privacy compares.

A pair (P, Q) is a list of atoms (p, q), one for each output, over a common total T. Its
curve δ(ε) = Σ max(0, p − e^ε q) / T depends on the atoms only through their ratios p/q, so
atoms of equal ratio are merged, which loses nothing, and kept with the largest ratio first.

One pair *dominates* another when its curve is nowhere lower. Two facts are used throughout:

- splitting an atom into several yields a dominating pair, because merging them again is
  post-processing; merging atoms of different ratios yields a dominated one;
- products keep the order: if (P, Q) dominates (P', Q') then (P × R, Q × S) dominates
  (P' × R, Q' × S), also when the second factor is chosen after the first was seen
  (Zhu–Dong–Wang 2022, Thm 10).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.exact import Epsilon
from noisewright.privacy.profile import Point, Profile, by_ratio, event_points, hull

Atom = tuple[int, int]

Frontier = tuple[list[Point], int]
"""Events as points (Q, P), and the total that they are relative to; see `profile`."""

_KNOWN_BITS = 128
"""Precision of e^ε in an extremal pair: far finer than the doubles that are reported."""


@dataclass(frozen=True)
class Pair:
    """Two distributions over the same outputs, as integer masses (p, q) over `total`.

    Build it with `Pair.of`, which merges and sorts.
    """

    atoms: tuple[Atom, ...]
    total: int

    def __post_init__(self) -> None:
        if self.total < 1 or any(p < 0 or q < 0 for p, q in self.atoms):
            raise ParameterError("a pair of distributions needs masses ≥ 0 and a total ≥ 1.")
        sums = sum(p for p, _ in self.atoms), sum(q for _, q in self.atoms)
        if sums != (self.total, self.total):
            raise ParameterError("the masses of a pair must sum to its total on both sides.")

    @classmethod
    def of(cls, masses: Iterable[Atom], total: int) -> Pair:
        """Merge masses of equal ratio, sort by falling ratio and reduce to lowest terms."""
        merged: dict[Atom, Atom] = {}
        common = total
        for p, q in masses:
            scale = math.gcd(p, q)
            if scale == 0:
                continue
            ratio = (p // scale, q // scale)
            before = merged.get(ratio, (0, 0))
            merged[ratio] = (before[0] + p, before[1] + q)
        for p, q in merged.values():
            common = math.gcd(common, p, q)
        atoms = tuple((p // common, q // common) for p, q in by_ratio(list(merged.values())))
        return cls(atoms, total // common)

    @property
    def finite(self) -> tuple[Atom, ...]:
        """The atoms with p > 0 and q > 0: a finite loss ln(p/q)."""
        return tuple((p, q) for p, q in self.atoms if p and q)

    @property
    def certain(self) -> int:
        """The mass of P where Q has none: outputs that give the input away."""
        return sum(p for p, q in self.atoms if q == 0)

    @property
    def largest_ratio(self) -> Fraction | None:
        """The largest p/q; None when it is infinite."""
        p, q = self.atoms[0]
        return Fraction(p, q) if q else None

    def flip(self) -> Pair:
        """Return (Q, P)."""
        return Pair(tuple((q, p) for p, q in reversed(self.atoms)), self.total)


def extremal(epsilon: Epsilon, delta: Fraction) -> tuple[Pair, Pair]:
    """Return pairs just below and just above the least private (ε, δ) pair there is.

    Ensures: with R = e^ε the extremal pair has the atoms (δ, 0), (1−δ)(R, 1)/(1+R),
    (1−δ)(1, R)/(1+R), (0, δ); it dominates every (ε, δ)-private pair of distributions
    (Kairouz–Oh–Viswanath 2015, Thm 3.3 and section 4). The two results use rationals
    R⁻ ≤ R ≤ R⁺ that are equal when R is rational, 2^-128 apart otherwise.
    """
    if epsilon.power is not None:
        same = _extremal(epsilon.power, delta)
        return same, same
    low, high = epsilon.ratio_bounds(_KNOWN_BITS)
    one = 1 << _KNOWN_BITS
    return _extremal(Fraction(low, one), delta), _extremal(Fraction(high, one), delta)


def _extremal(ratio: Fraction, delta: Fraction) -> Pair:
    r, s = ratio.numerator, ratio.denominator
    d, t = delta.numerator, delta.denominator
    more, less = (t - d) * r, (t - d) * s
    given_away = d * (r + s)
    masses = [(given_away, 0), (more, less), (less, more), (0, given_away)]
    return Pair.of(masses, t * (r + s))


def frontier_of(atoms: Iterable[Atom], total: int) -> Frontier:
    """Add up atoms, given with the largest ratio first."""
    return event_points(atoms), total


def concave(points: list[Point], total: int) -> Profile:
    """Return the curve of points that are those of a hull already, up to its two ends.

    Requires: slopes that fall strictly, as those of an exact product do.
    """
    start = [] if points and points[0][0] == 0 else [(0, 0)]
    stop = [] if points and points[-1] == (total, total) else [(total, total)]
    return Profile((*start, *points, *stop), total)


def mirror(frontier: Frontier) -> Frontier:
    """Return the curve with the two inputs exchanged: events become their complements."""
    points, total = frontier
    return [(total - p, total - q) for q, p in points], total


def highest(frontiers: Sequence[Frontier]) -> Profile:
    """Return the curve that is highest over all of the given ones."""
    total = math.lcm(*(own for _, own in frontiers))
    scaled = ((total // own, points) for points, own in frontiers)
    return hull(((q * by, p * by) for by, points in scaled for q, p in points), total)


def dominating_pair(curve: Profile) -> Pair:
    """Return the pair of distributions whose curve this is."""
    return Pair.of(curve.masses(), curve.total)


def sketch(frontier: Frontier, deltas: Sequence[float]) -> NDArray[np.float64]:
    """About the ε at each δ, in floating point: for deciding where to look more closely."""
    points, total = frontier
    # Ratios of integers are rounded correctly however long the integers are.
    q = np.array([point[0] / total for point in points])
    p = np.array([point[1] / total for point in points])
    result = np.empty(len(deltas))
    for index, delta in enumerate(deltas):
        above = p > delta
        if np.any(q[above] <= 0):
            result[index] = np.inf
            continue
        slopes = (p[above] - delta) / q[above]
        result[index] = np.log(max(float(slopes.max()), 1.0)) if slopes.size else 0.0
    return result
