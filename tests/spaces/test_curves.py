"""Curves: reading them in every form, and what is said of those that are none."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from noisewright.errors import InputError, OutsideSpaceError, ParameterError, SpaceError
from noisewright.mechanisms import randomized_response
from noisewright.spaces import Curves
from noisewright.spaces.curves import DEFAULT_STEPS

SPACE = Curves([0, 1, 3], low=0, high=10, step=0.5)
ROWS = [[0.0, 9.9, 3.3], [10.0, 0.2, 5.0]]
STEPS = [[0, 20, 7], [20, 0, 10]]

FORMS: dict[str, Any] = {
    "array": np.array(ROWS),
    "small floats": np.array(ROWS, dtype=np.float32),
    "objects": np.array(ROWS, dtype=object),
    "lists": ROWS,
    "tuples": [tuple(row) for row in ROWS],
    "arrays": [np.array(row) for row in ROWS],
    "fixed-size lists": pa.array(ROWS, type=pa.list_(pa.float64(), 3)),
    "a slice of fixed-size lists": pa.array([ROWS[1], *ROWS], type=pa.list_(pa.float64(), 3))[1:],
    "lists of Arrow": pa.array(ROWS),
    "a slice of lists": pa.array([[], *ROWS])[1:],
    "large lists": pa.array(ROWS, type=pa.large_list(pa.float32())),
    "chunks": pa.chunked_array([pa.array(ROWS[:1]), pa.array(ROWS[1:])]),
}


@pytest.mark.parametrize("form", FORMS)
def test_curves_are_read_in_every_form(form: str) -> None:
    assert SPACE.read(FORMS[form]).tolist() == STEPS


def test_one_curve_is_one_row_and_whole_numbers_are_fine() -> None:
    assert SPACE.read([1, 2, 3]).tolist() == [[2, 4, 6]]
    assert SPACE.read(np.array([1, 2, 3])).tolist() == [[2, 4, 6]]


@pytest.mark.parametrize(
    "nothing", [[], np.empty((0, 3)), np.empty(0), pa.array([], type=pa.list_(pa.float64()))]
)
def test_no_curves_are_no_rows(nothing: Any) -> None:
    assert SPACE.read(nothing).shape == (0, 3)


NO_CURVES: dict[str, tuple[Any, int, str]] = {
    "too high": ([[1, 2, 3], [1, 77.125, 3]], 1, "position 2 is above high"),
    "too low": (np.array([[1, 2, -77.125]]), 0, "position 3 is below low"),
    "not a number": ([[1, math.nan, 3]], 0, "position 2 is not a number"),
    "infinite": ([[math.inf, 1, 3]], 0, "position 1 is not a finite number"),
    "short": ([[1, 2, 3], [1, 2]], 1, "has 2 values and the grid 3 positions"),
    "wide": (np.ones((2, 4)), 0, "has 4 values and the grid 3 positions"),
    "a text": ([[1, 2, 3], "abc"], 1, "not a sequence of numbers"),
    "texts": ([[1, 2, "77.125"]], 0, "not a sequence of numbers"),
    "missing": ([[1, 2, None]], 0, "position 3 is not a number"),
    "null": (pa.array([[1, 2, 3], None]), 1, "it is null"),
    "null inside": (pa.array([[1, None, 3]]), 0, "position 2 is not a number"),
    "short in Arrow": (pa.array([[1, 2, 3], [1]]), 1, "has 1 values"),
    "fixed size, too wide": (pa.array([[1, 2]], type=pa.list_(pa.float64(), 2)), 0, "has 2 values"),
}


@pytest.mark.parametrize("name", NO_CURVES)
def test_a_wrong_row_is_named_and_never_shown(name: str) -> None:
    rows, row, words = NO_CURVES[name]
    with pytest.raises(OutsideSpaceError) as caught:
        SPACE.read(rows)
    assert caught.value.row == row
    assert f"row {row + 1}" in str(caught.value)
    assert words in str(caught.value)
    assert "77" not in str(caught.value)


@pytest.mark.parametrize("rows", [np.ones((2, 2, 3)), np.array(["a"]), pa.array([1.0]), 5, "abc"])
def test_what_holds_no_curves_is_refused(rows: Any) -> None:
    with pytest.raises(InputError, match="curves are a"):
        SPACE.read(rows)


def test_values_are_clamped_only_on_request() -> None:
    assert SPACE.read([[-1e300, 4, 1e300]], outside="clamp").tolist() == [[0, 8, 20]]
    assert SPACE.read([[-math.inf, 4, math.inf]], outside="clamp").tolist() == [[0, 8, 20]]
    with pytest.raises(OutsideSpaceError, match="not a number"):
        SPACE.read([[math.nan, 4, 4]], outside="clamp")
    with pytest.raises(ParameterError, match="'error' or 'clamp'"):
        SPACE.read([[1, 2, 3]], outside="drop")  # pyright: ignore[reportArgumentType]


def test_steps_become_values_again() -> None:
    assert SPACE.values(np.array(STEPS)).tolist() == [[0.0, 10.0, 3.5], [10.0, 0.0, 5.0]]


def test_the_sup_norm() -> None:
    assert SPACE.distance((0, 1, 2), (1, 1, 5)) == 3
    assert (SPACE.diameter, SPACE.separation, SPACE.norm) == (10, Fraction(1, 2), "sup")


def test_the_l2_norm_is_the_trapezoid_rule() -> None:
    space = Curves([0, 1, 3], low=0, high=10, step=0.5, norm="L2")
    assert space.weights == (Fraction(1, 2), Fraction(3, 2), 1)
    # 1/2 · 4² + 3/2 · 0² + 1 · 1² = 9
    assert space.distance((4, 1, 2), (0, 1, 3)) == 3
    root = space.distance((0, 1, 2), (0, 1, 2.5)) ** 2, space.diameter**2
    assert root[0] == Fraction(1, 4)
    assert 300 <= root[1] < 300 * (1 + Fraction(1, 1 << 60))
    straight = np.linspace(0, 1, 101)
    fine = Curves(straight, low=0, high=1, norm="L2", step="1/100")
    assert float(fine.distance(straight, 0 * straight)) ** 2 == pytest.approx(1 / 3, abs=1e-4)


def test_one_position_has_weight_one() -> None:
    space = Curves([7], low=0, high=2, norm="L2")
    assert space.weights == (1,)
    assert space.diameter == 2
    assert "1 position at 7" in repr(space)


def test_without_a_step_there_are_4096() -> None:
    assert Curves([0], low=0, high=1).steps == DEFAULT_STEPS == 4096


SPACES: dict[str, tuple[Any, dict[str, Any], str]] = {
    "empty": ([], {}, "the grid is empty"),
    "not rising": ([0, 2, 2], {}, "position 3 of the grid is 2, after 2"),
    "not a grid": (5, {}, "positions of the curves"),
    "a text": ("0,1", {}, "positions of the curves"),
    "bounds": ([0, 1], {"low": 2}, "low must be below high"),
    "step": ([0, 1], {"step": 0.3}, "not a whole number of steps"),
    "negative step": ([0, 1], {"step": -1}, "must be positive"),
    "absurd step": ([0, 1], {"step": "1e-20"}, "coarser step"),
    "norm": ([0, 1], {"norm": "L7"}, "knows 'sup', 'L2'"),
}


@pytest.mark.parametrize("name", SPACES)
def test_a_wrong_space_says_why(name: str) -> None:
    grid, options, words = SPACES[name]
    with pytest.raises(SpaceError, match=words):
        Curves(grid, **{"low": 0, "high": 1, **options})


@pytest.mark.parametrize(
    ("point", "words"),
    [
        ((0, 1), "a curve has 3 values"),
        ((0, 1, 0.3), "position 3 is not on the grid"),
        ((0, 11, 0), "position 2 is outside the bounds"),
        ((0, "1", 0), "position 2 is not a finite number"),
        (5, "not a sequence"),
    ],
)
def test_a_point_is_a_curve_on_the_grid(point: Any, words: str) -> None:
    with pytest.raises(OutsideSpaceError, match=words):
        SPACE.code(point)


def test_a_finite_mechanism_takes_curves_as_rows_of_an_array() -> None:
    space = Curves([0, 1, 3], low=0, high=1, step=1)
    mechanism = randomized_response(space, epsilon=60)
    rows = np.array([[0.0, 1, 0], [1, 1, 1]])
    assert (mechanism.sample(rows) == rows).all()
    assert mechanism.sample((0, 1, 0)) == (0, 1, 0)
    assert mechanism.sample(np.empty((0, 3))).shape == (0, 3)
    with pytest.raises(OutsideSpaceError, match="row 2"):
        mechanism.sample(np.array([[0.0, 1, 0], [0.5, 1, 0]]))
