"""Lines against n or alpha: series, panels, repetitions."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from noisewright.errors import InputError
from noisewright.report import loss_curves
from noisewright.report.charts.loss_curves import read_points
from noisewright.report.charts.series import COLORS, DASHES, SHAPES, ranges
from tests.report.rendering import drawn, texts


def rows(**more: Any) -> list[dict[str, Any]]:
    return [
        {"n": n, "mechanism": name, "loss": 1 - slope / n, **more}
        for name, slope in (("GM", 0.5), ("EM", 0.25))
        for n in range(1, 9)
    ]


def test_there_is_a_line_for_each_series_with_its_own_color_dash_and_shape() -> None:
    svg = drawn(loss_curves(rows(), x="n", y="loss", color="mechanism", title="Loss"))
    assert svg.count('aria-roledescription="line mark"') == 2
    assert svg.count('aria-roledescription="point"') == 16
    assert {"Loss", "n", "loss", "mechanism", "GM", "EM"} <= set(texts(svg))
    assert 'stroke="#0072B2"' in svg
    assert 'stroke="#D55E00" stroke-width="1.5" stroke-dasharray="7,3"' in svg


def test_whole_numbers_get_whole_ticks() -> None:
    short = [row for row in rows() if row["n"] <= 2]
    written = texts(drawn(loss_curves(short, x="n", y="loss", color="mechanism")))
    assert written.count("1") == written.count("2") == 1


def test_repetitions_become_a_mean_and_its_standard_error() -> None:
    repeated = [{"p": 0.5, "m": "GM", "y": y} for y in (1.0, 2.0, 3.0, 6.0)]
    points = read_points(repeated, x="p", y="y", color="m")
    assert points.means == (3.0,)
    deviation = math.sqrt((4 + 1 + 0 + 9) / 3)
    assert points.errors == pytest.approx((deviation / 2,))


def test_error_bars_are_drawn_where_they_are_given() -> None:
    chart = loss_curves(rows(se=0.01), x="n", y="loss", color="mechanism", error="se")
    assert drawn(chart).count('aria-roledescription="rule mark"') == 16
    plain = loss_curves(rows(), x="n", y="loss", color="mechanism")
    assert drawn(plain).count('aria-roledescription="rule mark"') == 0


def test_panels_are_laid_out_by_columns_and_rows() -> None:
    panels = [row for p in (0.1, 0.7) for a in ("10/11", "2/3") for row in rows(p=p, alpha=a)]
    chart = loss_curves(panels, x="n", y="loss", color="mechanism", column="p", row="alpha")
    svg = drawn(chart)
    assert {"p = 0.1", "p = 0.7", "alpha = 10/11", "alpha = 2/3"} <= set(texts(svg))
    assert svg.count('aria-roledescription="line mark"') == 8
    apart = loss_curves(
        panels, x="n", y="loss", color="mechanism", column="p", row="alpha", shared_y=False
    )
    assert apart.to_dict()["resolve"]["scale"] == {"y": "independent"}


def test_long_lines_have_few_markers() -> None:
    long = [{"n": n, "m": "GM", "loss": 1 / n} for n in range(1, 101)]
    svg = drawn(loss_curves(long, x="n", y="loss", color="m"))
    assert 10 <= svg.count('aria-roledescription="point"') <= 27


def test_names_may_hold_what_means_something_to_vega() -> None:
    odd = [{"L0,1 [a.b]": 1, "x:Q": k, "it's": 'the "best"'} for k in range(3)]
    svg = drawn(loss_curves(odd, x="x:Q", y="L0,1 [a.b]", color="it's"))
    assert {"x:Q", "L0,1 [a.b]"} <= set(texts(svg))


def test_numbers_of_any_kind_are_taken() -> None:
    mixed = [
        {"x": np.int64(1), "m": np.str_("GM"), "y": Fraction(1, 2)},
        {"x": np.float64(2), "m": "GM", "y": np.float32(0.5)},
    ]
    assert read_points(mixed, x="x", y="y", color="m").means == (0.5, 0.5)


def test_words_can_stand_along_the_axis() -> None:
    words = [{"target": t, "m": "GM", "y": k} for k, t in enumerate(["young", "income"])]
    written = texts(drawn(loss_curves(words, x="target", y="y", color="m")))
    assert written.index("young") < written.index("income")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no rows to draw"),
        ([{"n": 1, "m": "GM"}], "row 0 has 'y' = None"),
        ([{"n": 1, "m": "GM", "y": float("nan")}], "row 0 has 'y' = nan; a chart needs finite"),
        ([{"n": 1, "m": "GM", "y": "high"}], "row 0 has 'y' = 'high'"),
        ([{"n": math.inf, "m": "GM", "y": 1}], "row 0 has 'n' = inf"),
        ([{"m": "GM", "y": 1}], "row 0 has no 'n'; it has 'm', 'y'"),
        ([(1, "GM", 1)], "row 0 is a tuple; it must map names to values"),
    ],
)
def test_rows_that_cannot_be_drawn_are_named(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        loss_curves(given, x="n", y="y", color="m")


def test_error_bars_and_repetitions_do_not_mix() -> None:
    twice = [{"n": 1, "m": "GM", "y": 1, "se": 0.1}] * 2
    with pytest.raises(InputError, match="row 1 repeats an earlier one"):
        loss_curves(twice, x="n", y="y", color="m", error="se")


def test_no_two_of_five_hundred_series_look_the_same() -> None:
    scales = ranges([str(k) for k in range(500)])
    looks = zip(
        *(map(str, scales[kind]["range"]) for kind in ("color", "dash", "shape")), strict=True
    )
    assert len(set(looks)) == 500
    assert math.lcm(len(COLORS), len(DASHES), len(SHAPES)) == 504
