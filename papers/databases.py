"""Databases and mechanisms on them in fractions, and every event looked at.

Nothing of noisewright is used here, so that these checks are independent of it. A ratio stands for
e^ε and a decay for e^-k: both are rational, so that nothing is rounded. Rows are inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, pairwise, product
from random import Random

Point = tuple[int, ...]
Row = Sequence[Fraction]
Matrix = list[list[Fraction]]
Event = tuple[int, ...]

ZERO = Fraction(0)


def databases(values: int, rows: int) -> list[Point]:
    """Return all databases of `rows` values out of 0..values−1."""
    return list(product(range(values), repeat=rows))


def hamming(a: Point, b: Point) -> int:
    """Return the number of rows that differ, equation (1) of the categorical paper."""
    return sum(x != y for x, y in zip(a, b, strict=True))


def neighbors(points: Sequence[Point]) -> list[tuple[int, int]]:
    """Return the ordered pairs of databases that differ in one row."""
    codes = range(len(points))
    return [(a, b) for a in codes for b in codes if hamming(points[a], points[b]) == 1]


def normalized(weights: Sequence[Sequence[Fraction]]) -> Matrix:
    """Divide each row by its sum."""
    sums = [sum(row, ZERO) for row in weights]
    return [[w / total for w in row] for row, total in zip(weights, sums, strict=True)]


def discrete_exponential(
    points: Sequence[Point], decay: Fraction, distance: Callable[[Point, Point], int] = hamming
) -> Matrix:
    """Return P(d'|d) = e^(−k·distance) / C_d with decay = e^-k."""
    return normalized([[decay ** distance(d, other) for other in points] for d in points])


def response(m: int, p: Fraction) -> Matrix:
    """Return randomized response on m + 1 values: another value with probability p each."""
    return [[1 - m * p if x == y else p for y in range(m + 1)] for x in range(m + 1)]


def power(parent: Matrix, rows: int) -> Matrix:
    """Return the product mechanism: each row of the database by itself."""
    table = [[Fraction(1)]]
    for _ in range(rows):
        table = [[a * b for a in left for b in right] for left in table for right in parent]
    return table


def needed(p: Row, q: Row, ratio: Fraction) -> Fraction:
    """Return the least δ for one ordered pair: Σ max(0, P − e^ε Q)."""
    return sum((max(ZERO, a - ratio * b) for a, b in zip(p, q, strict=True)), ZERO)


def least_delta(
    matrix: Matrix, pairs: Sequence[tuple[int, int]], ratio: Fraction | int
) -> Fraction:
    """Return the least δ over ordered pairs of neighbors."""
    return max(needed(matrix[a], matrix[b], Fraction(ratio)) for a, b in pairs)


def mass(row: Row, event: Event) -> Fraction:
    """Return the probability of an event."""
    return sum((row[y] for y in event), ZERO)


def holds(p: Row, q: Row, event: Event, ratio: Fraction, delta: Fraction) -> bool:
    """Tell whether P(A) ≤ e^ε Q(A) + δ: inequality (5) of both papers."""
    return mass(p, event) <= ratio * mass(q, event) + delta


def events(outputs: Sequence[int]) -> Iterator[Event]:
    """Yield every non-empty event made of these outputs."""
    sizes = range(1, len(outputs) + 1)
    return chain.from_iterable(combinations(outputs, size) for size in sizes)


def likelier(p: Row, q: Row) -> Event:
    """Return S, the outputs with P > Q (8)."""
    return tuple(y for y in range(len(p)) if p[y] > q[y])


def cells(p: Row, q: Row) -> list[Event]:
    """Return S split by the ratio P/Q (10)."""
    by_ratio: dict[Fraction | None, list[int]] = {}
    for y in likelier(p, q):
        by_ratio.setdefault(p[y] / q[y] if q[y] else None, []).append(y)
    return [tuple(cell) for cell in by_ratio.values()]


def random_row(random: Random, size: int, total: int = 60) -> list[Fraction]:
    """Return probabilities that are multiples of 1/total; zeros and ties are common."""
    cuts = sorted(random.randint(0, total) for _ in range(size - 1))
    edges = [0, *cuts, total]
    return [Fraction(b - a, total) for a, b in pairwise(edges)]


def random_ratio(random: Random) -> Fraction:
    """Return an e^ε from 1 to 7."""
    return 1 + Fraction(random.randint(0, 24), 4)
