"""Columns of sets: whatever mechanism a column has, its own words say which sets are cut."""

from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.sampling import choose_sets, default_source

SETS = nw.Subsets(["a", "b", "c"], largest=2)
ROWS = [["a"], ["b", "c"], [], ["a", "b", "c"]] * 5
MECHANISMS: dict[str, Any] = {
    "usual": None,
    "design": "design",
    "own, of sets": nw.per_item(SETS, epsilon=1, outside="error"),
    "own, a table": nw.design(SETS, epsilon=1).mechanism,
}


@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_that_is_offered_is_released_and_estimated(name: str) -> None:
    column = nw.Column(SETS, mechanism=MECHANISMS[name], outside="sample")
    made = nw.release({"x": ROWS}, nw.Plan({"x": column}, epsilon=1), ledger=None)
    released = made.table["x"].to_pylist()
    assert len(released) == 20
    assert {item for one in released for item in one} <= {"a", "b", "c"}
    # A table has sets of the declared size only; coins of items give larger ones, too.
    assert name in ("usual", "own, of sets") or max(map(len, released)) <= 2
    assert made.estimate("x").values.shape == (3,)


@pytest.mark.parametrize("name", MECHANISMS)
def test_sets_that_are_too_large_are_found_before_the_debit(name: str, tmp_path: Any) -> None:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("people", epsilon=9)
    plan = nw.Plan({"x": nw.Column(SETS, mechanism=MECHANISMS[name])}, epsilon=1)
    with pytest.raises(nw.errors.OutsideSpaceError, match="row 4"):
        nw.release({"x": ROWS}, plan, ledger=book, dataset="people")
    assert float(book.balance("people").spent.epsilon) == 0


def test_a_table_of_sets_of_very_many_items() -> None:
    # Their masks need more than 64 bits.
    space = nw.Subsets([f"i{k}" for k in range(70)], largest=1)
    plan = nw.Plan({"x": nw.Column(space, mechanism="design", outside="sample")}, epsilon=60)
    rows = [["i69"], ["i0", "i0"], [], ["i63"]]
    assert nw.release({"x": rows}, plan, ledger=None).table["x"].to_pylist() == [
        ["i69"],
        ["i0"],
        [],
        ["i63"],
    ]


def test_a_random_part_of_half_a_million_items() -> None:
    sizes = np.array([0, 3, 250_000, 500_000])
    assert choose_sets(500_000, sizes, default_source()).sum(axis=1).tolist() == sizes.tolist()


def test_a_column_of_many_items_takes_a_mechanism_of_its_own() -> None:
    space = nw.Subsets(range(500), largest=3)
    column = nw.Column(space, mechanism=nw.per_item(space, epsilon=1))
    assert nw.release({"x": [[1, 499]]}, nw.Plan({"x": column}), ledger=None).rows == 1
