"""All databases of m records over d points, up to order: every way to write m as d counts.

They are listed in the order of their counts (the first count slowest), a block at a time, and
one is found from its place in the list without listing the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import comb

import numpy as np
from numpy.typing import NDArray

MOST_MULTISETS = 10**7
"""More databases than this are not listed."""

_BLOCK = 1 << 17


def multiset_count(points: int, records: int) -> int:
    """Return how many multisets of this many records there are over so many points."""
    return comb(points + records - 1, records)


def most_records(points: int, most: int = MOST_MULTISETS) -> int:
    """Return the largest number of records at which the multisets can be listed (0 if none)."""
    if points == 1:
        return most
    low, high = 0, 1
    while multiset_count(points, high) <= most:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if multiset_count(points, middle) <= most else (low, middle)
    return low


def blocks(points: int, records: int) -> Iterator[NDArray[np.int64]]:
    """Yield all multisets as rows of counts, in order, some at a time."""
    yield from _blocks(points, records, ())


def _blocks(points: int, records: int, fixed: tuple[int, ...]) -> Iterator[NDArray[np.int64]]:
    if points == 1 or multiset_count(points, records) <= _BLOCK:
        rest = compositions(points, records)
        head = np.broadcast_to(np.array(fixed, dtype=np.int64), (len(rest), len(fixed)))
        yield np.concatenate([head, rest], axis=1)
        return
    for first in range(records + 1):
        yield from _blocks(points - 1, records - first, (*fixed, first))


def compositions(points: int, records: int) -> NDArray[np.int64]:
    """Return all rows of `points` counts that add up to `records`, in order."""
    left = np.array([records], dtype=np.int64)
    columns: list[NDArray[np.int64]] = []
    for _ in range(points - 1):
        choices = left + 1
        ends = np.cumsum(choices)
        parent = np.repeat(np.arange(left.size), choices)
        value = np.arange(ends[-1]) - np.repeat(ends - choices, choices)
        columns = [column[parent] for column in columns]
        columns.append(value)
        left = left[parent] - value
    return np.stack([*columns, left], axis=1)


def multiset_at(place: int, points: int, records: int) -> NDArray[np.int64]:
    """Return the counts at a place of the list."""
    counts: list[int] = []
    left = records
    for behind in range(points - 1, 0, -1):
        count = 0
        while place >= (size := multiset_count(behind, left - count)):
            place -= size
            count += 1
        counts.append(count)
        left -= count
    return np.array([*counts, left], dtype=np.int64)


def place_of(counts: Sequence[int]) -> int:
    """Return the place of these counts in the list."""
    left, place = sum(counts), 0
    for behind, count in zip(range(len(counts) - 1, 0, -1), counts, strict=False):
        place += sum(multiset_count(behind, left - smaller) for smaller in range(count))
        left -= count
    return place


def shapes(rows: NDArray[np.int64], records: int) -> NDArray[np.int64]:
    """Return a number for each row that two rows share only if they have the same counts, sorted.

    As many sequences belong to each multiset of one shape.
    """
    largest = np.sort(rows, axis=1)[:, ::-1]
    found = np.zeros(len(rows), dtype=np.int64)
    # What is left after the largest counts decides the last of them.
    for place in range(min(rows.shape[1] - 1, records)):
        found = found * (records + 1) + largest[:, place]
    return found


def sequences_of(counts: Sequence[int]) -> int:
    """Return in how many orders these records can stand: m! / Π counts!"""
    orders, so_far = 1, 0
    for count in counts:
        so_far += count
        orders *= comb(so_far, count)
    return orders
