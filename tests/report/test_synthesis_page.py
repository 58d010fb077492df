"""The page of a synthetic table: what it says, on any screen, for small and large ones."""

import html
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import noisewright as nw
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.report import SynthesisFacts, compare_counts, synthesis_page
from noisewright.report.release.facts import ReleaseFile
from noisewright.report.synthesis.counts import MOST_SECTIONS, lines_of, outside
from noisewright.report.synthesis.page import _names_and_times, view_errors
from noisewright.report.texts import readable
from noisewright.synthetic.by_blr.blr_synthesizer import ByBlr
from noisewright.synthetic.by_mst.mst import Mst
from noisewright.synthetic.by_mwem.mwem import Mwem
from noisewright.synthetic.steps.run_budget import RunBudget
from noisewright.synthetic.tallies import Tallies
from tests.report.pages import MADE, Page
from tests.report.test_hostile_labels import NASTY, ODD
from tests.report.test_page_in_a_browser import HARNESS, NEEDED, browse

MEGABYTE = 1_000_000
ROWS = 3_000
SECTIONS = ("guarantee", "method", "errors", "known", "counts", "budget", "use", "check", "files")


def facts_of(
    domain: nw.Records, method: str = "mst", *, delta: float = 0, rows: int = ROWS, **more: Any
) -> SynthesisFacts:
    """Make a table from a seed: every column follows the first."""
    rng = np.random.default_rng(1)
    first = rng.integers(0, 10**6, ROWS)
    codes = {
        name: np.where(rng.random(ROWS) < 0.3, rng.integers(0, space.size, ROWS), first)
        % space.size
        for name, space in domain.columns
    }
    workload = nw.workloads.Workload.marginals(domain, ways=min(2, len(domain.columns)))
    budget = RunBudget.of(1, delta)
    made: Any = {
        "mst": lambda: Mst(domain, workload, budget, (), more.get("inference", "tree"), 10**6),
        "mwem": lambda: Mwem(domain, workload, budget, 3),
        "blr": lambda: ByBlr(domain, workload, budget, rows, ROWS),
    }[method]()
    tallies = Tallies.of([codes], domain, made.groupings)
    drawn = made.draw(tallies, rows, source=nw.randomness.SeededSource(5))
    groupings = tuple(one.columns for one in drawn.measurements) or made.groupings
    own = Tallies.of([drawn.codes], domain, groupings)
    errors = made.predict(ROWS)
    if drawn.measurements:
        errors = errors.compare(domain, workload, own, drawn.measurements)
    given: dict[str, Any] = {
        "data": "synthetic.parquet",
        "method": method,
        "domain": domain,
        "rows": rows,
        "people": ROWS,
        "rows_per_person": 1,
        "made": MADE,
        "guarantee": budget.guarantee,
        "spends": drawn.spends,
        "counted": compare_counts(drawn.measurements, own.counts, rows),
        "errors": errors,
        "files": (
            ReleaseFile("synthetic.parquet", "the rows", 12_345, "ab" * 32),
            ReleaseFile("synthetic.certificate.json", "the proof", 4_567, "cd" * 32),
        ),
        "certificate_digest": "12" * 32,
    }
    return SynthesisFacts(**(given | more))


SMALL = nw.Records(
    job=nw.Categories(["clerk", "cook", "nurse"]),
    smokes=nw.Categories([True, False]),
    visits=nw.Counts(5),
    age=nw.Interval(18, 90, step=1),
)


@pytest.fixture(scope="module")
def facts() -> SynthesisFacts:
    return facts_of(SMALL, delta=1e-6)


@pytest.fixture(scope="module")
def page(facts: SynthesisFacts) -> Page:
    return Page(synthesis_page(facts))


def test_it_is_whole_and_loads_and_runs_nothing(page: Page) -> None:
    assert page.mistakes == []
    names = [attributes.get("id") for attributes in page.named("section")]
    assert [name for name in names if name in SECTIONS] == list(SECTIONS)
    links = {attributes["href"] for attributes in page.named("a")}
    assert links <= {f"#{name}" for name in (*SECTIONS, "glossary")}
    assert "://" not in page.source
    assert not {"script", "link", "iframe", "object", "embed", "img", "base"} & {
        tag for tag, _ in page.tags
    }
    marks = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(marks) == len(set(marks))
    for drawing in page.named("svg"):
        spoken = drawing.get("role") == "img" and drawing.get("aria-label")
        assert spoken or drawing.get("aria-hidden") == "true"
    assert len(page.named("caption")) == len(page.named("table"))


def test_cycles_are_listed_beside_the_tree() -> None:
    facts = facts_of(SMALL, delta=1e-6, inference="graph")
    page = Page(synthesis_page(facts))
    assert page.mistakes == []
    assert "fits all counts, each weighted by its noise" in page.text
    assert "on all others only through that one" not in page.text
    # Four columns: three pairs make the tree, and each further one closes a cycle.
    pairs = [one for one in facts.counted if len(one.columns) == 2]
    _, besides = page.text.split("the rows fit all counts:")
    listed, _ = besides.split(".", 1)
    assert len(pairs) > 3
    assert [name.strip() for name in listed.split(",")] == [
        " × ".join(one.columns) for one in pairs[3:]
    ]
    assert page.source.count('<ul class="tree">') == 1


def test_rows_by_points_are_not_said_to_follow_a_tree() -> None:
    page = Page(synthesis_page(replace(facts_of(SMALL), inference="points")))
    assert "made by rounding these weights" in page.text
    assert "The rows were fitted to all counts at once." in page.text
    assert "on all others only through that one" not in page.text


def test_it_says_what_it_is_what_it_costs_and_what_it_cannot_tell(
    facts: SynthesisFacts, page: Page
) -> None:
    for words in (
        "belong to no real person",
        "ε = 1, δ = 1e-6",
        "zero-concentrated differential privacy",
        f"All {len(facts.spends)} steps",
        "The tree of columns",
        "3 of 6 pairs of columns were counted together",
        "How the other 3 pairs of columns are related",
        "No ledger was debited",
        "noisewright check synthetic.certificate.json",
        "nw.results.Synthesis.open('synthetic.parquet')",
        "12" * 32,
    ):
        assert words in page.text
    assert "NOT PRIVATE" not in page.text
    # Every column stands in the tree once.
    tree = re.search(r'<ul class="tree">.*?</ul></li></ul>|<ul class="tree">.*?\n', page.source)
    assert tree is not None
    assert tree.group().count("<li>") == len(facts.names)
    for one in facts.counted:
        assert one.name in page.text
    shares = [float(found) for found in re.findall(r"<b>([0-9.]+)%</b>", page.source)]
    assert sum(shares) == pytest.approx(100, abs=0.2)


def test_the_numbers_are_those_of_the_counts(facts: SynthesisFacts) -> None:
    for one in facts.counted:
        lines = lines_of(one)
        assert one.found is not None
        assert sum(line.noisy for line in lines) == pytest.approx(one.measurement.counts.sum())
        assert sum(line.found or 0 for line in lines) == pytest.approx(ROWS)
        if one.measurement.counts.size == len(lines):
            assert {line.half for line in lines} == {one.measurement.noise.half_width}
        apart = outside(one)
        assert apart is not None
        assert apart[1] == one.measurement.counts.size
        assert apart[0] <= 0.4 * apart[1]
    age = next(one for one in facts.counted if one.name == "age")
    first, *_, last = lines_of(age)
    assert (first.name, last.name) == ("18 to 22", "87 to 90")
    assert first.half == pytest.approx(1.96 * age.measurement.deviation * 5**0.5)


def test_rounds_and_the_bound_of_blr_have_their_own_words() -> None:
    mwem = Page(synthesis_page(facts_of(nw.Records(dict(SMALL.columns[:3])), "mwem", rows=50)))
    assert mwem.mistakes == []
    assert "Round by round" in mwem.text
    assert "scaled to 3,000" in mwem.text
    assert "compare shares, not counts" in mwem.text
    blr = facts_of(nw.Records(a=nw.Counts(1), b=nw.Counts(1)), "blr", rows=20)
    said = Page(synthesis_page(blr))
    assert said.mistakes == []
    assert "with probability 95%" in said.text
    assert "What was counted" not in said.text
    assert "shares come in steps of 5%" in said.text
    weak = replace(blr, errors=replace(blr.errors, bound=1.7))
    assert "promises nothing" in Page(synthesis_page(weak)).text


def test_several_rows_a_person_a_ledger_and_a_seed_are_said(facts: SynthesisFacts) -> None:
    balance = Balance("", Guarantee(4), Guarantee(3), Guarantee(1))
    told = replace(
        facts, rows_per_person=3, balance=balance, accounted=True, not_private=True, made_again=True
    )
    page = Page(synthesis_page(told))
    assert "At most 3 rows of each person were counted" in page.text
    assert "spent before" in page.text
    assert page.text.count("NOT PRIVATE") == 3
    assert "page made" in page.text
    told = replace(facts, guarantee=Guarantee(6), limits=("The column 'x' is too wide.",))
    large = Page(synthesis_page(told))
    assert "is large" in large.text
    assert "The column 'x' is too wide." in large.text


def test_names_and_labels_stay_text() -> None:
    def made(labels: list[str], names: list[str]) -> Page:
        spaces = {name: nw.Categories(labels) for name in names}
        return Page(synthesis_page(facts_of(nw.Records(spaces))))

    plain = made([f"label {place}" for place in range(len(NASTY))], ["one", "two", "three"])
    page = made(NASTY, [NASTY[0], NASTY[1], NASTY[4]])
    assert page.mistakes == []
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert not any(key.startswith("on") for _, found in page.tags for key in found)
    odd = made(ODD, [*ODD[:3], "y" * 200])
    assert odd.mistakes == []
    assert "could not be drawn" not in odd.text


def test_fifteen_columns_of_a_hundred_labels_and_columns_of_thousands_stay_small() -> None:
    labels = [f"a rather long label {place}" for place in range(100)]
    wide = nw.Records({f"column {place}": nw.Categories(labels) for place in range(15)})
    source = synthesis_page(facts_of(wide))
    assert len(source) < MEGABYTE // 2
    assert Page(source).mistakes == []
    fine = nw.Records(a=nw.Counts(5_000), b=nw.Interval(0, 1, step="1/4000"), c=nw.Counts(2))
    source = synthesis_page(facts_of(fine))
    assert len(source) < MEGABYTE // 8
    assert "0 to 312" in Page(source).text


def test_a_picture_that_fails_does_not_take_the_page_with_it(
    facts: SynthesisFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> Any:
        raise RuntimeError("out of memory")

    monkeypatch.setattr("noisewright.report.synthesis.links.draw_pairs", broken)
    page = Page(synthesis_page(facts))
    assert "This picture could not be drawn (RuntimeError)." in page.text
    assert "The tree of columns" in page.text


def test_without_the_charts_there_are_pictures_all_the_same(
    facts: SynthesisFacts, page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "altair", None)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert synthesis_page(facts) == page.source
    assert "All pairs of columns" in page.text


def test_progress_ends_with_the_whole_page(facts: SynthesisFacts) -> None:
    told: list[tuple[int, int]] = []
    synthesis_page(facts, progress=lambda done, total: told.append((done, total)))
    assert [done for done, _ in told] == list(range(1, told[0][1] + 1))


@NEEDED
@pytest.mark.parametrize("width", [360, 800])
def test_nothing_is_wider_than_the_screen(width: int, tmp_path: Path) -> None:
    long = nw.Records(
        {
            "a_name_without_any_place_to_break_a_line_at_that_goes_on_and_on": nw.Categories(
                ["x" * 200, "y" * 60, "unbreakable" * 9]
            ),
            **dict(SMALL.columns),
        }
    )
    page = synthesis_page(facts_of(long, data="d" * 120 + ".parquet"))
    harness = tmp_path / "harness.html"
    harness.write_text(HARNESS.format(width=width, page=html.escape(page)), encoding="utf-8")
    dump = browse(tmp_path, "--virtual-time-budget=5000", "--dump-dom", harness.as_uri())
    found = re.search(r'<pre id="found">([^<]*)</pre>', dump)
    assert found is not None
    assert found.group(1) == f"width {width} out none"


def test_columns_that_were_split_are_named_by_what_they_are() -> None:
    items = {"likes: tv": nw.Categories([False, True]), "likes: cars": nw.Categories([False, True])}
    curve = {"load: coefficient 1": nw.Interval(-2, 2, step=1)}

    def said(columns: tuple[str, ...], **spaces: nw.Categories | nw.Interval) -> str:
        facts = facts_of(nw.Records(**spaces), columns=columns)
        return " ".join(re.sub("<[^>]+>", "", synthesis_page(facts)).split())

    sets = said(("job", "likes"), job=nw.Categories(["a", "b"]), **items)
    assert "no row was copied from it. Each item of a set was counted as a column of its " in sets
    assert "so this page is about 3 columns." in sets
    both = said(("likes", "load"), **items, **curve)
    assert "Each item of a set and each coefficient of a curve was counted" in both
    assert "column of its own" not in said(("job",), job=nw.Categories(["a", "b"]))


def test_counts_without_a_section_are_named_once_with_how_often_there_are() -> None:
    facts = facts_of(SMALL)
    seen = facts.counted[0]
    many = replace(facts, counted=facts.counted * 30)
    assert len(many.counted) > MOST_SECTIONS
    left = _names_and_times(many)
    assert len(left) == len({name.partition(" (")[0] for name in left})
    of_first = [one.name for one in many.counted[MOST_SECTIONS:]].count(seen.name)
    assert f"{seen.name} ({of_first} times)" in left


def test_each_expected_error_says_what_it_is_the_average_of(facts: SynthesisFacts) -> None:
    at_top = facts.errors.expected_in_workload
    assert at_top is not None
    view = view_errors(facts)
    assert view.expected_in_workload == readable(at_top)
    assert "the number at the top of this page" in synthesis_page(facts)
    drowned = replace(facts.errors.parts[0], expected=2.0, counted=True, in_workload=True)
    lost = replace(facts, errors=replace(facts.errors, parts=(drowned, *facts.errors.parts[1:])))
    table = view_errors(lost).asked
    assert table is not None
    first, *others = (row[2] for row in table.rows)
    assert first == "2: lost in noise"
    assert not any("lost" in one for one in others)
