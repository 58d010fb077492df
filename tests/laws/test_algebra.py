"""Laws of the algebra: post-processing, mixtures, products over rows and columns."""

from fractions import Fraction
from itertools import product as every
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.mechanisms import Mechanism, Table
from tests.laws.mechanisms import COLORS, TABLES

Rows = list[list[Fraction]]


def exact(mechanism: Mechanism) -> Rows:
    return [[Fraction(w, mechanism.total) for w in row] for row in mechanism.weights.tolist()]


def times(a: Rows, b: Rows) -> Rows:
    columns = list(zip(*b, strict=True))
    return [
        [sum((x * y for x, y in zip(row, c, strict=True)), Fraction(0)) for c in columns]
        for row in a
    ]


@st.composite
def tables(draw: st.DrawFn, *, inputs: int = 3, outputs: int = 3) -> Table:
    rows: list[list[int]] = []
    for _ in range(inputs):
        row = draw(st.lists(st.integers(0, 10), min_size=outputs, max_size=outputs))
        row[draw(st.integers(0, outputs - 1))] += 32 * outputs - sum(row)
        rows.append(row)
    return nw.from_matrix(nw.Counts(inputs - 1), rows, outputs=nw.Counts(outputs - 1))


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_rows_sum_to_the_total_which_is_a_power_of_two(table: Table) -> None:
    assert {sum(row) for row in table.weights.tolist()} == {table.total}
    assert table.weights.shape == (table.space.size, table.outputs.size)
    assert np.allclose(table.matrix.sum(axis=1), 1)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_a_function_moves_mass_and_nothing_else(table: Table) -> None:
    step = {point: place % 2 for place, point in enumerate(table.outputs.points)}
    moved = table.then(step)
    assert moved == table.then(lambda point: step[point])
    for before, after in zip(exact(table), exact(moved), strict=True):
        for place, answer in enumerate(moved.outputs.points):
            expected = sum(
                p
                for p, point in zip(before, table.outputs.points, strict=True)
                if step[point] == answer
            )
            assert after[place] == expected
    assert moved.claim == table.claim


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_doing_nothing_changes_nothing(table: Table) -> None:
    assert table.then(lambda point: point, outputs=table.outputs) == table
    assert nw.combine.mixture([table]) == table
    assert nw.combine.mixture([table, table]) == table
    assert (table**1).table().weights.tolist() == table.weights.tolist()


@given(tables(outputs=4), tables(inputs=4, outputs=2), tables(inputs=2))
def test_kernels_compose_as_matrices_do(a: Table, b: Table, c: Table) -> None:
    assert exact(a.then(b)) == times(exact(a), exact(b))
    assert a.then(b).then(c) == a.then(b.then(c))
    assert a.then(b) == a.then(exact(b), outputs=b.outputs)


@given(tables(), tables(), st.fractions(0, 1, max_denominator=64))
def test_a_mixture_mixes_probabilities(a: Table, b: Table, share: Fraction) -> None:
    mixed = exact(nw.combine.mixture([a, b], [share, 1 - share]))
    for x, y in every(range(3), range(3)):
        ideal = share * exact(a)[x][y] + (1 - share) * exact(b)[x][y]
        assert abs(mixed[x][y] - ideal) <= Fraction(1, 2**127)
        assert share.denominator & (share.denominator - 1) or mixed[x][y] == ideal


def test_the_claim_of_a_mixture() -> None:
    parts = [nw.randomized_response(COLORS, epsilon=e, delta=d) for e, d in ((1, "1/2"), (2, 0))]
    mixed = nw.combine.mixture(parts, ["1/4", "3/4"])  # pyright: ignore[reportArgumentType]
    assert mixed.claim == nw.accounting.Guarantee(2, "1/8")
    assert nw.verify(mixed, epsilon=2, delta="1/8")
    assert nw.combine.mixture([parts[0], TABLES["floats"]]).claim is None  # pyright: ignore[reportArgumentType]


@settings(max_examples=25)
@given(tables(inputs=2, outputs=3), st.integers(1, 3))
def test_a_product_over_rows_is_a_kronecker_product(table: Table, count: int) -> None:
    power = table**count
    one = exact(table)
    whole = exact(power)
    for x, database in enumerate(every(range(2), repeat=count)):
        for y, released in enumerate(every(range(3), repeat=count)):
            chances = [one[a][b] for a, b in zip(database, released, strict=True)]
            assert whole[x][y] == np.prod(np.array(chances, dtype=object))
    assert power.space.points == tuple(every(range(2), repeat=count))
    assert power.claim == table.claim


@settings(max_examples=25)
@given(tables(inputs=2), tables(inputs=3, outputs=2))
def test_a_product_over_columns_is_a_kronecker_product(a: Table, b: Table) -> None:
    both = nw.combine.product(a=a, b=b)
    one, other, whole = exact(a), exact(b), exact(both)
    for x, record in enumerate(every(range(2), range(3))):
        for y, released in enumerate(every(range(3), range(2))):
            assert both.space.point(x) == record
            assert both.outputs.point(y) == released
            assert whole[x][y] == one[record[0]][released[0]] * other[record[1]][released[1]]
    assert exact(nw.combine.product(a=a)) == one


COLUMNS: list[dict[str, Any]] = [
    {"a": TABLES["randomized response"], "b": TABLES["geometric"]},
    {"a": TABLES["explicit fair"], "b": TABLES["uniform"]},
    {"a": TABLES["randomized response"], "b": TABLES["randomized response"]},
    {"a": TABLES["columns"].rename("x", TABLES["columns"].claim), "b": TABLES["uniform"]},
]


@pytest.mark.parametrize("columns", COLUMNS)
def test_the_claim_of_a_product_over_columns_holds(columns: dict[str, Any]) -> None:
    both = nw.combine.product(columns)
    assert both.claim is not None
    assert nw.verify(both.table(), epsilon=both.claim.epsilon, delta=both.claim.delta)


def test_column_claims_add_up() -> None:
    response = nw.randomized_response(COLORS, epsilon="1/2", delta="1/10")
    assert nw.combine.product(a=response, b=response).claim == nw.accounting.Guarantee(1, "1/5")
    # A count protects neighbors only; a whole record may move it by n.
    counts = nw.geometric(nw.Counts(10**6), epsilon="1/10")
    assert nw.combine.product(n=counts).claim == nw.accounting.Guarantee(10**5)
    ln = nw.geometric(nw.Counts(10**6), alpha="1/2")
    assert nw.combine.product(n=ln).claim.epsilon >= nw.accounting.Epsilon.of("693147.18")  # pyright: ignore[reportOptionalMemberAccess]
    assert nw.combine.product(a=TABLES["floats"]).claim is None
