"""Bring your own mechanism: what was given is what is kept."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_integers_over_a_power_of_two_are_kept_as_they_are() -> None:
    rows = [[3, 1, 0], [0, 4, 0], [1, 1, 2]]
    table = from_matrix(Counts(2), rows)
    assert table.weights.tolist() == rows
    assert table.total == 4
    long = [[2**900 - 1, 1], [1, 2**900 - 1]]
    assert from_matrix(Counts(1), long).weights.tolist() == long


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_other_rationals_are_rounded_finely_and_zeros_stay_zeros(rows: list[list[int]]) -> None:
    total = max(map(sum, rows)) + 1
    for x, row in enumerate(rows):
        row[x] += total - sum(row)
    exact = [[Fraction(entry, total) for entry in row] for row in rows]
    for given_rows in (rows, exact):
        table = from_matrix(Counts(2), given_rows)
        assert {sum(row) for row in table.weights.tolist()} == {table.total}
        for weights, ideal in zip(table.weights.tolist(), exact, strict=True):
            for weight, entry in zip(weights, ideal, strict=True):
                assert (weight == 0) == (entry == 0)
                assert abs(Fraction(weight, table.total) - entry) <= entry / 2**90


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
