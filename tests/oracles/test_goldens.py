"""Worked numbers of the papers, to 1e-12, and the same numbers by brute force."""

import math
from fractions import Fraction
from itertools import product as tuples

import numpy as np
import pytest

import noisewright as nw
from noisewright.exact import Epsilon
from noisewright.mechanisms import Table
from noisewright.privacy import tight_ratio
from tests.oracles import brute_force

THREE_BY_THREE = [["0.6", "0.3", "0.1"], ["0.2", "0.5", "0.3"], ["0.25", "0.25", "0.5"]]


def exactly_close(value: float, golden: float) -> bool:
    return abs(value - golden) <= 1e-12


def two_rows() -> tuple[list[list[float]], list[tuple[int, int]]]:
    """Holohan–Leith–Mason 2016, Example 2: D = {0, 1, 2}, n = 2, weight e^-‖d − d'‖₁."""
    databases = list(tuples(range(3), repeat=2))
    raw = [[math.exp(-abs(a - c) - abs(b - d)) for c, d in databases] for a, b in databases]
    rows = [[weight / math.fsum(row) for weight in row] for row in raw]
    pairs = [
        (i, j)
        for i, (a, b) in enumerate(databases)
        for j, (c, d) in enumerate(databases)
        if i < j and (a == c) != (b == d)
    ]
    return rows, pairs


def two_row_table() -> Table:
    rows, pairs = two_rows()
    return nw.from_matrix(nw.Categories(range(9), neighbors=pairs), rows)


def test_e2_the_discrete_exponential_mechanism_on_two_rows() -> None:
    assert exactly_close(nw.tight_epsilon(two_row_table(), delta="1/10"), 1.8371027960939457)


def test_e2_the_same_through_the_space_of_databases() -> None:
    rows, _ = two_rows()
    table = nw.from_matrix(nw.Categories(range(3)) ** 2, rows)
    assert table == two_row_table() or table.space != two_row_table().space
    assert exactly_close(nw.tight_epsilon(table, delta="1/10"), 1.8371027960939457)


def test_e2_by_brute_force() -> None:
    table = two_row_table()
    rows = table.weights.tolist()
    lines = brute_force.lines(rows, table.space.neighbor_codes().tolist())
    for delta in (Fraction(0), Fraction(1, 10), Fraction(1, 3)):
        truth = brute_force.tight_ratio(lines, table.total, delta)
        assert tight_ratio(table, delta=delta) == truth


def test_e4_a_question_asked_twice() -> None:
    """Binary randomized response with p = 0.286, twice about the same bit: inputs 00 and 11."""
    p = Fraction("0.286")
    once = [[1 - p, p], [p, 1 - p]]
    twice = [[a * b for a in row for b in row] for row in once]
    table = nw.from_matrix(nw.Categories(["no", "yes"]), twice, outputs=["00", "01", "10", "11"])
    assert exactly_close(nw.tight_delta(table, epsilon="0.1"), 0.41939743958508435)


def test_e4_through_two_columns_that_both_change() -> None:
    p = "0.286"
    once = nw.from_matrix(nw.Categories(["no", "yes"]), [[0.714, p], [p, 0.714]])
    both = nw.combine.product(first=once, second=once)
    # Among all records, no-no against yes-yes is the worst change.
    assert exactly_close(nw.tight_delta(both, epsilon="0.1"), 0.41939743958508435)
    assert nw.tight_epsilon(both) == pytest.approx(2 * math.log(0.714 / 0.286), abs=1e-12)


@pytest.mark.parametrize(
    ("delta", "golden"), [("0", 1.6094379124341003), ("1/20", 1.5040773967762742)]
)
@pytest.mark.parametrize("as_floats", [False, True])
def test_e7_e8_a_matrix_of_three_rows(delta: str, golden: float, as_floats: bool) -> None:
    matrix = [[float(cell) for cell in row] for row in THREE_BY_THREE]
    table = nw.from_matrix(nw.Categories(["a", "b", "c"]), matrix if as_floats else THREE_BY_THREE)
    assert exactly_close(nw.tight_epsilon(table, delta=delta), golden)
    assert exactly_close(nw.profile(table).epsilon(delta), golden)


@pytest.mark.parametrize("table", [True, False])
def test_e11_the_geometric_mechanism(table: bool) -> None:
    mechanism = nw.geometric(nw.Counts(5), alpha="1/2", table=table)
    # e^ε = (1 − δ)/α − δ = 1.85
    assert exactly_close(nw.tight_epsilon(mechanism, delta="1/20"), 0.6151856390902335)
    assert exactly_close(nw.tight_epsilon(mechanism, delta="1/20"), math.log(1.85))


@pytest.mark.parametrize("k", [0.3, 1.0, 2.5])
@pytest.mark.parametrize("m", [1, 2, 6])
def test_randomized_response_has_the_curve_of_theorem_4(k: float, m: int) -> None:
    """δ(ε) = max(0, (e^k − e^ε)/(e^k + m)) on m + 1 points."""
    mechanism = nw.randomized_response(nw.Categories(range(m + 1)), epsilon=k)
    for epsilon in (0.0, 0.1, 0.7, 1.9, 3.0):
        expected = max(0.0, (math.exp(k) - math.exp(epsilon)) / (math.exp(k) + m))
        assert exactly_close(nw.tight_delta(mechanism, epsilon=epsilon), expected)


def test_sufficient_cells_alone_do_not_decide_when_delta_is_positive() -> None:
    """Cyclic distance on five points, k = 1.2, ε = 0.05: cells need 0.507, the truth is 0.6225."""
    raw = [[math.exp(-1.2 * min((a - b) % 5, (b - a) % 5)) for b in range(5)] for a in range(5)]
    table = nw.from_matrix(
        nw.Categories(range(5)), [[w / math.fsum(row) for w in row] for row in raw]
    )
    assert nw.tight_delta(table, epsilon="0.05") == pytest.approx(0.6225, abs=1e-4)
    cells = [
        cell.p - Fraction(math.exp(0.05)) * cell.q
        for x, y in tuples(range(5), repeat=2)
        if x != y
        for cell in nw.sufficient_sets(table, x, y).cells
    ]
    assert max(cells) < Fraction("0.5072")


def test_a_table_that_tells_everything_has_no_epsilon() -> None:
    table = nw.from_matrix(nw.Categories(["a", "b"]), np.eye(2))
    assert nw.tight_epsilon(table) == math.inf
    assert nw.tight_epsilon(table, delta=0.999) == math.inf
    assert nw.tight_epsilon(table, delta=1) == 0
    assert nw.tight_delta(table, epsilon=800) == 1
    assert not nw.verify(table, epsilon=800)
    assert nw.profile(table).ratio() is None


def test_a_constant_mechanism_is_private_for_free() -> None:
    table = nw.uniform(nw.Counts(7))
    assert nw.tight_epsilon(table) == 0
    assert nw.tight_delta(table, epsilon=0) == 0
    assert nw.verify(table, epsilon=0)
    assert nw.profile(table).delta(Epsilon.of(0)) == 0
