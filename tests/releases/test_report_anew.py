"""What the report shows is what was released; it can be made anew by anyone, at any time."""

import sys
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import InputError, ReleaseError
from noisewright.releases import page as pages
from noisewright.report.rendering import load_templates
from tests.releases.survey import PLAN, SECRET, Survey
from tests.report.pages import Page


def test_a_release_comes_with_its_page(survey: Survey) -> None:
    made = nw.release(survey.csv, survey.plan, out=survey.out, ledger=survey.ledger)
    assert made.notes == ()
    assert made.files["report"] == survey.folder / "private.report.html"
    page = Page(made.files["report"].read_text(encoding="utf-8"))
    assert page.mistakes == []
    for words in (
        "A survey",
        "private.parquet holds randomized copies of 500 rows",
        "spent by this release 2",
        "left 8",
        made.certificate.digest,
        "private.recipe.json",
        "Estimated shares of the released rows: job",
        "Estimated shares of the released rows: visits",
    ):
        assert words in page.text, words
    assert "NOT PRIVATE" not in page.source
    assert SECRET not in page.source
    assert str(survey.folder) not in page.source
    # The digest on the page is that of the file beside it.
    assert made.recipe.file is not None
    assert f"{made.recipe.file['sha256']}" in page.text


def test_the_estimates_are_those_of_the_released_file(survey: Survey) -> None:
    made = nw.release(
        survey.csv, PLAN, out=nw.planning.Output(survey.out, report=False), ledger=survey.ledger
    )
    facts = pages.facts_of(made, balance=None, made_again=True)
    part = PLAN.parts[0]
    by_hand = nw.estimate(made.table["job"].to_pylist(), part.mechanism, about="people")
    (shown,) = facts.estimates_of("job")
    assert shown.values.tolist() == pytest.approx(by_hand.values.tolist())
    assert shown.standard_errors.tolist() == pytest.approx(by_hand.standard_errors.tolist())


@pytest.mark.parametrize("suffix", ["parquet", "feather", "csv"])
def test_it_can_be_made_anew_from_the_file_alone(survey: Survey, suffix: str) -> None:
    out = survey.folder / f"private.{suffix}"
    nw.release(survey.csv, PLAN, out=nw.planning.Output(out, report=False), ledger=survey.ledger)
    opened = nw.results.Release.open(out)
    assert "report" not in opened.files
    assert opened.report() == survey.folder / "private.report.html"
    page = Page((survey.folder / "private.report.html").read_text(encoding="utf-8"))
    assert page.mistakes == []
    assert "A ledger was debited" in page.text
    assert "page made" in page.text
    elsewhere = opened.report(
        survey.folder / "board.html", balance=nw.Ledger.open(survey.ledger).balance("survey")
    )
    assert "left 8" in Page(elsewhere.read_text(encoding="utf-8")).text
    assert nw.results.Release.open(out).files["report"] == survey.folder / "private.report.html"


def test_a_release_in_memory_has_a_page_where_one_says(survey: Survey) -> None:
    made = nw.release(survey.table(), PLAN, ledger=None)
    with pytest.raises(ReleaseError, match="Give a path:"):
        made.report()
    with pytest.raises(InputError, match=r"must end in \.html"):
        made.report(survey.folder / "page.pdf")
    with pytest.raises(InputError, match="cannot write the report"):
        made.report(survey.folder / "nowhere" / "page.html")
    page = Page(made.report(survey.folder / "page.html").read_text(encoding="utf-8"))
    assert "No ledger was debited" in page.text
    assert "no files were written" in page.text


def test_what_goes_wrong_with_the_page_does_not_touch_the_release(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Any, **__: Any) -> str:
        raise RuntimeError("a picture too many")

    monkeypatch.setattr(pages, "release_page", broken)
    made = nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert "report" not in made.files
    assert "noisewright report" in made.notes[-1]
    assert "a picture too many" in made.notes[-1]
    assert survey.states() == ["released"]
    assert nw.results.Release.open(survey.out).rows == 500


def test_who_interrupts_the_page_is_told_that_the_release_is_complete(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: Any, **__: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(pages, "release_page", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        nw.release(survey.csv, PLAN, out=survey.out, ledger=survey.ledger)
    assert "The release is complete" in " ".join(caught.value.__notes__)
    assert survey.states() == ["released"]
    assert nw.results.Release.open(survey.out).rows == 500


def test_without_the_libraries_of_charts_there_is_a_page_with_pictures(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    made = nw.release(survey.csv, PLAN, out=survey.out, ledger=None)
    page = made.files["report"].read_text(encoding="utf-8")
    assert '<div class="chart">' in page
    assert made.notes == ()


def test_without_jinja_the_release_is_complete_and_says_what_is_missing(
    survey: Survey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    load_templates.cache_clear()
    made = nw.release(survey.csv, PLAN, out=survey.out, ledger=None)
    assert "report" not in made.files
    assert "pip install" in made.notes[-1]
    assert nw.results.Release.open(survey.out).rows == 500


def test_curves_and_what_cannot_be_estimated(survey: Survey) -> None:
    """A mechanism may merge inputs: the page says that their shares are open."""
    import pyarrow as pa

    merged = nw.from_matrix(nw.Categories(["a", "b"]), [[0.5, 0.5], [0.5, 0.5]])
    plan = nw.Plan(
        {
            "day": nw.Column(nw.Curves(range(6), low=0, high=4, step=1)),
            "answer": nw.Column(nw.Categories(["a", "b"]), mechanism=merged),
        },
        epsilon=4,
    )
    table = pa.table(
        {"day": [[1.0, 2.0, 3.0, 3.0, 2.0, 1.0]] * 300, "answer": ["a", "b", "b"] * 100}
    )
    made = nw.release(table, plan, out=survey.out, ledger=None)
    assert made.notes == ()
    page = Page(made.files["report"].read_text(encoding="utf-8"))
    assert page.mistakes == []
    assert "could not be drawn" not in page.text
    assert "curves at 6 positions, from 0 to 4" in page.text
    assert "the curve as a table" in page.text
    assert "unknown 0.0% to 100.0%" in " ".join(page.text.split())
