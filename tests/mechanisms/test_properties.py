"""The properties, against their definitions written out entry by entry."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import given, settings, strategies as st

from noisewright.mechanisms import (
    explicit_fair,
    from_matrix,
    geometric,
    properties,
    randomized_response,
    uniform,
)
from noisewright.spaces import Categories, Counts, Interval
from tests.mechanisms import independent
from tests.mechanisms.independent import EPSILONS, rows_of

ALL = {"RH", "RM", "CH", "CM", "F", "WH", "S"}


@settings(max_examples=60)
@given(EPSILONS, st.one_of(st.integers(1, 12), st.sampled_from([30, 31])))
def test_the_explicit_fair_table_has_all_seven(epsilon: float, n: int) -> None:
    table = explicit_fair(Counts(n), epsilon=epsilon)
    assert independent.properties(rows_of(table), table.total) == ALL
    assert properties(table) == ALL | {"OD"}


@settings(max_examples=60)
@given(st.floats(0.02, 0.98), st.integers(2, 25))
def test_which_properties_the_geometric_mechanism_has(alpha: float, n: int) -> None:
    """WH iff n ≥ 2α/(1−α); CM iff CH iff α ≤ 1/2; always S and RM (hence RH); never F for n ≥ 2."""
    a = Fraction(alpha)
    needs = 2 * a / (1 - a)
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
    assert properties(table) - {"U"} == independent.properties(rows, 32)
    means = [sum(y * weight for y, weight in enumerate(row)) for row in rows]
    assert ("U" in properties(table)) == (means == [32 * x for x in range(len(rows))])
    for ratio in (1, 2, 32):
        gentle = all(a <= ratio * b and b <= ratio * a for row in rows for a, b in pairwise(row))
        assert ("OD" in properties(table, alpha=Fraction(1, ratio))) == gentle


@given(st.integers(1, 5), st.data())
def test_symmetric_tables_are_seen_as_such(n: int, data: st.DataObject) -> None:
    half = [[data.draw(st.integers(0, 3)) for _ in range(n + 1)] for _ in range(n + 1)]
    rows = np.array(half) + np.array(half)[::-1, ::-1]
    rows += np.diag(64 - rows.sum(axis=1))
    assert "S" in properties(from_matrix(Counts(n), rows))
    expected = independent.properties(rows.tolist(), 64)
    assert properties(from_matrix(Counts(n), rows)) - {"U"} == expected


def test_without_an_order_only_four_make_sense() -> None:
    response = randomized_response(Categories(["a", "b", "c"]), epsilon=1)
    assert properties(response) == {"RH", "CH", "F", "WH"}
    assert properties(response.then(lambda label: label == "a")) == frozenset()


def test_output_privacy_needs_an_epsilon() -> None:
    """At the claimed one, unless another is asked about; nothing is said without either."""
    made = geometric(Counts(3), alpha="1/2")
    # P(0|0) = 2/3 and P(1|0) = 1/6
    assert "OD" not in properties(made)
    assert "OD" in properties(made, alpha="1/4")
    assert "OD" not in properties(made, epsilon="1.386")
    assert "OD" in properties(uniform(Counts(4)))
    assert "OD" not in properties(from_matrix(Counts(1), [[1, 1], [1, 1]]))


def test_unbiased_is_a_matter_of_exact_means() -> None:
    thirds = [[3, 0, 0], [1, 1, 1], [0, 0, 3]]
    assert "U" in properties(from_matrix(Counts(2), thirds))
    assert "U" in properties(from_matrix(Interval(0, "0.2", step="0.1"), thirds))
    assert "U" not in properties(from_matrix(Categories(["0", "1", "2"]), thirds))
    ends = from_matrix(Counts(2), [["1", "0"], ["1/2", "1/2"], ["0", "1"]], outputs=[0, 2])
    assert properties(ends) >= {"U", "S", "CM"}
    float_thirds = [[1.0, 0, 0], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1.0]]
    assert "U" not in properties(from_matrix(Counts(2), float_thirds))
