"""Bring your own mechanism: what was given is what is kept."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.errors import TableError
from noisewright.mechanisms import from_matrix
from noisewright.spaces import Categories, Counts


@given(st.integers(2, 6), st.data())
def test_doubles_are_kept_bit_for_bit(size: int, data: st.DataObject) -> None:
    entry = st.one_of(st.floats(0, 1), st.floats(0, 1e-300), st.just(0.0))
    rows: list[list[float]] = []
    for _ in range(size):
        row = np.array(data.draw(st.lists(entry, min_size=size, max_size=size)))
        row[0] += row.sum() == 0
        rows.append((row / row.sum()).tolist())
    table = from_matrix(Counts(size - 1), rows)
    assert {sum(row) for row in table.weights.tolist()} == {table.total}
    for given_row, weights in zip(rows, table.weights.tolist(), strict=True):
        kept = [Fraction(weight, table.total) for weight in weights]
        changed = [y for y in range(size) if kept[y] != Fraction(given_row[y])]
        # What a row misses to 1 goes to its largest entry, and only there.
        assert all(given_row[y] == max(given_row) for y in changed)
        assert len(changed) <= 1
        assert [weight == 0 for weight in weights] == [entry == 0 for entry in given_row]


def test_integers_are_kept_as_they_are() -> None:
    rows = [[3, 1, 0], [0, 4, 0], [1, 1, 2]]
    table = from_matrix(Counts(2), rows)
    assert table.weights.tolist() == rows
    assert table.total == 4
    long = [[2**900 - 1, 1], [1, 2**900 - 1]]
    assert from_matrix(Counts(1), long).weights.tolist() == long
    thirds = [[1, 2], [3, 0]]
    assert from_matrix(Counts(1), thirds).weights.tolist() == thirds


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_rationals_are_kept_exactly(rows: list[list[int]]) -> None:
    total = max(map(sum, rows)) + 1
    for x, row in enumerate(rows):
        row[x] += total - sum(row)
    exact = [[Fraction(entry, total) for entry in row] for row in rows]
    for given_rows in (rows, exact, [[str(entry) for entry in row] for row in exact]):
        table = from_matrix(Counts(2), given_rows)
        assert {sum(row) for row in table.weights.tolist()} == {table.total}
        found = [[table.probability(x, y) for y in range(3)] for x in range(3)]
        assert found == exact


def test_decimals_mean_what_they_say() -> None:
    table = from_matrix(Counts(1), [["0.1", "0.9"], [Decimal("0.7"), Decimal("0.3")]])
    assert table.total == 10
    assert [table.probability(1, y) for y in range(2)] == [Fraction(7, 10), Fraction(3, 10)]
    # Ten digits of a third are no third: what is missing to 1 goes to the largest, exactly.
    cut = from_matrix(Counts(1), [["0.3333333333", "0.6666666666"], ["0", "1"]])
    assert cut.probability(0, 0) == Fraction("0.3333333333")
    assert cut.probability(0, 1) == 1 - Fraction("0.3333333333")


def test_denominators_without_a_common_one_of_bearable_length_are_refused() -> None:
    primes = [(1 << 4000) + k for k in range(20)]
    rows = [[Fraction(1, p), 1 - Fraction(1, p)] for p in primes]
    with pytest.raises(TableError, match=r"no common denominator of up to 65,536 bits.*floats"):
        from_matrix(Counts(19), rows, outputs=["rare", "common"])


HALF = [[0.5, 0.5], [0.25, 0.75]]
FORMS: dict[str, Any] = {
    "lists": HALF,
    "tuples": tuple(map(tuple, HALF)),
    "an array": np.array(HALF),
    "single precision": np.array(HALF, dtype=np.float32),
    "rows of arrays": [np.array(row) for row in HALF],
    "numpy scalars": [[np.float64(entry) for entry in row] for row in HALF],
    "fractions": [[Fraction(entry) for entry in row] for row in HALF],
    "an array of fractions": np.array([[Fraction(e) for e in row] for row in HALF]),
    "decimals": [[Decimal(entry) for entry in row] for row in HALF],
    "texts": [["1/2", "0.5"], ["1/4", "0.75"]],
    "weights": [[2, 2], [1, 3]],
    "an array of weights": np.array([[2, 2], [1, 3]], dtype=np.uint8),
    "mixed": [[Fraction(1, 2), 0.5], ["1/4", Decimal("0.75")]],
    "a frame": type("Frame", (), {"to_numpy": lambda self: np.array(HALF)})(),
}


@pytest.mark.parametrize("matrix", FORMS.values(), ids=FORMS)
def test_all_forms_mean_the_same(matrix: Any) -> None:
    table = from_matrix(Counts(1), matrix)
    assert table == from_matrix(Counts(1), HALF)
    assert table.matrix.tolist() == HALF
    assert table.claim is None
    if isinstance(matrix, np.ndarray):
        matrix[0, 0] = matrix[0, 1]
        assert table.matrix.tolist() == HALF


def test_outputs() -> None:
    wide = [[1, 1, 2], [2, 1, 1]]
    assert from_matrix(Counts(1), wide).outputs == Categories(range(3))
    assert from_matrix(Counts(1), wide, outputs=["low", "mid", "high"]).outputs.points == (
        "low",
        "mid",
        "high",
    )
    assert from_matrix(Counts(1), wide, outputs=Counts(2)).outputs == Counts(2)


def test_a_careless_sum_is_mended() -> None:
    table = from_matrix(Counts(1), [[0.1] * 10, [0.1] * 10])
    assert sum(table.weights[0]) == table.total
    assert Fraction(table.weights[0, 5], table.total) == Fraction(0.1)
