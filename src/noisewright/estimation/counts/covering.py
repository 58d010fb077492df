"""Few tables to count, of which all that are wanted are margins.

Counting 45 pairs of ten columns one by one touches every row 45 times. A table of five columns has
ten pairs as margins and is counted in little more time than one of them, as long as its cells stay
in the cache: six or seven such tables are enough. Which ones is a covering problem; here greedily,
by how much counting each table saves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
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
    """Take the table that saves most for its cost, until nothing is missing.

    Sets of columns are the bits of a number here.
    """
    chosen: list[Place] = []
    ordered = sorted(wanted, key=lambda table: (-len(table), table))
    missing = {sum(1 << place for place in table): _cost(sizes, table) for table in ordered}
    while missing:
        best, most = (), 0.0
        for seed in list(missing)[:: -(-len(missing) // seeds)]:
            for table, inside in _grow(sizes, seed, missing):
                saved = sum(cost for one, cost in missing.items() if not one & ~inside)
                worth = saved / _cost(sizes, table)
                if worth > most:
                    best, most = table, worth
        chosen.append(best)
        inside = sum(1 << place for place in best)
        missing = {one: cost for one, cost in missing.items() if one & ~inside}
    return chosen


def _grow(
    sizes: Sequence[int], seed: int, missing: Mapping[int, float]
) -> Iterator[tuple[Place, int]]:
    """Yield a table, then with one column more at a time: the one that completes most tables."""
    inside, cells = seed, 1
    for place, size in enumerate(sizes):
        cells *= size if seed >> place & 1 else 1
    while True:
        yield tuple(place for place in range(len(sizes)) if inside >> place & 1), inside
        gains: dict[int, float] = {}
        for one in missing:
            rest = one & ~inside
            # A table that lacks one column counts whole, one that lacks more in part.
            gain = 10.0 ** (1 - rest.bit_count())
            while rest:
                last = rest & -rest
                gains[last] = gains.get(last, 0.0) + gain
                rest ^= last
        able = [bit for bit in gains if sizes[bit.bit_length() - 1] * cells <= _LARGEST]
        if not able:
            return
        added = max(able, key=lambda bit: (gains[bit], -sizes[bit.bit_length() - 1], -bit))
        inside, cells = inside | added, cells * sizes[added.bit_length() - 1]


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
    block_of = {place: number for number, block in enumerate(blocks) for place in block}
    within: dict[frozenset[int], list[Place]] = {}
    for table in wanted:
        within.setdefault(frozenset(block_of[place] for place in table), []).append(table)
    numbers = range(len(blocks))
    for some in [*combinations(numbers, 2), *((number,) for number in numbers)]:
        both = tuple(place for number in some for place in blocks[number])
        parts = {frozenset(some), *(frozenset([number]) for number in some)}
        covered = [table for part in parts for table in within.get(part, ()) if table in missing]
        small = _cells(sizes, both) <= _PAIRED
        if covered and small and (len(covered) > 1 or both in covered):
            chosen.append(both)
            for table in covered:
                del missing[table]
    return [*chosen, *missing]
