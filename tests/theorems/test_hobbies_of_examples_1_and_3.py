"""Holohan–Leith–Mason 2016, Examples 1 and 3, Proposition 1 and Theorem 1 on them.

Five hobbies, six people: m = 4, n = 6. With p = 0.1 the truth has probability 0.6.
C = (1 + m e^-k)^n
is the same for every database (the print gives its inverse, by the convention of its proof).
"""

import math
from fractions import Fraction
from itertools import product

import pytest

import noisewright as nw
from tests.theorems.databases import databases, hamming

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]
PEOPLE = ["Sports", "Computer games", "Television", "Sports", "Reading", "Television"]


def test_the_truth_has_probability_six_tenths() -> None:
    # e^k = 1/p − m = 6, Theorem 7.
    space = nw.Categories(HOBBIES)
    mechanism = nw.discrete_exponential(space, k=nw.accounting.Epsilon.log(Fraction(6)))
    assert mechanism.matrix[2, 2] == pytest.approx(0.6, abs=1e-15)
    assert mechanism.matrix[2, 1] == pytest.approx(0.1, abs=1e-15)
    bounds = nw.analysis.response_bounds(
        space, epsilon=nw.accounting.Epsilon.log(Fraction(6)), rows=6
    )
    assert bounds.allows(p="0.1")
    assert not bounds.allows(p="0.0999999999999")
    assert bounds.error(k=nw.accounting.Epsilon.log(Fraction(6))).low == Fraction(24, 10)


def test_any_query_of_the_released_database_is_as_private() -> None:
    """Theorem 1, for the two queries of Example 1 on two people."""
    space = nw.Categories(HOBBIES)
    database = nw.discrete_exponential(space, epsilon=1, delta=0.1, rows=2)
    assert set(database.sample(PEOPLE[:2])) <= set(HOBBIES)
    table = database.table()
    for query in (lambda d: len(set(d)), lambda d: d.count("Television")):
        answered = table.then(query)
        assert nw.tight_delta(answered, epsilon=1) <= nw.tight_delta(table, epsilon=1)
        assert nw.verify(answered, epsilon=1, delta="0.1")


@pytest.mark.parametrize(("m", "rows"), [(1, 4), (2, 3), (4, 2)])
@pytest.mark.parametrize("k", [0.3, 1.7])
def test_the_normalizer(m: int, rows: int, k: float) -> None:
    points = databases(m + 1, rows)
    for d in points:
        total = sum(math.exp(-k * hamming(d, other)) for other in points)
        assert total == pytest.approx((1 + m * math.exp(-k)) ** rows, rel=1e-12)


def test_how_many_neighbors_there_are() -> None:
    """Section 3: nm(m+1)^n ordered pairs of neighbors."""
    for m, rows in product((1, 2, 3), (1, 2, 3)):
        space = nw.Categories(range(m + 1)) ** rows
        assert 2 * space.pair_count == rows * m * (m + 1) ** rows
        assert 2 * len(space.neighbor_codes()) == rows * m * (m + 1) ** rows
