"""The page in a real browser: nothing sticks out on a phone, colors follow, paper has pages."""

import html
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import noisewright as nw
from noisewright.ledger import Balance
from noisewright.mechanisms import Guarantee
from noisewright.report import release_page
from tests.report.pages import facts_of
from tests.report.test_release_page import EVERYTHING

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
NEEDED = pytest.mark.skipif(CHROMIUM is None, reason="needs: chromium (apt-get install chromium)")

# The page in a frame as wide as a phone, and a look at what is wider than the frame.
HARNESS = """<!DOCTYPE html><body><iframe id="phone" style="width:{width}px;height:800px;border:0"
srcdoc="{page}"></iframe><pre id="found"></pre><script>
phone.onload = () => {{
  const page = phone.contentDocument, wide = page.documentElement.scrollWidth;
  const out = [...page.querySelectorAll("body *")].filter(e =>
    e.getBoundingClientRect().right > {width} + 1 && !e.closest(".scroll, pre, .chart, details"));
  found.textContent = `width ${{wide}} out ${{out.map(e => e.tagName).join() || "none"}}`;
}};
</script>"""


def browse(folder: Path, *options: str) -> str:
    assert CHROMIUM is not None
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-first-run",
        "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}",
        *options,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout


@pytest.fixture(scope="module")
def page() -> str:
    long = nw.Plan(
        {
            "a_name_without_any_place_to_break_a_line_at_that_goes_on_and_on": nw.Column(
                ["x" * 200, "y" * 60, "unbreakable" * 9]
            ),
            **dict(EVERYTHING.columns),
        },
        epsilon=14,
        title="T" * 150,
    )
    balance = Balance("d" * 90, Guarantee(30), Guarantee(14), Guarantee(16))
    return release_page(facts_of(long, balance=balance, data="d" * 120 + ".parquet"))


@NEEDED
@pytest.mark.parametrize("width", [360, 800])
def test_nothing_is_wider_than_the_screen(page: str, width: int, tmp_path: Path) -> None:
    harness = tmp_path / "harness.html"
    harness.write_text(HARNESS.format(width=width, page=html.escape(page)), encoding="utf-8")
    dump = browse(tmp_path, "--virtual-time-budget=5000", "--dump-dom", harness.as_uri())
    found = re.search(r'<pre id="found">([^<]*)</pre>', dump)
    assert found is not None
    assert found.group(1) == f"width {width} out none"


@NEEDED
def test_it_prints(page: str, tmp_path: Path) -> None:
    source, paper = tmp_path / "page.html", tmp_path / "page.pdf"
    source.write_text(page, encoding="utf-8")
    browse(tmp_path, "--no-pdf-header-footer", f"--print-to-pdf={paper}", source.as_uri())
    printed = paper.read_bytes()
    assert printed.startswith(b"%PDF")
    counts = [int(count) for count in re.findall(rb"/Count (\d+)", printed)]
    assert 4 <= max(counts) <= 25
