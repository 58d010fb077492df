"""Gaps over the whole range of alpha at sizes where far tails are far below any tolerance."""

from typing import Any

import pytest

import noisewright as nw

HARD: list[dict[str, Any]] = [
    {"loss": "L1", "goal": "worst"},
    {"loss": "L1", "goal": "worst", "properties": "WH,RM,CM"},
    {"loss": "L2", "goal": "worst", "properties": "all"},
    {"loss": "L2", "properties": "all"},
    {"loss": "L1", "properties": "CM", "prior": "falling"},
    {"loss": "L0,1", "properties": "WH,RH"},
]


@pytest.mark.parametrize("alpha", ["0.05", "0.1", "0.2", "0.6", "0.995"])
@pytest.mark.parametrize("number", range(len(HARD)))
def test_thirty_people_within_a_billionth(alpha: str, number: int) -> None:
    keywords = dict(HARD[number])
    if keywords.get("prior") == "falling":
        keywords["prior"] = [2 * (31 - j) / (31 * 32) for j in range(31)]
    found = nw.design(nw.Counts(30), alpha=alpha, **keywords)
    assert found.gap <= 1e-9
    assert (found.mechanism.weights > 0).all()
    assert nw.verify(found.mechanism, alpha=alpha).holds


@pytest.mark.parametrize("alpha", ["0.05", "0.7"])
def test_fifty_people_within_a_millionth(alpha: str) -> None:
    found = nw.design(nw.Counts(50), alpha=alpha, loss="L1", goal="worst", properties="all")
    assert found.gap <= 1e-6
    assert nw.verify(found.mechanism, alpha=alpha).holds


@pytest.mark.slow
def test_one_hundred_people_within_a_millionth() -> None:
    found = nw.design(nw.Counts(100), alpha="0.9", properties="WH,RM,CM")
    assert found.gap <= 1e-6
    assert (found.mechanism.weights > 0).all()
    assert nw.verify(found.mechanism, alpha="0.9").holds


def test_closed_forms_for_three_hundred_people() -> None:
    for keywords in ({}, {"properties": "F"}, {"goal": "worst"}):
        found = nw.design(nw.Counts(300), alpha="0.9", **keywords)
        assert found.route.startswith("closed form")
        assert found.gap <= 1e-9
