"""Sheets of workbooks: what a column holds is what the plan says, as with CSV."""

import datetime
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError, MissingPartError, OutsideSpaceError
from noisewright.tables import open_table
from tests.tables.workbooks import workbook

pytest.importorskip("python_calamine", reason="needs: python-calamine")

Day = datetime.datetime
SURVEY = [
    ["job", "zip", "visits", "weight", "member", "born", "basket"],
    ["nurse", 1010, 5, 61.5, True, Day(1984, 6, 23), "milk;bread"],
    ["baker", "1020", "3", 80, False, Day(1960, 1, 2, 13, 30), "tea"],
    [None, 1010, 0, 70, True, "1999-12-31", None],
]
PLAN = nw.Plan(
    {
        "job": nw.Column(["nurse", "baker"], null="none"),
        "zip": nw.Column(["1010", "1020"]),
        "visits": nw.Column(nw.Counts(8)),
        "weight": nw.Column(nw.Interval(0, 200, step=0.5)),
        "member": nw.Column([True, False]),
        "born": nw.Column(nw.Dates("1920-01-01", "2026-12-31")),
        "basket": nw.Column(nw.Subsets(["milk", "bread", "tea"]), null=[]),
    },
    epsilon=50,
)


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    return workbook(tmp_path / "survey.xlsx", {"Sheet1": SURVEY})


def rows(data: Any, plan: nw.Plan | None = PLAN) -> list[dict[str, Any]]:
    reader = open_table(data, schema=None if plan is None else plan.schema)
    return pa.Table.from_batches(list(reader.batches())).to_pylist()


def test_cells_are_what_the_plan_says(survey: Path) -> None:
    assert rows(survey) == [
        {
            "job": "nurse",
            "zip": "1010",
            "visits": 5,
            "weight": 61.5,
            "member": True,
            "born": datetime.date(1984, 6, 23),
            "basket": ["milk", "bread"],
        },
        {
            "job": "baker",
            "zip": "1020",
            "visits": 3,
            "weight": 80.0,
            "member": False,
            "born": datetime.date(1960, 1, 2),
            "basket": ["tea"],
        },
        {
            "job": "none",
            "zip": "1010",
            "visits": 0,
            "weight": 70.0,
            "member": True,
            "born": datetime.date(1999, 12, 31),
            "basket": [],
        },
    ]


def test_a_sheet_is_released_and_synthesized(survey: Path, tmp_path: Path) -> None:
    out = tmp_path / "private.csv"
    made = nw.release(survey, PLAN, ledger=None, out=nw.planning.Output(out, report=False))
    assert made.table.num_rows == 3
    assert made.table.schema.names == SURVEY[0]
    columns = {name: PLAN.schema.fields[name] for name in ("zip", "member")}
    synthetic = nw.synthesize(survey, columns, epsilon=5, ledger=None)
    assert synthetic.table.schema.names == ["zip", "member"]


def test_a_draft_needs_the_names_only(survey: Path) -> None:
    draft = nw.planning.draft_plan(survey)
    assert [one.field.name for one in draft.proposals] == SURVEY[0]
    assert "nurse" not in draft.to_toml()


def test_of_several_sheets_one_is_named(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"notes": [["a"], [1]], "2024": [["b"], [2]]})
    with pytest.raises(InputError, match="has 2 sheets; name one"):
        rows(path, None)
    assert rows(nw.Excel(path, sheet="2024"), None) == [{"b": 2}]
    with pytest.raises(InputError, match="no sheet called '2023'"):
        rows(nw.Excel(path, sheet="2023"), None)


def test_a_first_row_that_looks_like_a_record_is_refused(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"s": [["nurse", 41], ["baker", 35]]})
    plan = nw.Plan(
        {"job": nw.Column(["nurse", "baker"]), "age": nw.Column(nw.Counts(99))}, epsilon=9
    )
    for use in (
        nw.planning.draft_plan,
        lambda data: nw.release(data, plan, ledger=None, out="x.csv"),
    ):
        with pytest.raises(DataError, match="may be a record") as refused:
            use(path)
        assert "nurse" not in str(refused.value)
    assert rows(nw.Excel(path, header=False), plan) == [
        {"job": "nurse", "age": 41},
        {"job": "baker", "age": 35},
    ]
    named = nw.Excel(path, header=False, names=["a", "b"])
    assert [one.field.name for one in nw.planning.draft_plan(named).proposals] == ["a", "b"]


def test_bad_cells_are_named_by_row_and_not_shown(tmp_path: Path) -> None:
    path = workbook(tmp_path / "t.xlsx", {"s": [["visits"], [3], ["SECRET"]]})
    plan = nw.Plan({"visits": nw.Column(nw.Counts(8))}, epsilon=1)
    with pytest.raises(OutsideSpaceError, match="'visits' at row 2") as refused:
        rows(path, plan)
    assert "SECRET" not in str(refused.value)


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.xlsx").write_bytes(b"SECRET")
    with pytest.raises(DataError, match="not a workbook") as refused:
        rows(tmp_path / "t.xlsx")
    assert "SECRET" not in str(refused.value)
    empty = workbook(tmp_path / "empty.xlsx", {"s": []})
    with pytest.raises(DataError, match="is empty"):
        rows(empty)
    twice = workbook(tmp_path / "twice.xlsx", {"s": [["a", "a"], [1, 2]]})
    with pytest.raises(DataError, match="same name"):
        rows(twice, None)


def test_what_to_install_is_said(survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(MissingPartError, match=r"noisewright\[excel\]"):
        rows(survey)
