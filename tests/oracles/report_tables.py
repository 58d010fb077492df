"""All probabilities of small reports, by the definitions in `checker/blocks.py` and `items.py`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

Matrix = list[list[Fraction]]


def report_matrix(mechanism: dict[str, Any]) -> Matrix:
    """Return P(y | x) of a report as certificates describe it: a row for each value or set."""
    form = mechanism["form"]
    if form == "items":
        return _bits(mechanism)
    keep = Fraction(int(mechanism["keep"], 16), 1 << mechanism["log2_total"])
    if form == "padded":
        return padded_matrix(mechanism["items"], mechanism["largest"], keep)
    family = mechanism["family"]
    if family["kind"] == "hashes":
        return _hashes(family["values"], family["hashes"], keep)
    return _matrix(keep, *_blocks(family))


def _matrix(keep: Fraction, blocks: Sequence[set[int]], outputs: int) -> Matrix:
    return [
        [keep / len(b) if y in b else (1 - keep) / (outputs - len(b)) for y in range(outputs)]
        for b in blocks
    ]


def _blocks(family: dict[str, Any]) -> tuple[list[set[int]], int]:
    """Return the block of each value, and how many outputs there are."""
    values, kind = family["values"], family["kind"]
    if kind == "points":
        return [{x} for x in range(values)], values
    if kind == "sets":
        sets = list(combinations(range(values), family["size"]))
        return [{y for y, one in enumerate(sets) if x in one} for x in range(values)], len(sets)
    if kind == "windows":
        width, stride = family["width"], family["stride"]
        ends = (values - 1) * stride + width
        return [set(range(x * stride, x * stride + width)) for x in range(values)], ends
    q, t = family["q"], family["t"]
    assert q in (2, 3, 5), "a prime, so that residues are the field"
    points = [v for v in product(range(q), repeat=t) if next((c for c in reversed(v) if c), 0) == 1]

    def inside(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
        return sum(a * b for a, b in zip(x, y, strict=True)) % q == 0

    found = [{n for n, y in enumerate(points) if inside(x, y)} for x in points[:values]]
    return found, len(points)


def _hashes(values: int, hashes: int, keep: Fraction) -> Matrix:
    """Return reports with a function of all there are, drawn uniformly."""
    functions = list(product(range(hashes), repeat=values))
    return [
        [
            (keep if h[x] == y else (1 - keep) / (hashes - 1)) / len(functions)
            for h in functions
            for y in range(hashes)
        ]
        for x in range(values)
    ]


def padded_matrix(items: int, largest: int, keep: Fraction) -> Matrix:
    """Return P(y | set) for every set of the items, also for those larger than `largest`."""
    size = items + largest
    rows: Matrix = []
    for count in range(items + 1):
        for chosen in combinations(range(items), count):
            padded = [*chosen, *(items + place for place in range(count, largest))]
            rest = (1 - keep) / (size - 1)
            rows.append(
                [
                    sum((keep if x == y else rest for x in padded), Fraction(0)) / len(padded)
                    for y in range(size)
                ]
            )
    return rows


def _bits(mechanism: dict[str, Any]) -> Matrix:
    count, total = len(mechanism["items"]), 1 << mechanism["log2_total"]
    p, q = (Fraction(int(mechanism[name], 16), total) for name in ("present", "absent"))
    sets = [s for s in range(1 << count) if s.bit_count() <= mechanism["largest"]]

    def chance(x: int, y: int) -> Fraction:
        found = Fraction(1)
        for item in range(count):
            heads = p if x >> item & 1 else q
            found *= heads if y >> item & 1 else 1 - heads
        return found

    return [[chance(x, y) for y in range(1 << count)] for x in sets]
