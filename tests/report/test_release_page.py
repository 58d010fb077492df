"""The page of a release: what it says, that it is whole, and that nothing runs in it."""

import re
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee, PerItem
from noisewright.report import release_page
from noisewright.report.rendering import load_templates
from noisewright.report.texts import digits_for, number
from tests.report.pages import Page, facts_of

JOBS = ["nurse", "baker", "clerk", "teacher"]
EVERYTHING = nw.Plan(
    {
        "job": nw.Column(JOBS, null="unknown", other="another"),
        "sex": nw.Column(["female", "male"]),
        "smoker": nw.Column(["yes", "no"]),
        "visits": nw.Column(nw.Counts(80), outside="clamp"),
        "income": nw.Column(nw.Interval(0, 100, step=10), off_grid="round"),
        "interests": nw.Column(nw.Subsets(["tv", "cars", "art"], largest=1), outside="sample"),
        "region": "public",
        "name": "drop",
    },
    epsilon=12,
    together=[("sex", "smoker")],
    title="Living conditions",
)
FACTS = facts_of(EVERYTHING, what="for the yearbook")


@pytest.fixture(scope="module")
def page() -> Page:
    return Page(release_page(FACTS))


def small(**more: object) -> Page:
    """A page that draws no chart: two labels, quick."""
    plan = nw.Plan({"answer": nw.Column(["yes", "no"])}, epsilon=1)
    return Page(release_page(facts_of(plan, {}, **more)))


def test_it_is_well_formed_and_whole(page: Page) -> None:
    assert page.mistakes == []
    names = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(names) == len(set(names))
    links = [a["href"] or "" for a in page.named("a")]
    assert {link.removeprefix("#") for link in links} <= set(names)
    assert page.named("html")[0]["lang"] == "en"
    assert len(page.named("h1")) == 1


def test_it_loads_nothing_and_runs_nothing(page: Page) -> None:
    assert "://" not in page.source
    assert not {"script", "link", "iframe", "object", "embed", "img", "base"} & {
        tag for tag, _ in page.tags
    }
    assert "url(" not in page.source.replace("url(#", "")
    assert "@import" not in page.source
    for _, attributes in page.tags:
        assert not any(name.startswith("on") or name == "src" for name in attributes)


def test_it_can_be_read_without_seeing_it(page: Page) -> None:
    drawings = page.named("svg")
    assert drawings
    for attributes in drawings:
        spoken = attributes.get("role") == "img" and attributes.get("aria-label")
        assert spoken or attributes.get("aria-hidden") == "true"
    assert all(attributes.get("scope") in ("row", "col") for attributes in page.named("th"))
    assert len(page.named("caption")) == len(page.named("table"))


def test_it_says_what_was_released_and_what_that_promises(page: Page) -> None:
    for words in (
        "Living conditions",
        "for the yearbook",
        "private.parquet holds randomized copies of 4,000 rows",
        f"noisewright {FACTS.version}",
        "2026-03-14",
        "no possible result is more than 162,755 times as likely",
        "The number of rows is public.",
        "Public, released unchanged and not protected: region.",
        "Rows are in the order of the input",
        "Each person has one row",
        "What it does not protect",
        "Empty cells were counted as unknown",
        "Labels that were not declared were counted as another",
        "Numbers beyond the bounds were moved to the nearer bound",
        "Numbers between grid points were moved to the nearest one",
        "Sets with too many items were cut to",
        "No ledger was debited",
        "noisewright check private.certificate.json",
        "12" * 32,
        EVERYTHING.digest,
        "noisewright estimate private.parquet",
        "nw.results.Release.open('private.parquet')",
        "1.23 MB",
        "ab" * 32,
    ):
        assert words in page.text, words


def test_all_columns_are_listed_with_their_share_of_epsilon(page: Page) -> None:
    text = page.text
    assert "job randomized randomized response 6 labels 2 16.7%" in text
    assert "sex randomized randomized response, together with smoker 2 labels 4 together" in text
    assert "visits randomized geometric noise whole numbers from 0 to 80 2 16.7%" in text
    assert "income randomized Laplace noise numbers from 0 to 100 in steps of 10 2" in text
    assert "interests randomized two coins for each item sets of 3 items, at most 1 in a" in text
    assert "region public released unchanged none none" in text
    assert "name dropped not released none none" in text


@pytest.mark.parametrize("name", ["job", "sex", "smoker", "sex × smoker", "interests"])
def test_the_numbers_are_those_of_the_estimates(page: Page, name: str) -> None:
    (estimate,) = FACTS.estimates_of(name)
    digits = digits_for(estimate.standard_errors.reshape(-1).tolist(), percent=True)
    for label, value, error, low, high in zip(
        estimate.axes[0].labels,
        estimate.values.tolist(),
        estimate.standard_errors.tolist(),
        *(ends.tolist() for ends in estimate.shown_intervals),
        strict=True,
    ):
        words = ", ".join(label) if isinstance(label, tuple) else str(label)
        shown = [number(x, digits, percent=True) for x in (value, error, low, high)]
        assert f"{words} {shown[0]} {shown[1]} {shown[2]} to {shown[3]}" in page.text
        # What is written means what was estimated, to the digits that are written.
        back = float(shown[0].replace("−", "-").rstrip("%").replace(",", "")) / 100
        assert abs(back - value) <= 0.5 * 10**-digits / 100 + 1e-12


def test_the_mean_is_shown_with_its_interval(page: Page) -> None:
    mean, _ = FACTS.estimates_of("income")
    low, high = map(float, mean.shown_intervals)
    assert low >= 0  # incomes are declared from 0 on
    digits = digits_for([mean.standard_error])
    shown = [number(x, digits) for x in (mean.value, mean.standard_error, low, high)]
    assert f"mean {shown[0]} {shown[1]} {shown[2]} to {shown[3]}" in page.text


def test_how_likely_the_truth_survives(page: Page) -> None:
    by_formula = np.exp(2) / (np.exp(2) + 5)
    assert f"true value survives {100 * by_formula:.1f}%" in page.text
    part = next(part for part in EVERYTHING.parts if part.name == "interests")
    assert isinstance(part.mechanism, PerItem)
    assert f"item survives {100 * float(part.mechanism.present):.1f}%" in page.text


def test_a_seeded_run_is_marked_everywhere_it_matters() -> None:
    marked = small(not_private=True)
    assert marked.text.count("NOT PRIVATE.") == 2
    assert "<title>NOT PRIVATE: " in marked.source
    assert "NOT PRIVATE" not in small().source


def test_the_budget_adds_up() -> None:
    balance = Balance("people of 2026", Guarantee(5), Guarantee("3.5"), Guarantee("1.5"))
    page = small(balance=balance)
    for words in (
        "spent before 2.5",
        "spent by this release 1",
        "left 1.5",
        "granted in all 5",
    ):
        assert words in page.text
    # Names of datasets are the ledger's own business.
    assert "people of 2026" not in page.text
    widths = re.findall(r'class="(before|now|left)" x="[\d.]+%" width="([\d.]+)%"', page.source)
    assert [(kind, float(width)) for kind, width in widths] == [
        ("before", 50.0),
        ("now", 20.0),
        ("left", 30.0),
    ]
    assert "as spent" not in page.text
    asked_nobody = small(accounted=True)
    assert "A ledger was debited with ε = 1" in asked_nobody.text.replace("\xa0", " ")
    assert "page made 2026" in small(made_again=True).text
    under_way = small(balance=replace(balance, reserved=(3, 7)))
    assert "2 spends are in progress" in under_way.text


def test_delta_and_several_rows_a_person_are_said() -> None:
    plan = nw.Plan(
        {"answer": nw.Column(["yes", "no"])},
        epsilon=2,
        delta="1e-6",
        person=nw.Person("patient", rows=4),
    )
    balance = Balance("p", Guarantee(5, "1e-5"), Guarantee(2, "1e-6"), Guarantee(3, "9e-6"))
    page = Page(release_page(facts_of(plan, {}, balance=balance)))
    for words in (
        "true rows, up to 4 of them",
        "plus a probability of 1e-6",
        "they guess right with a probability of at most 88.1%; without it, 50%",
        "patient identifies the person that a row belongs to. At most 4 rows of a person are",
        "ε = 0.5, δ = 2.5e-7",
        "spent before 0 0",
        "left 3 9e-6",
    ):
        assert words.replace(" = ", "\xa0=\xa0") in page.source or words in page.text, words


def test_without_the_charts_there_are_pictures_all_the_same(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures on a page need no charting library and no other process."""
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert release_page(FACTS) == page.source
    assert page.source.count('<div class="chart">') >= 4
    assert "could not be drawn" not in page.text


def test_without_jinja_the_way_to_get_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    load_templates.cache_clear()
    with pytest.raises(nw.errors.MissingPartError, match=r"Jinja2.*pip install jinja2"):
        release_page(FACTS)


def test_progress_counts_columns_up_to_the_whole_page() -> None:
    told: list[tuple[int, int]] = []
    release_page(FACTS, progress=lambda done, total: told.append((done, total)))
    total = len(EVERYTHING.parts) + 1
    assert told == [(done, total) for done in range(1, total + 1)]


def test_it_names_the_stand_alone_checker(page: Page) -> None:
    assert "noisewright checker -o checker.pyz" in page.text
    assert "python checker.pyz private.certificate.json" in page.text


def test_a_picture_that_fails_does_not_take_the_page_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*_: object, **__: object) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("noisewright.report.release.pictures.draw_heatmap", broken)
    page = Page(release_page(FACTS))
    assert page.mistakes == []
    assert "This picture could not be drawn (RuntimeError)." in page.text
    assert "nurse" in page.text


def test_counting_is_shown_to_be_wrong(page: Page) -> None:
    """The plain count that the page warns of is the share among the released values."""
    assert "plain count (wrong)" in page.text
    plan = nw.Plan({"answer": nw.Column(["yes", "no"])}, epsilon=1)
    mechanism = plan.parts[0].mechanism
    estimate = nw.estimate({"yes": 3000, "no": 1000}, mechanism, about="people")
    warned = Page(release_page(facts_of(plan, {"answer": estimate})))
    shown = number(float(estimate["yes"].value), 1, percent=True)
    assert f"yes 75.0% {shown}" in warned.text


def test_beliefs_move_as_bayes_says(page: Page) -> None:
    """Bounds are rounded away from the belief: what is shown is not less than what may happen."""
    factor = np.exp(1)
    text = Page(release_page(facts_of(nw.Plan({"a": nw.Column(["x", "y"])}, epsilon=1), {}))).text
    found = re.search(r"10% ([\d.]+)% ([\d.]+)% 50% ([\d.]+)% ([\d.]+)%", text)
    assert found is not None
    low, high, half_low, half_high = (float(number) / 100 for number in found.groups())
    assert low <= 1 / (1 + 9 * factor) < low + 0.001
    assert high - 0.001 < factor / (factor + 9) <= high
    assert half_low <= 1 / (1 + factor) < half_low + 0.001
    assert half_high - 0.001 < factor / (1 + factor) <= half_high
    assert "over 99.99%" in page.text


def test_promised_factors_are_rounded_up() -> None:
    from noisewright.plans import delta_text, factor_text
    from noisewright.report.guarantee import epsilon_text

    assert factor_text(Guarantee(1)) == "2.72"
    assert factor_text(Guarantee(0)) == "1"
    assert factor_text(Guarantee(alpha=Fraction(1, 2))) == "2"
    assert factor_text(Guarantee(5)) == "149"
    assert factor_text(Guarantee(40)) == "e^40"
    assert epsilon_text(Guarantee(Fraction(1, 3))) == "ε\xa0=\xa00.3334"
    assert epsilon_text(Guarantee("0.25", "1e-9")) == "ε\xa0=\xa00.25, δ\xa0=\xa01e-9"
    assert delta_text(Guarantee(1, Fraction(1, 3))) == "0.334"
