"""All databases of m records over d points, up to order: every way to write m as d counts.

They are listed in the order of their counts (the first count slowest), a block at a time, and
one is found from its place in the list without listing the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from noisewright.public import public_methods
from noisewright.spaces import Records
from noisewright.synthetic.tallies import Answers
from noisewright.synthetic.workloads.workload import Workload

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
    high = 1
    while multiset_count(points, high) <= most:
        high *= 2
    return bisect_right(range(high), most, key=lambda m: multiset_count(points, m)) - 1


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


@public_methods
@final
@dataclass(frozen=True, eq=False)
class SyntheticRecords:
    """A synthetic database: `counts` copies of each point of the domain.

    Its records are listed in the order of the domain's points, which says nothing about the data.
    """

    domain: Records
    counts: NDArray[np.int64]

    @property
    def rows(self) -> int:
        """How many records there are."""
        return int(self.counts.sum())

    @property
    def records(self) -> list[tuple[Any, ...]]:
        """The records as tuples."""
        places = np.flatnonzero(self.counts).tolist()
        return [self.domain.point(p) for p in places for _ in range(int(self.counts[p]))]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The records as one array for each column."""
        places = np.repeat(np.arange(self.counts.size), self.counts)
        sizes = [space.size for _, space in self.domain.columns]
        codes = np.unravel_index(places, sizes)
        named = zip(self.domain.columns, codes, strict=True)
        return {name: space.decode(code) for (name, space), code in named}

    def answers(self, workload: Workload) -> Answers:
        """Return the answers of a workload on these records."""
        return workload.answers_of_counts(self.counts)

    def __repr__(self) -> str:
        return f"<{self.rows:,} synthetic records of {self.domain!r}>"
