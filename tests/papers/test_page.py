"""The page of a paper in a real browser: verdicts can be read on a phone, and in the dark."""

import html
import re
from pathlib import Path

import pytest

from papers.claims import Claim, Grid, Picture, Sentence, Verdict
from papers.page import tally, write_page
from tests.report.test_page_in_a_browser import NEEDED, browse

HARNESS = """<!DOCTYPE html><body><iframe id="phone" style="width:{width}px;height:800px;border:0"
srcdoc="{page}"></iframe><pre id="found"></pre><script>
phone.onload = () => {{
  const page = phone.contentDocument, all = [...page.querySelectorAll("body *")];
  const cut = all.filter(e => e.getBoundingClientRect().right > {width} + 1);
  const out = cut.filter(e => e.matches(".verdict") || !e.closest(".scroll"));
  const style = phone.contentWindow.getComputedStyle(page.body);
  found.textContent = `${{page.documentElement.scrollWidth}} ${{out.length}} ` +
    `${{page.querySelectorAll(".verdict").length}} ${{style.backgroundColor}}`;
}};
</script>"""
# A PNG of one dot that says it is 1,800 dots wide.
PICTURE = bytes.fromhex("89504e470d0a1a0a0000000d49484452") + (1800).to_bytes(4) + bytes(50)


@pytest.fixture
def page(tmp_path: Path) -> str:
    (tmp_path / "wide.png").write_bytes(PICTURE)
    sentence = "a sentence of some length that has to be broken on a narrow screen, at p = 0.1"
    claims = {
        verdict.name: Claim(
            "Section 1.2, Theorem 3",
            "a claim whose title is long enough to need more than one line on a telephone",
            "x" * 90,
            sentence,
            verdict,
            sentence,
            sentences=[Sentence(sentence, sentence, each, sentence) for each in Verdict],
            grids=[Grid("A wide table", [f"column {k}" for k in range(30)], [range(30)])],
            pictures=[Picture("wide.png", "A wide picture")],
        )
        for verdict in Verdict
    }
    assert all(verdict.value in tally({"one": claims[verdict.name]}) for verdict in Verdict)
    _, path = write_page(tmp_path, claims, title="A page", introduction=["Words."])
    return path.read_text(encoding="utf-8")


@NEEDED
@pytest.mark.parametrize("width", [360, 1000])
def test_no_verdict_is_cut_off(page: str, width: int, tmp_path: Path) -> None:
    harness = tmp_path / "harness.html"
    harness.write_text(HARNESS.format(width=width, page=html.escape(page)), encoding="utf-8")
    dump = browse(tmp_path, "--virtual-time-budget=5000", "--dump-dom", harness.as_uri())
    found = re.search(r'<pre id="found">(\d+) (\d+) (\d+) ([^<]*)</pre>', dump)
    assert found is not None
    assert found.group(1, 2) == (str(width), "0")
    # One in the summary, one beside each claim, and one for each sentence.
    assert int(found.group(3)) == len(Verdict) * (2 + len(Verdict))


def _luminance(color: str) -> float:
    digits = color if len(color) == 6 else "".join(2 * digit for digit in color)
    parts = (int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4))
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_colors_can_be_told_apart_by_day_and_by_night(page: str) -> None:
    themes = re.findall(r":root \{([^}]*)\}", page)
    assert len(themes) == 2
    for theme in themes:
        found = dict(re.findall(r"--(\w+): #(\w+)", theme))
        for name in ("ink", "soft", "link"):
            one, other = sorted((_luminance(found[name]), _luminance(found["paper"])))
            assert (other + 0.05) / (one + 0.05) >= 4.5, name
    badges = re.findall(r"\{ background: #(\w+); color: #(\w+); \}", page)
    assert len(badges) == 6
    for background, text in badges:
        assert (_luminance(background) + 0.05) / (_luminance(text) + 0.05) >= 4.5
