"""Dealing values out to rows at random, like cards: how often each occurs stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source

_RANDOM_BITS = 32
"""With fewer of them left in a word, keys and values are sorted apart, which is slower."""


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
