"""Cormode–Kulkarni–Srivastava 2018, formula (17), Fig. 4 and Theorem 6.

EM is fair and has all seven properties for every n. Its diagonal for odd n is
(1−α) / ((1+α)(1−α^((n+1)/2))); the printed one, right for even n, leaves odd columns short of 1.
"""

from fractions import Fraction

import pytest

import noisewright as nw

# The exponents of α in Fig. 4, which prints one column per input.
FIG_4 = [
    [0, 1, 2, 3, 4, 4, 4, 4],
    [1, 0, 1, 2, 3, 3, 3, 3],
    [1, 1, 0, 1, 2, 3, 3, 3],
    [2, 2, 1, 0, 1, 2, 2, 2],
    [2, 2, 2, 1, 0, 1, 2, 2],
    [3, 3, 3, 2, 1, 0, 1, 1],
    [3, 3, 3, 3, 2, 1, 0, 1],
    [4, 4, 4, 4, 3, 2, 1, 0],
]
ALL = {"RH", "RM", "CH", "CM", "F", "WH", "S"}


@pytest.mark.parametrize("alpha", ["9/10", "1/2", "62/100", "1/100"])
def test_figure_4(alpha: str) -> None:
    a = Fraction(alpha)
    y = (1 - a) / ((1 + a) * (1 - a**4))
    table = nw.explicit_fair(nw.Counts(7), alpha=alpha)
    for j in range(8):
        for i in range(8):
            ideal = y * a ** FIG_4[i][j]
            assert table.probability(j, i) == ideal
    assert all(sum(a ** FIG_4[i][j] for i in range(8)) * y == 1 for j in range(8))


@pytest.mark.parametrize("n", range(1, 14))
@pytest.mark.parametrize("alpha", ["9/10", "1/3", "1/2"])
def test_all_seven_properties_and_the_privacy_it_claims(n: int, alpha: str) -> None:
    a = Fraction(alpha)
    table = nw.explicit_fair(nw.Counts(n), alpha=alpha)
    # Outputs next to each other are at most one level apart, so that OD holds as well.
    assert nw.properties(table) == ALL | {"OD"}
    half = (n + 1) // 2
    norm = (1 + a) * (1 - a**half) if n % 2 else 1 + a - 2 * a ** (half + 1)
    assert {table.probability(j, j) for j in range(n + 1)} == {(1 - a) / norm}
    assert nw.verify(table, alpha=alpha)
    assert nw.tight_epsilon(table) == nw.accounting.Epsilon.of(alpha=alpha).ceiling()


@pytest.mark.parametrize("n", [3, 5, 9])
def test_the_printed_diagonal_is_short_for_odd_n(n: int) -> None:
    a = Fraction(9, 10)
    table = nw.explicit_fair(nw.Counts(n), alpha=a)
    printed = (1 - a) / (1 + a - 2 * a ** ((n + 1) // 2 + 1))
    assert Fraction(table.weights[0, 0], table.total) > printed
