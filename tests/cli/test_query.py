"""`noisewright query`, and what `synthesize` writes besides, as a user types it."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program
from tests.releases.survey import JOBS, Survey, make_survey_with_columns

ARGUMENTS = ("synthesize", "survey.csv", "--plan", "columns.toml", "-o", "synthetic.parquet")
ALONE = ("--without-ledger", "--no-report")


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    return make_survey_with_columns(tmp_path)


def test_a_saved_table_is_asked_from_the_shell(
    survey: Survey, noisewright: Program, tmp_path: Path
) -> None:
    made = noisewright(*ARGUMENTS, *ALONE, "--tables", "2", "--counts", "--json")
    assert made.code == 0, made
    written = json.loads(made.out)
    assert [Path(path).name for path in written["tables"]] == [
        "synthetic.table-1.parquet",
        "synthetic.table-2.parquet",
    ]
    assert (tmp_path / "synthetic.counts.csv").read_text().startswith("table,time,column_1,value_1")
    assert (tmp_path / "synthetic.table-2.parquet").exists()
    said = noisewright("query", "synthetic.parquet", "--where", "visits >= 3", "--by", "job")
    assert said.code == 0, said
    assert "Intervals hold with 0.95 confidence." in said.out
    assert all(str(job) in said.out for job in JOBS)
    plain = noisewright("query", "synthetic.parquet", "--where", "visits >= 3", "--json")
    assert "about the 500 people who were counted." in said.out
    sampled = noisewright("query", "synthetic.parquet", "--about", "population")
    assert "the population that the 500 people who were counted come from" in sampled.out
    (answer,) = json.loads(plain.out)["answers"]
    assert 0 <= answer["low"] <= answer["count"] <= answer["high"] <= 500


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("query", "survey.csv"), "noisewright estimate"),
        (("query", "not-there.csv"), "there is no file 'not-there.csv'"),
        ((*ARGUMENTS, *ALONE, "--tables", "0"), "--tables is 0"),
        ((*ARGUMENTS, *ALONE, "--tables", "2", "--method", "mwem"), "--method mst"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_spent(
    survey: Survey, noisewright: Program, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    said = noisewright(*arguments)
    assert said.code == 2
    assert words in " ".join(said.err.split())
    assert not (tmp_path / "synthetic.parquet").exists()


def test_a_further_table_that_is_there_already_is_kept(
    survey: Survey, noisewright: Program, tmp_path: Path
) -> None:
    mine = tmp_path / "synthetic.table-1.parquet"
    mine.write_text("mine")
    said = noisewright(*ARGUMENTS, *ALONE, "--tables", "1")
    assert said.code == 2
    assert "exists already" in said.err
    assert mine.read_text() == "mine"
