"""`noisewright continual`, as a user types it."""

import csv
import json
from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program

CREATE = ("continual", "create", "cases.count", "--steps", "9", "--epsilon", "1")
PAID = ("--ledger", "budget.db", "--dataset", "clinic")


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    made = nw.Ledger.create(tmp_path / "budget.db")
    made.grant("clinic", epsilon=1, rows=1)
    return made


def test_a_count_from_its_creation_to_a_file(
    noisewright: Program, ledger: nw.Ledger, tmp_path: Path
) -> None:
    said = noisewright(*CREATE, *PAID)
    assert said.code == 0, said
    assert "9 steps for epsilon=1, for replacing the row of one person" in said.out
    assert ledger.balance("clinic").left.epsilon.rational == 0
    empty = noisewright("continual", "show", "cases.count")
    assert empty.code == 0, empty
    assert "0 of 9 steps published" in empty.out
    for day in (1, 2):
        added = noisewright("continual", "add", "cases.count", "17", "--label", f"day {day}")
        assert added.code == 0, added
        assert f"step {day} (day {day}): " in added.out
    twice = noisewright("continual", "add", "cases.count", "17", "--step", "2")
    assert twice.code == 2
    assert "the next step is 3" in twice.err
    shown = noisewright("continual", "show", "cases.count", "-o", "cases.csv", "--json")
    assert len(json.loads(shown.out)["rows"]) == 2
    with open(tmp_path / "cases.csv", encoding="utf-8", newline="") as file:
        assert [row["label"] for row in csv.DictReader(file)] == ["day 1", "day 2"]
    assert noisewright(*CREATE, *PAID).code == 2


@pytest.mark.parametrize("change", ["replace", "add or remove"])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "20"])
def test_a_count_of_which_nothing_is_published_is_shown(
    noisewright: Program, change: str, epsilon: str
) -> None:
    options = ("--steps", "40", "--epsilon", epsilon, "--change", change, "--without-ledger")
    assert noisewright("continual", "create", "c", *options).code == 0
    shown = noisewright("continual", "show", "c", "--json")
    assert shown.code == 0, shown
    assert json.loads(shown.out)["rows"] == []


def test_predictions_cost_nothing_and_wrong_words_are_refused(noisewright: Program) -> None:
    told = noisewright("continual", "predict", "--steps", "90", "--epsilon", "1", "--json")
    assert len(json.loads(told.out)["steps"]) == 90
    alone = ("--without-ledger",)
    assert "--person" in noisewright(*CREATE, *alone, "--rows", "3").err
    assert "never replaced" in noisewright(*CREATE, *alone, "--overwrite").err
    assert noisewright("continual", "add", "none.count", "1").code == 2
    assert "ledger" in noisewright(*CREATE).err
