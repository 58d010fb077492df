"""Grids of privacy losses: where products too large to expand are kept.

The points of a grid are the ratios b^j for whole j; the product of two of them is a third,
which is what makes products of pairs on a grid a convolution. The base b is a dyadic
rational, so that b^j can be bounded from both sides to any precision: the grid itself is
never a source of rounding.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from noisewright.exact import exp_bounds, log_bounds
from noisewright.privacy.composition.exact_products import Factor
from noisewright.privacy.composition.pairs import Atom, Pair

_BASE_BITS = 128
_WORK_BITS = 224
_ALIGNED = 2.0**-36
_FINEST_SHARE = 16
_NEGLIGIBLE = 1 << 80


@dataclass(frozen=True)
class GridPowers:
    """Bounds low · 2^exponent ≤ b^-j ≤ high · 2^exponent for each j from some first one on."""

    low: list[int]
    high: list[int]
    exponents: list[int]

    def as_fixed_point(self) -> tuple[list[int], int]:
        """Return upper bounds of b^-j · 2^bits, and these bits."""
        bits = -min(self.exponents)
        highs = zip(self.high, self.exponents, strict=True)
        return [high << (bits + exponent) for high, exponent in highs], bits


@dataclass(frozen=True)
class Grid:
    """The ratios b^j with b = numerator / 2^128 > 1."""

    numerator: int

    @classmethod
    def through(cls, ratio: Fraction, share: int = 1) -> Grid:
        """Return the grid whose point number `share` is next to a ratio > 1."""
        one = 1 << _BASE_BITS
        if share == 1:
            return cls(max(round(ratio * one), one + 1))
        low, _ = log_bounds(ratio, 2 * _BASE_BITS)
        _, high = exp_bounds(Fraction(low, share << (2 * _BASE_BITS)), _BASE_BITS)
        return cls(max(high, one + 1))

    @property
    def step(self) -> float:
        """About ln b: the distance of neighboring losses."""
        return loss((self.numerator, 1 << _BASE_BITS))

    def place(self, atom: Atom) -> float:
        """About which j has b^j = p/q. Used to propose; never to decide."""
        return loss(atom) / self.step

    def powers(self, first: int, last: int) -> GridPowers:
        """Bound b^-j for first ≤ j ≤ last, each to a relative precision of about 2^-160."""
        start = _power(_inverse(self.numerator) if first > 0 else self._base, abs(first))
        step = _inverse(self.numerator)
        terms = [start]
        for _ in range(last - first):
            terms.append(_times(terms[-1], step))
        low, high, exponents = zip(*terms, strict=True)
        return GridPowers(list(low), list(high), list(exponents))

    @property
    def _base(self) -> _Scaled:
        return self.numerator, self.numerator, -_BASE_BITS


_Scaled = tuple[int, int, int]
"""low · 2^exponent ≤ a real number ≤ high · 2^exponent."""


def _times(a: _Scaled, b: _Scaled) -> _Scaled:
    low, high, exponent = a[0] * b[0], a[1] * b[1], a[2] + b[2]
    spare = max(high.bit_length() - _WORK_BITS, 0)
    return low >> spare, -(-high >> spare), exponent + spare


def _inverse(numerator: int) -> _Scaled:
    """Bound 2^128 / numerator."""
    low = (1 << (_WORK_BITS + _BASE_BITS)) // numerator
    return low, low + 1, -_WORK_BITS


def _power(base: _Scaled, times: int) -> _Scaled:
    result: _Scaled = (1, 1, 0)
    for bit in bin(times)[2:]:
        result = _times(result, result)
        if bit == "1":
            result = _times(result, base)
    return result


def loss(atom: Atom) -> float:
    """About ln(p/q), for p, q > 0."""
    p, q = atom
    if 2 * p > q and p < 2 * q:
        return math.log1p((p - q) / q)
    return math.log(p) - math.log(q)


def aligned_grid(factors: Sequence[Factor], *, points: int) -> Grid | None:
    """Return a grid on which all losses lie already, if it needs no more than `points`."""
    common = _common_loss([pair for pair, times in factors if times])
    if common is None or _Spread.of(factors).width / common[0] > points:
        return None
    return Grid.through(common[1], common[2])


def fine_grid(factors: Sequence[Factor], *, precision: float, points: int) -> tuple[Grid, bool]:
    """Choose a grid for a product of pairs; also say whether it is as fine as wished.

    Requires: precision > 0, the wished-for width of the bounds on ε; points ≥ 2, about how
    many grid points the product may take (it wins over the precision).
    """
    spread = _Spread.of(factors)
    # Splitting or grouping moves the loss of each factor by at most a step h, with mean zero:
    # variances grow by about h²/8 in all, and ε moves by that times the slope of ln δ'.
    tail_slope = 1 + 6 / spread.deviation if spread.deviation else 1.0
    wished = math.sqrt(8 * precision / (spread.times * tail_slope))
    affordable = spread.width / points
    step = max(min(wished, 1.0), affordable)
    ratio = spread.largest
    if ratio is None or ratio <= 1:
        return Grid.through(Fraction(math.exp(step))), affordable <= wished
    # With the largest loss on the grid, splitting never makes a product's loss larger than it is.
    share = math.ceil(loss((ratio.numerator, ratio.denominator)) / step)
    return Grid.through(ratio, share), affordable <= wished


@dataclass(frozen=True)
class _Spread:
    """About how wide the losses of a product are."""

    times: int
    deviation: float
    width: float
    largest: Fraction | None

    @classmethod
    def of(cls, factors: Sequence[Factor]) -> _Spread:
        variance = full = widest = most = 0.0
        largest: Fraction | None = None
        for pair, times in factors:
            atoms = within(pair, _NEGLIGIBLE)
            if not atoms or not times:
                continue
            losses = [loss(atom) for atom in atoms]
            masses = [p / pair.total for p, _ in atoms]
            mean = math.fsum(m * x for m, x in zip(masses, losses, strict=True)) / sum(masses)
            variance += times * math.fsum(
                m * (x - mean) ** 2 for m, x in zip(masses, losses, strict=True)
            )
            width = max(losses) - min(losses)
            full += times * width
            widest = max(widest, width, max(map(abs, losses)))
            if times * losses[0] > most:
                most, largest = times * losses[0], Fraction(*atoms[0])
        deviation = math.sqrt(variance)
        times = max(sum(times for _, times in factors), 1)
        return cls(times, deviation, max(widest, min(full, 24 * deviation)), largest)


def within(pair: Pair, share: int) -> tuple[Atom, ...]:
    """Return the atoms of finite loss without those at both ends that hold ≤ 1/share of P."""
    atoms = pair.finite
    start, stop = without_tails([p for p, _ in reversed(atoms)], pair.total // share)
    return atoms[len(atoms) - stop : len(atoms) - start]


def without_tails(masses: Sequence[int], tail: int) -> tuple[int, int]:
    """Return where to cut off both ends of a list, each of at most `tail` in all."""
    start, stop = 0, len(masses)
    above = below = 0
    while stop > start and above + masses[stop - 1] <= tail:
        stop -= 1
        above += masses[stop]
    while start < stop and below + masses[start] <= tail:
        below += masses[start]
        start += 1
    return start, stop


def _common_loss(pairs: Sequence[Pair]) -> tuple[float, Fraction, int] | None:
    """Find a loss of which all others are whole multiples, to 2^-36.

    Returns about that loss, and a ratio and a share: it is ln(ratio) / share.
    """
    atoms = [atom for pair in pairs for atom in within(pair, _NEGLIGIBLE)]
    losses = [loss(atom) for atom in atoms]
    nonzero = [(abs(x), atom) for x, atom in zip(losses, atoms, strict=True) if abs(x) > 1e-9]
    if not nonzero:
        return None
    smallest, (p, q) = min(nonzero)
    ratio = Fraction(max(p, q), min(p, q))
    for share in range(1, _FINEST_SHARE + 1):
        step = smallest / share
        if all(abs(x / step - round(x / step)) <= _ALIGNED for x in losses):
            return step, ratio, share
    return None
