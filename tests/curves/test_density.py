"""Kernel density estimates: sensitivity, shape, errors."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.curves.density import largest_square
from noisewright.errors import (
    InputError,
    OutsideSpaceError,
    ParameterError,
    SpaceError,
    TooLargeError,
)

SPACE = nw.Interval(0, 100, step=0.5)
VALUES = np.concatenate([np.linspace(20, 40, 60), np.linspace(55, 60, 40)])


def estimate(values: np.ndarray, at: np.ndarray, bandwidth: float) -> np.ndarray:
    bumps = np.exp(-((at[:, None] - values) ** 2) / (2 * bandwidth**2))
    return bumps.mean(axis=1) / (bandwidth * math.sqrt(2 * math.pi))


@pytest.mark.parametrize("bandwidth", [2, 5, 30, 400])
def test_the_sensitivity_is_that_of_two_kernels(bandwidth: float) -> None:
    """√(2 − 2k(low, high)) up to what the knots leave out (Hall–Rinaldo–Wasserman 2013)."""
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=bandwidth, epsilon=1, delta=1e-6)
    truth = math.sqrt(-2 * math.expm1(-(100**2) / (2 * bandwidth**2)))
    assert float(mechanism.sensitivity) == pytest.approx(truth, rel=1e-4)


def test_the_largest_distance_is_found_among_all_pairs() -> None:
    table = np.array([[0, 3, -7], [5, 5, 5], [-2, 0, 1], [9, -9, 2]])
    brute = max(sum((a - b) ** 2) for a in table for b in table)
    assert largest_square(table) == brute
    with pytest.raises(ParameterError, match="too long"):
        largest_square(np.array([[1 << 30]]))


@pytest.mark.parametrize("bandwidth", [2, 8])
def test_without_noise_to_speak_of_the_estimate_comes_back(bandwidth: float) -> None:
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=bandwidth, epsilon=10**9, delta=1e-6)
    at = np.linspace(-bandwidth, 100 + bandwidth, 301)
    truth = estimate(SPACE.nearest(VALUES), at, bandwidth)
    released = mechanism.sample(VALUES)
    assert np.abs(released.at(at)[0] - truth).max() < 2e-3 * truth.max()


def test_noise_has_the_deviation_that_is_told() -> None:
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=8, epsilon=1, delta=1e-3)
    source = nw.randomness.SeededSource(5)
    at = [10.0, 50.0, 55.0]
    drawn = np.array([mechanism.sample(VALUES, source=source).at(at)[0] for _ in range(400)])
    told = mechanism.standard_error(at, rows=len(VALUES))
    assert drawn.std(axis=0) == pytest.approx(told, rel=0.15)
    assert np.cov(drawn.T) == pytest.approx(
        mechanism.covariance(at, rows=len(VALUES)), abs=0.2 * float(told.max()) ** 2
    )
    # A path of the process has the deviation of one kernel times the scale, away from the ends.
    height = 1 / (8 * math.sqrt(2 * math.pi) * len(VALUES))
    assert told[1] == pytest.approx(float(mechanism.scale) * height, rel=1e-3)


def test_numbers_come_in_every_form() -> None:
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=8, epsilon=1, delta=1e-3)
    forms: list[Any] = [[1, 2.2], np.array([1, 2], dtype=np.int8), pa.array([1.0, 2.0]), (3, 4)]
    for form in forms:
        assert mechanism.sample(form).values.shape == (1, 201)
    assert mechanism.sample([-5, 300], outside="clamp").at([50]).shape == (1, 1)
    assert mechanism.sample([50]).at([50], clamp=True)[0, 0] >= 0


@pytest.mark.parametrize(
    ("values", "words", "row"),
    [([1, 101.25], "not a point", 1), ([1, math.nan], "not a finite number", 1)],
)
def test_a_wrong_number_is_named_by_its_row(values: list[float], words: str, row: int) -> None:
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=8, epsilon=1, delta=1e-3)
    with pytest.raises(OutsideSpaceError, match=words) as caught:
        mechanism.sample(values)
    assert caught.value.row == row
    assert "101.25" not in str(caught.value)


WRONG: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "space": ({"space": nw.Counts(5)}, SpaceError, "an Interval"),
    "fine": ({"space": nw.Interval(0, 1, step="1e-4")}, TooLargeError, "coarser step"),
    "bandwidth": ({"bandwidth": 0}, ParameterError, "positive"),
    "narrow": ({"bandwidth": 0.01}, ParameterError, "wider one"),
    "delta": ({"delta": 0}, ParameterError, "0 < delta < 1"),
    "epsilon": ({"epsilon": -1}, ParameterError, "at least 0"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_used_is_said(name: str) -> None:
    changed, error, words = WRONG[name]
    options: dict[str, Any] = {"space": SPACE, "bandwidth": 5, "epsilon": 1, "delta": 0.1}
    options |= changed
    with pytest.raises(error, match=words):
        nw.curves.kernel_density(options.pop("space"), **options)


def test_no_numbers_have_no_density() -> None:
    mechanism = nw.curves.kernel_density(SPACE, bandwidth=8, epsilon=1, delta=1e-3)
    for wrong in ([], [[1, 2]], ["a"]):
        with pytest.raises(InputError):
            mechanism.sample(wrong)
    with pytest.raises(InputError, match="at least one"):
        mechanism.standard_error(rows=0)
    assert "bandwidth 8" in repr(mechanism)
