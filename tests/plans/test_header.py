"""A CSV file without a header: its first record must not become the names of columns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import DataError, InputError
from noisewright.tables.files.header import looks_like

VALUES = [
    *[
        "34",
        "3.5",
        "-1e5",
        "1,234",
        "12%",
        "$5",
        ".5",
        "2020-05-12",
        "12.05.2020",
        "5/12/20",
        "2020-05-12T10:00",
        "10:30",
        "true",
        "NaN",
        "n/a",
        "null",
        "jane@doe.org",
        "123e4567-e89b-12d3-a456-426614174000",
        "P1002345",
        "deadbeefdeadbeef",
        "inf",
    ],
    "12 May 2020",
    "1 234",
    "0 ",
]
NAMES = [
    "id",
    "job",
    "age_2",
    "Q1",
    "Q12a",
    "x1",
    "visits",
    "region",
    "no",
    "name2020",
    "date",
    "time",
    "2nd_visit",
    "income_50k",
    "ZIP",
    "naïve",
    "hours.per.week",
    "p50",
    "%_of_pay",
]


def test_names_and_values_are_told_apart() -> None:
    assert [value for value in VALUES if looks_like(value) is None] == []
    assert [name for name in NAMES if looks_like(name) is not None] == []


PLAN = nw.Plan({"nurse": nw.Column(["nurse", "judge"]), "north": "public"}, epsilon=1)
USES: dict[str, Callable[..., Any]] = {
    "draft": lambda path, **said: nw.planning.draft_plan(
        nw.CSV(path, **said), codebook={"job": PLAN.columns[0][1]}
    ),
    "release": lambda path, **said: nw.release(
        nw.CSV(path, **said),
        PLAN,
        out=nw.planning.Output(path.with_suffix(".parquet"), report=False),
        ledger=None,
    ),
    "synthesize": lambda path, **said: nw.synthesize(
        nw.CSV(path, **said), {"nurse": ["nurse", "judge"]}, epsilon=1, ledger=None
    ),
}
LINES = {
    "number": "nurse,north,34",
    "declared label": "nurse,north,west",
    "date": "Smith,north,2020-01-01",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("line", LINES)
def test_a_record_in_the_place_of_names_is_refused_and_not_shown(
    use: str, line: str, tmp_path: Path
) -> None:
    path = tmp_path / "raw.csv"
    path.write_text(f"{LINES[line]}\njudge,south,35\n")
    with pytest.raises(DataError, match="may be a record") as refused:
        USES[use](path)
    message = str(refused.value).replace(str(tmp_path), "")  # a folder's name may hold "34"
    assert not any(word in message for word in LINES[line].split(","))
    assert "--header" in message


def test_somebody_may_say_that_they_are_names(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("nurse,north\njudge,south\n")
    assert USES["draft"](path, header=True).missing == ("nurse", "north")
    assert USES["release"](path, header=True).rows == 1
    assert USES["synthesize"](path, header=True).people == 1


@pytest.mark.parametrize("line", ["SECRET,SECRET", "SECRET,", " ,SECRET"])
@pytest.mark.parametrize("use", USES)
def test_names_are_there_and_differ_whatever_is_said(use: str, line: str, tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text(f"{line}\na,b\n")
    for said in ({}, {"header": True}):
        with pytest.raises(InputError, match="column") as refused:
            USES[use](path, **said)
        assert "SECRET" not in str(refused.value)


def test_columns_of_a_file_are_not_listed(tmp_path: Path) -> None:
    path = tmp_path / "raw.csv"
    path.write_text("SECRET,Smith\na,b\n")
    calls: list[Callable[[], Any]] = [
        lambda: nw.planning.draft_plan(path, drop=["job"]),
        lambda: USES["release"](path),
        lambda: nw.synthesize(path, {"job": ["a", "b"]}, epsilon=1, ledger=None),
        lambda: nw.synthesize(
            path, nw.Plan({"job": nw.Column(["a", "b"])}, epsilon=1), ledger=None
        ),
    ]
    for call in calls:
        with pytest.raises(InputError) as refused:
            call()
        assert "SECRET" not in str(refused.value)
        assert "Smith" not in str(refused.value)
