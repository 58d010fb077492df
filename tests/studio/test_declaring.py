"""What a browser learns of a table is names and types; what it declares becomes a plan."""

from fractions import Fraction
from typing import Any

import pytest

import noisewright as nw
from noisewright.studio.declaring import _amount
from tests.studio.conftest import SECRET, TABLE, RunningStudio

HOSTILE = "<img src=x onerror=alert(1)>"


def test_names_are_read_and_no_value(studio: RunningStudio) -> None:
    with studio.browser() as client:
        drafted = client.post("/api/draft", json={"table": TABLE})
        assert drafted.status_code == 200
        assert [one["name"] for one in drafted.json()["columns"]] == ["job", "hours", "weight"]
        studio.plan(client)
        advised = client.post("/api/advice", json={"plan": "plan.toml", "table": TABLE})
        explained = studio.explain(client, without_ledger=True)
        for answer in (drafted, advised, explained):
            assert answer.status_code == 200
            assert SECRET not in answer.text
        assert advised.json()["rows"] == 1500


def test_a_file_without_names_shows_no_record(studio: RunningStudio) -> None:
    (studio.folder / "bare.csv").write_text(f"39,{SECRET},Bachelors\n50,{SECRET},Masters\n")
    with studio.browser() as client:
        answer = client.post("/api/draft", json={"table": {"file": "bare.csv"}})
        assert answer.status_code == 400
        assert SECRET not in answer.text
        assert "Bachelors" not in answer.text


def test_a_table_that_is_taken_for_a_codebook_or_a_plan_shows_no_record(
    studio: RunningStudio,
) -> None:
    (studio.folder / "bare.csv").write_text(f"39,{SECRET},Bachelors\n50,{SECRET},Masters\n")
    (studio.folder / "named.csv").write_text(f"name,label\nAlice Liddell,{SECRET}\nBob,x\n")
    with studio.browser() as client:
        for file in ("survey.csv", "bare.csv", "named.csv"):
            answers = [
                client.post("/api/draft", json={"table": TABLE, "codebook": file}),
                client.post("/api/advice", json={"table": TABLE, "plan": file}),
                studio.explain(client, plan=file, without_ledger=True),
            ]
            for answer in answers:
                assert answer.status_code < 500
                for private in (SECRET, "achelors", "Alice", str(studio.folder)):
                    assert private not in answer.text


def test_declared_columns_make_the_plan_that_the_library_reads(studio: RunningStudio) -> None:
    columns = {
        "job": {"kind": "labels", "labels": ["nurse", "baker", "clerk"], "other": "clerk"},
        "hours": {"kind": "numbers", "low": "0", "high": "80", "step": "1", "outside": "clamp"},
        "weight": {"kind": "drop"},
    }
    with studio.browser() as client:
        wanted = {"table": TABLE, "columns": columns, "epsilon": "2", "file": "mine.toml"}
        made = client.post("/api/plans", json=wanted)
        assert made.status_code == 200, made.text
        assert made.json()["finished"]
        assert client.post("/api/plans", json=wanted).status_code == 409
        download = client.get("/api/plan", params={"file": "mine.toml"})
    assert download.headers["content-disposition"].startswith("attachment")
    plan = nw.Plan.read(studio.folder / "mine.toml")
    assert download.text == (studio.folder / "mine.toml").read_text(encoding="utf-8")
    columns_of: dict[str, Any] = dict(plan.columns)
    assert columns_of["weight"] == "drop"
    assert columns_of["job"].space == nw.Categories(["nurse", "baker", "clerk"])
    assert columns_of["hours"].space == nw.Counts(80, neighbors="replace")
    assert columns_of["hours"].outside == "clamp"


def test_sets_and_curves_are_declared(studio: RunningStudio) -> None:
    text = "baskets,days\na|b,1;2;3\na,4;5;6\n"
    (studio.folder / "lists.csv").write_text(text, encoding="utf-8")
    columns = {
        "baskets": {"kind": "sets", "labels": ["a", "b", "c"], "largest": 2, "separator": "|"},
        "days": {"kind": "curves", "low": "0", "high": "10", "positions": 3},
    }
    wanted = {"table": {"file": "lists.csv"}, "columns": columns, "order": "kept"}
    with studio.browser() as client:
        made = client.post("/api/plans", json={**wanted, "file": "lists.toml"}).json()
        assert made["finished"], made
        shown = {one["name"]: one for one in made["columns"]}
        assert shown["days"]["positions"] == 3
        less = {"days": {"kind": "curves", "low": "0", "high": "10"}}
        refused = client.post("/api/draft", json={**wanted, "columns": less})
        assert refused.status_code == 400
        assert "positions" in refused.json()["error"]
    plan: dict[str, Any] = dict(nw.Plan.read(studio.folder / "lists.toml").columns)
    assert plan["baskets"].space == nw.Subsets(["a", "b", "c"], largest=2)
    assert plan["baskets"].separator == "|"
    assert plan["days"].space == nw.Curves(range(3), low=0, high=10)


def test_people_with_several_rows(studio: RunningStudio) -> None:
    wanted = {"table": TABLE, "codebook": "codes.csv", "person": {"column": "weight", "rows": 3}}
    with studio.browser() as client:
        made = client.post("/api/plans", json={**wanted, "file": "several.toml"}).json()
    assert made["finished"]
    person = nw.Plan.read(studio.folder / "several.toml").person
    assert person == nw.Person("weight", rows=3)


def test_markup_in_names_and_labels_stays_text(studio: RunningStudio) -> None:
    (studio.folder / "odd.csv").write_text(f'"{HOSTILE}",b\nx,1\n', encoding="utf-8")
    columns = {HOSTILE: {"kind": "labels", "labels": [HOSTILE, "x"]}, "b": {"kind": "drop"}}
    with studio.browser() as client:
        wanted = {"table": {"file": "odd.csv", "header": True}, "columns": columns}
        answer = client.post("/api/plans", json={**wanted, "file": "odd.toml"})
        assert answer.status_code == 200, answer.text
        assert answer.headers["content-type"] == "application/json"
    columns_of: dict[str, Any] = dict(nw.Plan.read(studio.folder / "odd.toml").columns)
    assert columns_of[HOSTILE].space.labels == (HOSTILE, "x")


def test_wrong_requests_are_told_what_is_wrong(studio: RunningStudio) -> None:
    wrong = [
        {},
        {"table": TABLE, "more": 1},
        {"table": TABLE, "columns": {"job": {"kind": "labels", "labels": "nurse"}}},
        {"table": TABLE, "columns": {"nobody": {"kind": "drop"}}},
        {"table": TABLE, "columns": {"hours": {"kind": "numbers", "low": "5"}}},
        {"table": TABLE, "columns": {"hours": {"kind": "numbers", "low": "9", "high": "1"}}},
        {"table": TABLE, "epsilon": "much"},
        {"table": {"file": "nothing.csv"}},
    ]
    with studio.browser() as client:
        for content in wrong:
            answer = client.post("/api/draft", json=content)
            assert 400 <= answer.status_code < 500, content
            assert answer.json()["error"]


def test_a_saved_plan_is_reopened_with_all_it_says(studio: RunningStudio) -> None:
    wanted = {"table": TABLE, "codebook": "codes.csv", "epsilon": "2"}
    several = {**wanted, "person": {"column": "weight", "rows": 3}, "file": "several.toml"}
    with studio.browser() as client:
        assert client.post("/api/plans", json=several).status_code == 200
        found = client.get("/api/plan/settings", params={"file": "several.toml"}).json()
        assert found["epsilon"] == "2"
        assert found["person"] == {"column": "weight", "rows": 3}
        assert found["unknown"] == []
        # Its columns are read as those of a codebook.
        again = {"table": TABLE, "codebook": "several.toml", "person": found["person"]}
        drafted = client.post("/api/draft", json=again).json()
        assert drafted["missing"] == []
        assert [one["kind"] for one in drafted["columns"][:2]] == ["labels", "numbers"]
        path = studio.folder / "several.toml"
        text = 'together = [["job", "hours"]]\n' + path.read_text(encoding="utf-8")
        path.write_text(text, encoding="utf-8")
        found = client.get("/api/plan/settings", params={"file": "several.toml"}).json()
        assert found["unknown"] == ["together"]
        (studio.folder / "other.toml").write_text(f'secret = "{SECRET}"\n', encoding="utf-8")
        for file in ("other.toml", "survey.csv", "nothing.toml", "../several.toml"):
            answer = client.get("/api/plan/settings", params={"file": file})
            assert 400 <= answer.status_code < 500, file
            assert SECRET not in answer.text


def test_a_budget_without_a_name_is_refused(studio: RunningStudio) -> None:
    with studio.browser() as client:
        client.post("/api/ledger")
        answer = client.post("/api/ledger/grants", json={"dataset": " ", "epsilon": "1"})
        assert answer.status_code == 400
        assert "has no name" in answer.json()["error"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Fraction(1, 10**9), "1e-9"),
        (Fraction(1, 2), "0.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(10**400 + 1, 2), str(Fraction(10**400 + 1, 2))),
        (3, "3"),
        ("kept", "kept"),
    ],
)
def test_amounts_of_a_saved_plan_are_shown_as_people_write_them(value: Any, shown: str) -> None:
    assert _amount(value) == shown
