"""Batches through a plan: cells to codes against a slow and plain reading, types, pickles."""

import copy
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.engines.batches import Randomizer
from noisewright.errors import InputError, OutsideSpaceError
from noisewright.sampling import SeededSource

LABELS = nw.Column(["a", "b", "c"], null="b", other="c")
NUMBERS = nw.Column([-3, 0, 5, 70_000], other=0, null=5)
MIXED = nw.Column([0.5, 2, -1], other=2, null=0.5)
TRUTHS = nw.Column([True, False], null=False)
COUNTS = nw.Column(nw.Counts(7), outside="clamp", null=3)
GRID = nw.Column(nw.Interval(-1, 2, step="0.1"), outside="clamp", off_grid="round", null=0)


def plainly(column: nw.Column, cell: Any) -> Any:
    """What a cell counts as, by the words of the documentation."""
    space: Any = column.space
    if cell is None or cell != cell:
        return column.null
    if isinstance(space, nw.Categories):
        return cell if cell in space else column.other
    if isinstance(space, nw.Counts):
        return min(max(cell, 0), space.n)
    return space.point(space.code(cell))


CASES: dict[str, tuple[nw.Column, list[pa.DataType], Any]] = {
    "labels": (
        LABELS,
        [
            pa.string(),
            pa.large_string(),
            pa.string_view(),
            pa.dictionary(pa.int8(), pa.string()),
            pa.dictionary(pa.uint32(), pa.large_string()),
        ],
        st.sampled_from(["a", "b", "c", "d", "", "é"]),
    ),
    "numbers": (
        NUMBERS,
        [pa.int32(), pa.int64(), pa.dictionary(pa.int8(), pa.int64()), pa.float64()],
        st.integers(-5, 6) | st.sampled_from([70_000, 70_001, -(1 << 31), (1 << 31) - 1]),
    ),
    "small numbers": (NUMBERS, [pa.int8(), pa.int16()], st.integers(-128, 127)),
    "unsigned": (NUMBERS, [pa.uint64()], st.sampled_from([0, 5, 6, (1 << 64) - 3, 1 << 63])),
    "mixed": (MIXED, [pa.float64()], st.sampled_from([0.5, 2.0, -1.0, 1e300, -0.0, 0.25])),
    "booleans": (TRUTHS, [pa.bool_()], st.booleans()),
    "counts": (
        COUNTS,
        [pa.int8(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(5, 0)],
        st.integers(-100, 100),
    ),
    "grid": (
        GRID,
        [pa.float64()],
        st.floats(-3, 4) | st.sampled_from([0.1, 0.3, -0.7, 0.05, 0.15, 1.95, 2.0]),
    ),
    "whole grid": (GRID, [pa.int16(), pa.float32(), pa.decimal128(3, 0)], st.integers(-9, 9)),
}


def codes(column: nw.Column, array: pa.Array) -> list[Any]:
    plan = nw.Plan({"x": column}, epsilon=1)
    encoded = Randomizer(plan).encode(pa.RecordBatch.from_arrays([array], names=["x"]))
    return [column.space.point(int(code)) for code in encoded.parts[0]]


@pytest.mark.parametrize("case", CASES)
@settings(max_examples=40)
@given(data=st.data())
def test_cells_count_as_what_the_plan_says(case: str, data: st.DataObject) -> None:
    column, kinds, strategy = CASES[case]
    cells = data.draw(st.lists(st.none() | strategy, max_size=12))
    kind = data.draw(st.sampled_from(kinds))
    expected = [plainly(column, cell) for cell in cells]
    values = [Decimal(c) if pa.types.is_decimal(kind) and c is not None else c for c in cells]
    array = pa.array(values, kind)
    assert codes(column, array) == expected
    # A slice knows nothing of its neighbors.
    padded = pa.concat_arrays([array, array]) if len(array) else array
    assert codes(column, padded.slice(len(cells), len(cells))) == expected


def test_not_a_number_is_an_empty_cell() -> None:
    assert codes(GRID, pa.array([float("nan"), None, 1.0])) == [0, 0, 1]
    assert codes(COUNTS, pa.array([float("nan"), 4.0])) == [3, 4]
    assert codes(MIXED, pa.array([float("nan")])) == [0.5]


@pytest.mark.parametrize("cell", [float("inf"), -float("inf")])
def test_infinite_numbers_are_beyond_a_bound(cell: float) -> None:
    for column in (GRID, COUNTS):
        space: Any = column.space
        low, high = space.point(0), space.point(space.size - 1)
        assert codes(column, pa.array([1.0, cell])) == [1.0, high if cell > 0 else low]
        with pytest.raises(OutsideSpaceError, match="row 2"):
            codes(nw.Column(space, null=0), pa.array([1.0, cell]))


def test_a_dictionary_may_have_labels_that_no_row_uses() -> None:
    unused = pa.DictionaryArray.from_arrays(pa.array([1, 1]), pa.array(["SECRET", "a", None]))
    assert codes(nw.Column(["a", "b"]), unused) == ["a", "a"]
    empty = pa.DictionaryArray.from_arrays(pa.array([1, 2]), pa.array(["SECRET", "a", None]))
    assert codes(nw.Column(["a"], null="none"), empty) == ["a", "none"]


def test_curves_are_read_and_released() -> None:
    space = nw.Curves(range(4), low=0, high=10, step=1)
    column = nw.Column(space, null=[0, 0, 0, 0], outside="clamp")
    given_rows = [[1.2, 2.0, 30.0, -4.0], None, [5.0, 5.0, 5.0, 5.0]]
    randomizer = Randomizer(nw.Plan({"day": column}, epsilon=10**9))
    for kind in (pa.list_(pa.float64()), pa.large_list(pa.float32()), pa.list_(pa.float64(), 4)):
        batch = pa.RecordBatch.from_arrays([pa.array(given_rows, kind)], names=["day"])
        released = randomizer.randomize(batch)
        assert released.schema == randomizer.schema(batch.schema)
        values = np.array(released.column("day").to_pylist())
        assert np.abs(values - [[1, 2, 10, 0], [0] * 4, [5] * 4]).max() < 1e-3
    short = pa.RecordBatch.from_pydict({"day": [[1.0] * 4, [1.0] * 3]})
    assert randomizer.encode(short).parts[0].tolist() == [[1] * 4, [0] * 4]
    strict = Randomizer(nw.Plan({"day": nw.Column(space, outside="clamp")}, epsilon=10**9))
    with pytest.raises(OutsideSpaceError, match=r"'day' at row 2 "):
        strict.randomize(short)


def test_sets_beyond_the_bound_count_in_part_if_the_plan_says_so() -> None:
    space = nw.Subsets(list("abcde"), largest=2)
    plan = nw.Plan({"likes": nw.Column(space, outside="sample")}, epsilon=400)
    batch = pa.RecordBatch.from_pydict({"likes": [list("abcde")] * 200})
    released = Randomizer(plan).randomize(batch).column("likes").to_pylist()
    # Items are kept with probability 1/2 and none is ever added.
    assert max(len(items) for items in released) == 2
    assert len({item for items in released for item in items}) == 5


def test_sets_by_a_table_are_lists_too() -> None:
    space = nw.Subsets(["a", "b", "c"])
    mechanism = nw.randomized_response(space, epsilon=400)
    plan = nw.Plan({"likes": nw.Column(space, mechanism=mechanism)})
    batch = pa.RecordBatch.from_pydict({"likes": [["c", "a"], [], ["b"]]})
    released = Randomizer(plan).randomize(batch)
    assert released.column("likes").to_pylist() == [["a", "c"], [], ["b"]]


def test_noise_without_bounds_may_leave_the_interval() -> None:
    space = nw.Interval(0, 10, step=1)
    plan = nw.Plan({"x": nw.Column(space, form="unbounded")}, epsilon="1/100")
    randomizer = Randomizer(plan)
    for kind, released_kind in ((pa.int8(), pa.int64()), (pa.float64(), pa.int64())):
        batch = pa.RecordBatch.from_arrays([pa.array([5] * 200, kind)], names=["x"])
        released = randomizer.randomize(batch)
        assert released.schema.field("x").type == released_kind
        values = released.column("x").to_numpy()
        assert (values == np.rint(values)).all()
        assert (np.abs(values) > 100).any()


MIXTURE: dict[str, Any] = {
    "a": nw.Column(["x", "y"]),
    "b": nw.Column(nw.Counts(40)),
    "c": nw.Column(nw.Interval(0, 1, step=0.25)),
    "d": "public",
    "e": nw.Column(nw.Subsets(["p", "q"])),
}
BATCH = pa.RecordBatch.from_pydict(
    {"a": ["x", "y"], "b": [3, 4], "c": [0.5, 1.0], "d": [1, 2], "e": [["p"], []]}
)


def test_a_randomizer_can_be_sent_to_other_machines() -> None:
    plan = nw.Plan(MIXTURE, epsilon=3, together=[("a", "b")])
    randomizer = Randomizer(plan)
    first = randomizer.randomize(BATCH, source=SeededSource(1))
    sent = pickle.loads(pickle.dumps(randomizer))
    assert sent.randomize(BATCH, source=SeededSource(1)).equals(first)
    assert copy.deepcopy(randomizer).randomize(BATCH, source=SeededSource(1)).equals(first)
    assert sent.table.inputs == ("a", "b", "c", "e", "d")


def test_check_draws_nothing_and_says_where() -> None:
    randomizer = Randomizer(nw.Plan(MIXTURE, epsilon=3))
    randomizer.check(BATCH)
    bad = BATCH.set_column(1, "b", pa.array([3, 41]))
    with pytest.raises(OutsideSpaceError, match=r"'b' at row 1,002 ") as problem:
        randomizer.check(bad, first_row=1000)
    assert problem.value.row == 1001


def test_public_columns_leave_without_dictionaries_and_hidden_values() -> None:
    plan = nw.Plan({"x": nw.Column(nw.Counts(1)), "p": "public", "s": "public"}, epsilon=1)
    labels = pa.DictionaryArray.from_arrays(pa.array([1, None]), pa.array(["SECRET", "shown"]))
    # A value that lies behind an empty cell is not shown, but is still in the buffer.
    hidden = pa.Array.from_buffers(
        pa.int64(), 2, [pa.py_buffer(b"\x01"), pa.py_buffer(np.array([7, 31415926]).tobytes())]
    )
    batch = pa.RecordBatch.from_arrays([pa.array([0, 1]), labels, hidden], names=["x", "p", "s"])
    released = Randomizer(plan).randomize(batch)
    assert released.schema.types == [pa.int64(), pa.string(), pa.int64()]
    assert released.select(["p", "s"]).to_pydict() == {"p": ["shown", None], "s": [7, None]}
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, released.schema) as stream:
        stream.write_batch(released)
    data = sink.getvalue().to_pybytes()
    assert b"SECRET" not in data
    assert np.array([31415926]).tobytes() not in data


def test_labels_of_several_kinds_have_no_column() -> None:
    plan = nw.Plan({"x": nw.Column([1, "a"])}, epsilon=1)
    with pytest.raises(InputError, match="several kinds"):
        Randomizer(plan).schema(pa.schema([("x", pa.string())]))


@pytest.mark.parametrize("count", [2, 255, 256, 257])
@pytest.mark.parametrize("kind", ["plain", "dictionary"])
def test_texts_are_handed_over_as_narrow_dictionaries(kind: str, count: int) -> None:
    """Quicker to write as bytes; who gave a dictionary gets one back, with indices of 32 bits."""
    texts = pa.array([f"label {place}" for place in range(count)])
    given = texts if kind == "plain" else texts.dictionary_encode()
    certain = Randomizer(nw.Plan({"x": nw.Column(texts.to_pylist())}, epsilon=400))
    batch = pa.RecordBatch.from_arrays([given], names=["x"])
    drawn = certain.draw(certain.encode(batch), batch.schema).column("x")
    narrow = kind == "plain" and count <= 256
    assert drawn.type == pa.dictionary(pa.uint8() if narrow else pa.int32(), pa.string())
    assert drawn.cast(pa.string()).equals(texts)


def test_one_label_may_be_drawn_together_with_256() -> None:
    """Codes of such records fill a byte, and the number of labels does not fit into one."""
    columns = {"a": nw.Column(["only"]), "b": nw.Column(list(range(256)))}
    plan = nw.Plan(columns, epsilon=400, together=[("a", "b")])
    batch = pa.RecordBatch.from_pydict({"a": ["only"] * 256, "b": list(range(256))})
    assert (
        Randomizer(plan).randomize(batch).equals(batch.cast(Randomizer(plan).schema(batch.schema)))
    )
