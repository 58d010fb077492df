"""Released values on the grid give back the whole numbers that were released."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import OutsideSpaceError

GRID = nw.Curves(range(24), low=-3, high=1000)
MECHANISMS = {
    "values": nw.curves.curve_noise(GRID, epsilon="0.01"),
    "fourier": nw.curves.curve_noise(GRID, epsilon=8, basis="fourier", coefficients=7),
    "bspline": nw.curves.curve_noise(GRID, epsilon=1000, basis="bspline"),
    "bernstein": nw.curves.curve_noise(GRID, epsilon=1, delta="1e-6", basis="bernstein"),
    "process": nw.gaussian_process(GRID, epsilon=1, delta="1e-6", length=4),
}
CURVES = np.random.default_rng(3).uniform(-3, 1000, (200, 24))


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_numbers_come_back(name: str) -> None:
    mechanism = MECHANISMS[name]
    released = mechanism.sample(CURVES, source=nw.randomness.SeededSource(4))
    forms: list[Any] = [
        released.values,
        pa.array(released.values.tolist()),
        pa.chunked_array([pa.FixedSizeListArray.from_arrays(released.values.reshape(-1), 24)]),
    ]
    for form in forms:
        back = mechanism.recover(form)
        assert (back.numbers == released.numbers).all()
        assert back.values == pytest.approx(released.values)
        assert back.variance == released.variance


@pytest.mark.parametrize("name", [name for name in MECHANISMS if name != "values"])
def test_values_that_were_not_released_are_named_by_row(name: str) -> None:
    mechanism = MECHANISMS[name]
    values = mechanism.sample(CURVES, source=nw.randomness.SeededSource(4)).values.copy()
    values[17, 5] += 1.0
    with pytest.raises(OutsideSpaceError, match="not those of a released curve") as caught:
        mechanism.recover(values)
    assert caught.value.row == 17


def test_values_between_the_whole_numbers_were_not_released() -> None:
    mechanism = MECHANISMS["values"]
    values = mechanism.sample(CURVES, source=nw.randomness.SeededSource(4)).values.copy()
    values[9, 0] += float(mechanism.unit) / 3
    with pytest.raises(OutsideSpaceError, match="row 10"):
        mechanism.recover(values)
    values[9, 0] = np.nan
    with pytest.raises(OutsideSpaceError, match="row 10"):
        mechanism.recover(values)
