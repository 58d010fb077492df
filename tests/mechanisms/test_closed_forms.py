"""Probabilities are those of the papers' formulas, to a relative 1e-15."""

from decimal import Context, Decimal
from fractions import Fraction
from typing import Any

import pytest

from noisewright.mechanisms import Geometric, Table, explicit_fair, geometric, randomized_response
from noisewright.spaces import Categories, Counts

CASES = [(n, alpha) for n in (1, 2, 3, 4, 7, 8, 20) for alpha in ("1/2", "10/11", "9/10", "1/10")]


def close(weight: int, total: int, ideal: Fraction) -> bool:
    return abs(Fraction(weight, total) - ideal) <= ideal / 10**15


@pytest.mark.parametrize(("n", "text"), CASES)
def test_the_geometric_mechanism(n: int, text: str) -> None:
    a = Fraction(text)
    x, y = 1 / (1 + a), (1 - a) / (1 + a)
    table = geometric(Counts(n), alpha=text)
    for j in range(n + 1):
        for i in range(n + 1):
            ideal = (x if i in (0, n) else y) * a ** abs(i - j)
            assert close(table.weights[j, i], table.total, ideal)
    wrong = 1 - Fraction(sum(table.weights[j, j] for j in range(n + 1)), (n + 1) * table.total)
    assert abs(wrong * Fraction(n + 1, n) - 2 * a / (1 + a)) < Fraction(1, 10**15)


def fair_diagonal(n: int, a: Fraction) -> Fraction:
    if n % 2 == 0:
        return (1 - a) / (1 + a - 2 * a ** (n // 2 + 1))
    return (1 - a) / ((1 + a) * (1 - a ** ((n + 1) // 2)))


@pytest.mark.parametrize(("n", "text"), CASES)
def test_the_explicit_fair_mechanism(n: int, text: str) -> None:
    a = Fraction(text)
    y = fair_diagonal(n, a)
    table = explicit_fair(Counts(n), alpha=text)
    for j in range(n + 1):
        assert close(table.weights[j, j], table.total, y)
        # Each row holds y, yα, yα, yα², … in some order; the last level once if n is odd.
        ideal = sorted(y * a ** ((k + 1) // 2) for k in range(n + 1))
        for weight, wanted in zip(sorted(table.weights[j].tolist()), ideal, strict=True):
            assert close(weight, table.total, wanted)


@pytest.mark.parametrize(
    ("n", "alpha", "truth"),
    [(7, "9/10", Fraction(10000, 65341)), (4, "10/11", Fraction(121, 541))],
)
def test_printed_diagonals(n: int, alpha: str, truth: Fraction) -> None:
    assert fair_diagonal(n, Fraction(alpha)) == truth
    table = explicit_fair(Counts(n), alpha=alpha)
    assert close(table.weights[0, 0], table.total, truth)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.5, "1/3"])
@pytest.mark.parametrize("delta", [0, "1/20", 0.3])
@pytest.mark.parametrize("size", [2, 3, 10])
def test_randomized_response(epsilon: Any, delta: Any, size: int) -> None:
    context = Context(prec=60)
    exact = Fraction(epsilon)
    ratio = Fraction(context.exp(context.divide(Decimal(exact.numerator), exact.denominator)))
    p = (1 - Fraction(delta)) / (ratio + size - 1)
    table = randomized_response(Categories(range(size)), epsilon=epsilon, delta=delta)
    assert close(table.weights[0, 1], table.total, p)
    assert close(table.weights[1, 1], table.total, 1 - (size - 1) * p)
    assert isinstance(table, Table)
    assert table.probability(0, 1) == Fraction(table.weights[0, 1], table.total)


def test_matrix_shows_the_nearest_doubles() -> None:
    table = geometric(Counts(200), epsilon=20)
    assert table.matrix[0, 0] == float(Fraction(table.weights[0, 0], table.total))
    assert table.matrix.min() > 0
    assert not table.matrix.flags.writeable


def test_large_counts_go_by_the_formula() -> None:
    assert isinstance(geometric(Counts(10**6), epsilon=0.1), Geometric)
    assert geometric(Counts(8), epsilon=0.1, table=False).table() == geometric(
        Counts(8), epsilon=0.1
    )
