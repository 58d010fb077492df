"""Estimates as dots on their intervals."""

from dataclasses import replace

import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import InputError
from noisewright.report import estimate_chart
from tests.report.rendering import drawn, texts

COLORS = nw.Categories(["red", "green", "blue"])
RESPONSE = nw.randomized_response(COLORS, epsilon=2)
ONE = nw.estimate({"red": 50, "green": 30, "blue": 20}, RESPONSE, about="people")
TWO = nw.estimate(
    {"color": ["red", "blue"], "size": [0, 2]},
    nw.combine.product(color=RESPONSE, size=nw.geometric(nw.Counts(2), epsilon=1)),
    show="all",
)


def test_each_answer_is_a_dot_on_its_interval() -> None:
    svg = drawn(estimate_chart(ONE, title="Colors"))
    assert svg.count('aria-roledescription="point"') == 3
    assert svg.count('aria-roledescription="rule mark"') == 3
    assert svg.count('aria-roledescription="tick"') == 0
    words = texts(svg)
    assert {"Colors", "red", "green", "blue"} <= set(words)
    assert words.index("red") < words.index("green") < words.index("blue")
    assert any("these people, with 95% intervals" in word for word in words)


def test_the_truth_is_a_bar_across() -> None:
    chart = estimate_chart(ONE, truth=[0.5, 0.3, 0.2])
    svg = drawn(chart)
    assert svg.count('aria-roledescription="tick"') == 3
    assert {"estimate", "truth"} <= set(texts(svg))


def test_counts_are_people() -> None:
    rows = estimate_chart(ONE, counts=True).to_dict()["data"]["values"]
    assert [row["estimate"] for row in rows] == pytest.approx((100 * ONE.values).tolist())


def test_a_table_has_a_panel_for_each_label_of_its_first_axis() -> None:
    svg = drawn(estimate_chart(TWO, truth=np.full((3, 3), 1 / 9)))
    assert svg.count('aria-roledescription="point"') == 9
    words = texts(svg)
    assert {"color", "red", "green", "blue"} <= set(words)


def test_what_cannot_be_drawn() -> None:
    with pytest.raises(InputError, match="says nothing about these 9 shares"):
        estimate_chart(replace(TWO, shows_all=False))
    with pytest.raises(InputError, match=r"\(2,\)"):
        estimate_chart(ONE, truth=[0.5, 0.5])
    with pytest.raises(InputError, match="0 axes"):
        estimate_chart(ONE["red"])
    many = nw.estimate([1], nw.randomized_response(nw.Counts(200), epsilon=1), show="all")
    with pytest.raises(InputError, match=r"top\(100\)"):
        estimate_chart(many)
    assert estimate_chart(many.top(100)) is not None
