"""Quantiles, medians, minima and maxima from a tree of noisy counts.

The q-quantile of n values is the smallest x with F(x) ≥ q n, where F(x) counts the values up to x
("inverted_cdf" in numpy). So G(x) = F(x) − q n is ≥ 0 at the true x and < 0 just before it.

**Value.** The first x where the estimated F, made monotone, reaches q times the estimated n. In
bins of several points it is the middle of a bin; NaN where a group seems to have less than half a
row.

**Interval.** From the first x that is not rejected to the last one. x is too small if G(x) is
significantly below 0, and so if G is at the end of any node of the tree that holds x, since G never
falls; it is too large if G is significantly above 0 just before x, or before such a node. So noise
of single bins cannot keep an x that the wider nodes around it rule out. A tree of L levels makes
L tests, which see much of the same noise: each has 2.5% / ((3 + L) / 4) to miss on a side. All of
them together miss up to 4%, where no rows follow the quantile and G stays at 0, so that only one
side can miss; elsewhere less: the first x of many that is not rejected lies further out, and where
many rows share a value G jumps far from 0, so that the interval covers nearly always. The law of
the estimated G is nearly normal: it adds up noise of many nodes, whose variance and fourth cumulant
are known, and its quantile is that of Cornish and Fisher (1938).

**Minimum and maximum** of people cannot be private. The noisy minimum is the r-th smallest value,
where r is two standard errors of a running total near the end: so it is hardly ever a place where
noise alone piled up. r depends on noise alone, and is told in a note. If a group has fewer than r
rows, its r-th smallest value is the upper end of the range, and its r-th largest the lower one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import ParameterError
from noisewright.queries.answers.answered import Answered
from noisewright.queries.answers.bin_tree import Binning, BinTree
from noisewright.queries.answers.tree_law import TreeLaw, law_of_tree
from noisewright.queries.noise import CellNoise

Array = NDArray[np.float64]

_AT_ONCE = 1 << 20
"""So many bins of groups are worked on at a time."""

_MOST_KURTOSIS = 6.0
"""What the expansion stands; noise that is mostly 0 has more."""

_LEAST_VARIANCE = 1e-30


def answer_quantiles(
    numbers: Any,
    noise: CellNoise,
    *,
    tree: BinTree,
    binning: Binning,
    unit: Fraction | float,
    at: Sequence[float],
    people: Any = None,
    confidence: float = 0.95,
) -> Answered:
    """Return quantiles of each group, of shape (groups, len(at)), from noisy counts of all nodes.

    Requires: numbers of shape (groups, sum(tree.sizes)), as `tree.tally` lays them out, with
    independent noise; 0 ≤ q ≤ 1 for all q, where 0 and 1 stand for the minimum and the maximum.
    `people` are sizes of groups, if these are public.
    """
    if any(not 0 <= q <= 1 for q in at):
        raise ParameterError(f"quantiles were asked at {list(at)}; each must be between 0 and 1.")
    table, rank = np.asarray(numbers), rank_of_extreme(tree, noise)
    known = None if people is None else np.asarray(people, dtype=np.float64)
    size = max(1, _AT_ONCE // tree.bins)
    pieces = [
        _places(
            table[at_once],
            noise,
            tree,
            rank,
            at,
            None if known is None else known[at_once],
            confidence,
        )
        for at_once in (slice(first, first + size) for first in range(0, len(table), size))
    ]
    rows, value, low, high = (np.concatenate(each) for each in zip(*pieces, strict=True))
    empty, scale = rows[:, None] < 0.5, float(unit)
    first, last = binning.ends(value)
    middle = ((first + last) // 2).astype(np.float64) * scale
    lows = binning.ends(low)[0].astype(np.float64) * scale
    highs = binning.ends(high)[1].astype(np.float64) * scale
    z = -NormalDist().inv_cdf((1 - confidence) / 2)
    return Answered(
        what="quantiles",
        values=np.where(empty, np.nan, middle),
        standard_errors=np.where(empty, np.nan, (highs - lows) / (2 * z)),
        lows=lows,
        highs=highs,
        unbiased=middle,
        possible=(binning.low * scale, binning.high * scale),
        confidence=confidence,
        notes=_notes(at, rank, binning.width),
    )


def _places(
    numbers: NDArray[Any],
    noise: CellNoise,
    tree: BinTree,
    rank: int,
    at: Sequence[float],
    known: Array | None,
    confidence: float,
) -> tuple[Array, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows of groups, and the bins of quantiles and of the ends of their intervals."""
    law = _law(tree, noise)
    running = np.cumsum(law.estimate(numbers, known), axis=-1)
    rows = running[:, -1] if known is None else known
    # From whole numbers of rows r − 1/2 is as far from r as from r − 1.
    moved = {0.0: rank - 0.5, 1.0: 0.5 - rank}
    parts = [
        _crossing(
            running - (q * rows + moved.get(q, 0.0))[:, None],
            tree,
            noise,
            *law.spread(q if known is None else None),
            confidence,
        )
        for q in map(float, at)
    ]
    value, low, high = (np.stack(each, axis=-1) for each in zip(*parts, strict=True))
    return rows, value, low, high


def _notes(at: Sequence[float], rank: int, width: int) -> tuple[str, ...]:
    ends = ((0, "minimum", "below"), (1, "maximum", "above"))
    found = [
        f"The {name} is the value of rank {rank:,} from {side}: values beyond it cannot be seen."
        for q, name, side in ends
        if q in at
    ]
    if width > 1:
        found.append(f"Values are grouped into bins of {width:,} grid points each.")
    return tuple(found)


def rank_of_extreme(tree: BinTree, noise: CellNoise) -> int:
    """Return which value from the end stands for a minimum or a maximum, by noise alone."""
    second = _law(tree, noise).spread(0.0)[0]
    return max(1, math.ceil(2 * math.sqrt(float(second[: max(1, tree.bins // 10)].mean()))))


def _law(tree: BinTree, noise: CellNoise) -> TreeLaw:
    if noise.balanced_cells is not None:
        raise ParameterError("the counts of a tree take independent noise.")
    # Noise that is never seen still has to be divided by.
    return law_of_tree(tree, max(noise.variance, _LEAST_VARIANCE), noise.fourth_cumulant)


def critical_values(second: Array, fourth: Array, confidence: float) -> Array:
    """Return what a sum with these cumulants exceeds with (1 − confidence) / 2."""
    z = -NormalDist().inv_cdf((1 - confidence) / 2)
    kurtosis = np.minimum(fourth / np.maximum(second, 1e-100) ** 2, _MOST_KURTOSIS)
    return np.sqrt(np.maximum(second, 0)) * (z + kurtosis * (z**3 - 3 * z) / 24)


def _crossing(
    g: Array, tree: BinTree, noise: CellNoise, second: Array, fourth: Array, confidence: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the bin where G reaches 0, and the first and the last one where it may."""
    rising = (np.maximum.accumulate(g, axis=-1) + _from_the_end(np.minimum, g)) / 2
    each = 1 - (1 - confidence) / ((3 + len(tree.widths)) / 4)
    critical = critical_values(second, fourth, each) + 1e-9
    if noise.deviation < 1:
        # One draw takes few values, and is all the noise there is near an end of the range.
        critical = np.maximum(critical, noise.half_width(each))
    below, above = g < -critical, g > critical
    bins = np.arange(tree.bins)
    too_small, too_large = np.zeros(g.shape, dtype=np.bool_), np.zeros(g.shape, dtype=np.bool_)
    for width in tree.widths:
        start = bins // width * width
        too_small |= below[:, np.minimum(start + width - 1, tree.bins - 1)]
        too_large |= (start > 0) & above[:, start - 1]
    value = _first(rising >= -1e-9)
    high = tree.bins - 1 - _first(~too_large[:, ::-1])
    return value, np.minimum(_first(~too_small), value), np.maximum(high, value)


def _from_the_end(least: np.ufunc, g: Array) -> Array:
    return least.accumulate(g[:, ::-1], axis=-1)[:, ::-1]


def _first(fits: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first place that fits in each row; otherwise the last place there is."""
    return np.where(fits.any(axis=-1), fits.argmax(axis=-1), fits.shape[-1] - 1)
