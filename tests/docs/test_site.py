"""What `make site` builds: every page has its place, every chart its picture, no link is broken."""

import ast
import importlib.util
import math
import re
import shutil
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from tests.docs.pages import ROOT, blocks

SITE = ROOT / "docs" / "site"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", list(sys.path))
    return load("make")


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"site_{name}", SITE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_has_its_place_in_the_navigation(maker: ModuleType) -> None:
    written = maker.toml(maker.navigation())
    assert tomllib.loads(f"nav = {written}")
    listed = re.findall(r'"([\w./-]+\.md)"', written)
    pages = {page.relative_to(ROOT).as_posix() for page in maker.sources()}
    made = {"docs/decisions/README.md", *(f"papers/{name}/claims.md" for name in maker.PAPERS)}
    assert set(listed) == pages | made
    assert {path.parent.name for path in (ROOT / "papers").glob("*/run.py")} == set(maker.PAPERS)


def test_the_gallery_shows_every_chart() -> None:
    """Its code is run with that of all pages."""
    stub = ast.parse((ROOT / "src" / "noisewright" / "report" / "__init__.pyi").read_text())
    charts = {
        alias.name
        for node in stub.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("charts.")
        for alias in node.names
        if not alias.name.startswith(("require_", "save_"))
    }
    code = "\n".join(block.text for block in blocks(ROOT / "docs" / "gallery.md"))
    assert len(charts) >= 9
    missing = {name for name in charts if f"report.{name}(" not in code}
    assert missing == set(), "docs/gallery.md shows each chart with its code"


def test_a_block_is_followed_by_its_chart_or_its_page(
    maker: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maker.report, "save_chart", lambda chart, path: path.write_text(chart))
    text = (
        "# All\n\n```python\nsvg = '<svg/>'\n```\n\n## A dot\n\n```python\nchart = svg\n```\n\n"
        "## By itself\n\n```python\npage = 'page.html'\n```\nend\n"
    )
    shown = "".join(maker.with_pictures(text, tmp_path))
    assert shown.count("![") == 1
    assert "```\n\n![A dot](gallery/03-a-dot.svg)\n" in shown
    assert '<iframe src="gallery/page.html" title="By itself"></iframe>' in shown
    assert shown.endswith("end\n")
    assert (tmp_path / "03-a-dot.svg").read_text() == "<svg/>"


def test_a_site_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    check = load("check")
    (tmp_path / "inside").mkdir()
    (tmp_path / "index.html").write_text('<a href="inside/">in</a><a href="#top" id="top">up</a>')
    (tmp_path / "inside" / "index.html").write_text(
        '<a href="../index.html#top">out</a><a href="https://example.org/">elsewhere</a>'
    )
    check.require_whole(tmp_path)
    (tmp_path / "bad.html").write_text(
        '<a href="nowhere.html">a</a><a href="index.html#none">b</a>'
        '<script src="https://example.org/x.js"></script><img src="//example.org/x.png">'
    )
    with pytest.raises(SystemExit) as refused:
        check.require_whole(tmp_path)
    said = str(refused.value).splitlines()[1:]
    assert sorted(said) == [
        "bad.html fetches //example.org/x.png",
        "bad.html fetches https://example.org/x.js",
        "bad.html links to index.html#none, which has no such heading",
        "bad.html links to nowhere.html, which is not there",
    ]


def test_the_design_room_has_what_its_controls_can_ask_for() -> None:
    room = load("design_room")
    found = room.design_all(("0.5",))
    sizes = [len(room.PEOPLE), len(room.LOSSES), len(room.GOALS), len(room.PROPERTIES)]
    assert len(found) == math.prod(sizes)
    script = (SITE / "design_room.js").read_text(encoding="utf-8")
    start = re.search(r"const now = \{(.*)\};", script)
    assert start is not None
    first = "/".join(re.findall(r'"([^"]*)"', start[1]))
    assert {"matrix", "loss", "bound", "route", "guarantee", "unit"} == set(found[first])
    assert all(f'"{one}"' in script or f"  {one}:" in script for one in room.PROPERTIES)
    for one in found.values():
        assert one["bound"] <= one["loss"] <= one["bound"] * (1 + 1e-9)
        assert all(abs(sum(row) - 1) < 1e-3 for row in one["matrix"])


@pytest.mark.skipif(CHROMIUM is None, reason="needs: chromium (apt-get install chromium)")
def test_the_scripts_of_the_site_work_from_a_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The search's worker gets and gives copies, later; the room shows what is chosen."""
    from playwright.sync_api import sync_playwright

    room = load("design_room")
    monkeypatch.setattr(room, "EPSILONS", ("0.5", "2"))
    monkeypatch.setattr(room, "PEOPLE", (8,))
    monkeypatch.setattr(room, "LOSSES", ("L1",))
    room.write_designs(tmp_path / "designs.js")
    for name in ("worker", "design_room"):
        shutil.copy(SITE / f"{name}.js", tmp_path)
    (tmp_path / "twice.js").write_text("addEventListener('message', e => postMessage(e.data * 2))")
    (tmp_path / "index.html").write_text(
        "<body><div id='design-room'></div><p id=said></p><script src=worker.js></script>"
        "<script>const one = new Worker('twice.js'); one.onmessage = e => said.append(e.data);"
        "one.postMessage(21); said.append('later: ')</script>"
        "<script src=designs.js></script><script src=design_room.js></script>"
    )
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        problems: list[str] = []
        page.on("pageerror", lambda problem: problems.append(str(problem)))
        page.goto((tmp_path / "index.html").as_uri())
        page.wait_for_function("said.textContent === 'later: 42'")
        before = page.inner_text("#design-room")
        page.locator("input[type=range]").press("End")
        after = page.inner_text("#design-room")
        browser.close()
    assert problems == []
    assert "Proven: epsilon=0.5" in before
    assert "Proven: epsilon=2" in after
    assert 'nw.design(nw.Counts(8), epsilon="2", loss="L1", properties={"WH", "CM"})' in after
