"""Bad inputs to sample(): the row is named, the value is never shown."""

import traceback
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.mechanisms import Mechanism

SECRET = "s3cr3t"
NUMBER = 987_654_321
COLORS = nw.uniform(nw.Categories(["red", "green", "blue"]))
COUNTS = nw.geometric(nw.Counts(8), epsilon=1)
GRID = nw.uniform(nw.Interval(0, 1, step=0.25))
ITEMS = nw.uniform(nw.Subsets(["tv", "cars"]))
PER_ITEM = nw.per_item(nw.Subsets(["tv", "cars"]), epsilon=1)
PEOPLE = nw.combine.product(color=COLORS, age=COUNTS)

ROWS: list[tuple[Mechanism, Any, int]] = [
    (COLORS, ["red", SECRET], 1),
    (COLORS, ["red", None], 1),
    (COLORS, np.array(["red", "blue", SECRET]), 2),
    (COLORS, np.array([["red", "blue"], ["red", SECRET]]), 3),
    (COLORS, np.array([0, NUMBER]), 1),
    (COLORS, [0, -1], 1),
    (COLORS, [0.5], 0),
    (COLORS, [True], 0),
    (COLORS, [float("nan")], 0),
    (COLORS, ["red", ["blue"]], 1),
    (COLORS, pa.array(["red", SECRET]), 1),
    (COLORS, pa.array(["red", SECRET]).dictionary_encode(), 1),
    (COLORS, pa.array(["red", None]), 1),
    (COLORS, pa.array(["red", None]).dictionary_encode(), 1),
    (COLORS, pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array([None, "red"])), 1),
    (COLORS, pa.chunked_array([["red"], ["blue", SECRET]]), 2),
    (COLORS, pa.chunked_array([["red"], [None]]), 1),
    (COLORS, pa.array([0, NUMBER]), 1),
    (COLORS, pa.array([None, None]), 0),
    (COUNTS, [1, NUMBER], 1),
    (COUNTS, [1, -NUMBER], 1),
    (COUNTS, [1.0, NUMBER + 0.5], 1),
    (COUNTS, [1.0, float("nan")], 1),
    (COUNTS, [1, None], 1),
    (COUNTS, [SECRET], 0),
    (COUNTS, [True, False], 0),
    (COUNTS, np.array([2**64 - 1], dtype=np.uint64), 0),
    (COUNTS, [2**80], 0),
    (COUNTS, np.array(["2020-01-01"], dtype="datetime64[D]"), 0),
    (COUNTS, pa.array([1, NUMBER]), 1),
    (COUNTS, pa.array([1, None]), 1),
    (GRID, [0.25, 0.3], 1),
    (GRID, [0.25, float(NUMBER)], 1),
    (GRID, np.array([0.25, np.inf]), 1),
    (GRID, ["0.25"], 0),
    (ITEMS, [{"tv"}, {SECRET}], 1),
    (ITEMS, ["tv"], 0),
    (ITEMS, pa.array([["tv"], [SECRET]]), 1),
    (PEOPLE, [("red", 1), (SECRET, 1)], 1),
    (PEOPLE, [("red", 1), ("red", NUMBER)], 1),
    (PEOPLE, [("red", 1), ("red",)], 1),
    (PEOPLE, [{"color": "red"}], 0),
    (COLORS**2, ["red", SECRET], 1),
    (nw.geometric(nw.Counts(10**6), epsilon=1), [5, NUMBER], 1),
    (nw.randomized_response(nw.Counts(10**6), epsilon=1), [5, NUMBER], 1),
]


@pytest.mark.parametrize(("mechanism", "values", "row"), ROWS)
def test_the_row_is_named_and_the_value_is_not_shown(
    mechanism: Mechanism, values: Any, row: int
) -> None:
    with pytest.raises(OutsideSpaceError, match=f"at row {row + 1} ") as caught:
        mechanism.sample(values)
    assert caught.value.row == row
    # Only our own lines: the test's source holds the values.
    said = [line for line in traceback.format_exception(caught.value) if "Error:" in line]
    for line in said:
        assert SECRET not in line
        assert str(NUMBER) not in line.replace(",", "")


SINGLE: list[tuple[Mechanism, Any]] = [
    (COLORS, SECRET),
    (COLORS, NUMBER),
    (COLORS, -1),
    (COLORS, 2**80),
    (COLORS, 0.5),
    (COLORS, True),
    (COLORS, {"red"}),
    (COLORS, b"red"),
    (COLORS, pa.scalar(SECRET)),
    (COUNTS, NUMBER),
    (COUNTS, SECRET),
    (COUNTS, float("nan")),
    (COUNTS, True),
    (GRID, 0.3),
    (ITEMS, SECRET),
    (ITEMS, {SECRET}),
    (PEOPLE, 10**30),
]


@pytest.mark.parametrize(("mechanism", "value"), SINGLE)
def test_one_value_outside(mechanism: Mechanism, value: Any) -> None:
    with pytest.raises(OutsideSpaceError) as caught:
        mechanism.sample(value)
    assert SECRET not in str(caught.value)
    assert str(NUMBER) not in str(caught.value).replace(",", "")


OTHER: list[tuple[Mechanism, Any, str]] = [
    (COLORS, None, "there is no input to sample from"),
    (COLORS, pa.scalar(None, pa.string()), "there is no input to sample from"),
    (COLORS, object(), "inputs is a object; give a point, a list"),
    (COLORS, 1j, "inputs is a complex; give a point, a list"),
    (COLORS, pa.table({"a": ["red"]}), "a Table of pyarrow; give one column"),
    (COLORS, pl.DataFrame({"a": ["red"]}), "a DataFrame of polars; give one column"),
    (PER_ITEM, pa.table({"a": [["tv"]]}), "a Table of pyarrow; give one column"),
    (PER_ITEM, pa.scalar(3), "not a set of items"),
    (PEOPLE, {"color": ["red"]}, r"the columns given are \['color'\]; .*Drop or add columns"),
    (PEOPLE, pa.table({"color": ["red"], "age": [1], "x": [1]}), "Drop or add columns"),
    (PEOPLE, {"color": ["red"], "age": [1, 2]}, "the columns have different lengths: 1, 2"),
    (PEOPLE, {"color": "red", "age": [1]}, "the columns have different lengths: 1, one value"),
    (COLORS**3, ["red"], "databases of 3 rows; got 1"),
    (COLORS**3, 5, "databases of 3 rows; got no sequence"),
    (COLORS**3, "red", "databases of 3 rows; got no sequence"),
]


@pytest.mark.parametrize(("mechanism", "value", "message"), OTHER)
def test_what_is_no_input_at_all(mechanism: Mechanism, value: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        mechanism.sample(value)
