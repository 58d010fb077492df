"""Queries about fine grids, asked of bins instead: ends are moved to the nearest ends of bins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from noisewright.spaces import Records
from noisewright.synthetic.workloads.counting_queries import (
    Conjunction,
    Marginal,
    Prefixes,
    Queries,
    Ranges,
)


def query_in_bins(given: Queries, domain: Records, widths: Mapping[str, int]) -> Queries:
    """Return queries about the same columns, some of which are in bins of so many points.

    Prefixes end where bins end. A condition has the bins that it has at least half of. Where that
    is none, or where somebody wrote it as a function, the marginal of its columns stands for it.
    """
    if isinstance(given, Prefixes) or (isinstance(given, Ranges) and given.ends is None):
        return given
    sides = [(widths.get(name, 1), domain.by_name[name].size) for name in given.columns]
    if isinstance(given, Ranges):
        assert given.ends is not None
        boxes = tuple(
            tuple(_nearest(low, high, *side) for (low, high), side in zip(box, sides, strict=True))
            for box in given.ends
        )
        if all(low <= high for box in boxes for low, high in box):
            return replace(given, ends=boxes)
    if isinstance(given, Conjunction):
        named = zip(given.columns, given.allowed, sides, strict=True)
        found = {name: _mostly(codes, *side) for name, codes, side in named}
        moved = [name for name, (_, is_same) in found.items() if not is_same]
        (label,) = given.labels(domain)
        # What is counted must not be called what it is only near to.
        label += f" (in whole bins of {', '.join(moved)})" if moved else ""
        allowed = tuple(bins for bins, _ in found.values())
        if all(allowed):
            return Conjunction(given.columns, allowed, label)
    return Marginal(given.columns)


def _nearest(low: int, high: int, width: int, size: int) -> tuple[int, int]:
    last = (size - 1) // width
    end = last if high == size - 1 else (high + 1 + width // 2) // width - 1
    return (low + width // 2) // width, min(end, last)


def _mostly(codes: Sequence[int], width: int, size: int) -> tuple[tuple[int, ...], bool]:
    """Return the bins that have at least half of their points here, and whether that is all."""
    held = Counter(code // width for code in codes)
    whole = {place: min(width, size - place * width) for place in held}
    bins = tuple(place for place in sorted(held) if 2 * held[place] >= whole[place])
    return bins, held == whole
