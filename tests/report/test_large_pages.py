"""Many columns and many labels: the page stays small, and says everything once."""

import numpy as np

import noisewright as nw
from noisewright.report import release_page
from noisewright.report.release.columns import MOST_SECTIONS
from tests.report.pages import Page, facts_of

MEGABYTE = 1_000_000


def test_two_hundred_labels() -> None:
    labels = [f"label {place:03d}" for place in range(200)]
    plan = nw.Plan({"many": nw.Column(labels)}, epsilon=6)
    page = Page(release_page(facts_of(plan)))
    assert page.mistakes == []
    assert len(page.source) < MEGABYTE // 4
    assert all(label in page.text for label in labels)
    assert "the 30 largest of 200" in page.text
    assert "All 200 values are treated alike" in page.text


def test_sixty_columns() -> None:
    labels = [f"label {place}" for place in range(40)]
    plan = nw.Plan({f"c{place:02d}": nw.Column(labels) for place in range(60)}, epsilon=300)
    mechanism = plan.parts[0].mechanism
    one = nw.estimate(
        mechanism.sample(labels * 100, source=nw.randomness.SeededSource(1)), mechanism
    )
    page = Page(release_page(facts_of(plan, {f"c{place:02d}": one for place in range(60)})))
    assert page.mistakes == []
    assert len(page.source) < 2 * MEGABYTE
    assert sum(a.get("class") == "column" for a in page.named("section")) == MOST_SECTIONS
    assert f"{60 - MOST_SECTIONS} further columns, in brief" in page.text
    names = {a["id"] for _, a in page.tags if "id" in a}
    assert {f"column-{place}" for place in range(1, 61)} <= names


def test_shares_that_noise_hides_are_folded_away() -> None:
    plan = nw.Plan({"count": nw.Column(nw.Counts(100))}, epsilon="0.5")
    mechanism = plan.parts[0].mechanism
    released = mechanism.sample(np.full(500, 7), source=nw.randomness.SeededSource(1))
    hidden = nw.estimate(released, mechanism, of="shares", about="people")
    mean = nw.estimate(released, mechanism, of="mean", about="people")
    page = Page(release_page(facts_of(plan, {"count": (mean, hidden)})))
    assert page.mistakes == []
    assert "This release says nothing about these 101 shares" in page.text
    assert "the numbers anyway" in page.text
    assert "What is published for three true values: 15, 50, 85." in page.text


def test_a_table_without_rows_has_a_page() -> None:
    plan = nw.Plan({"answer": nw.Column(["yes", "no"])}, epsilon=1)
    page = Page(release_page(facts_of(plan, {}, rows=0)))
    assert page.mistakes == []
    assert "randomized copies of 0 rows" in page.text
    assert "No estimate of this column" in page.text
