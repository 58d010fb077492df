"""`noisewright report`, as a user types it."""

from pathlib import Path

import pytest

import noisewright as nw
from tests.cli.conftest import Program
from tests.releases.survey import PLAN, Survey, make_survey


@pytest.fixture
def survey(tmp_path: Path) -> Survey:
    made = make_survey(tmp_path)
    nw.release(made.csv, PLAN, out=nw.planning.Output(made.out, report=False), ledger=made.ledger)
    return made


def test_it_writes_the_page_beside_the_release(survey: Survey, noisewright: Program) -> None:
    said = noisewright("report", "private.parquet")
    assert said.code == 0, said
    assert "private.report.html: the release of 500 rows in plain words." in said.out
    assert (survey.folder / "private.report.html").read_text().startswith("<!DOCTYPE html>")


def test_with_a_ledger_it_shows_what_is_left(survey: Survey, noisewright: Program) -> None:
    arguments = ("report", "private.parquet", "-o", "page.html", "--ledger", "budget.db")
    said = noisewright(*arguments, "--dataset", "survey", "--json")
    assert said.code == 0, said
    assert said.json["report"] == "page.html"
    assert said.json["private"] is True
    page = (survey.folder / "page.html").read_text(encoding="utf-8")
    assert len(page.encode()) == said.json["bytes"]
    assert "spent by this release" in page
    alone = noisewright(*arguments)
    assert alone.code == 2
    assert "go together" in alone.err


def test_a_release_writes_its_page_and_says_so(tmp_path: Path, noisewright: Program) -> None:
    make_survey(tmp_path)
    said = noisewright(
        "release", "survey.csv", "--plan", "plan.toml", "-o", "private.parquet", "--without-ledger"
    )
    assert said.code == 0, said
    assert "private.report.html  the release in plain words, with charts" in said.out
    assert (tmp_path / "private.report.html").exists()


def test_what_is_no_release_is_named(tmp_path: Path, noisewright: Program) -> None:
    (tmp_path / "raw.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    assert noisewright("report", "missing.parquet").code == 2
    said = noisewright("report", "raw.csv")
    assert said.code == 2
    assert "recipe" in said.err


@pytest.mark.parametrize("kind", ["certificate.json", "recipe.json", "report.html"])
def test_a_file_beside_the_release_is_told_which_one_to_give(
    survey: Survey, noisewright: Program, kind: str
) -> None:
    assert noisewright("report", survey.out).code == 0
    said = noisewright("report", survey.out.with_name(f"{survey.out.stem}.{kind}"))
    assert said.code == 2
    assert "give the released file" in said.err
    assert survey.out.name in said.err.replace("\n", "")


def test_a_certificate_without_its_release_is_told_what_is_missing(noisewright: Program) -> None:
    said = noisewright("report", "x.certificate.json")
    assert said.code == 2
    assert "recipe" not in said.err
    assert "x.parquet" in said.err
