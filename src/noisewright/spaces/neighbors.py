"""Who is whose neighbor: the pairs of inputs that a mechanism must not tell apart.

`replace`: every two distinct points, because one person's record may become any other.
`adjacent`: points next to each other in their order, because replacing one person moves a
count by at most one. `Within(k)`: points at most k steps apart in their order. `metric`: every
two distinct points, but ε counts per unit of their distance (d-privacy), so points far apart
may be told apart. Any other symmetric relation is a set of pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from noisewright.errors import SpaceError, TooLargeError
from noisewright.given import amount

MOST_PAIRS = 1 << 26
"""More neighbor pairs than this (1 GB of indices) are not listed."""


@dataclass(frozen=True)
class Pairs:
    """A symmetric relation as sorted pairs of codes (a, b) with a < b."""

    pairs: tuple[tuple[int, int], ...]

    def __repr__(self) -> str:
        return f"Pairs({len(self.pairs)} pairs)"


@dataclass(frozen=True)
class Within:
    """Points at most `steps` apart in their order: what a sensitivity says about a query."""

    steps: int


Neighbors = Literal["replace", "adjacent", "metric"] | Pairs | Within


def read_neighbors(given: Any, *, size: int, code_of: Any, ordered: bool) -> Neighbors:
    """Read a relation: a word, pairs of points, a 0/1 matrix or a distance matrix.

    A matrix of zeros and ones (or bools) says who is a neighbor of whom; in any other matrix the
    numbers are distances, and the neighbors are the points at a distance of at most 1.
    """
    if isinstance(given, Pairs):
        return _check_pairs(given.pairs, size)
    if isinstance(given, Within):
        return _within(given, size=size, ordered=ordered)
    if isinstance(given, str):
        if given == "replace":
            return "replace"
        if given == "metric":
            return "metric"
        if given == "adjacent":
            if not ordered:
                raise SpaceError(
                    "neighbors='adjacent' needs points with an order (Counts, Interval). "
                    "Use 'replace', or give the pairs of points that are neighbors."
                )
            return "adjacent"
        raise SpaceError(
            f"neighbors is {given!r}; it must be 'replace', 'adjacent', 'metric', pairs of points "
            "or a matrix."
        )
    if isinstance(given, np.ndarray) or _looks_square(given, size):
        return _from_matrix(np.asarray(given), size)
    if not isinstance(given, Iterable):
        raise SpaceError(
            "neighbors must be 'replace', 'adjacent', 'metric', pairs of points or a matrix; got "
            f"{type(given).__name__}."
        )
    pairs: list[tuple[int, int]] = []
    for position, pair in enumerate(given):
        try:
            first, second = pair
        except (TypeError, ValueError) as problem:
            raise SpaceError(f"neighbors[{position}] is not a pair of points.") from problem
        pairs.append((code_of(first), code_of(second)))
    return _check_pairs(pairs, size)


def _within(given: Within, *, size: int, ordered: bool) -> Neighbors:
    """Read a range; where it says the same as a word, the word is kept."""
    if not ordered:
        raise SpaceError("Within(steps) needs points with an order (Counts, Interval).")
    if type(given.steps) is not int or given.steps < 1:
        raise SpaceError(f"Within({given.steps!r}): the steps must be a whole number from 1 on.")
    if given.steps >= size - 1:
        return "replace"
    return "adjacent" if given.steps == 1 else given


def _looks_square(given: Any, size: int) -> bool:
    """Tell a matrix from a list of pairs; two rows of two numbers are read as a matrix."""
    return (
        isinstance(given, Sequence)
        and len(given) == size
        and size > 0
        and all(
            isinstance(row, Sequence) and not isinstance(row, str) and len(row) == size
            for row in given
        )
        and all(isinstance(cell, (bool, int, float)) for row in given for cell in row)
    )


def _from_matrix(matrix: NDArray[Any], size: int) -> Pairs:
    if matrix.shape != (size, size):
        raise SpaceError(
            f"the matrix of neighbors has shape {matrix.shape}; this space needs one row and one "
            f"column for each of its {amount(size)} points."
        )
    if matrix.dtype == bool:
        related = matrix
    else:
        numbers = matrix.astype(float)
        if not np.all(np.isfinite(numbers)) or np.any(numbers < 0):
            raise SpaceError("a distance matrix must hold finite numbers of at least 0.")
        # Zeros and ones say who is a neighbor; read as distances they would make all points so.
        related = numbers == 1 if np.all((numbers == 0) | (numbers == 1)) else numbers <= 1
    if np.any(related != related.T):
        first, second = np.argwhere(related != related.T)[0].tolist()
        raise SpaceError(
            f"the matrix of neighbors is not symmetric: entries ({first}, {second}) and "
            f"({second}, {first}) differ."
        )
    first, second = np.nonzero(np.triu(related, 1))
    return _check_pairs(list(zip(first.tolist(), second.tolist(), strict=True)), size)


def _check_pairs(pairs: Iterable[tuple[int, int]], size: int) -> Pairs:
    unique = {(min(a, b), max(a, b)) for a, b in pairs}
    for a, b in unique:
        if a == b:
            raise SpaceError(f"point {a} is given as its own neighbor; leave such pairs out.")
        if a < 0 or b >= size:
            raise SpaceError(
                f"the pair ({a}, {b}) is outside the {amount(size)} points of the space."
            )
    if not unique and size > 1:
        raise SpaceError(
            "no two points are neighbors, so any mechanism would count as private. Give at "
            "least one pair, or use neighbors='replace'."
        )
    return Pairs(tuple(sorted(unique)))


def pair_count(relation: Neighbors, size: int) -> int:
    """Return how many unordered pairs are neighbors."""
    if isinstance(relation, Pairs):
        return len(relation.pairs)
    if isinstance(relation, Within):
        return relation.steps * size - relation.steps * (relation.steps + 1) // 2
    return size - 1 if relation == "adjacent" else size * (size - 1) // 2


def pair_codes(relation: Neighbors, size: int) -> NDArray[np.intp]:
    """List the unordered neighbor pairs as an array of codes with two columns."""
    count = pair_count(relation, size)
    if count > MOST_PAIRS:
        raise TooLargeError(
            f"the space has {amount(count)} pairs of neighbors, too many to list (at most "
            f"{MOST_PAIRS:,}). Use a smaller space or a mechanism given by a formula.",
            size=count,
        )
    if isinstance(relation, Pairs):
        return np.array(relation.pairs, dtype=np.intp).reshape(-1, 2)
    if isinstance(relation, Within):
        apart = np.concatenate([_apart(size, steps) for steps in range(1, relation.steps + 1)])
        return apart[np.lexsort((apart[:, 1], apart[:, 0]))]
    if relation == "adjacent":
        return _apart(size, 1)
    return np.stack(np.triu_indices(size, 1), axis=1)


def _apart(size: int, steps: int) -> NDArray[np.intp]:
    first = np.arange(max(size - steps, 0), dtype=np.intp)
    return np.stack([first, first + steps], axis=1)


def reach(relation: Neighbors, size: int) -> int:
    """Return the largest difference of the codes of two neighbors; 0 if there are none."""
    if isinstance(relation, Pairs):
        return max((b - a for a, b in relation.pairs), default=0)
    if isinstance(relation, Within):
        return relation.steps
    return min(1, size - 1) if relation == "adjacent" else size - 1


def are_neighbors(relation: Neighbors, a: int, b: int) -> bool:
    """Tell whether two codes are neighbors."""
    if isinstance(relation, Pairs):
        return (min(a, b), max(a, b)) in relation.pairs
    if isinstance(relation, Within):
        return 0 < abs(a - b) <= relation.steps
    return abs(a - b) == 1 if relation == "adjacent" else a != b
