"""Private quantiles and medians: a point of a declared grid, chosen by its rank in the data.

With n values and r = at · n, the quality of a grid point y is minus how many values would have to
change sides for y to be the quantile:

    q(y) = −max(0, #{x < y} − r, r − #{x ≤ y})

Replacing one value moves each count by at most one, so Δ = 1; n is public. When a value moves
from below to above, points below the quantile get worse and points above get better, so the
quality is not monotonic, except for the minimum and the maximum, where only one side counts.
Points between two neighboring values of the data have the same quality: they are one gap, chosen
with its number of points as a weight. The work grows with the distinct values, not with the grid.
Qualities are cut off at a constant so low that it weighs nothing, which keeps Δ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright import certificates, sampling
from noisewright.errors import (
    InputError,
    ParameterError,
    SpaceError,
    TooLargeError,
)
from noisewright.exact import Epsilon, Number, as_text, exactly
from noisewright.given import amount
from noisewright.mechanisms import (
    Guarantee,
    bits_below_one,
    mixed_weights,
    positive_epsilon,
)
from noisewright.public import public, public_methods
from noisewright.selection.choice_job import (
    EXPONENTIAL,
    PrivateChoice,
    QualitySensitivity,
    Step,
    certify_choice,
    rational_below,
)
from noisewright.spaces import Counts, Interval
from noisewright.tables import Field, column_codes

_LARGEST_GRID = 1 << 62
"""Codes and sizes of gaps are 64-bit integers."""


@public_methods
@final
@dataclass(frozen=True, eq=False, repr=False)
class PrivateQuantile(PrivateChoice[Any]):
    """The gaps of one dataset, ready for one private choice of a quantile.

    `sample()` draws it; everything else is about the private data and must not leave. `claim`
    holds for neighbors that replace one value; every further draw costs it again.

    Gap g begins at the code `starts[g]`, has `sizes[g]` points and the quality
    `levels[level_of[g]]`.
    """

    space: Counts | Interval
    at: Fraction
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]
    levels: tuple[Fraction, ...]
    level_of: NDArray[np.intp]
    factor: Fraction
    claim: Guarantee

    def _certify(self) -> certificates.Certificate:
        step = Step(self._words, EXPONENTIAL, self.factor, _sensitivity(self.at))
        return certify_choice(step, rational_below(self.claim), self.claim)

    @property
    def _words(self) -> str:
        return f"a private quantile at {as_text(self.at)}"

    @cached_property
    def _points(self) -> list[int]:
        """How many points of the grid each level has."""
        found = np.zeros(len(self.levels), dtype=np.int64)
        np.add.at(found, self.level_of, self.sizes)
        return found.tolist()

    @cached_property
    def _weights(self) -> list[int]:
        """The integer weight of one point of each level; private by construction."""
        epsilon = rational_below(self.claim)
        return mixed_weights(self.levels, self._points, factor=self.factor, epsilon=epsilon)

    @cached_property
    def _sampler(self) -> sampling.GroupSampler:
        return sampling.GroupSampler(self._weights, self._points)

    def _prepare(self) -> Callable[[sampling.Source | None], Any]:
        sampler = self._sampler

        def draw(source: sampling.Source | None) -> Any:
            ((level, place),) = sampler.draw(1, source)
            gaps = np.flatnonzero(self.level_of == level)
            ends = np.cumsum(self.sizes[gaps])
            which = int(np.searchsorted(ends, place, side="right"))
            inside = place - (int(ends[which - 1]) if which else 0)
            return self.space.point(int(self.starts[gaps[which]]) + inside)

        return draw

    def probability(self, point: Any) -> Fraction:
        """Return the exact probability that this point is drawn."""
        code = self.space.code(point)
        gap = int(np.searchsorted(self.starts, code, side="right")) - 1
        return Fraction(self._weights[int(self.level_of[gap])], self._sampler.total)

    def __repr__(self) -> str:
        return f"<private quantile at {self.at} on {self.space!r}, {self.claim}>"


@public
def private_quantile(
    values: Any,
    space: Counts | Interval,
    *,
    at: Number,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
) -> PrivateQuantile:
    """Return the exponential mechanism for a quantile of the values, ready to `sample()`.

    Requires: `space`, the possible values, declared by the caller, not read from the data; `values`
    in it, as an array, a list, an Arrow array, or an iterator over such batches; 0 ≤ at ≤ 1.
    Ensures: ε-private when one value is replaced by any other; the number of values is public.
    A point at which r values would have to change sides to make it the quantile is drawn with
    probability ∝ e^(−ε r/2) (e^(−ε r) for the minimum, at=0, and the maximum, at=1).
    """
    if not isinstance(space, (Counts, Interval)):
        raise SpaceError(
            "a quantile needs points with an order, Counts or Interval; got "
            f"{type(space).__name__}."
        )
    if space.size >= _LARGEST_GRID:
        raise TooLargeError(
            f"the grid has {amount(space.size)} points; a quantile can be chosen among fewer than "
            "2^62. Declare a coarser grid.",
            size=space.size,
        )
    place = exactly(at, name="at")
    if not 0 <= place <= 1:
        raise ParameterError(f"at is {at}; a quantile lies between 0 and 1 (0.5 is the median).")
    claim = Guarantee(
        positive_epsilon(epsilon, alpha, instead="Any point of the grid is as good then.")
    )
    codes, counts = _count_codes(values, space)
    people = int(counts.sum())
    if not people:
        raise InputError("there are no values, so there is no quantile.")
    factor = rational_below(claim) / _sensitivity(place).spread
    starts, sizes, below, upto = _gaps(codes, counts, space.size)
    levels, level_of = _levels(below, upto, place * people, _deepest(factor, claim))
    return PrivateQuantile(space, place, starts, sizes, levels, level_of, factor, claim)


@public
def private_median(
    values: Any,
    space: Counts | Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
) -> PrivateQuantile:
    """Return the exponential mechanism for the median: `private_quantile` at 1/2."""
    return private_quantile(values, space, at="1/2", epsilon=epsilon, alpha=alpha)


def _sensitivity(at: Fraction) -> QualitySensitivity:
    """Return what one value can do to the quality of points: see above."""
    return QualitySensitivity(Fraction(1), one_way=at in (0, 1))


def _count_codes(
    values: Any, space: Counts | Interval
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes in order and how often each occurs, batch by batch."""
    known: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    often: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    seen = 0
    for batch in values if isinstance(values, Iterator) else (values,):
        given = column_codes(Field.of(space).cells, batch, first_row=seen)
        seen += len(given)
        codes, counts = np.unique(given, return_counts=True)
        both = np.concatenate([known, codes.astype(np.int64)])
        known, place = np.unique(both, return_inverse=True)
        often = np.bincount(
            place, weights=np.concatenate([often, counts]), minlength=known.size
        ).astype(np.int64)
    return known, often


def _gaps(
    codes: NDArray[np.int64], counts: NDArray[np.int64], size: int
) -> tuple[NDArray[np.int64], ...]:
    """Cut the grid into values and gaps: starts, sizes, values below each and up to each."""
    upto = np.cumsum(counts)
    # Every value is followed by a gap, and a gap comes first; empty ones are left out.
    starts = np.concatenate([[0], np.stack([codes, codes + 1], axis=1).reshape(-1)])
    sizes = np.diff(np.concatenate([starts, [size]]))
    over = np.concatenate([[0], np.repeat(upto, 2)])
    under = np.concatenate([[0], np.stack([upto - counts, upto], axis=1).reshape(-1)])
    kept = sizes > 0
    return starts[kept], sizes[kept], under[kept], over[kept]


def _deepest(factor: Fraction, claim: Guarantee) -> int:
    """Return how many misses count as most: further ones weigh nothing above the floor.

    Cutting a quality off at a constant keeps its sensitivity, so this is part of the question.
    """
    return ceil((512 + bits_below_one(rational_below(claim))) / factor)


def _levels(
    below: NDArray[np.int64], upto: NDArray[np.int64], rank: Fraction, most: int
) -> tuple[tuple[Fraction, ...], NDArray[np.intp]]:
    """Return the distinct qualities, and which of them each gap has."""
    whole, rest = divmod(rank, 1)
    # Misses are k − rest for gaps above the rank, k + rest for those below it, or none.
    above, under = below - int(whole), int(whole) - upto
    cap = min(most, 1 << 40)
    # Below the rank k may be 0, if only a part of a value is missing.
    is_above = above > 0
    is_under = (under > 0) | ((under == 0) & (rest > 0))
    k = np.where(is_above, above, np.where(is_under, under, 0))
    side = np.where(is_above, 1, np.where(is_under, 2, 0))
    keys, level_of = np.unique(np.minimum(k, cap) * 3 + side, return_inverse=True)
    part, unit = rest.numerator, rest.denominator
    signs = (0, part, -part)
    found = tuple(Fraction(signs[key % 3] - key // 3 * unit, unit) for key in keys.tolist())
    return found, level_of
