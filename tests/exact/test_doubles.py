"""Doubles: exact when looked at, and errors within what is promised when not."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from noisewright.exact import Doubles, exp_bounds
from noisewright.exact.doubles import falling_powers

FLOATS = st.floats(-1e100, 1e100) | st.floats(-1, 1) | st.integers(-50, 50).map(float)
FACTORS = st.fractions("1/1000000000", 10**9).filter(bool) | st.floats(1e-100, 1e100).map(Fraction)


@pytest.mark.parametrize(
    "given_values",
    [
        pytest.param([0.1, -0.0, 1e300 / 1e200, 5e-324], id="floats"),
        pytest.param([7, 0.5, -(2**53) + 1], id="whole numbers among them"),
        pytest.param(np.array([0.1, 7], dtype=np.float32), id="short floats"),
        pytest.param(np.array([-3, 9], dtype=np.int8), id="short integers"),
    ],
)
def test_doubles_are_the_fractions_they_are(given_values: list[float]) -> None:
    read = Doubles.read(given_values)
    assert read is not None
    exact = tuple(Fraction(value) for value in np.asarray(given_values).tolist())
    assert read == exact
    assert exact == read
    assert [read[place] for place in range(len(read))] == list(exact)
    assert read[1:] == exact[1:]
    assert hash(read) == hash(exact)
    assert read != exact[1:]
    assert str(exact[0]) not in repr(read)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param([0.5, float("nan")], id="no number"),
        pytest.param([0.5, float("inf")], id="infinite"),
        pytest.param([0.5, 1e300], id="so large that products overflow"),
        pytest.param([0.5, 2**53 + 1], id="a whole number that is no double"),
        pytest.param([0.5, 10**400], id="far beyond doubles"),
        pytest.param([0.5, True], id="a truth"),
        pytest.param([0.5, "0.1"], id="a text"),
        pytest.param([0.5, Fraction(1, 3)], id="a fraction"),
        pytest.param(np.array([[0.5]]), id="a matrix"),
        pytest.param(np.array([0.5], dtype=np.longdouble), id="long doubles"),
        pytest.param(np.array([True]), id="an array of truths"),
        pytest.param(np.array([2**63], dtype=np.uint64), id="long unsigned integers"),
    ],
)
def test_what_is_no_double_is_not_taken_for_one(other: list[float]) -> None:
    assert Doubles.read(other) is None


@given(st.lists(FLOATS, min_size=1, max_size=20), FACTORS)
def test_depths_are_as_near_as_promised(values: list[float], factor: Fraction) -> None:
    read = Doubles.read(values)
    assert read is not None
    depths = read.depths(factor)
    assert depths is not None
    for value, depth in zip(values, depths.tolist(), strict=True):
        truth = factor * (max(map(Fraction, values)) - Fraction(value))
        assert abs(Fraction(depth) - truth) <= max(truth / 2**51, Fraction(1, 2**1000))
        assert depth == 0 or truth > 0


@pytest.mark.parametrize("power", [-600, 600])
def test_extreme_factors_are_left_to_others(power: int) -> None:
    assert Doubles(np.array([0.5])).depths(Fraction(2) ** power) is None


@given(
    st.lists(
        st.floats(0, 256)
        | st.integers(0, 1 << 16).map(lambda i: i / 256)
        | st.integers(1, 1 << 16).map(lambda i: float(np.nextafter(i / 256, 0)))
        | st.floats(0, 1e-5),
        min_size=1,
    )
)
def test_powers_are_as_near_as_promised(depths: list[float]) -> None:
    for x, power in zip(depths, falling_powers(np.array(depths)).tolist(), strict=True):
        low, high = (Fraction(bound, 1 << 500) for bound in exp_bounds(-Fraction(x), 500))
        assert low * (1 - Fraction(1, 2**49)) < Fraction(power) < high * (1 + Fraction(1, 2**49))


def test_the_ends_of_powers() -> None:
    assert falling_powers(np.array([0.0, 256.0, np.nextafter(256, 300), 1e300])).tolist() == [
        1,
        pytest.approx(np.exp(-256), rel=1e-14),
        0,
        0,
    ]


def test_what_a_mask_hides_is_no_double() -> None:
    hidden = np.ma.MaskedArray([1.0, 2.0], mask=[True, False])
    assert Doubles.read(hidden) is None
