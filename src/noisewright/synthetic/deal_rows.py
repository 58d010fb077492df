"""Rows from distributions of one column given others: rounded at random, not drawn one by one.

How often each value occurs is rounded first. Values are then dealt out to rows like cards.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source, source_or_default

Array = NDArray[np.float64]

_RANDOM_BITS = 32
"""With fewer of them left in a word, keys and values are sorted apart, which is slower."""


@final
@dataclass(frozen=True, eq=False)
class Given:
    """How one column is distributed given others: `shares` has their axes, and its own last."""

    column: str
    parents: tuple[str, ...]
    shares: Array


def draw_rows(
    steps: Iterable[Given], rows: int, source: Source | None = None
) -> dict[str, NDArray[Any]]:
    """Return codes of so many rows, in random order.

    Requires: the parents of a column before it.
    Ensures: among the rows that agree in the parents, each value of a column occurs within one of
    its share, and on average exactly in its share.
    """
    bits = source_or_default(source)
    drawn: dict[str, NDArray[Any]] = {}
    for step in steps:
        *sizes, own = step.shares.shape
        group = np.zeros(rows, dtype=np.int64)
        for name, size in zip(step.parents, sizes, strict=True):
            group = group * size + drawn[name]
        totals = np.bincount(group, minlength=math.prod(sizes))
        (seen,) = np.nonzero(totals)
        times = _round_each(step.shares.reshape(-1, own)[seen], totals[seen], bits)
        drawn[step.column] = deal_values(
            np.tile(np.arange(own), seen.size),
            times.reshape(-1),
            bits,
            owners=np.repeat(seen, own) if step.parents else None,
            groups=group if step.parents else None,
        )
    return drawn


def round_at_random(shares: Array, total: int, source: Source) -> NDArray[np.int64]:
    """Return whole numbers that add up to the total, each within one of its share of it.

    Ensures: on average each is exactly its share (one random offset for all of them).
    """
    if not total:
        return np.zeros(shares.size, dtype=np.int64)
    return _round_each(shares[None, :], np.array([total]), source)[0]


def _round_each(shares: Array, totals: NDArray[np.int64], source: Source) -> NDArray[np.int64]:
    """Round each row of shares of its total, each row with an offset of its own."""
    ends = np.cumsum(shares, axis=1)
    ends *= totals[:, None] / ends[:, -1:]
    offsets = (source.words(len(totals)) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    marks = np.floor(ends + offsets[:, None]).astype(np.int64)
    marks[:, -1] = totals
    return np.diff(np.minimum(marks, totals[:, None]), prepend=0)


def deal_values(
    values: NDArray[Any],
    times: NDArray[Any],
    source: Source,
    *,
    owners: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Return each value as often as `times` says, in random order.

    With `owners`, the group of each value in rising order, and `groups`, that of each row, a row
    gets a value of its group.

    Requires: whole numbers of at least 0; each group has as many values as rows.
    Ensures: the narrowest type that holds all values.
    """
    rows = int(times.sum())
    narrow = np.min_scalar_type(int(values.max(initial=0)))
    if not rows:
        return np.empty(0, dtype=narrow)
    shuffled = _shuffle(values, times, owners, source).astype(narrow)
    if groups is None:
        return shuffled
    # Few groups are sorted by counting them.
    kind = np.min_scalar_type(int(groups.max()))
    order = np.argsort(groups.astype(kind, copy=False), kind="stable")
    found = np.empty(rows, dtype=narrow)
    found[order] = shuffled
    return found


def _shuffle(
    values: NDArray[Any], times: NDArray[Any], owners: NDArray[Any] | None, source: Source
) -> NDArray[Any]:
    """Return values group after group, shuffled: sorted as words of group, random bits, value."""
    keys = source.words(int(times.sum()))
    low = int(values.max()).bit_length()
    high = 0 if owners is None else int(owners.max()).bit_length()
    if 64 - low - high < _RANDOM_BITS:
        apart = (keys,) if owners is None else (keys, np.repeat(owners, times))
        return np.repeat(values, times)[np.lexsort(apart)]
    mask = np.uint64((1 << low) - 1)
    ends = values.astype(np.uint64)
    if owners is not None and high:
        ends |= owners.astype(np.uint64) << np.uint64(64 - high)
    keys >>= np.uint64(high)
    keys &= ~mask
    keys |= np.repeat(ends, times)
    keys.sort()
    keys &= mask
    return keys
