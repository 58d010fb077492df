"""Private quantiles and medians: a point of a declared grid, chosen by its rank in the data.

With n values and r = at · n, the quality of a grid point y is minus how many values would have to
change sides for y to be the quantile:

    q(y) = −max(0, #{x < y} − r, r − #{x ≤ y})

Replacing one value moves each count by at most one, so Δ = 1; n is public. When a value moves
from below to above, points below the quantile get worse and points above get better, so the
quality is not monotonic, except for the minimum and the maximum, where only one side counts.
Points between two neighboring values of the data have the same quality: they are one gap, chosen
with its number of points as a weight. The work grows with the distinct values, not with the grid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import InputError, OutsideSpaceError, ParameterError, SpaceError
from noisewright.exact import Epsilon, Number, exactly
from noisewright.mechanisms import Guarantee
from noisewright.mechanisms.decay import positive_epsilon
from noisewright.mechanisms.inputs import read_inputs
from noisewright.mechanisms.powers import mixed_weights
from noisewright.selection.chosen import rational_below
from noisewright.spaces import Counts, Interval

if TYPE_CHECKING:
    from noisewright.sampling import Source


@final
@dataclass(frozen=True, eq=False, repr=False)
class PrivateQuantile:
    """The gaps of one dataset, ready for one private choice of a quantile.

    `sample()` draws it; everything else is about the private data and must not leave. `claim`
    holds for neighbors that replace one value; every further draw costs it again.
    """

    space: Counts | Interval
    at: Fraction
    starts: tuple[int, ...]
    sizes: tuple[int, ...]
    qualities: tuple[Fraction, ...]
    factor: Fraction
    claim: Guarantee

    @cached_property
    def _weights(self) -> tuple[int, ...]:
        """The integer weight of one point of each gap; private by construction."""
        sizes: dict[Fraction, int] = {}
        for quality, size in zip(self.qualities, self.sizes, strict=True):
            sizes[quality] = sizes.get(quality, 0) + size
        levels = list(sizes)
        weights = mixed_weights(
            levels,
            [sizes[level] for level in levels],
            factor=self.factor,
            epsilon=rational_below(self.claim),
        )
        found = dict(zip(levels, weights, strict=True))
        return tuple(found[quality] for quality in self.qualities)

    def sample(self, *, source: Source | None = None) -> Any:
        """Return one point of the grid, drawn exactly by integer weights."""
        from noisewright.sampling import uniform_below, weighted_index

        whole = [w * size for w, size in zip(self._weights, self.sizes, strict=True)]
        gap = int(weighted_index(whole, 1, source)[0])
        inside = int(uniform_below(self.sizes[gap], 1, source)[0])
        return self.space.point(self.starts[gap] + inside)

    def probability(self, point: Any) -> Fraction:
        """Return the exact probability that this point is drawn."""
        code = self.space.code(point)
        gap = int(np.searchsorted(np.array(self.starts), code, side="right")) - 1
        total = sum(w * size for w, size in zip(self._weights, self.sizes, strict=True))
        return Fraction(self._weights[gap], total)

    def __repr__(self) -> str:
        return f"<private quantile at {self.at} on {self.space!r}, {self.claim}>"


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
    place = exactly(at, name="at")
    if not 0 <= place <= 1:
        raise ParameterError(f"at is {at}; a quantile lies between 0 and 1 (0.5 is the median).")
    claim = Guarantee(
        positive_epsilon(epsilon, alpha, instead="Any point of the grid does as well then.")
    )
    codes, counts = _counted(values, space)
    people = int(counts.sum())
    if not people:
        raise InputError("there are no values, so there is no quantile.")
    starts, sizes, below, upto = _gaps(codes, counts, space.size)
    rank = place * people
    qualities = [
        -max(Fraction(0), under - rank, rank - over)
        for under, over in zip(below, upto, strict=True)
    ]
    factor = rational_below(claim) / (1 if place in (0, 1) else 2)
    return PrivateQuantile(
        space, place, tuple(starts), tuple(sizes), tuple(qualities), factor, claim
    )


def private_median(
    values: Any,
    space: Counts | Interval,
    *,
    epsilon: Number | Epsilon | None = None,
    alpha: Number | None = None,
) -> PrivateQuantile:
    """Return the exponential mechanism for the median: `private_quantile` at 1/2."""
    return private_quantile(values, space, at="1/2", epsilon=epsilon, alpha=alpha)


def _counted(values: Any, space: Counts | Interval) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct codes in order and how often each occurs, batch by batch."""
    known: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    often: NDArray[np.int64] = np.empty(0, dtype=np.int64)
    seen = 0
    for batch in values if isinstance(values, Iterator) else (values,):
        try:
            given = np.asarray(read_inputs(space, batch).codes)
        except OutsideSpaceError as problem:
            if problem.row is None:
                raise
            raise space.outside(row=seen + problem.row, why=problem.why) from None
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
) -> tuple[list[int], list[int], list[int], list[int]]:
    """Cut the grid into values and gaps; say how many values lie below each and up to it."""
    starts: list[int] = []
    sizes: list[int] = []
    below: list[int] = []
    upto: list[int] = []
    position = so_far = 0
    for code, count in zip([*codes.tolist(), size], [*counts.tolist(), 0], strict=True):
        if code > position:
            starts.append(position)
            sizes.append(code - position)
            below.append(so_far)
            upto.append(so_far)
        if code < size:
            starts.append(code)
            sizes.append(1)
            below.append(so_far)
            upto.append(so_far + count)
        so_far += count
        position = code + 1
    return starts, sizes, below, upto
