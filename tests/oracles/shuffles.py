"""What a shuffled table gives away, by looking at every histogram: exact, for a few rows."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement as multisets, permutations

Matrix = Sequence[Sequence[Fraction]]
Histogram = tuple[int, ...]
Histograms = dict[Histogram, Fraction]


def exact_delta(matrix: Matrix, rows: int, power: Fraction, *, several: int = 1) -> Fraction:
    """Return the least δ at e^ε = power, the worst over all tables that differ in some records."""
    worst = Fraction(0)
    for others in multisets(range(len(matrix)), rows - several):
        shared = _add_all({(0,) * len(matrix[0]): Fraction(1)}, matrix, others)
        laws = [_add_all(shared, matrix, own) for own in multisets(range(len(matrix)), several)]
        for first, second in permutations(laws, 2):
            excess = (mass - power * second.get(h, 0) for h, mass in first.items())
            worst = max(worst, sum((e for e in excess if e > 0), Fraction(0)))
    return worst


def kronecker(left: Matrix, right: Matrix) -> list[list[Fraction]]:
    """Return the matrix of two independent columns."""
    return [[x * y for x in a for y in b] for a in left for b in right]


def _add_all(law: Histograms, matrix: Matrix, records: Sequence[int]) -> Histograms:
    for record in records:
        added: Histograms = {}
        for histogram, mass in law.items():
            for output, chance in enumerate(matrix[record]):
                at = (*histogram[:output], histogram[output] + 1, *histogram[output + 1 :])
                if chance:
                    added[at] = added.get(at, Fraction(0)) + mass * chance
        law = added
    return law
