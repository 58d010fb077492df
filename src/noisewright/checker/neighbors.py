"""Neighbors: which inputs must be hard to tell apart.

replace: any two inputs. adjacent: two inputs next to each other. pairs: those in a list. metric:
any two, and an ε per unit of distance: inputs at a distance d get d ε.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from .document import brief, is_type, read_fields
from .report import need

_PART = "neighbors"

RELATIONS = (
    "relation: adjacent",
    "relation: replace",
    "relation: pairs, pairs: list",
    "relation: metric, distances: list",
)
"""The relations between the inputs of a mechanism for one value."""

Pair = tuple[int, int, int | Fraction]
"""Two inputs, and what their ε is multiplied by."""


def read_pairs(neighbors: Any, size: int) -> Iterable[Pair]:
    """Return all pairs of neighbors among this many inputs, each in one order only."""
    relation, *rest = read_fields(neighbors, _PART, *RELATIONS)
    if relation == "metric":
        return _read_distances(rest[0], size)
    if relation == "pairs":
        return _read_listed(rest[0], size)
    reach = 1 if relation == "adjacent" else size - 1
    return ((i, j, 1) for i in range(size) for j in range(i + 1, min(size, i + reach + 1)))


def _read_distances(rows: list[Any], size: int) -> Iterable[Pair]:
    far = [[Fraction(d) if is_type("fraction", d) else Fraction(0) for d in row] for row in rows]
    ok = all(isinstance(row, list) for row in rows) and len(far) == size
    ok = ok and all((d > 0) == (i != j) for i, row in enumerate(far) for j, d in enumerate(row))
    ok = ok and far == [list(column) for column in zip(*far, strict=True)]
    need(ok, _PART, f"need {size} x {size} distances, alike both ways, 0 to itself only")
    return ((i, j, far[i][j]) for j in range(size) for i in range(j))


def _read_listed(pairs: list[Any], size: int) -> Iterable[Pair]:
    for pair in pairs:
        ok = isinstance(pair, list) and len(pair) == 2 and all(is_type("whole", i) for i in pair)
        ok = ok and pair[0] != pair[1] and max(pair) < size
        need(ok, _PART, f"found {brief(pair)}; need two different positions below {size}")
    once = len({frozenset(pair) for pair in pairs}) == len(pairs)
    ok = once and (pairs or size == 1)
    need(ok, _PART, "found a pair twice, or no pairs: a claim about nobody is empty")
    return ((i, j, 1) for i, j in pairs)
