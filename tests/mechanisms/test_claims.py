"""Tables keep their claim, tightly: decided by a second opinion that shares no code with ours.

For any double ε in [1e-6, 20] and n ≤ 200: rows sum to 2^k, (ε, δ) holds, and no ε smaller by a
relative 1e-9 (1e-6 below 1e-3) does.
"""

from fractions import Fraction
from itertools import combinations
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from noisewright.mechanisms import Table, explicit_fair, geometric, randomized_response, uniform
from noisewright.spaces import Categories, Counts
from tests.mechanisms.independent import (
    EPSILONS,
    adjacent,
    is_private,
    is_private_for_all,
    rows_of,
)

SIZES = st.one_of(st.integers(1, 12), st.sampled_from([1, 2, 33, 64, 199, 200]))


def slightly_less(epsilon: Fraction) -> Fraction:
    return epsilon * (1 - Fraction(1, 10**9 if epsilon >= Fraction(1, 1000) else 10**6))


def check_shape(table: Any, *, zeros: bool = False) -> list[list[int]]:
    assert isinstance(table, Table)
    rows = rows_of(table)
    assert {sum(row) for row in rows} == {table.total}
    assert all(type(weight) is int for row in rows for weight in row)
    assert zeros or all(weight > 0 for row in rows for weight in row)
    return rows


@settings(max_examples=60)
@given(st.sampled_from([geometric, explicit_fair]), EPSILONS, SIZES)
@example(geometric, 1e-12, 7)
@example(geometric, 50.0, 200)
@example(geometric, 20.0, 200)
@example(geometric, 1e-6, 200)
@example(explicit_fair, 1e-12, 8)
@example(explicit_fair, 50.0, 199)
@example(explicit_fair, 20.0, 200)
@example(explicit_fair, 1e-6, 200)
def test_count_mechanisms_keep_their_claim_tightly(make: Any, epsilon: float, n: int) -> None:
    table = make(Counts(n), epsilon=epsilon)
    rows = check_shape(table)
    exact = Fraction(epsilon)
    assert table.claim.epsilon.rational == exact
    assert is_private(rows, table.total, adjacent(n + 1), exact)
    assert not is_private(rows, table.total, adjacent(n + 1), slightly_less(exact))


@pytest.mark.parametrize("make", [geometric, explicit_fair])
@pytest.mark.parametrize(("n", "epsilon"), [(500, 0.3), (1000, 0.2), (1500, 0.1), (400, 0.5)])
def test_long_tables_fall_to_the_last_unit(make: Any, n: int, epsilon: float) -> None:
    table = make(Counts(n), epsilon=epsilon)
    middle = table.weights[:, n // 2].tolist()
    assert middle[: n // 2 + 1] == sorted(middle[: n // 2 + 1])
    assert is_private(rows_of(table), table.total, adjacent(n + 1)[::97], Fraction(epsilon))


@pytest.mark.parametrize("make", [geometric, explicit_fair])
@pytest.mark.parametrize("text", ["1e-30", "1e-60", "1e-200"])
def test_no_epsilon_is_too_small(make: Any, text: str) -> None:
    table = make(Counts(5), epsilon=text)
    rows = check_shape(table)
    assert is_private(rows, table.total, adjacent(6), Fraction(text))
    assert not is_private(rows, table.total, adjacent(6), slightly_less(Fraction(text)))


@pytest.mark.parametrize("make", [geometric, explicit_fair])
@pytest.mark.parametrize("alpha", ["1/2", "10/11", "9/10", "1/1000", "999999/1000000"])
@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_alpha_is_exact_too(make: Any, alpha: str, n: int) -> None:
    table = make(Counts(n), alpha=alpha)
    rows = check_shape(table)
    ratio = 1 / Fraction(alpha)
    widest = max(
        Fraction(max(p, q), min(p, q))
        for a, b in adjacent(n + 1)
        for p, q in zip(rows[a], rows[b], strict=True)
    )
    assert widest == ratio


@settings(max_examples=60)
@given(EPSILONS, st.one_of(st.integers(2, 12), st.sampled_from([64, 200, 201])))
@example(1e-12, 3)
@example(50.0, 201)
@example(20.0, 201)
@example(1e-6, 2)
def test_randomized_response_keeps_its_claim_tightly(epsilon: float, size: int) -> None:
    table = randomized_response(Categories(range(size)), epsilon=epsilon)
    rows = check_shape(table)
    assert is_private_for_all(rows, Fraction(epsilon))
    assert not is_private_for_all(rows, slightly_less(Fraction(epsilon)))


DELTAS = st.one_of(
    st.floats(0, 1), st.sampled_from(["1e-30", "1e-12", "1/3", 1, 0.5, 1 - 2**-53, "1e-300"])
)


@settings(max_examples=80)
@given(st.one_of(st.just(0.0), EPSILONS), DELTAS, st.integers(2, 6))
@example(0.0, "1e-30", 3)
@example(0.0, 1, 3)
@example(1.0, 1, 2)
@example(0.0, "1e-1300", 3)
@example(1e-12, "1e-30", 5)
def test_randomized_response_spends_delta_to_the_last_unit(
    epsilon: float, delta: Any, size: int
) -> None:
    exact, spare = Fraction(epsilon), Fraction(delta)
    if exact == spare == 0:
        return
    table = randomized_response(Categories(range(size)), epsilon=epsilon, delta=delta)
    rows = check_shape(table, zeros=spare == 1)
    pairs = list(combinations(range(size), 2))
    assert is_private(rows, table.total, pairs, exact, spare)
    truth, other = rows[0][0], rows[0][1]
    assert truth >= other
    if spare < 1:
        better = [row.copy() for row in rows]
        for x, row in enumerate(better):
            row[:] = [other - 1] * size
            row[x] = table.total - (size - 1) * (other - 1)
        assert not is_private(better, table.total, pairs, exact, spare)
    if Fraction(1, 10**6) < spare < 1 or (exact == 0 and spare < 1):
        less = spare * (1 - Fraction(1, 10**9))
        assert not is_private(rows, table.total, pairs, exact, less)


@pytest.mark.parametrize("text", ["1e-30", "1e-400", "1e-1300"])
def test_lies_are_never_likelier_than_the_truth(text: str) -> None:
    table = randomized_response(Categories(["a", "b", "c"]), epsilon=text)
    widest = Fraction(table.weights[0, 0], table.weights[0, 1])
    # e^ε > 1 + ε, so this is stricter than the claim; and it is tight.
    assert 1 <= widest < 1 + Fraction(text)
    assert widest > 1 + Fraction(text) * (1 - Fraction(1, 10**9))


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 64, 100])
def test_the_uniform_mechanism_ignores_its_input(size: int) -> None:
    table = uniform(Categories(range(size)))
    rows = check_shape(table)
    assert all(row == rows[0] for row in rows)
    for weight in rows[0]:
        assert abs(Fraction(weight, table.total) - Fraction(1, size)) < Fraction(1, 2**64)
    assert table.claim is not None
    assert table.claim.epsilon.is_zero
