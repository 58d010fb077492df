"""`noisewright estimate`, as an analyst types it."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import noisewright as nw
from tests.cli.conftest import Program
from tests.releases.survey import PLAN, Survey


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    survey = Survey(tmp_path_factory.mktemp("published"), 500)
    nw.release(survey.table(), PLAN, out=nw.planning.Output(survey.out, report=False), ledger=None)
    return survey.folder


@pytest.fixture
def released(published: Path, tmp_path: Path) -> nw.results.Release:
    for name in ("private.parquet", "private.recipe.json"):
        shutil.copy(published / name, tmp_path)
    return nw.results.Release.open(tmp_path / "private.parquet")


def test_it_prints_the_usual_answers(released: nw.results.Release, noisewright: Program) -> None:
    said = noisewright("estimate", "private.parquet")
    assert said.code == 0, said
    assert said.err == ""
    lines = said.out.splitlines()
    assert lines[0] == "private.parquet: 500 rows, epsilon=2 for each person."
    assert lines[1].startswith("Intervals hold with 0.95 confidence. They are about the pop")
    titles = ["job", "visits", "mean of visits", "quantiles of visits", "region"]
    assert [line for line in lines if line in titles] == titles
    job = released.estimate("job")["nurse"]
    (row,) = [line.split() for line in lines if line.split()[:1] == ["nurse"]]
    assert float(row[1].rstrip("%")) == pytest.approx(100 * job.value, abs=0.06)
    assert float(row[2]) == pytest.approx(100 * job.standard_error, abs=0.06)
    assert float(row[3].rstrip("%")) == pytest.approx(100 * job.interval[0], abs=0.06)
    assert int(row[6].replace(",", "")) == round(500 * job.value)
    assert "  Public columns are counted, without noise." in lines


def test_tables_are_asked_for_by_columns(
    released: nw.results.Release, noisewright: Program
) -> None:
    said = noisewright(
        *("estimate", "private.parquet", "--of", "job", "--of", "region, job", "--about", "people"),
        *("--confidence", "0.9", "--json"),
    )
    assert said.code == 0, said
    answered = said.json
    assert (answered["rows"], answered["guarantee"]["epsilon"]) == (500, 2.0)
    assert [table["table"] for table in answered["tables"]] == ["job", "region × job"]
    table = answered["tables"][1]
    assert (table["about"], table["confidence"], table["people"]) == ("people", 0.9, 500)
    found = released.estimate(("region", "job"), about="people", confidence=0.9)
    assert table["columns"]["share"] == pytest.approx(found.values.reshape(-1).tolist())
    assert table["columns"]["low"] == pytest.approx(found.lows.reshape(-1).tolist())
    assert table["columns"]["region"] == ["north"] * 4 + ["south"] * 4


def test_questions_and_where(released: nw.results.Release, noisewright: Program) -> None:
    said = noisewright(
        *("estimate", "private.parquet", "--of", "visits"),
        *("--question", "quantiles", "--at", "0.5", "--json"),
    )
    (table,) = said.json["tables"]
    assert table["table"] == "quantiles of visits"
    assert table["columns"]["level"] == [0.5]
    means = noisewright("estimate", "private.parquet", "--question", "mean", "--json").json
    assert [table["table"] for table in means["tables"]] == ["mean of visits"]


@pytest.mark.parametrize("suffix", ["csv", "parquet", "json"])
def test_tables_go_to_a_file(
    released: nw.results.Release, noisewright: Program, suffix: str
) -> None:
    said = noisewright("estimate", "private.parquet", "--of", "pairs", "-o", f"tables.{suffix}")
    assert said.code == 0, said
    found = released.estimate("pairs")
    assert said.out == (
        f"tables.{suffix}: {len(found)} tables with {len(found.rows())} answers in all.\n"
    )
    if suffix == "csv":
        assert csv.read_csv("tables.csv").num_rows == len(found.rows())
    if suffix == "parquet":
        table = pq.read_table("tables.parquet")
        assert table.column("value").to_pylist() == found.table().column("value").to_pylist()


def test_long_tables_show_the_largest(tmp_path: Path, noisewright: Program) -> None:
    plan = nw.Plan({"letter": nw.Column([f"l{i}" for i in range(30)])}, epsilon=9)
    rows = pa.table({"letter": [f"l{i}" for i in range(30) for _ in range(10 * i + 10)]})
    nw.release(
        rows, plan, out=nw.planning.Output(tmp_path / "letters.parquet", report=False), ledger=None
    )
    said = noisewright("estimate", "letters.parquet")
    shown = [line.split()[0] for line in said.out.splitlines() if line.startswith("  l")]
    assert len(shown) == 1 + 20
    assert shown[1] in ("l29", "l28", "l27", "l26", "l25")
    assert "… and 10 more; these are the largest. --all shows all." in said.out
    every = noisewright("estimate", "letters.parquet", "--all")
    assert [line.split()[0] for line in every.out.splitlines() if line.startswith("  l")][1:] == [
        f"l{i}" for i in range(30)
    ]


def test_noise_below_zero_is_explained(tmp_path: Path, noisewright: Program) -> None:
    plan = nw.Plan({"letter": nw.Column([f"l{i}" for i in range(12)])}, epsilon="0.1")
    rows = pa.table({"letter": ["l0"] * 300})
    nw.release(
        rows, plan, out=nw.planning.Output(tmp_path / "letters.parquet", report=False), ledger=None
    )
    words = "Shares below 0% or above 100% come from noise"
    every = ("estimate", "letters.parquet", "--show", "all")
    assert words in noisewright(*every).out
    projected = noisewright(*every, "--method", "projected").out
    assert words not in projected
    assert "By method projected." in projected


def test_a_seeded_release_is_called_what_it_is(tmp_path: Path, noisewright: Program) -> None:
    plan = nw.Plan({"letter": nw.Column(["a", "b"])}, epsilon=1)
    rows = pa.table({"letter": ["a", "b"] * 10})
    out = tmp_path / "test.parquet"
    nw.release(
        rows,
        plan,
        out=nw.planning.Output(out, report=False),
        ledger=None,
        source=nw.randomness.SeededSource(1),
    )
    assert "NOT PRIVATE" in noisewright("estimate", "test.parquet").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--of", "town"), "'town'; a table is made of different columns among 'job', 'visits'"),
        (("--of", "job,town"), "('job', 'town')"),
        (("--of", "job", "--question", "mean"), "about 'job' it must be 'shares'"),
        (("--question", "pairs"), "cannot be asked about any of the columns"),
        (("--about", "me"), "about is 'me'"),
        (("--confidence", "2"), "confidence is 2.0"),
        (("-o", "tables.doc"), "must end in .csv"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said(
    released: nw.results.Release, noisewright: Program, arguments: tuple[str, ...], message: str
) -> None:
    said = noisewright("estimate", "private.parquet", *arguments)
    assert said.code == 2
    assert message in said.err.replace("\n", " ")


def test_files_without_recipe_or_changed_since_are_refused(
    released: nw.results.Release, tmp_path: Path, noisewright: Program
) -> None:
    csv.write_csv(released.table, tmp_path / "alone.csv")
    said = noisewright("estimate", "alone.csv")
    assert said.code == 2
    assert "has no recipe" in said.err
    pq.write_table(released.table.slice(1), tmp_path / "private.parquet")
    said = noisewright("estimate", "private.parquet")
    assert said.code == 2
    assert "their SHA-256 differ" in said.err
    assert noisewright("estimate", "nothing.parquet").code == 2
