"""The report beside a release: there by default, and never the reason that one fails."""

import os
from typing import Any

import pytest

import noisewright as nw
from tests.releases.survey import PLAN, SECRET, Survey


def test_it_tells_of_the_release_and_not_of_the_ledger(survey: Survey) -> None:
    nw.Ledger.open(survey.ledger).grant("inner circle", epsilon=5)
    data = survey.table()
    made = nw.release(
        data,
        PLAN,
        out=nw.planning.Output(survey.out, what="for Ann"),
        ledger=survey.ledger,
        dataset="inner circle",
    )
    assert made.notes == ()
    page = made.files["report"].read_text(encoding="utf-8")
    assert made.files["report"] == survey.folder / "private.report.html"
    for told in ("A survey", "500", made.certificate.digest, "visits", "region"):
        assert told in page
    for inner in ("inner circle", "for Ann", SECRET, str(survey.folder), "NOT PRIVATE"):
        assert inner not in page
    assert nw.results.Release.open(survey.out).files["report"] == made.files["report"]


def test_a_test_and_a_release_that_nobody_accounts_for_are_marked(survey: Survey) -> None:
    made = nw.release(
        survey.csv, PLAN, out=survey.out, ledger=None, source=nw.randomness.SeededSource("report")
    )
    page = made.files["report"].read_text(encoding="utf-8")
    assert "NOT PRIVATE" in page
    assert "No ledger was debited" in page


def test_a_report_that_cannot_be_made_is_a_note_and_nothing_else(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace = os.replace

    def full(source: Any, target: Any) -> None:
        if str(target).endswith(".html"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    made = nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert "report" not in made.files
    assert len(made.notes) == 1
    assert "The release is complete" in made.notes[0]
    assert "No space left on device" in made.notes[0]
    assert survey.states() == ["released"]
    assert nw.results.Release.open(survey.out).rows == 500


def test_an_old_report_does_not_stay_beside_new_data(survey: Survey) -> None:
    made = nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert made.files["report"].exists()
    nw.release(
        survey.csv,
        PLAN,
        out=nw.planning.Output(survey.out, overwrite=True, report=False),
        ledger=survey.ledger,
    )
    assert not made.files["report"].exists()
