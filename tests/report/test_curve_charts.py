"""Curves with bands."""

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.report import curve_bands
from tests.report.rendering import drawn, texts

SPACE = nw.Curves(range(6), low=0, high=10)
RELEASE = nw.curves.curve_noise(SPACE, epsilon=5).mean(np.full((100, 6), 4.0))


def areas(svg: str) -> int:
    return svg.count('aria-roledescription="area mark"')


def test_a_band_is_an_area_and_a_line_with_a_legend() -> None:
    truth = (range(6), [4.0] * 6)
    svg = drawn(
        curve_bands(
            {"released": RELEASE.band()}, lines={"truth": truth}, title="Days", y_title="kW"
        )
    )
    assert areas(svg) == 1
    assert svg.count('aria-roledescription="line mark"') == 2
    assert {"released", "truth", "kW", "position", "Days"} <= set(texts(svg))


def test_each_band_has_its_area() -> None:
    bands = {"narrow": RELEASE.band(level=0.5), "wide": RELEASE.band(level=0.99)}
    assert areas(drawn(curve_bands(bands))) == 2


def test_one_position_is_a_point_and_a_bar() -> None:
    one = nw.curves.curve_noise(nw.Curves([3], low=0, high=1), epsilon=1).mean([[0.5]])
    svg = drawn(curve_bands({"released": one.band()}))
    assert 'aria-roledescription="rule mark"' in svg
    assert 'aria-roledescription="point"' in svg


def test_lines_alone_are_fine() -> None:
    assert areas(drawn(curve_bands({}, lines={"truth": ([0, 1], [2, 3])}))) == 0


def test_what_cannot_be_drawn_is_said() -> None:
    with pytest.raises(InputError, match="at least one"):
        curve_bands({})
    with pytest.raises(InputError, match="equally many"):
        curve_bands({}, lines={"truth": ([0, 1], [2])})
    with pytest.raises(InputError, match="'a' names a band and a line"):
        curve_bands({"a": RELEASE.band()}, lines={"a": ([0, 1], [2, 3])})
