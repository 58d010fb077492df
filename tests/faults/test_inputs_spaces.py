"""Bad spaces and points outside of them: the message says what to do and shows no value."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from noisewright.errors import InputError, OutsideSpaceError
from noisewright.spaces import Categories, Counts, Interval, Records, Rows, Space, Subsets
from tests.spaces.samples import COLORS

BAD: list[tuple[Callable[[], Any], str]] = [
    (lambda: Counts(0), "n is 0; it must be at least 1"),
    (lambda: Counts(-3), "n is -3; it must be at least 1"),
    (lambda: Counts(2.5), r"n is 2\.5; it must be a whole number"),  # pyright: ignore[reportArgumentType]
    (lambda: Counts(True), "n is True; it must be a whole number"),
    (lambda: Counts("8"), "n is '8'; it must be a whole number"),  # pyright: ignore[reportArgumentType]
    (lambda: Categories([]), "at least one label; got none"),
    (lambda: Categories("abc"), r"got the text 'abc'. Write Categories\(\['abc', …\]\)"),
    (lambda: Categories(5), "takes a list of labels; got int"),  # pyright: ignore[reportArgumentType]
    (lambda: Categories(["a", "b", "a"]), "the label 'a' is given twice"),
    (lambda: Categories([1, 1.0]), r"the label 1.0 is given twice"),
    (lambda: Categories(["a", None]), r"labels\[1\] is None; .* declare one such as 'missing'"),  # pyright: ignore[reportArgumentType]
    (lambda: Categories([float("nan")]), r"labels\[0\] is nan; each label is a text, a finite"),
    (lambda: Categories([float("inf")]), r"labels\[0\] is inf; each label is a text, a finite"),
    (lambda: Categories([("a", "b")]), r"labels\[0\] is \('a', 'b'\); each label is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: Subsets([]), "at least one item; got none"),
    (lambda: Subsets("tv"), r"got the text 'tv'. Write Subsets\(\['tv', …\]\)"),
    (lambda: Subsets(5), "takes a list of items; got int"),  # pyright: ignore[reportArgumentType]
    (lambda: Subsets(["tv", "tv"]), "the item 'tv' is given twice; items must differ"),
    (lambda: Subsets([["tv"]]), r"items\[0\] is \['tv'\]; each item is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: Subsets([None]), r"items\[0\] is None; each item is a text"),  # pyright: ignore[reportArgumentType]
    (lambda: Interval(1, 1, step=1), r"Interval\(1, 1\): low must be below high"),
    (lambda: Interval(2, 1, step=1), "low must be below high"),
    (lambda: Interval(0, 1, step=0), "step is 0; it must be positive"),
    (lambda: Interval(0, 1, step=-1), "step is -1; it must be positive"),
    (lambda: Interval(0, 1, step=0.3), r"not a whole number of steps of 0\.3\. Change a bound"),
    (lambda: Interval(0, float("inf"), step=1), "high is 'inf'"),
    (lambda: Interval(float("nan"), 1, step=1), "low is 'nan'"),
    (lambda: Interval(False, 1, step=1), "low is False"),
    (lambda: Interval("low", 1, step=1), "low is 'low'; it must be a float"),
    (lambda: Records(), r"at least one column, as in Records\(job=Categories"),
    (lambda: Records(job=5), "the column 'job' is a int; it must be a space"),  # pyright: ignore[reportArgumentType]
    (lambda: Records({"a": Counts(1)}, a=Counts(2)), "a column is given twice"),
    (lambda: Records("abc"), "takes columns by name; got a str"),  # pyright: ignore[reportArgumentType]
    (lambda: Records(metric="euclid", a=Counts(1)), "this space knows 'hamming', 'sum'"),
    (lambda: Rows(COLORS, 0), "the number of rows is 0; it must be at least 1"),
    (lambda: COLORS**2.0, r"the number of rows is 2\.0; it must be a whole number"),  # pyright: ignore[reportOperatorIssue]
]


@pytest.mark.parametrize(("make", "message"), BAD)
def test_a_space_that_makes_no_sense(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make()


def test_a_column_may_be_called_anything_in_a_mapping() -> None:
    space = Records({"metric": Counts(1), "neighbors": Counts(2)})
    assert space.point(5) == (1, 2)


OUTSIDE: list[tuple[Space, Any, str]] = [
    (Counts(8), 9, r"Its points are 0\.\.8: clip the column, or widen the space"),
    (Counts(8), -1, r"Its points are 0\.\.8"),
    (Counts(8), 2.5, "it is not a whole number"),
    (Counts(8), True, "it is not a whole number"),
    (Counts(8), np.bool_(True), "it is not a whole number"),
    (Counts(8), float("nan"), "it is not a whole number"),
    (Counts(8), "5", "it is not a whole number"),
    (Counts(8), None, "it is not a whole number"),
    (COLORS, "purple", "Labels must be declared by the caller"),
    (COLORS, None, "Labels must be declared by the caller"),
    (COLORS, ["red"], "Labels must be declared by the caller"),
    (COLORS, float("nan"), "Labels must be declared by the caller"),
    (Subsets(["tv"]), {"boat"}, "it holds an item that was not declared"),
    (Subsets(["tv"]), "tv", "it is not a set of items"),
    (Subsets(["tv"]), 3, "it is not a set of items"),
    (Subsets(["tv"]), [["tv"]], "it holds an item that was not declared"),
    (Interval(0, 1, step=0.5), 0.3, r"not on the grid; see Interval\.nearest"),
    (Interval(0, 1, step=0.5), 1.5, "Clamp the values to the bounds"),
    (Interval(0, 1, step=0.5), float("inf"), "it is not a finite number"),
    (Interval(0, 1, step=0.5), "0.5", "it is not a finite number"),
    (Interval(0, 1, step=0.5), None, "it is not a finite number"),
    (Interval(0, 1, step=0.5), True, "it is not a finite number"),
    (Records(a=COLORS, n=Counts(3)), ("red",), "a record has 2 columns"),
    (Records(a=COLORS, n=Counts(3)), "red", "a record has 2 columns"),
    (Records(a=COLORS, n=Counts(3)), {"a": "red"}, "its columns are not those of the space"),
    (Records(a=COLORS, n=Counts(3)), ("red", 4), r"not a point of Counts\(3\)"),
    (COLORS**2, ("red",), "a database here has 2 rows"),
    (COLORS**2, 5, "it is not a list of rows"),
    (COLORS**2, ("red", "purple"), "not a point of Categories"),
]


@pytest.mark.parametrize(("space", "point", "message"), OUTSIDE)
def test_a_point_outside(space: Space, point: Any, message: str) -> None:
    with pytest.raises(OutsideSpaceError, match=message) as caught:
        space.code(point)
    assert caught.value.row is None
    assert point not in space
    assert "purple" not in str(caught.value)
    listed = np.empty(2, dtype=object)
    listed[0], listed[1] = space.point(0), point
    with pytest.raises(OutsideSpaceError, match="the input at row 2 is not a point") as caught:
        space.encode(listed)
    assert caught.value.row == 1


ARRAYS: list[tuple[Space, np.ndarray, int]] = [
    (Counts(8), np.array([3, 9, -1]), 1),
    (Counts(8), np.array([3, 8, 4], dtype=np.uint64) + np.uint64(2**63), 0),
    (Counts(8), np.array([3.0, 2.5]), 1),
    (Counts(8), np.array([3.0, np.nan]), 1),
    (Counts(8), np.array([np.inf, 3.0]), 0),
    (Counts(8), np.array([True, False]), 0),
    (Counts(8), np.array(["3"]), 0),
    (Counts(8), np.array(["2020-01-01"], dtype="datetime64[D]"), 0),
    (COLORS, np.array(["red", "purple", "mauve"]), 1),
    (COLORS, np.array(["red", ""]), 1),
    (COLORS, np.array(["red", "redder than red"]), 1),
    (COLORS, np.array([0.5]), 0),
    (Interval(0, 1, step=0.5), np.array([0.5, 0.25]), 1),
    (Interval(0, 1, step=0.5), np.array([0.5, 7.0]), 1),
    (Interval(0, 1, step=0.5), np.array([np.nan]), 0),
    (Interval(0, 1, step=0.5), np.array([0, -np.inf]), 1),
    (Interval(0, 1, step=0.5), np.array([True]), 0),
]


@pytest.mark.parametrize(("space", "values", "row"), ARRAYS)
def test_an_array_with_a_bad_row(space: Space, values: np.ndarray, row: int) -> None:
    with pytest.raises(
        OutsideSpaceError, match=f"the input at row {row + 1} is not a point"
    ) as caught:
        space.encode(values)
    assert caught.value.row == row
    assert "purple" not in str(caught.value)
