"""`noisewright ledger`: budgets from the command line."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program


@pytest.fixture
def survey(noisewright: Program, tmp_path: Path) -> Path:
    """A ledger with a grant, in the folder where the program runs."""
    (tmp_path / "survey.csv").write_text("a\n1\n", encoding="utf-8")
    assert noisewright("ledger", "create", "b.db").code == 0
    said = noisewright(
        *("ledger", "grant", "b.db", "survey", "--epsilon", "2", "--delta", "1e-6"),
        *("--data", "survey.csv", "--why", "the board", "--who", "ann"),
    )
    assert said.code == 0, said
    assert said.out == (
        "survey: epsilon=2, delta=1e-6 left of epsilon=2, delta=1e-6 (the "
        "first spend decides what counts as a person).\n"
    )
    return tmp_path / "b.db"


def test_show_and_history_for_people_and_machines(noisewright: Program, survey: Path) -> None:
    ledger = nw.Ledger.open(survey)
    with ledger.spend("survey", nw.accounting.Guarantee("1/2"), what="ages", certificate="ab" * 32):
        pass
    ledger.spend("survey", nw.accounting.Guarantee(alpha="1/3"), what="jobs")
    said = noisewright("ledger", "show", "b.db")
    assert said.code == 0
    (left,) = (line for line in said.out.splitlines() if " left  " in line)
    assert [cell.strip() for cell in left.split("│")][1:] == ["left", "0.401387711331", "1e-6"]
    assert "reserved in entry 5" in said.out
    assert f"Head: {ledger.head}" in said.out
    answer = noisewright("ledger", "show", "b.db", "survey", "--json").json
    (dataset,) = answer["datasets"]
    assert answer["head"] == ledger.head
    assert dataset["granted"]["exact"] == {"epsilon": "2", "delta": "1/1000000"}
    assert dataset["left"]["epsilon"] == pytest.approx(1.5 - 1.0986122886681098)
    assert dataset["reserved"] == [5]
    lines = noisewright("ledger", "history", "b.db", "survey").out.splitlines()
    assert len(lines) == 5
    assert lines[0].endswith("UTC ann: register survey: survey.csv")
    assert lines[2].endswith(
        "spend survey epsilon=0.5, each row is a person (released): ages [certificate "
        "abababababab…]"
    )
    entries = noisewright("ledger", "history", "b.db", "--json").json["entries"]
    assert [entry["state"] for entry in entries] == [None, None, "released", None, "reserved"]


def test_a_crashed_spend_is_wasted_by_hand(noisewright: Program, survey: Path) -> None:
    nw.Ledger.open(survey).spend("survey", nw.accounting.Guarantee(1), what="crashed")
    assert "remains spent" in noisewright("ledger", "waste", "b.db", "3", "--why", "crash").out
    again = noisewright("ledger", "waste", "b.db", "3")
    assert again.code == 2
    assert "is wasted already" in again.err
    assert nw.Ledger.open(survey).remaining("survey").epsilon.rational == 1


def test_a_second_file_is_registered_without_a_grant(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    (tmp_path / "june.csv").write_text("a\n2\n", encoding="utf-8")
    assert noisewright("ledger", "grant", "b.db", "survey", "--data", "june.csv").code == 0
    ledger = nw.Ledger.open(survey)
    assert ledger.find(tmp_path / "june.csv") == "survey"
    assert ledger.remaining("survey").epsilon.rational == 2
    said = noisewright(
        "ledger", "grant", "b.db", "other", "--data", "june.csv", "-e", "1", "--json"
    )
    assert said.code == 2
    assert "draws on the budget of 'survey'" in said.json["error"]


def test_export_and_verify(noisewright: Program, survey: Path, tmp_path: Path) -> None:
    head = noisewright("ledger", "export", "b.db", "-o", "l.jsonl", "--json").json["head"]
    lines = (tmp_path / "l.jsonl").read_text(encoding="utf-8").splitlines()
    assert json.loads(lines[-1])["kind"] == "grant"
    assert noisewright("ledger", "verify", "b.db").code == 0
    assert noisewright("ledger", "verify", "b.db", "--head", head, "--json").json["holds"] is True
    assert noisewright("ledger", "verify", "b.db", "--head", "9" + head).code == 1
    assert noisewright("ledger", "verify", "b.db", "--head", "x").code == 2
    with closing(sqlite3.connect(survey)) as database:
        database.execute("DROP TRIGGER noisewright_entries_no_update")
        database.execute("UPDATE noisewright_entries SET epsilon = '20' WHERE sequence = 2")
        database.commit()
    said = noisewright("ledger", "verify", "b.db")
    assert said.code == 1
    assert "entry 2" in said.out
    answer = noisewright("ledger", "verify", "b.db", "--json")
    assert (answer.code, answer.json["entry"]) == (1, 2)
    assert noisewright("ledger", "show", "b.db").code == 2


def test_a_key_in_a_file(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("ab" * 32 + "\n", encoding="ascii")
    (tmp_path / "survey.csv").write_text("a\n", encoding="utf-8")
    assert noisewright("ledger", "create", "b.db", "--key-file", "key").code == 0
    grant = ("ledger", "grant", "b.db", "survey", "-e", "1", "--data", "survey.csv")
    without = noisewright(*grant)
    assert without.code == 2
    assert "key=" in without.err
    assert noisewright(*grant, "--key-file", "key").code == 0
    (tmp_path / "key").write_bytes(b"\xff\xfe")
    assert noisewright(*grant, "--key-file", "key").code == 2


@pytest.mark.parametrize("verb", ["show", "history", "verify"])
def test_a_ledger_that_is_not_there(verb: str, noisewright: Program, tmp_path: Path) -> None:
    said = noisewright("ledger", verb, "nowhere.db")
    assert said.code == 2
    assert "noisewright ledger create nowhere.db" in said.err
    assert list(tmp_path.iterdir()) == []


def test_the_help_shows_examples(noisewright: Program) -> None:
    lines = [line.strip() for line in noisewright("ledger", "--help").out.splitlines()]
    start = lines.index("Examples:")
    assert all(line.startswith("noisewright ledger") for line in lines[start + 1 : start + 5])


def test_the_unit_is_said_when_a_budget_is_granted_and_shown_everywhere(
    noisewright: Program, survey: Path
) -> None:
    grant = ("ledger", "grant", "b.db", "visits", "--epsilon", "5", "--person", "patient")
    assert noisewright(*grant, "--rows", "3").code == 0
    nw.Ledger.open(survey).spend("visits", nw.accounting.Guarantee(1), what="wards")
    said = noisewright("ledger", "show", "b.db", "visits").out
    assert "a person is all rows with the same 'patient', at most 3 rows" in said
    answer = noisewright("ledger", "show", "b.db", "visits", "--json").json
    unit = {"person": "patient", "rows": 3, "change": "replace"}
    assert answer["datasets"][0]["unit"] == unit
    line = noisewright("ledger", "history", "b.db", "visits").out.splitlines()[-1]
    assert "epsilon=3, a person is all rows" in line
    assert "epsilon=1 for each of 3 rows" in line
    refused = noisewright("ledger", "grant", "b.db", "visits", "--rows", "1")
    assert refused.code != 0
    assert "cannot be changed" in refused.err
    noisewright("ledger", "export", "b.db", "-o", "out.csv")
    assert '""person"":""patient""' in (survey.parent / "out.csv").read_text(encoding="utf-8")


def test_a_budget_for_adding_or_removing_people(noisewright: Program) -> None:
    noisewright("ledger", "create", "b.db")
    words = ("ledger", "grant", "b.db", "clinic", "--epsilon", "2", "--rows", "1")
    said = noisewright(*words, "--change", "add or remove").out
    assert "each row is a person, and people are added or removed" in said
    answer = noisewright("ledger", "show", "b.db", "--json").json
    assert answer["datasets"][0]["unit"]["change"] == "add or remove"
    assert noisewright(*words, "--change", "add").code == 2


def test_a_budget_in_rho_is_granted_and_shown(noisewright: Program, tmp_path: Path) -> None:
    noisewright("ledger", "create", "b.db")
    grant = ("ledger", "grant", "b.db", "clinic", "--rho", "1/2", "--rows", "1")
    assert noisewright(*grant).out == ("clinic: rho=0.5 left of rho=0.5 (each row is a person).\n")
    part = nw.accounting.Partition("region", ["north", "south"]).part("south")
    nw.Ledger.open(tmp_path / "b.db").spend(
        "clinic",
        nw.accounting.Guarantee(1, "1e-6"),
        what="ages",
        rho="1/16",
        change="add or remove",
        part=part,
    )
    said = noisewright("ledger", "show", "b.db", "--delta", "1e-5").out
    lines = [line.split("│") for line in said.splitlines()]
    cells = {row[1].strip(): [cell.strip() for cell in row[2:]] for row in lines if len(row) == 4}
    epsilon = nw.accounting.ZeroConcentrated("1/4").epsilon("1e-5")
    kind, shown, *delta = cells["spent"][1].split()
    assert (cells["spent"][0], kind, delta) == ("rho 0.25", "epsilon", ["at", "1e-5"])
    assert epsilon <= float(shown) <= epsilon * 1.0001
    assert cells["granted"][0] == "rho 0.5"
    answer = noisewright("ledger", "show", "b.db", "--json").json["datasets"][0]
    assert answer["left"] == {"rho": 0.25, "exact": {"rho": "1/4"}}
    assert answer["spent"]["implies"]["epsilon"] > epsilon
    line = noisewright("ledger", "history", "b.db").out.splitlines()[-1]
    assert "spend clinic rho=0.25 in the part 'south' of region, each row is a person" in line
    assert (
        "rho=0.0625 for adding or removing one row in the part 'south' of region, 2 steps" in line
    )
    refused = noisewright("ledger", "grant", "b.db", "clinic", "--epsilon", "1")
    assert refused.code != 0
    assert "one currency" in refused.err
    noisewright("ledger", "export", "b.db", "-o", "out.csv")
    assert ",rho\n" in (tmp_path / "out.csv").read_text(encoding="utf-8")
