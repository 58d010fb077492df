"""sample() takes what people have and gives it back in the same form.

Mechanisms here tell the truth but for a chance of 1e-20 a draw, so the outputs are known.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.mechanisms import Mechanism

SURE = 60
COLORS = nw.randomized_response(nw.Categories(["red", "green", "blue"]), epsilon=SURE)
BOOLS = nw.randomized_response(nw.Categories([False, True]), epsilon=SURE)
NUMBERS = nw.randomized_response(nw.Categories([10, 20]), epsilon=SURE)
MIXED = nw.randomized_response(nw.Categories(["a", 0]), epsilon=SURE)
COUNTS = nw.geometric(nw.Counts(8), epsilon=SURE)
GRID = nw.randomized_response(nw.Interval(0, 1, step=0.25), epsilon=SURE)
ITEMS = nw.randomized_response(nw.Subsets(["tv", "cars"]), epsilon=SURE)
PEOPLE = nw.combine.product(color=COLORS, age=COUNTS)

SCALARS: list[tuple[Mechanism, Any]] = [
    (COLORS, "red"),
    (COLORS, np.str_("green")),
    (COLORS, 2),
    (COLORS, np.int8(1)),
    (BOOLS, True),
    (BOOLS, 0),
    (NUMBERS, 20),
    (MIXED, 0),
    (MIXED, "a"),
    (COUNTS, 5),
    (COUNTS, 5.0),
    (COUNTS, np.float32(5)),
    (COUNTS, np.uint8(5)),
    (GRID, 0.25),
    (GRID, 1),
    (ITEMS, {"tv"}),
    (ITEMS, frozenset()),
    (ITEMS, 3),
    (PEOPLE, ("red", 3)),
    (PEOPLE, {"color": "red", "age": 3}),
    (PEOPLE, 26),
    ((COLORS**2).table(), ("red", "blue")),
]


@pytest.mark.parametrize(("mechanism", "value"), SCALARS)
def test_one_value(mechanism: Mechanism, value: Any) -> None:
    drawn = mechanism.sample(value)
    assert drawn == value
    assert not isinstance(drawn, np.ndarray)


ARRAYS: list[tuple[Mechanism, Any]] = [
    (COLORS, ["red", "blue", "red"]),
    (COLORS, ("red", "blue")),
    (COLORS, np.array(["red", "blue"])),
    (COLORS, np.array(["red", "blue"], dtype=object)),
    (COLORS, np.array([["red", "blue"], ["green", "red"]])),
    (COLORS, np.array([0, 2, 1])),
    (COLORS, [0, 2, 1]),
    (COLORS, np.array([[0, 2], [1, 1]], dtype=np.uint8)),
    (BOOLS, [True, False]),
    (BOOLS, np.array([True, False])),
    (BOOLS, np.array([1, 0])),
    (NUMBERS, [10, 20, 20]),
    (MIXED, ["a", 0]),
    (MIXED, [0, 0]),
    (MIXED, np.array([0, 0])),
    (COUNTS, [1, 8, 0]),
    (COUNTS, range(9)),
    (COUNTS, np.arange(9, dtype=np.int16)),
    (COUNTS, np.arange(9, dtype=np.uint64).reshape(3, 3)),
    (COUNTS, np.array([3.0, 4.0])),
    (GRID, [0, 0.5, 1.0]),
    (GRID, np.array([0, 1])),
    (ITEMS, [{"tv"}, set(), {"cars", "tv"}]),
    (ITEMS, np.array([3, 0])),
    (PEOPLE, [("red", 3), ("blue", 0)]),
    (PEOPLE, np.array([26, 0])),
    ((COLORS**2).table(), [("red", "blue"), ("green", "green")]),
]


@pytest.mark.parametrize(("mechanism", "values"), ARRAYS)
def test_many_values(mechanism: Mechanism, values: Any) -> None:
    drawn = mechanism.sample(values)
    assert isinstance(drawn, np.ndarray)
    assert drawn.tolist() == (values.tolist() if isinstance(values, np.ndarray) else list(values))
    if isinstance(values, np.ndarray):
        assert drawn.shape == values.shape
        if values.dtype.kind in "iu" and mechanism not in (GRID, MIXED):
            assert drawn.dtype == values.dtype


def test_records_may_be_mappings() -> None:
    records = [{"color": "red", "age": 3}, {"age": 0, "color": "blue"}]
    assert PEOPLE.sample(records).tolist() == [("red", 3), ("blue", 0)]


def test_anything_that_can_become_an_array() -> None:
    series = type("Series", (), {"to_numpy": lambda self: np.array(["red", "blue"])})()
    assert COLORS.sample(series).tolist() == ["red", "blue"]
    assert COLORS.sample(iter(["red", "blue"])).tolist() == ["red", "blue"]


WORDS = pa.array(["red", "blue", "red"])
ARROW: list[tuple[Mechanism, Any]] = [
    (COLORS, WORDS),
    (COLORS, WORDS.cast(pa.large_string())),
    (COLORS, WORDS.dictionary_encode()),
    (COLORS, WORDS.slice(1)),
    (COLORS, WORDS.dictionary_encode().slice(1)),
    (COLORS, pa.array([0, 2, 1], type=pa.int8())),
    (BOOLS, pa.array([True, False])),
    (NUMBERS, pa.array([10, 20])),
    (COUNTS, pa.array([0, 8], type=pa.uint16())),
    (GRID, pa.array([0.25, 1.0])),
    (ITEMS, pa.array([["tv"], [], ["cars", "tv"]])),
    (PEOPLE, pa.array([{"color": "red", "age": 3}, {"color": "blue", "age": 0}])),
    (COLORS, pa.chunked_array([["red"], ["blue", "green"]])),
    (COLORS, pa.chunked_array([WORDS.dictionary_encode(), WORDS[1:2].dictionary_encode()])),
    (COUNTS, pa.chunked_array([[1], [2, 3]])),
    (COLORS, pa.chunked_array([], type=pa.string())),
]


@pytest.mark.parametrize(("mechanism", "values"), ARROW)
def test_arrow_arrays_come_back_as_arrow_arrays(mechanism: Mechanism, values: Any) -> None:
    drawn = mechanism.sample(values)
    assert type(drawn) is type(values)
    assert drawn.to_pylist() == values.to_pylist()
    if pa.types.is_integer(values.type):
        assert drawn.type == values.type


def test_an_arrow_scalar_is_one_value() -> None:
    assert COLORS.sample(pa.scalar("blue")) == "blue"


def test_a_dictionary_may_hold_labels_that_no_row_uses() -> None:
    values = pa.DictionaryArray.from_arrays(pa.array([1, 1]), pa.array(["purple", "red"]))
    assert COLORS.sample(values).to_pylist() == ["red", "red"]


def test_tables_and_columns() -> None:
    columns = {"color": ["red", "blue"], "age": [1, 2]}
    drawn = PEOPLE.sample(columns)
    assert {name: column.tolist() for name, column in drawn.items()} == columns
    for table in (pa.table(columns), pa.RecordBatch.from_pydict(columns)):
        released = PEOPLE.sample(table)
        assert type(released) is type(table)
        assert released.to_pydict() == columns
    shuffled = pa.table({"age": [1, 2], "color": ["red", "blue"]})
    assert PEOPLE.sample(shuffled).to_pydict() == columns
    assert PEOPLE.sample(pa.table(columns).slice(0, 0)).num_rows == 0
    rows = PEOPLE**2
    assert rows.sample(pa.table(columns)).to_pydict() == columns
    assert rows.sample(columns)["color"].tolist() == columns["color"]
    assert rows.sample([("red", 1), ("blue", 2)]).tolist() == [("red", 1), ("blue", 2)]


def test_records_too_many_to_number_in_64_bits() -> None:
    wide = nw.combine.product({f"c{i}": COUNTS for i in range(40)})
    record = (8,) * 40
    assert wide.sample(record) == record
    assert wide.sample([record, record]).tolist() == [record, record]


def test_products_of_products() -> None:
    nested = (COLORS**2) ** 2
    databases = [["red", "blue"], ["green", "green"]]
    assert [drawn.tolist() for drawn in nested.sample(databases)] == databases
    codes = np.array([0, 17, 80])
    assert nested.draw(codes).tolist() == [0, 17, 80]
    assert (COLORS**3).draw(np.array([26, 5])).tolist() == [26, 5]
    wide = nw.combine.product(people=PEOPLE, color=COLORS)
    assert wide.sample((("red", 3), "blue")) == (("red", 3), "blue")


EMPTIES: list[tuple[Mechanism, Any, tuple[int, ...]]] = [
    (COLORS, [], (0,)),
    (COLORS, np.array([]), (0,)),
    (COLORS, np.empty((0, 3), dtype=str), (0, 3)),
    (COLORS, np.empty((2, 0), dtype=int), (2, 0)),
    (COUNTS, np.empty((0, 2)), (0, 2)),
    (COUNTS, [], (0,)),
    (GRID, [], (0,)),
    (ITEMS, [], (0,)),
    (PEOPLE, [], (0,)),
]


@pytest.mark.parametrize(("mechanism", "values", "shape"), EMPTIES)
def test_nothing_in_nothing_out(mechanism: Mechanism, values: Any, shape: tuple[int, ...]) -> None:
    assert mechanism.sample(values).shape == shape
    if isinstance(values, list) and mechanism is not PEOPLE:
        assert len(mechanism.sample(pa.array(values, type=pa.string()))) == 0


def test_large_counts_need_no_table() -> None:
    many = nw.geometric(nw.Counts(10**6), epsilon=SURE)
    values = np.array([0, 123_456, 10**6])
    assert many.sample(values).tolist() == values.tolist()
    assert many.sample(pa.array(values)).to_pylist() == values.tolist()
    assert many.sample(999_999) == 999_999
    noisy = nw.geometric(nw.Counts(2**62 - 1), epsilon=1e-300).sample([0, 2**62 - 1, 5])
    assert set(noisy.tolist()) <= {0, 2**62 - 1}


def test_large_spaces_of_labels_need_no_table() -> None:
    response = nw.randomized_response(nw.Counts(10**6), epsilon=SURE)
    assert response.sample([5, 10**6]).tolist() == [5, 10**6]
    items = nw.randomized_response(nw.Subsets(range(32)), epsilon=SURE + 32)
    assert items.sample({3, 29}) == {3, 29}
    assert items.sample([{3, 29}, {1}]).tolist() == [{3, 29}, {1}]


def test_a_seeded_source_repeats_itself() -> None:
    noisy = nw.randomized_response(nw.Categories(["red", "green"]), epsilon=0.1)
    values = ["red", "green"] * 50
    one = noisy.sample(values, source=nw.randomness.SeededSource(1)).tolist()
    assert one == noisy.sample(values, source=nw.randomness.SeededSource(1)).tolist()
    assert one != noisy.sample(values, source=nw.randomness.SeededSource(2)).tolist()


def test_outputs_of_several_types_do_not_fit_into_arrow() -> None:
    with pytest.raises(InputError, match="outputs are of several types"):
        MIXED.sample(pa.array(["a", "a"]))
