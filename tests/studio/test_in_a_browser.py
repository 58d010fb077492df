"""The paths of a steward, a researcher and an auditor, in a real browser, on this machine only."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

import noisewright as nw
from noisewright.studio.jobs import write_job
from tests.studio.conftest import SECRET, RunningStudio, write_adult

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="needs: chromium (apt-get install chromium)"),
    pytest.mark.slow,
]
OPTIONS = [
    "--no-sandbox",
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = "<img src=x onerror=document.title='owned'>"
WIDTHS = (360, 800, 1400)


class Visitor:
    """A page of the studio, and what its browser complained of."""

    def __init__(self, page: Any, origin: str) -> None:
        self.page = page
        self.problems: list[str] = []
        self.elsewhere: list[str] = []
        page.on("console", lambda said: self.problems.append(said.text))
        page.on("pageerror", lambda problem: self.problems.append(str(problem)))

        def look(answer: Any) -> None:
            if answer.status >= 400:
                self.problems.append(f"{answer.status} {answer.url}")

        page.on("response", look)

        def note(request: Any) -> None:
            if not request.url.startswith((origin, "data:", "blob:")):
                self.elsewhere.append(request.url)

        page.on("request", note)

    def go(self, room: str, title: str) -> None:
        self.page.get_by_role("link", name=room, exact=True).click()
        self.page.wait_for_selector(f"h1:has-text('{title}')")

    def require_usable(self, scheme: str = "light") -> None:
        """Axe finds nothing that keeps people from using the page, serious or critical."""
        self.page.emulate_media(color_scheme=scheme)
        found = Axe().run(self.page).response["violations"]
        serious = [
            (one["id"], node["html"])
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
        assert serious == []

    def require_fit(self) -> None:
        """Nothing is wider than the screen, on a phone as on a desk."""
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            wide = self.page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{wide} at {width}"
        unnamed = self.page.evaluate(
            """() => [...document.querySelectorAll('input, select, textarea')]
                .filter(e => !e.labels?.length && !e.getAttribute('aria-label'))
                .map(e => e.outerHTML)"""
        )
        assert unnamed == []


@pytest.fixture
def visitor(studio: RunningStudio) -> Iterator[Visitor]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=OPTIONS)
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.set_default_timeout(90_000)
        found = Visitor(page, studio.origin)
        page.goto(studio.address)
        page.wait_for_selector("h1")
        assert "token" not in page.url
        yield found
        browser.close()
    assert found.problems == []
    assert found.elsewhere == []


def declare(page: Any) -> None:
    page.get_by_label("Table").select_option("adult.csv")
    page.get_by_label("Codebook").select_option("codes.csv")
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("text=Still to be declared: sex")
    page.get_by_label("What sex holds").select_option("labels")
    page.locator("details", has_text="What sex holds").get_by_label("Labels, one").fill(
        "Female\nMale"
    )
    page.get_by_label("What fnlwgt holds").select_option("drop")
    page.wait_for_selector("text=guesses the right one")


def cells_of(table: Any) -> list[list[str]]:
    """Return the texts of a table, read at once: predictions that arrive draw it again."""
    rows = table.locator("tbody tr")
    return rows.evaluate_all("rows => rows.map(row => [...row.cells].map(c => c.innerText))")


def require_advised(page: Any, studio: RunningStudio, epsilon: str) -> None:
    """The table shows what `advise` says without questions, and all of it on a phone."""
    page.wait_for_selector(f"#picture[data-epsilon='{epsilon}'][data-estimated='']")
    said = nw.advise(
        plan=studio.folder / "plan.toml", data=studio.folder / "adult.csv", epsilon=epsilon
    )
    assert cells_of(page.locator("table").first) == said.lines()[1:]
    text = page.locator("#picture").inner_text()
    assert said.verdict in text
    assert cells_of(page.locator("table").nth(1)) == said.difference_lines()[1:]
    assert "right with probability at most" in text
    assert "left of" not in text
    page.set_viewport_size({"width": 360, "height": 900})
    ends = page.locator("td.best").evaluate_all(
        "cells => cells.map(c => c.getBoundingClientRect()).map(box => [box.left, box.right])"
    )
    assert ends
    assert all(left >= 0 and right <= 360 for left, right in ends), ends
    page.set_viewport_size({"width": 1400, "height": 900})


def test_the_path_of_a_steward(visitor: Visitor, studio: RunningStudio, tmp_path: Path) -> None:
    page = visitor.page
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("text=Choose a table first")
    write_adult(studio.folder)
    page.reload()
    declare(page)
    visitor.require_fit()
    visitor.require_usable("dark")
    page.get_by_role("button", name="Save the plan").click()
    page.wait_for_selector("text=is saved in the folder")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download it").click()
    assert download.value.suggested_filename == "plan.toml"
    assert SECRET not in page.content()

    visitor.go("Ledger", "Ledger")
    page.get_by_role("button", name="Create it").click()
    page.get_by_label("Name for these people").fill(" ")
    page.get_by_role("button", name="Grant").click()
    page.wait_for_selector("text=a name first")
    page.get_by_label("Name for these people").fill("survey")
    page.get_by_label("Epsilon").fill("3")
    page.get_by_role("button", name="Grant").click()
    page.wait_for_selector("meter")
    visitor.require_fit()
    visitor.require_usable()

    visitor.go("Choose", "Choose")
    page.wait_for_selector("#picture[data-epsilon='1']")
    page.get_by_label("Privacy loss of each person").press("ArrowRight")
    require_advised(page, studio, "1.1")
    visitor.require_fit()
    visitor.require_usable("dark")
    page.evaluate("sessionStorage.clear()")  # as in a new tab: the plan is there to go on with
    page.goto(f"{studio.origin}/#data")
    page.reload()
    page.get_by_label("Table").select_option("adult.csv")
    page.get_by_label("Saved plan, to go on with").select_option("plan.toml")
    page.get_by_role("button", name="Open").click()
    page.wait_for_selector("text=guesses the right one")

    visitor.go("Do", "Do")
    page.get_by_label("sex", exact=True).check()
    page.get_by_label("Epsilon, for this alone").fill("0.5")
    page.get_by_role("button", name="Show the cost").click()
    page.wait_for_selector("text=This cannot be undone")
    visitor.require_fit()
    page.get_by_role("button", name="Spend epsilon=0.5").click()
    page.wait_for_selector("article[data-state=done] svg")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the certificate").click()
    download.value.save_as(tmp_path / "certificate.json")
    assert nw.check(tmp_path / "certificate.json").holds

    page.get_by_label("Make a synthetic table").check()
    page.get_by_label("Epsilon, for this alone").fill("1")
    page.get_by_role("button", name="Show the cost").click()
    page.get_by_role("button", name="Spend").click()
    page.wait_for_selector("article >> nth=1")
    page.reload()  # a closed browser does not stop it
    page.wait_for_selector("article[data-state=done] >> nth=1")
    page.get_by_label("Release a private copy").check()
    page.get_by_role("button", name="Show the cost").click()
    page.get_by_role("button", name="Spend").click()
    page.wait_for_selector("article[data-state=done] >> nth=2")
    visitor.require_fit()
    visitor.require_usable()
    assert SECRET not in page.content()
    book = nw.Ledger.open(studio.folder / "budget.db")
    assert [entry.kind for entry in book.history()].count("spend") == 3


def test_the_paths_of_a_researcher_and_an_auditor(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    visitor.go("Design", "Design")
    page.wait_for_selector("text=What properties cost")
    page.wait_for_selector("svg[data-end=WM]")
    page.get_by_label("fairness (F)").check()
    page.wait_for_selector("tr:has-text('fairness (F)') td:has-text('yes')")
    page.wait_for_selector("svg[data-end=EM]")
    page.get_by_label("Prior").select_option("binomial")
    page.wait_for_selector("text=It does not apply here")
    page.get_by_label("What comes in").select_option("circle")
    page.wait_for_selector("#best:has-text('per unit of distance')")
    visitor.require_fit()
    visitor.require_usable("dark")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the certificate").click()
    true, forged = tmp_path / "true.json", tmp_path / "forged.json"
    download.value.save_as(true)
    document = json.loads(true.read_text(encoding="utf-8"))
    document["claims"]["epsilon"] = {"value": "1/100"}
    forged.write_text(json.dumps(document), encoding="utf-8")

    visitor.go("Audit", "Audit")
    page.get_by_label("choose its file").set_input_files(true)
    page.wait_for_selector("text=everything that the certificate claims holds")
    page.get_by_label("choose its file").set_input_files(forged)
    page.wait_for_selector("#checked >> text=NOT proven")
    assert page.locator("#checked li").first.inner_text()
    page.get_by_role("button", name="What does it guarantee?").click()
    page.wait_for_selector("text=1.0986122886681098")
    (tmp_path / "matrix.csv").write_text("0.8,0.2\n0.2,0.8\n", encoding="utf-8")
    page.get_by_label("from a CSV or JSON file").set_input_files(tmp_path / "matrix.csv")
    page.get_by_role("button", name="What does it guarantee?").click()
    page.wait_for_selector("text=1.38629436111")
    page.get_by_text("The exact curve").click()
    assert page.get_by_role("cell", name="3/5").count() == 1
    visitor.require_fit()
    visitor.require_usable()


def test_markup_in_names_is_shown_as_text(visitor: Visitor, studio: RunningStudio) -> None:
    page = visitor.page
    file = "odd <b>.csv"
    (studio.folder / file).write_text(f'"{HOSTILE}",b\nx,1\n', encoding="utf-8")
    page.reload()
    page.get_by_label("Table").select_option(file)
    page.get_by_text("How the file is read").click()
    page.get_by_label("The first line holds column names").select_option("yes")
    page.get_by_role("button", name="Open").click()
    page.get_by_label(f"What {HOSTILE} holds").select_option("labels")
    page.get_by_label("Labels, one per line").fill(f"{HOSTILE}\nx")
    page.get_by_label("What b holds").select_option("drop")
    page.wait_for_selector("text=guesses the right one")
    page.get_by_role("button", name="Save the plan").click()
    page.wait_for_selector("text=is saved in the folder")
    assert page.locator("img").count() == 0
    assert re.match("Data", page.title())

    # A job whose process is gone, as somebody finds it after a restart.
    job: dict[str, Any] = {
        "id": "0123456789abcdef" * 2,
        "state": "running",
        "begun": "2026-01-01T00:00:00+00:00",
        "ledger": None,
        "folder": str(studio.folder),
        "user": HOSTILE,
        "request": {"kind": "ask", "table": {"file": file}, "plan": "p", "output": HOSTILE},
        "code": {"shell": HOSTILE, "python": HOSTILE},
        "progress": None,
        "result": None,
        "error": None,
    }
    write_job(studio.rooms.jobs._path(job["id"]), job)
    visitor.go("Do", "Do")
    page.wait_for_selector("article[data-state=interrupted]")
    assert "nothing was debited" in page.locator("article").inner_text()
    assert page.locator("img").count() == 0
