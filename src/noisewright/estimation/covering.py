"""Few tables to count, of which all that are wanted are margins.

Counting 45 pairs of ten columns one by one touches every row 45 times. A table of five columns has
ten pairs as margins and is counted in little more time than one of them, as long as its cells stay
in the cache: six or seven such tables are enough. Which ones is a covering problem; here greedily,
by how much counting each table saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import prod

Place = tuple[int, ...]

_COSTS = ((1 << 12, 1.35), (1 << 14, 1.65), (1 << 16, 1.85), (1 << 18, 2.5))
"""Nanoseconds for a row of a table with so many cells, measured; only ratios matter."""

_JOIN = 0.3
"""Nanoseconds to join the codes of two columns."""

_LARGEST = _COSTS[-1][0]
_SEEDS = ((64, 12), (256, 3), (1300, 1))
"""For so many wanted tables, from how many the search starts; beyond, blocks do without one."""

_BLOCK = 1 << 7
_PAIRED = 1 << 14


def tables_to_count(sizes: Sequence[int], wanted: Sequence[Place]) -> list[Place]:
    """Return the tables to count, each as the sorted places of its columns."""
    missing = list(dict.fromkeys(tuple(sorted(set(table))) for table in wanted))
    seeds = next((count for most, count in _SEEDS if len(missing) <= most), 0)
    return _by_search(sizes, missing, seeds) if seeds else _by_blocks(sizes, missing)


def _cells(sizes: Sequence[int], table: Place) -> int:
    return prod(sizes[place] for place in table)


def _cost(sizes: Sequence[int], table: Place) -> float:
    cells = _cells(sizes, table)
    return next((ns for most, ns in _COSTS if cells <= most), 8.0) + _JOIN * (len(table) - 1)


def _by_search(sizes: Sequence[int], wanted: Sequence[Place], seeds: int) -> list[Place]:
    """Take the table that saves most for its cost, until nothing is missing."""
    chosen: list[Place] = []
    missing = dict.fromkeys(sorted(wanted, key=lambda table: (-len(table), table)))
    while missing:
        grown = (
            each
            for seed in list(missing)[:: -(-len(missing) // seeds)]
            for each in _grown(sizes, seed, missing)
        )
        best = max(grown, key=lambda table: _worth(sizes, table, missing))
        chosen.append(best)
        for table in [table for table in missing if set(table) <= set(best)]:
            del missing[table]
    return chosen


def _worth(sizes: Sequence[int], table: Place, missing: dict[Place, None]) -> float:
    inside = set(table)
    saved = sum(_cost(sizes, one) for one in missing if inside.issuperset(one))
    return saved / _cost(sizes, table)


def _grown(sizes: Sequence[int], seed: Place, missing: dict[Place, None]) -> Iterator[Place]:
    """Yield a table, then with one column more at a time: the one that completes most tables."""
    table = seed
    yield table
    while True:
        inside = set(table)
        gains = dict.fromkeys(range(len(sizes)), 0.0)
        for one in missing:
            rest = [place for place in one if place not in inside]
            for place in rest:
                # A table that lacks one column counts whole, one that lacks more in part.
                gains[place] += 0.1 ** (len(rest) - 1)
        able = [
            place
            for place, gain in gains.items()
            if gain and sizes[place] * _cells(sizes, table) <= _LARGEST
        ]
        if not able:
            return
        added = max(able, key=lambda place: (gains[place], -sizes[place], -place))
        table = tuple(sorted((*table, added)))
        yield table


def _by_blocks(sizes: Sequence[int], wanted: Sequence[Place]) -> list[Place]:
    """Join neighboring small columns to blocks, and take pairs of blocks."""
    chosen: list[Place] = []
    missing = dict.fromkeys(wanted)
    blocks: list[Place] = []
    for place in sorted({place for table in wanted for place in table}):
        last = blocks[-1] if blocks else ()
        if last and _cells(sizes, (*last, place)) <= _BLOCK:
            blocks[-1] = (*last, place)
        else:
            blocks.append((place,))
    for both in [*(one + other for one, other in combinations(blocks, 2)), *blocks]:
        inside = set(both)
        covered = [table for table in missing if inside.issuperset(table)]
        small = _cells(sizes, both) <= _PAIRED
        if covered and small and (len(covered) > 1 or both in covered):
            chosen.append(both)
            for table in covered:
                del missing[table]
    return [*chosen, *missing]
