"""The seven properties, against their definitions written out entry by entry."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noisewright.mechanisms import (
    explicit_fair,
    from_matrix,
    geometric,
    properties,
    randomized_response,
    uniform,
)
from noisewright.spaces import Categories, Counts
from tests.mechanisms import independent
from tests.mechanisms.independent import EPSILONS, rows_of

ALL = {"RH", "RM", "CH", "CM", "F", "WH", "S"}


@settings(max_examples=60)
@given(EPSILONS, st.one_of(st.integers(1, 12), st.sampled_from([30, 31])))
def test_the_explicit_fair_table_has_all_seven(epsilon: float, n: int) -> None:
    table = explicit_fair(Counts(n), epsilon=epsilon)
    assert independent.properties(rows_of(table), table.total) == ALL
    assert properties(table) == ALL


@settings(max_examples=60)
@given(st.floats(0.02, 0.98), st.integers(2, 25))
def test_which_properties_the_geometric_mechanism_has(alpha: float, n: int) -> None:
    """WH iff n ≥ 2α/(1−α); CM iff CH iff α ≤ 1/2; always S and RM (hence RH); never F for n ≥ 2."""
    a = Fraction(alpha)
    needs = 2 * a / (1 - a)
    if abs(n - needs) < Fraction(1, 10**6) or abs(a - Fraction(1, 2)) < Fraction(1, 10**6):
        return
    table = geometric(Counts(n), alpha=alpha)
    expected = {"S", "RM", "RH"} | ({"WH"} if n >= needs else set())
    expected |= {"CM", "CH", "WH"} if a <= Fraction(1, 2) else set()
    assert independent.properties(rows_of(table), table.total) == expected
    assert properties(table) == expected


@given(
    st.integers(2, 6).flatmap(
        lambda size: st.lists(
            st.lists(st.integers(0, 3), min_size=size, max_size=size), min_size=size, max_size=size
        )
    )
)
def test_any_table_agrees_with_the_definitions(rows: list[list[int]]) -> None:
    for x, row in enumerate(rows):
        row[x] += 32 - sum(row)
    table = from_matrix(Counts(len(rows) - 1), rows)
    assert properties(table) == independent.properties(rows, 32)


@given(st.integers(1, 5), st.data())
def test_symmetric_tables_are_seen_as_such(n: int, data: st.DataObject) -> None:
    half = [[data.draw(st.integers(0, 3)) for _ in range(n + 1)] for _ in range(n + 1)]
    rows = np.array(half) + np.array(half)[::-1, ::-1]
    rows += np.diag(64 - rows.sum(axis=1))
    assert "S" in properties(from_matrix(Counts(n), rows))
    assert properties(from_matrix(Counts(n), rows)) == independent.properties(rows.tolist(), 64)


def test_without_an_order_only_four_make_sense() -> None:
    response = randomized_response(Categories(["a", "b", "c"]), epsilon=1)
    assert properties(response) == {"RH", "CH", "F", "WH"}
    assert properties(response.then(lambda label: label == "a")) == frozenset()


@pytest.mark.parametrize("n", [1, 3, 7])
def test_the_uniform_mechanism_has_all_when_a_power_of_two_can_be_split(n: int) -> None:
    assert properties(uniform(Counts(n))) == ALL
