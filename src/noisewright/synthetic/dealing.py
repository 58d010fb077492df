"""Dealing values out to rows at random, like cards: how often each occurs stays the same."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from noisewright.sampling import Source

_RANDOM_BITS = 32
"""With fewer of them left in a word, keys and values are sorted apart, which is slower."""


def dealt(
    values: NDArray[Any], source: Source, *, groups: NDArray[Any] | None = None
) -> NDArray[np.int64]:
    """Return the values in random order; with groups, those of a group to its rows in random order.

    Requires: whole numbers of at least 0; with groups, one for each row, and the values group after
    group, as many for each as it has rows.
    """
    if not values.size:
        return np.empty(0, dtype=np.int64)
    if groups is None:
        return _shuffled(values, None, source)
    narrow = groups.astype(np.min_scalar_type(int(groups.max())), copy=False)
    # Few groups are sorted by counting them.
    order = np.argsort(narrow, kind="stable")
    found = np.empty(values.size, dtype=np.int64)
    found[order] = _shuffled(values, narrow[order], source)
    return found


def _shuffled(
    values: NDArray[Any], groups: NDArray[Any] | None, source: Source
) -> NDArray[np.int64]:
    """Shuffle values within groups, which are in order: sort words of group, random bits, value."""
    keys = source.words(values.size)
    low = int(values.max()).bit_length()
    high = 0 if groups is None else int(groups.max()).bit_length()
    if 64 - low - high < _RANDOM_BITS:
        order = np.argsort(keys) if groups is None else np.lexsort((keys, groups))
        return values[order].astype(np.int64, copy=False)
    mask = np.uint64((1 << low) - 1)
    keys >>= np.uint64(high)
    keys &= ~mask
    keys |= values.astype(np.uint64)
    if groups is not None and high:
        keys |= groups.astype(np.uint64) << np.uint64(64 - high)
    keys.sort()
    keys &= mask
    return keys.view(np.int64)
