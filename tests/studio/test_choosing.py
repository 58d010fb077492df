"""Stops of the slider are predicted ahead, by `advise` itself, and stay after a restart."""

import time
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.studio.choosing import STOPS, AdviceDesk, Study, attacker
from tests.studio.conftest import TABLE, RunningStudio

PLAN = 'version = 1\nepsilon = 1\n[columns.job]\nspace = "categories"\nlabels = ["a", "b", "c"]\n'


def wait(desk: AdviceDesk, key: str, stop: str) -> dict[str, Any]:
    end = time.monotonic() + 120
    while time.monotonic() < end:
        found = desk.look(key)
        if stop in found["ready"]:
            return found["ready"][stop]
        time.sleep(0.1)
    raise AssertionError("nothing was predicted")


def test_a_stop_says_what_advise_says(tmp_path: Path) -> None:
    desk, study = AdviceDesk(tmp_path), Study(PLAN, 1000, "1e-9")
    try:
        assert desk.open(study, epsilon="0.5")["stops"] == list(STOPS)
        made = wait(desk, study.key, "0.5")
        said = nw.advise(nw.Plan.from_toml(PLAN), epsilon="0.5", delta="1e-9", rows=1000)
        assert made["lines"] == said.lines()
        assert made["verdict"] == said.verdict
        assert made["recommended"] == said.recommended
        # One that nobody foresaw becomes a stop, at its place.
        assert "0.8" in desk.look(study.key, epsilon="0.8")["stops"]
        assert wait(desk, study.key, "0.8")["epsilon"] == "0.8"
    finally:
        desk.close()
    again = AdviceDesk(tmp_path)
    try:
        known = again.open(study, epsilon="0.5")
        assert known["ready"]["0.5"] == made
    finally:
        again.close()


def test_the_budget_of_the_plan_does_not_matter_but_its_columns_do() -> None:
    study = Study(PLAN, 1000, "1e-9")
    assert Study(PLAN.replace("epsilon = 1", "epsilon = 3"), 1000, "1e-9").key == study.key
    assert Study(PLAN.replace('"c"', '"d"'), 1000, "1e-9").key != study.key
    assert Study(PLAN, 1001, "1e-9").key != study.key


@pytest.mark.parametrize(("epsilon", "after"), [("1", "0.74"), ("0.1", "0.53"), ("8", "0.9997")])
def test_beliefs_are_those_of_the_promise(epsilon: str, after: str) -> None:
    assert attacker(epsilon, "0")["after"] == after


def test_odd_numbers_are_refused(studio: RunningStudio) -> None:
    with studio.browser() as client:
        studio.plan(client)
        for odd in ("0", "-1", "nan", "much", "1e999999999"):
            wanted = {"plan": "plan.toml", "table": TABLE, "epsilon": odd}
            assert client.post("/api/advice", json=wanted).status_code in (200, 400), odd
            assert client.get("/api/attacker", params={"epsilon": odd}).status_code in (200, 400)
        wanted = {"plan": "plan.toml", "table": TABLE, "questions": ["nonsense"]}
        assert client.post("/api/advice", json=wanted).status_code in (200, 400)
        assert client.get("/api/advice/unknown").status_code == 404
