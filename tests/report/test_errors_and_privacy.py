"""Histograms of errors, tails, and privacy curves."""

from typing import Any

import pytest

import noisewright as nw
from noisewright.report import error_histogram, privacy_curve, tail_profile
from tests.report.rendering import drawn, texts

Trio = dict[str, nw.Mechanism]


def records(chart: Any) -> list[dict[str, Any]]:
    return chart.to_dict()["data"]["values"]


def test_each_error_has_a_bar_for_each_mechanism(trio: Trio) -> None:
    chart = error_histogram(trio, title="Errors")
    assert drawn(chart).count('aria-roledescription="bar"') == 3 * 17
    for name in trio:
        masses = [r["probability"] for r in records(chart) if r["mechanism"] == name]
        assert sum(masses) == pytest.approx(1)


def test_bars_follow_the_distribution_of_the_inputs() -> None:
    space = nw.Counts(2)
    certain = error_histogram({"UM": nw.uniform(space)}, [1, 0, 0])
    masses = {r["error"]: r["probability"] for r in records(certain)}
    assert masses == pytest.approx({-2: 0, -1: 0, 0: 1 / 3, 1: 1 / 3, 2: 1 / 3})


def test_minus_signs_and_zero_are_on_the_axis() -> None:
    space = nw.Interval(0, 1, step=0.1)
    chart = error_histogram({"RR": nw.randomized_response(space, epsilon=2)})
    assert {"−1", "−0.5", "0", "0.5", "1"} <= set(texts(drawn(chart)))


def test_many_errors_are_drawn_as_outlines_without_empty_ends() -> None:
    space = nw.Counts(100)
    both = {"GM": nw.geometric(space, alpha="0.8"), "EM": nw.explicit_fair(space, alpha="0.8")}
    chart = error_histogram(both)
    svg = drawn(chart)
    assert svg.count('aria-roledescription="line mark"') == 2
    assert svg.count('aria-roledescription="bar"') == 0
    shown = {r["error"] for r in records(chart)}
    assert 0 in shown
    assert 60 < len(shown) < 120


def test_tails_fall_from_the_chance_of_any_error_to_zero(trio: Trio) -> None:
    chart = tail_profile(trio, title="Tails")
    for name, mechanism in trio.items():
        tails = [r["y"] for r in records(chart) if r["series"] == name]
        assert tails == sorted(tails, reverse=True)
        assert tails[0] == pytest.approx(1 - mechanism.matrix.trace() / 9)
        assert tails[-1] == 0
    assert {"distance d", "probability of an error beyond d"} <= set(texts(drawn(chart)))


def test_errors_need_numbers() -> None:
    colors = nw.randomized_response(nw.Categories(["red", "blue"]), epsilon=1)
    with pytest.raises(nw.errors.InputError, match="numbers"):
        error_histogram({"RR": colors})


def test_privacy_curves_pass_through_the_least_deltas_and_mark_the_bends(trio: Trio) -> None:
    chart = privacy_curve(trio, title="Privacy")
    for name, mechanism in trio.items():
        curve = nw.profile(mechanism)
        points = [r for r in records(chart) if r["mechanism"] == name]
        assert all(r["delta"] == curve.delta(r["epsilon"]) for r in points)
        marked = [r["epsilon"] for r in points if r["knot"]]
        assert marked == [knot for knot in curve.knots if knot > 0]
    svg = drawn(chart)
    assert {"least δ", "GM", "EM", "UM"} <= set(texts(svg))
    assert "<tspan>ε</tspan>" in svg
    assert "for moving the input by one step to the next value</tspan>" in svg
    assert {r["unit"] for r in records(chart)} == {str(trio["GM"].space.unit)}


def test_a_privacy_curve_may_end_anywhere(trio: Trio) -> None:
    chart = privacy_curve(trio, largest_epsilon=0.05)
    assert max(r["epsilon"] for r in records(chart)) == 0.05


@pytest.mark.parametrize("end", [0, -1, float("nan"), float("inf")])
def test_the_end_of_the_axis_is_a_positive_number(trio: Trio, end: float) -> None:
    with pytest.raises(nw.errors.ParameterError, match="largest_epsilon"):
        privacy_curve(trio, largest_epsilon=end)


def test_nothing_given_away_is_a_line_at_the_bottom() -> None:
    chart = privacy_curve({"UM": nw.uniform(nw.Counts(3))})
    assert {r["delta"] for r in records(chart)} == {0}
    assert texts(drawn(chart)).count("1.0") == 2
