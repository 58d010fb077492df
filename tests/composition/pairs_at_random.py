"""Random pairs and tables, zeros included, and the truth about them by brute force."""

import itertools
from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from noisewright.mechanisms import Table, from_matrix
from noisewright.privacy.composition.pairs import Pair
from noisewright.spaces import Categories

RATIOS = [Fraction(n, 8) for n in (8, 9, 11, 16, 31, 64, 300, 5000)]
"""e^ε at which curves are compared: rational, so that the comparison is exact."""


@st.composite
def rows(draw: st.DrawFn, outputs: int, most: int = 60) -> list[int]:
    """Weights that sum to 2^10, zeros among them."""
    raw = draw(st.lists(st.integers(0, most), min_size=outputs, max_size=outputs))
    total = sum(raw)
    if total == 0:
        return [1024, *[0] * (outputs - 1)]
    scaled = [value * 1024 // total for value in raw]
    scaled[scaled.index(max(scaled))] += 1024 - sum(scaled)
    return scaled


@st.composite
def pairs(draw: st.DrawFn, most_outputs: int = 4) -> Pair:
    outputs = draw(st.integers(1, most_outputs))
    p, q = draw(rows(outputs)), draw(rows(outputs))
    return Pair.of(zip(p, q, strict=True), 1024)


@st.composite
def tables(draw: st.DrawFn, inputs: int | None = None, most_outputs: int = 3) -> Table:
    size = draw(st.integers(2, 3)) if inputs is None else inputs
    outputs = draw(st.integers(2, most_outputs))
    weights = [[Fraction(w, 1024) for w in draw(rows(outputs))] for _ in range(size)]
    return from_matrix(Categories(range(size)), weights, outputs=range(outputs))


def product_by_brute_force(
    factors: Sequence[tuple[Pair, int]],
) -> tuple[list[tuple[int, int]], int]:
    """Every output of the product, one by one."""
    atoms, total = [(1, 1)], 1
    for pair, times in factors:
        for _ in range(times):
            atoms = [(p * r, q * s) for (p, q), (r, s) in itertools.product(atoms, pair.atoms)]
            total *= pair.total
    return atoms, total


def delta_of(atoms: Sequence[tuple[int, int]], total: int, ratio: Fraction) -> Fraction:
    return sum((max(p - ratio * q, Fraction(0)) for p, q in atoms), Fraction(0)) / total


def delta_of_tables(parts: Sequence[tuple[Table, int]], ratio: Fraction) -> Fraction:
    """The worst δ over neighbors that all tables share, output by output."""
    worst = Fraction(0)
    for a, b in parts[0][0].space.neighbor_codes().tolist():
        for x, y in ((a, b), (b, a)):
            atoms, total = [(1, 1)], 1
            for table, times in parts:
                row = list(zip(table.weights[x], table.weights[y], strict=True))
                for _ in range(times):
                    atoms = [(p * r, q * s) for p, q in atoms for r, s in row]
                    total *= table.total
            worst = max(worst, delta_of(atoms, total, ratio))
    return worst
