"""Answers as estimates and charts: the same numbers, and nothing where there is no value."""

from __future__ import annotations

import math

import pytest

import noisewright as nw
from noisewright.errors import ParameterError

ROWS = {"sex": ["F", "M"] * 300, "hours": [20, 40] * 300}


def answer(condition: bool) -> nw.results.Answer:
    people = nw.Private(ROWS, columns={"sex": ["F", "M"], "hours": nw.Counts(60)}, ledger=None)
    asked = people if condition else people.filter(nw.col("hours") > 50)
    return asked.group_by("sex").agg(n=nw.count(), h=nw.col("hours").mean()).release(epsilon=10)


def test_a_chart_shows_the_values_and_their_intervals() -> None:
    found = answer(condition=True)
    shown = found.estimate("h")
    assert [axis.labels for axis in shown.axes] == [["F", "M"]]
    assert shown.values.tolist() == found.table["h"].to_pylist()
    assert shown.lows.tolist() == found.intervals()["h_low"].to_pylist()
    drawn = str(found.chart("h").to_dict())
    assert all(str(value) in drawn for value in found.table["h"].to_pylist())
    assert found.estimate().what == "n"
    with pytest.raises(ParameterError, match="the answer has n, h"):
        found.chart("hours")


def test_a_group_that_looks_empty_has_no_value() -> None:
    shown = answer(condition=False).estimate("h")
    for value, low, high in zip(shown.values, shown.lows, shown.highs, strict=True):
        assert math.isnan(value) or low <= value <= high
