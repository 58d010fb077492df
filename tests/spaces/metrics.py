"""Metrics on a few points, by name: the shapes that d-privacy is tried on."""

from fractions import Fraction
from random import Random

Matrix = list[list[Fraction]]


def shortest(edges: dict[tuple[int, int], Fraction], size: int) -> Matrix:
    """The lengths of the shortest ways along weighted edges (Floyd–Warshall, exact)."""
    far = Fraction(10**6)
    rows = [[Fraction(0) if a == b else far for b in range(size)] for a in range(size)]
    for (a, b), length in edges.items():
        rows[a][b] = rows[b][a] = length
    for m in range(size):
        for a in range(size):
            for b in range(size):
                rows[a][b] = min(rows[a][b], rows[a][m] + rows[m][b])
    return rows


def scattered(seed: int, size: int) -> Matrix:
    """A metric without structure: lengths between 1/2 and 2, shortened where a way is shorter."""
    random = Random(seed)
    every = [(a, b) for a in range(size) for b in range(a)]
    return shortest({pair: Fraction(random.randint(5, 20), 10) for pair in every}, size)


GRID = [(x, y) for x in range(3) for y in range(2)]

METRICS: dict[str, Matrix] = {
    "line": [[Fraction(abs(a - b)) for b in range(5)] for a in range(5)],
    "half steps": [[Fraction(abs(a - b), 2) for b in range(4)] for a in range(4)],
    "uneven line": shortest({(0, 1): Fraction(1), (1, 2): Fraction(1, 3), (2, 3): Fraction(2)}, 4),
    "cycle": [[Fraction(min(abs(a - b), 5 - abs(a - b))) for b in range(5)] for a in range(5)],
    "star": shortest({(0, leaf): Fraction(leaf, 2) for leaf in (1, 2, 3, 4)}, 5),
    "grid": [[Fraction(abs(a - c) + abs(b - d)) for c, d in GRID] for a, b in GRID],
    "discrete": [[Fraction(a != b) for b in range(4)] for a in range(4)],
    "scattered": scattered(1, 5),
    "scattered too": scattered(2, 6),
}
