"""`noisewright plan`: drafts without looking at values, asks, explains."""

import json
import os
import pty
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import noisewright as nw
from tests.cli.conftest import PLAIN, PROGRAM, Program
from tests.tables.workbooks import workbook

CODES = "column,label,low,high,step\nsex,f\nsex,m\njob,nurse\njob,judge\nage,,0,120,1\n"


@pytest.fixture
def survey(tmp_path: Path) -> Path:
    path = tmp_path / "survey.parquet"
    table = pa.table(
        {
            "person_id": [1, 2],
            "sex": ["f", "m"],
            "job": ["nurse", "a rare secret"],
            "age": [40, 50],
            "smokes": [True, False],
        }
    )
    pq.write_table(table, path)
    (tmp_path / "codes.csv").write_text(CODES, encoding="utf-8")
    return path


def test_a_draft_with_a_codebook_is_a_plan(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    said = noisewright("plan", survey, "-c", "codes.csv", "-e", "4", "-o", "plan.toml")
    assert said.code == 0, said
    assert "drafted without reading any value" in said.out
    assert "at most epsilon=4" in said.out
    assert "secret" not in said.out
    assert "--person person_id --rows-per-person" in said.out
    plan = nw.Plan.read(tmp_path / "plan.toml")
    assert plan.private == ("sex", "job", "age", "smokes")
    assert plan.dropped == ("person_id",)


def test_without_a_codebook_it_says_what_is_open(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    said = noisewright("plan", survey, "-o", "plan.toml")
    assert said.code == 0
    assert "known without the data: sex, job, age." in said.out
    assert "Choose epsilon" in said.out
    assert "person_id: not released (its name looks like" in said.out
    again = noisewright("plan", "plan.toml")
    assert again.code == 2
    assert "epsilon = TODO and the columns sex, job, age" in again.err
    assert tomllib.loads((tmp_path / "plan.toml").read_text())["columns"]["job"] == {
        "space": "TODO"
    }


def test_only_what_takes_epsilon_from_the_plan_needs_it_there(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    path = tmp_path / "people.parquet"
    cells = {"sex": ["f", "m"], "job": ["nurse", "judge"], "age": [40, 50]}
    pq.write_table(pa.table({name: both * 10 for name, both in cells.items()}), path)
    assert noisewright("plan", path, "-c", "codes.csv", "-o", "plan.toml").code == 0
    for run in (
        ("advise", path, "-p", "plan.toml"),
        ("ask", path, "-p", "plan.toml", "--count", "--without-ledger"),
        ("synthesize", path, "-p", "plan.toml", "-o", "made.parquet", "--without-ledger"),
    ):
        said = noisewright(*run, "--epsilon", "1")
        assert said.code == 0, said
        assert "epsilon=1" in said.out
    missing = noisewright("synthesize", path, "-p", "plan.toml", "-o", "b.csv", "--without-ledger")
    assert missing.code == 2
    assert "epsilon is missing" in missing.err
    for run in (
        ("plan", "plan.toml"),
        ("release", path, "-p", "plan.toml", "-o", "c.csv", "--without-ledger"),
    ):
        said = noisewright(*run)
        assert said.code == 2
        assert "epsilon = TODO. It is the privacy budget per person" in said.err


def test_an_existing_file_is_not_replaced_unless_said(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    (tmp_path / "plan.toml").write_text("mine", encoding="utf-8")
    said = noisewright("plan", survey, "-o", "plan.toml")
    assert said.code == 2
    assert "pass --overwrite" in said.err
    assert (tmp_path / "plan.toml").read_text() == "mine"
    assert noisewright("plan", survey, "-o", "plan.toml", "--overwrite").code == 0
    assert "version = 1" in (tmp_path / "plan.toml").read_text()


def test_all_settings_arrive(noisewright: Program, survey: Path, tmp_path: Path) -> None:
    said = noisewright(
        *("plan", survey, "--codebook", "codes.csv", "--epsilon", "1/3", "--delta", "1e-9"),
        *("--drop", "age", "--public", "smokes", "--together", "sex,job", "--shares", "given"),
        *(
            "--person",
            "person_id",
            "--rows-per-person",
            2,
            "--keep",
            "first",
            "--order",
            "kept",
        ),
        *("--output", "plan.toml"),
    )
    assert said.code == 0, said
    assert nw.Plan.read(tmp_path / "plan.toml") == nw.Plan(
        {
            "person_id": "drop",
            "sex": nw.Column(["f", "m"]),
            "job": nw.Column(["nurse", "judge"]),
            "age": "drop",
            "smokes": "public",
        },
        epsilon="1/3",
        delta="1e-9",
        together=[("sex", "job")],
        shares="given",
        person=nw.Person("person_id", rows=2, keep="first"),
        order="kept",
    )


def test_estimates_divide_the_budget(noisewright: Program, survey: Path, tmp_path: Path) -> None:
    said = noisewright(
        *("plan", survey, "-c", "codes.csv", "-e", 4, "--estimate", "sex,job"),
        *("--estimate", "age", "-o", "plan.toml", "--people", 1000),
    )
    assert said.code == 0, said
    plan = nw.Plan.read(tmp_path / "plan.toml")
    assert [one.of for one in plan.estimates] == [("sex", "job"), ("age",)]
    assert "least error of estimates of sex × job and age" in said.out
    assert "standard error, 1,000 rows" in said.out


def test_answers_are_kept_when_they_make_no_plan(
    noisewright: Program, survey: Path, tmp_path: Path
) -> None:
    said = noisewright(
        "plan", survey, "-c", "codes.csv", "-e", 1, "--together", "sex,person_id", "-o", "plan.toml"
    )
    assert said.code == 2
    assert "plan.toml was written, but it is not a plan yet: together names 'person_id'" in said.err
    assert 'labels = ["nurse", "judge"]' in (tmp_path / "plan.toml").read_text()


def test_a_file_without_a_header_is_suspected(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("nurse,41\njudge,62\n", encoding="utf-8")
    said = noisewright("plan", "data.csv", "-o", "plan.toml")
    assert said.code == 2
    assert "add a header line" in said.err
    assert "nurse" not in said.err
    assert noisewright("plan", "data.csv", "-o", "plan.toml", "--header").code == 0


def test_files_are_read_as_the_options_say(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "data.dat").write_bytes("nürse#41\njudge#62\n".encode("latin-1"))
    options = ("--delimiter", "#", "--encoding", "latin-1", "--no-header", "--names", "job, age")
    said = noisewright("plan", "data.dat", *options)
    assert said.code == 0
    assert "[columns.job]" in said.out
    assert "[columns.age]" in said.out
    (tmp_path / "tabs.csv").write_text("a;b\tc\n", encoding="utf-8")
    assert "[columns.c]" in noisewright("plan", "tabs.csv", "--delimiter", "tab").out
    said = noisewright("plan", "t.parquet", "--delimiter", ";")
    assert said.code == 2
    assert "--delimiter is for delimited text files, and t.parquet is not one" in said.err
    said = noisewright("plan", "tabs.csv", "--encoding", "latin-1", "--sheet", "2024")
    assert said.code == 2
    assert "--sheet is for workbooks, and tabs.csv is not one" in said.err


def test_without_an_output_the_draft_is_printed(noisewright: Program, survey: Path) -> None:
    said = noisewright("plan", survey, "-c", "codes.csv", "-e", 2)
    assert nw.Plan.from_toml(said.out).private == ("sex", "job", "age", "smokes")


def test_explaining_a_plan(noisewright: Program, tmp_path: Path) -> None:
    nw.Plan({"job": nw.Column(["a", "b", "c"])}, epsilon=2).save(tmp_path / "plan.toml")
    assert noisewright("plan", "plan.toml", "--people", 0).code == 2
    said = noisewright("plan", "plan.toml", "--people", 50_000)
    assert said.code == 0
    assert "true with probability 0.787" in said.out
    as_json = noisewright("plan", "plan.toml", "--people", 50_000, "--json").json
    assert as_json["epsilon"] == "2"
    (part,) = as_json["parts"]
    assert part["columns"] == ["job"]
    assert part["truth"][0] == pytest.approx(0.787, abs=1e-3)
    assert 0 < part["errors"]["job"]["standard_error"] < 0.01
    assert as_json["digest"] == nw.Plan.read(tmp_path / "plan.toml").digest
    assert as_json["words"][0].startswith("The privacy loss of each person is at most epsilon=2")


def test_a_draft_for_machines(noisewright: Program, survey: Path) -> None:
    said = noisewright("plan", survey, "--json").json
    assert said["finished"] is False
    assert said["missing"] == ["sex", "job", "age"]
    assert {p["column"]: p["proposal"] for p in said["proposals"]}["smokes"] == (
        "randomized, as False or True"
    )
    assert tomllib.loads(said["toml"])["epsilon"] == "TODO"


def test_the_schema_is_printed(noisewright: Program) -> None:
    assert json.loads(noisewright("plan", "--schema").out)["$id"] == "urn:noisewright:plan:1"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give a table"),
        (["nowhere.parquet"], "No such file"),
        (["nowhere.toml"], "No such file"),
        (["survey.parquet", "--rows-per-person", "2"], "needs --person"),
        (["survey.parquet", "--person", "person_id"], "needs --rows-per-person"),
        (["survey.parquet", "--drop", "jobb"], "Did you mean 'job'"),
        (["survey.parquet", "-c", "codes.xlsx"], "codes.xlsx"),
        (["survey.parquet", "-c", "codes.csv", "-e", "0"], "above 0"),
        (["survey.parquet", "-c", "codes.csv", "-e", "much"], "epsilon is 'much'"),
        (["codes.csv", "-o", "missing/plan.toml"], "missing/plan.toml"),
    ],
    ids=["none", "table", "plan", "rows", "person", "drop", "codebook", "zero", "word", "folder"],
)
def test_what_cannot_be_used_ends_with_2(
    noisewright: Program, survey: Path, arguments: list[str], said: str
) -> None:
    result = noisewright("plan", *arguments)
    assert result.code == 2
    assert said in result.err
    assert result.err.count("\n") == 1
    assert "error" in noisewright("plan", *arguments, "--json").json


def typed(folder: Path, arguments: list[str], answers: str) -> tuple[int, str]:
    """Run the program on a terminal, as somebody who types these answers."""
    mine, theirs = pty.openpty()
    child = subprocess.Popen(
        [str(PROGRAM), *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=folder,
        env={**os.environ, **PLAIN},
    )
    os.close(theirs)
    os.write(mine, answers.encode())
    out = b""
    while True:
        try:
            chunk = os.read(mine, 4096)
        except OSError:
            break
        if not chunk:
            break
        out += chunk
    os.close(mine)
    return child.wait(timeout=60), out.decode()


def test_on_a_terminal_it_asks(survey: Path, tmp_path: Path) -> None:
    answers = [
        "c", "f, m",  # sex
        "c", "nurse, judge, other",  # job
        "n", "120", "0", "1",  # age, the wrong way around: it says so and asks again
        "n", "0", "120", "",
        "much", "3",  # epsilon
    ]  # fmt: skip
    code, out = typed(tmp_path, ["plan", str(survey), "-o", "plan.toml"], "\n".join([*answers, ""]))
    assert code == 0, out
    assert "low must be below high" in out
    plan: dict[str, Any] = dict(nw.Plan.read(tmp_path / "plan.toml").columns)
    assert plan["job"] == nw.Column(["nurse", "judge", "other"])
    assert plan["age"] == nw.Column(nw.Counts(120))


def test_enter_decides_later(survey: Path, tmp_path: Path) -> None:
    code, out = typed(tmp_path, ["plan", str(survey), "-o", "plan.toml"], "\nd\np\n\n")
    assert code == 0, out
    columns = tomllib.loads((tmp_path / "plan.toml").read_text())["columns"]
    assert columns["sex"] == {"space": "TODO"}
    assert columns["job"] == {"use": "drop"}
    assert columns["age"] == {"use": "public"}


def test_the_command_line_takes_a_sheet(noisewright: Program, tmp_path: Path) -> None:
    pytest.importorskip("python_calamine", reason="needs: python-calamine")
    workbook(tmp_path / "t.xlsx", {"notes": [["a"], [1]], "2024": [["job", "b"], ["x", 2]]})
    assert "name one with --sheet" in noisewright("plan", "t.xlsx").err
    said = noisewright("plan", "t.xlsx", "--sheet", "2024")
    assert "[columns.job]" in said.out
    said = noisewright("plan", "t.xlsx", "--sheet", "2024", "--delimiter", ";")
    assert said.code == 2
    assert "--delimiter is for delimited text files" in said.err


def test_the_name_of_a_person_is_quoted_for_the_shell(noisewright: Program, tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient id,smokes\n1,true\n", encoding="utf-8")
    said = noisewright("plan", "visits.csv", "--header", "-e", 1, "-o", "plan.toml")
    assert "--person 'patient id' --rows-per-person" in said.out
