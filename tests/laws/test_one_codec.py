"""A cell is one code, or one error, whatever form its column has and whoever reads it."""

import csv
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError
from noisewright.tables import Field, Schema, column_codes, open_table, table_codes

SPACES: dict[str, Any] = {
    "texts": nw.Categories(["a", "b", "long text"]),
    "whole labels": nw.Categories([7, -3, 1_000_000_007]),
    "narrow labels": nw.Categories([10, 20]),
    "short labels": nw.Categories([0.5, 2.0]),
    "booleans": nw.Categories([True, False]),
    "counts": nw.Counts(8),
    "grid": nw.Interval(0, 1, step="0.25"),
    "sets": nw.Subsets(["a", "b", "c"], largest=2),
    "curves": nw.Curves(range(2), low=0, high=4, step=1),
}

GOOD: dict[str, list[Any]] = {
    "texts": ["b", "long text", "a", "b"],
    "whole labels": [-3, 1_000_000_007, 7],
    "narrow labels": [20, 10, 20],
    "short labels": [2.0, 0.5],
    "booleans": [False, True, True],
    "counts": [0, 8, 3],
    "grid": [0.25, 1.0, 0.0],
    "sets": [["c", "a"], [], ["b"]],
    "curves": [[0.0, 4.0], [1.0, 2.0]],
}

BAD: dict[str, tuple[str, Any, str]] = {
    "an undeclared text": ("texts", "c", "is not one of the 3 declared labels"),
    "an undeclared number": ("whole labels", 8, "is not one of the 3 declared labels"),
    "a number between labels": ("short labels", 1.5, "is not one of the 2 declared labels"),
    "an empty text": ("texts", None, "is empty"),
    "an empty count": ("counts", None, "is empty"),
    "an empty number": ("grid", None, "is empty"),
    "an empty set": ("sets", None, "is empty"),
    "an empty curve": ("curves", None, "is empty"),
    "a large count": ("counts", 9, "is outside of 0 to 8"),
    "a large number": ("grid", 1.25, "is outside of 0 to 1"),
    "a number off the grid": ("grid", 0.3, "is not a multiple of the step 1/4 from 0"),
    "an undeclared item": ("sets", ["z"], "holds an item that was not declared"),
    "too many items": ("sets", ["a", "b", "c"], "holds more than 2 items"),
}


def objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


COLUMNS: dict[str, Callable[[list[Any]], Any]] = {
    "a list": list,
    "a tuple": tuple,
    "numpy": lambda values: np.array(values),
    "numpy, the other byte order": lambda values: np.array(values).astype(
        np.array(values).dtype.newbyteorder()
    ),
    "numpy objects": objects,
    "numpy, narrow": lambda values: np.array(values, dtype=np.int8),
    "numpy, without a sign": lambda values: np.array(values, dtype=np.uint64),
    "pandas": pd.Series,
    "pandas categories": lambda values: pd.Series(values).astype("category"),
    "pandas with gaps": lambda values: pd.Series(values).convert_dtypes(),
    "Polars": pl.Series,
    "Arrow": pa.array,
    "Arrow, large": lambda values: pa.array(values, pa.large_string()),
    "Arrow, narrow": lambda values: pa.array(values, pa.int8()),
    "Arrow, long lists": lambda values: pa.array(values, pa.large_list(pa.string())),
    "an Arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "a dictionary with unused labels": lambda values: pa.DictionaryArray.from_arrays(
        pa.array(range(2, 2 + len(values)), pa.int32()), pa.array(["?", "!", *values])
    ),
    "Arrow in chunks": lambda values: pa.chunked_array(
        [[v] for v in values], pa.array(values).type
    ),
}

FORMS = [pytest.param(space, form, id=f"{space} as {form}") for space in SPACES for form in COLUMNS]


def made(form: str, values: list[Any]) -> Any:
    """Return a column, or None where the library has no such column of these values."""
    try:
        column = COLUMNS[form](values)
    except (ValueError, TypeError, OverflowError, pa.ArrowException, pl.exceptions.PolarsError):
        return None
    to_list = next((m for m in ("to_pylist", "to_list", "tolist") if hasattr(column, m)), None)
    back = list(column) if to_list is None else getattr(column, to_list)()
    flat = getattr(column, "ndim", 1) == 1
    return column if flat and all(map(same, values, back)) else None


def same(cell: Any, other: Any) -> bool:
    """Tell whether a library still holds a cell as it was given."""
    if cell is None or isinstance(cell, list):
        return other is None or other is pd.NA or other != other or cell == other
    return cell == other and isinstance(cell, bool) == isinstance(other, bool)


def plain(codes: Any) -> Any:
    """Return codes in a form that can be compared."""
    if hasattr(codes, "offsets"):
        return codes.indices.tolist(), codes.offsets.tolist()
    return codes.tolist()


@pytest.mark.parametrize(("space", "form"), FORMS)
def test_the_same_cells_have_the_same_codes(space: str, form: str) -> None:
    column = made(form, GOOD[space])
    if column is None:
        return
    field = Field.of(SPACES[space])
    expected = plain(column_codes(field.cells, GOOD[space]))
    assert plain(column_codes(field.cells, column)) == expected
    (read,) = table_codes({"x": column}, {"x": field}, ["x"])
    assert plain(read["x"]) == expected
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        batch = pa.table({"x": column}).combine_chunks().to_batches()[0]
        assert plain(Schema({"x": field}).encode(batch)["x"]) == expected


@pytest.mark.parametrize("space", SPACES)
def test_codes_are_those_of_the_space(space: str) -> None:
    field = Field.of(SPACES[space])
    if space not in ("sets", "curves"):
        codes = column_codes(field.cells, GOOD[space]).tolist()
        assert codes == [field.space.code(point) for point in GOOD[space]]
        assert [field.space.point(code) for code in codes] == GOOD[space]


@pytest.mark.parametrize("form", COLUMNS)
@pytest.mark.parametrize("name", BAD)
def test_a_bad_cell_is_one_error(name: str, form: str) -> None:
    space, cell, why = BAD[name]
    column = made(form, [*GOOD[space], cell, cell])
    if column is None:
        return
    row = len(GOOD[space])
    field = Field.of(SPACES[space])
    doors: list[tuple[str, Callable[[], Any]]] = [
        ("the input", lambda: column_codes(field.cells, column)),
        ("the column 'x'", lambda: list(table_codes({"x": column}, {"x": field}, ["x"]))),
    ]
    if space not in ("sets", "curves") and not isinstance(column, tuple):
        mechanism = nw.uniform(SPACES[space])
        doors.append(("the input", lambda: mechanism.sample(column)))
    for subject, door in doors:
        with pytest.raises(OutsideSpaceError) as caught:
            door()
        assert str(caught.value).startswith(f"{subject} at row {row + 1} {why}. ")
        assert (caught.value.row, caught.value.why) == (row, why)
        assert caught.value.__cause__ is caught.value.__context__ is None


@pytest.mark.parametrize("space", [s for s in SPACES if s not in ("sets", "curves")])
def test_cells_of_text_are_read_like_others(tmp_path: Path, space: str) -> None:
    schema = Schema({"x": Field.of(SPACES[space])})
    expected = plain(column_codes(schema.cells["x"], GOOD[space]))
    with open(tmp_path / "x.csv", "w", newline="") as file:
        csv.writer(file).writerows([["x"], *([cell] for cell in GOOD[space])])
    for data in (tmp_path / "x.csv", [{"x": cell} for cell in GOOD[space]]):
        reader = open_table(data, schema=schema)
        codes = [code for batch in reader.batches() for code in schema.encode(batch)["x"].tolist()]
        assert codes == expected


@pytest.mark.parametrize("name", [n for n in BAD if BAD[n][0] not in ("sets", "curves")])
def test_a_bad_cell_of_text_is_the_same_error(tmp_path: Path, name: str) -> None:
    space, cell, why = BAD[name]
    schema = Schema({"x": Field.of(SPACES[space])})
    with open(tmp_path / "x.csv", "w", newline="") as file:
        # A second column: an empty line would be no row.
        csv.writer(file).writerows([["x", "y"], *([c, 0] for c in [*GOOD[space], cell])])
    reader = open_table(tmp_path / "x.csv", schema=schema)
    with pytest.raises(OutsideSpaceError, match=re.escape(why)) as caught:
        list(map(schema.encode, reader.batches()))
    row = len(GOOD[space])
    assert str(caught.value).startswith(f"the column 'x' at row {row + 1} {why}. ")
    assert caught.value.row == row


def test_rows_are_counted_through_pieces_and_batches() -> None:
    space = nw.Categories(["a", "b"])
    column = np.full(1_000_001, "a")
    column[-1] = "?"
    with pytest.raises(OutsideSpaceError, match="at row 1,000,001 ") as caught:
        nw.uniform(space).sample(pa.array(column))
    assert caught.value.row == 1_000_000
    batches = iter([{"x": ["a"] * 3}, {"x": ["a", "?"]}])
    with pytest.raises(OutsideSpaceError, match="'x' at row 5 ") as caught:
        list(table_codes(batches, {"x": Field.of(space)}, ["x"]))
    assert caught.value.row == 4


def test_whole_numbers_come_back_in_the_type_they_came_in() -> None:
    mechanism = nw.randomized_response(nw.Categories([10, 200]), epsilon=60)
    for kind in (np.uint8, np.int16, np.int64):
        drawn = mechanism.sample(np.array([200, 10], dtype=kind))
        assert (drawn.dtype, drawn.tolist()) == (kind, [200, 10])
    wide = nw.randomized_response(nw.Categories([1, 300]), epsilon=60)
    assert wide.sample(np.array([1], dtype=np.uint8)).dtype == np.int64
