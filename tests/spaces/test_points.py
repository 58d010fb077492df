"""Points and codes: one for one, alone and by the array, in spaces of any size."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.errors import OutsideSpaceError, TooLargeError
from noisewright.spaces import Categories, Counts, Curves, Interval, Records, Rows, Space, Subsets
from tests.spaces.samples import COLORS, SMALL


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_points_and_codes_are_one_for_one(space: Space) -> None:
    points = list(space.points)
    assert len(points) == space.size == len(space) == len(list(space))
    assert [space.code(point) for point in points] == list(range(space.size))
    assert [space.point(code) for code in range(space.size)] == points
    assert all(point in space for point in points)
    for code in (-1, space.size):
        with pytest.raises(OutsideSpaceError, match="the input is not a point"):
            space.point(code)


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_arrays_are_coded_as_points_are(space: Space) -> None:
    points = list(space.points) * 2
    listed = np.empty(len(points), dtype=object)
    for place, point in enumerate(points):
        listed[place] = point
    codes = space.encode(listed)
    assert codes.tolist() == list(range(space.size)) * 2
    back = space.decode(codes)
    assert len(back) == len(points)
    assert back.tolist() == points
    assert space.encode(listed[:0]).shape == (0,)


@pytest.mark.parametrize("space", SMALL.values(), ids=SMALL)
def test_a_space_is_a_value(space: Space) -> None:
    copy = pickle.loads(pickle.dumps(space))
    assert copy == space
    assert hash(copy) == hash(space)
    assert bool(space)
    assert repr(space)
    with pytest.raises(AttributeError):
        space.metric = "other"


FAST: dict[str, tuple[Space, np.ndarray]] = {
    "counts": (Counts(9), np.arange(10, dtype=np.int8)),
    "unsigned counts": (Counts(9), np.arange(10, dtype=np.uint64)),
    "whole floats": (Counts(9), np.arange(10.0)),
    "small floats": (Counts(9), np.arange(10, dtype=np.float32)),
    "texts": (COLORS, np.array(["blue", "red", "green"])),
    "numbers as labels": (Categories([10, 20]), np.array([20, 10])),
    "bools as labels": (Categories([False, True]), np.array([True, False])),
    "grid": (Interval(0, 1, step=0.1), np.linspace(0, 1, 11)),
    "grid, by code": (Interval(-5, 5, step=1), np.arange(-5, 6)),
}


@pytest.mark.parametrize(("space", "values"), FAST.values(), ids=FAST)
def test_the_fast_way_agrees_with_the_slow_one(space: Space, values: np.ndarray) -> None:
    slow = [space.code(value) for value in values]
    assert space.encode(values).tolist() == slow
    assert [space.code(point) for point in space.decode(np.array(slow)).tolist()] == slow


@given(
    st.integers(-50, 50),
    st.integers(1, 10**6),
    st.sampled_from([0.1, 0.25, 1, "1/3", 1e-3, "1/7", 12345.678]),
    st.lists(st.integers(0, 10**6), min_size=1, max_size=20),
)
def test_a_grid_decodes_to_the_doubles_nearest_to_its_points(
    low: int, steps: int, step: Any, codes: list[int]
) -> None:
    one = Interval(0, step, step=step).step
    space = Interval(low, low + steps * one, step=step)
    wanted = [code % space.size for code in codes]
    decoded = space.decode(np.array(wanted))
    assert decoded.tolist() == [space.point(code) for code in wanted]
    assert space.encode(decoded).tolist() == wanted
    assert [space.code(value) for value in decoded.tolist()] == wanted


def test_a_grid_of_long_fractions_decodes_point_by_point() -> None:
    space = Interval(0, "1e-30", step="1e-31")
    assert space.decode(np.array([3, 7])).tolist() == [3e-31, 7e-31]


def test_values_are_rounded_to_a_grid_only_on_request() -> None:
    space = Interval(0, 10, step=0.5)
    assert space.nearest([0.2, 9.9, 3.3]).tolist() == [0.0, 10.0, 3.5]
    for wrong in ([0.2, np.nan], [0, 10.1], [-0.1, 3]):
        with pytest.raises(OutsideSpaceError, match=r"Clamp the values"):
            space.nearest(wrong)


def test_labels_that_look_alike_stay_apart() -> None:
    space = Categories([True, 1, "1", b"1"])
    assert [space.code(label) for label in (True, 1, "1", b"1")] == [0, 1, 2, 3]
    assert space.code(np.int32(1)) == 1
    assert space.code(1.0) == 1
    assert space.code(np.bool_(True)) == 0
    items = Subsets([1, True, "1"])
    assert items.point(items.code([True])) == frozenset([True])
    assert items.code([True]) == 2


@pytest.mark.parametrize("labels", [[2**63 + 1, -1], [b"a\0", b"a"], ["a\0", "a"], [2**80, 3]])
def test_labels_that_numpy_would_change_are_kept(labels: list[Any]) -> None:
    space = Categories(labels)
    assert space.decode(np.array([0, 1])).tolist() == labels


def test_records_are_tuples_lists_or_mappings() -> None:
    space = Records(color=COLORS, age=Counts(4))
    assert space.code(("green", 3)) == space.code(["green", 3]) == 8
    assert space.code({"age": 3, "color": "green"}) == 8
    assert space.join(space.split(8)) == 8
    assert space.by_name == {"color": COLORS, "age": Counts(4)}


HUGE: dict[str, tuple[Callable[[], Space], int]] = {
    "counts": (lambda: Counts(10**6), 10**6),
    "counts, absurd": (lambda: Counts(10**30), 10**30),
    "subsets": (lambda: Subsets(range(16_000)), (1 << 16_000) - 1),
    "rows": (lambda: Categories(["a", "b", "c"]) ** 1000, 3**1000 - 5),
    "records": (lambda: Records({f"c{i}": Counts(99) for i in range(30)}), 100**29),
    "curves": (lambda: Curves(range(365), low=-40, high=40, norm="L2"), 4097**365 - 7),
    "grid": (lambda: Interval(0, 10**9, step="1/1000"), 10**12),
}


@pytest.mark.parametrize(("make", "code"), HUGE.values(), ids=HUGE)
def test_large_spaces_cost_nothing_until_enumerated(make: Callable[[], Space], code: int) -> None:
    space = make()
    assert len(repr(space)) < 2000
    assert space.code(space.point(code)) == code
    assert space.pair_count > 0
    assert space.diameter > 0
    assert space.separation > 0
    assert space == make()


ABSURD: dict[str, tuple[Space, Callable[[Space], Any]]] = {
    "points of subsets": (Subsets(range(16_000)), lambda s: s.points),
    "iterating over rows": (Rows(COLORS, 1000), iter),
    "pairs of subsets": (Subsets(range(16_000)), lambda s: s.neighbor_codes()),
    "pairs of counts": (Counts(10**6, neighbors="replace"), lambda s: s.neighbor_codes()),
    "pairs of rows": (Rows(COLORS, 1000), lambda s: s.neighbor_codes()),
    "length of rows": (Rows(COLORS, 1000), len),
    "distances": (Counts(10**6), lambda s: s.distances()),
    "points of a grid": (Interval(0, 10**9, step=1), lambda s: s.points),
    "a metric by function": (
        Counts(1),
        lambda _: Subsets(range(30), metric=lambda a, b: len(a ^ b)),
    ),
}


@pytest.mark.parametrize(("space", "ask"), ABSURD.values(), ids=ABSURD)
def test_an_absurd_enumeration_says_the_size(space: Space, ask: Callable[[Space], Any]) -> None:
    with pytest.raises(TooLargeError, match=r"too many to list .*\(at most [\d,]+\)") as caught:
        ask(space)
    assert caught.value.size > 10**6


def test_codes_beyond_64_bits() -> None:
    space = Records({f"c{i}": Counts(99) for i in range(30)})
    record = (99,) * 30
    codes = space.encode(np.array([None, None], dtype=object)[:0])
    assert codes.shape == (0,)
    values = np.empty(2, dtype=object)
    values[:] = [record, record]
    assert space.encode(values).tolist() == [100**30 - 1] * 2
    assert space.decode(space.encode(values)).tolist() == [record, record]


@pytest.mark.parametrize(
    ("labels", "values"),
    [
        ([True, False], [True, False, False]),
        ([5, 3, 9], [3, 9, 5, 3]),
        ([0.5, 2], [2, 2]),
        (["yes", True, 7], [True, True]),
    ],
    ids=["truth", "whole", "mixed numbers", "mixed labels"],
)
def test_labels_of_an_array_are_found_as_those_of_single_points(labels, values) -> None:
    space = Categories(labels)
    assert space.encode(np.array(values)).tolist() == [space.code(value) for value in values]


@pytest.mark.parametrize(
    ("labels", "values", "row"),
    [
        ([1, 2], [1, 2, 3], 2),
        ([1, 2], [True], 0),
        ([True, False], [1, 0], 0),
        ([True], [True, False], 1),
    ],
    ids=["another number", "truth is no number", "a number is no truth", "one truth"],
)
def test_the_first_row_that_is_no_label_is_named(labels, values, row) -> None:
    with pytest.raises(OutsideSpaceError) as caught:
        Categories(labels).encode(np.array(values))
    assert caught.value.row == row
