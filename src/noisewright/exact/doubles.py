"""Many numbers that came as doubles: exact rationals for whoever asks, an array for the rest.

A double is a rational number. Ten thousand of them as fractions cost more than most uses of them,
so fractions are made when somebody looks.

What is said about errors here rests on one promise of IEEE 754: a sum, a difference or a product of
two doubles is the double nearest to the exact result. Nothing else is trusted: `e^-x` comes from
lists made in exact arithmetic and from products.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, cast, final, overload

import numpy as np
from numpy.typing import NDArray

from noisewright.exact.many_powers import even_powers

_LARGEST = 2.0**500
"""Larger numbers are left to exact arithmetic, so that no product overflows."""

_WHOLE = 1 << 53
"""Up to here every whole number is a double."""

_DEEPEST = 256
_STEPS = 256


@final
class Doubles(Sequence[Fraction]):
    """A sequence of fractions, each of which is a double."""

    def __init__(self, array: NDArray[np.float64]) -> None:
        self.array = array
        self.array.setflags(write=False)

    @staticmethod
    def read(values: Sequence[Any] | NDArray[Any]) -> Doubles | None:
        """Return numbers as doubles, or None if some number is no double, or none of these."""
        if isinstance(values, np.ndarray):
            kind = values.dtype.kind
            # What a mask hides is no number.
            is_masked = isinstance(values, np.ma.MaskedArray)
            if values.ndim != 1 or values.dtype.itemsize > 8 or is_masked:
                return None
        else:
            kinds = set(map(type, values))
            kind = "f" if kinds <= {float} else "i" if kinds <= {int, float} else "other"
        if kind not in "fiu":
            return None
        try:
            array = np.array(values, dtype=np.float64)
        except OverflowError:
            return None
        largest = np.abs(array).max(initial=0)
        # Not a number is not below anything.
        if not largest < (_LARGEST if kind == "f" else _WHOLE):
            return None
        return Doubles(array)

    @cached_property
    def exact(self) -> tuple[Fraction, ...]:
        """All of them; equal ones are the same object."""
        different, which = np.unique(self.array, return_inverse=True)
        known = [Fraction(value) for value in different.tolist()]
        return tuple(known[place] for place in which.tolist())

    def depths(self, factor: Fraction) -> NDArray[np.float64] | None:
        """Return about factor · (largest − value) for each, or None for an extreme factor.

        Requires: factor > 0.
        Ensures: each is nearer to the exact product than a relative 2^-51, or 2^-1000; the
        largest has 0. Three roundings of at most 2^-53 each: the difference, the factor, and
        their product, which may also be too small for a double.
        """
        if not 1 / _LARGEST < factor < _LARGEST:
            return None
        return (self.array.max() - self.array) * float(factor)

    def __len__(self) -> int:
        return len(self.array)

    @overload
    def __getitem__(self, index: int) -> Fraction: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Fraction]: ...
    def __getitem__(self, index: int | slice) -> Fraction | Sequence[Fraction]:
        if isinstance(index, slice):
            return self.exact[index]
        return Fraction(self.array[index].item())

    def __iter__(self) -> Iterator[Fraction]:
        return iter(self.exact)

    def __eq__(self, other: object) -> bool:
        """Be equal to a tuple of the same fractions."""
        if not isinstance(other, (Doubles, tuple)):
            return NotImplemented
        return self.exact == tuple(cast(Sequence[Any], other))

    def __hash__(self) -> int:
        return hash(self.exact)

    def __repr__(self) -> str:
        # They may be private, so they are not shown.
        return f"<{len(self):,} doubles>"


def falling_powers(depths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return about e^-x for each double x ≥ 0; 0 where x > 256.

    Ensures: elsewhere the relative error is below 2^-49. With x = a + b/2^8 + r, which is cut
    exactly, e^-a and e^(-b/2^8) are doubles nearest to numbers known to 2^-57, and the series of
    e^-r, r < 2^-8, is cut off below 2^-67. Each of the two, the series, and the two products that
    join them is off by little more than a relative 2^-53.
    """
    kept = np.minimum(depths, _DEEPEST)
    steps = np.floor(kept * _STEPS)
    rest = kept - steps / _STEPS
    series = np.ones_like(rest)
    for index in range(6, 0, -1):
        series = 1 - rest / index * series
    whole, part = np.divmod(steps.astype(np.intp), _STEPS)
    found = _list(Fraction(1), _DEEPEST + 1)[whole] * _list(Fraction(1, _STEPS), _STEPS)[part]
    return np.where(depths > _DEEPEST, 0.0, found * series)


@cache
def _list(step: Fraction, count: int) -> NDArray[np.float64]:
    """Return e^(-k step) for k = 0, 1, …, each the double nearest to it but for 2^-57."""
    # e^-k > 2^-(3k/2): this many bits are enough for the smallest.
    bits = int(step * count * 3 / 2) + 60
    found = np.array([power / (1 << bits) for power in even_powers(step, count, bits)])
    found.setflags(write=False)
    return found
