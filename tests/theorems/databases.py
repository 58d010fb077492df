"""Small mechanisms in exact rationals, and every event looked at: what the theorems are held to."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import chain, combinations, product

Distribution = Sequence[Fraction]
Event = tuple[int, ...]


def databases(values: int, rows: int) -> list[tuple[int, ...]]:
    """All databases of `rows` values out of 0..values−1, in the order of their codes."""
    return list(product(range(values), repeat=rows))


def hamming(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    return sum(x != y for x, y in zip(a, b, strict=True))


def discrete_exponential(
    points: Sequence[tuple[int, ...]], decay: Fraction, distance: Callable[..., int] = hamming
) -> list[list[Fraction]]:
    """Return P(d'|d) = decay^distance / C_d, with decay = e^-k (Definition 4)."""
    rows = [[decay ** distance(d, other) for other in points] for d in points]
    return [[entry / sum(row) for entry in row] for row in rows]


def neighbors(points: Sequence[tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return the ordered pairs of databases that differ in one row."""
    codes = range(len(points))
    return [(a, b) for a in codes for b in codes if hamming(points[a], points[b]) == 1]


def subsets(outputs: Sequence[int]) -> Iterator[Event]:
    """Yield every non-empty event."""
    sizes = range(1, len(outputs) + 1)
    return chain.from_iterable(combinations(outputs, size) for size in sizes)


def mass(distribution: Distribution, event: Event) -> Fraction:
    return sum((distribution[y] for y in event), Fraction(0))


def holds(p: Distribution, q: Distribution, event: Event, ratio: Fraction, delta: Fraction) -> bool:
    """Tell whether P(A) ≤ e^ε Q(A) + δ, inequality (5)."""
    return mass(p, event) <= ratio * mass(q, event) + delta


def needed(p: Distribution, q: Distribution, ratio: Fraction) -> Fraction:
    """Return the least δ for one ordered pair."""
    return sum((max(Fraction(0), a - ratio * b) for a, b in zip(p, q, strict=True)), Fraction(0))


def likelier(p: Distribution, q: Distribution) -> tuple[int, ...]:
    """Return S, the outputs with P > Q (8)."""
    return tuple(y for y in range(len(p)) if p[y] > q[y])


def cells(p: Distribution, q: Distribution) -> list[tuple[int, ...]]:
    """Return S split by the ratio P/Q (10)."""
    by_ratio: dict[Fraction | None, list[int]] = {}
    for y in likelier(p, q):
        by_ratio.setdefault(p[y] / q[y] if q[y] else None, []).append(y)
    return [tuple(cell) for cell in by_ratio.values()]
