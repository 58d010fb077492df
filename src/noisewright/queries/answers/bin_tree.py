"""Bins over a range, and a tree of counts over the bins: what is counted.

A tree has L levels. A node of a level counts the rows in so many neighboring bins (its *width*);
those of the next level divide its bins, and those of the last level are the bins. There is no
root: where the number of rows is public, say so when you estimate. A row counts once on each level.
So the number of rows up to a bin is the sum of a few counts, where without a tree it would be that
of all bins before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError

MOST_BINS = 1 << 16
"""A range of more points has bins of several points each."""


@final
@dataclass(frozen=True)
class Binning:
    """Bins of `width` neighboring whole numbers from `low` to `high`; the last may have fewer."""

    low: int
    high: int
    width: int

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return (self.high - self.low) // self.width + 1

    def ends(self, places: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the first and the last whole number of bins."""
        first = self.low + places.astype(object) * self.width
        return first, np.minimum(first + (self.width - 1), self.high)


def bins_for(low: int, high: int) -> Binning:
    """Return bins for whole numbers in low … high: one for each, or the finest 65,536."""
    if low > high:
        raise ParameterError(f"the range is {low:,} … {high:,}; low must not exceed high.")
    return Binning(low, high, (high - low) // MOST_BINS + 1)


@final
@dataclass(frozen=True)
class BinTree:
    """A tree over bins, by the width of the nodes of each level: the widest first, at last 1."""

    bins: int
    widths: tuple[int, ...]

    def __post_init__(self) -> None:
        pairs = zip(self.widths, self.widths[1:], strict=False)
        if not self.widths or self.widths[-1] != 1 or any(a % b or a <= b for a, b in pairs):
            raise ParameterError(
                f"the widths of a tree are {self.widths}; each must be a multiple of the next, and "
                "the last one 1."
            )

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many nodes each level has."""
        return tuple(-(-self.bins // width) for width in self.widths)

    def tally(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return the counts of all nodes, level by level, from those of bins: (…, sum of sizes)."""
        return np.concatenate(
            [
                np.add.reduceat(counts, np.arange(0, self.bins, width), axis=-1)
                for width in self.widths
            ],
            axis=-1,
        )

    def split(self, numbers: NDArray[Any]) -> list[NDArray[Any]]:
        """Return the numbers of all nodes as one array for each level."""
        return np.split(numbers, np.cumsum(self.sizes)[:-1], axis=-1)
