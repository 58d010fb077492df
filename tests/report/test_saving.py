"""Charts as files: whole, of the right kind, and pages that need no network."""

import json
import re
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import noisewright as nw
from noisewright.errors import InputError, MissingPartError
from noisewright.report import heatmap, save_chart


@pytest.fixture
def chart() -> Any:
    return heatmap(nw.geometric(nw.Counts(2), epsilon=1), title="A <title>")


def test_a_picture_is_twice_as_fine_as_the_screen(chart: Any, tmp_path: Path) -> None:
    save_chart(chart, tmp_path / "m.png")
    save_chart(chart, tmp_path / "m.svg")
    data = (tmp_path / "m.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width = int.from_bytes(data[16:20])
    drawing = ElementTree.fromstring((tmp_path / "m.svg").read_text(encoding="utf-8"))
    assert drawing.tag.endswith("}svg")
    assert width == pytest.approx(2 * float(drawing.attrib["width"]), abs=2)


def test_a_specification_is_vega_lite(chart: Any, tmp_path: Path) -> None:
    save_chart(chart, str(tmp_path / "m.json"))
    spec = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert "/vega-lite/" in spec["$schema"]


def test_a_page_carries_all_it_needs(chart: Any, tmp_path: Path) -> None:
    save_chart(chart, tmp_path / "m.HTML")
    page = (tmp_path / "m.HTML").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<title>A &lt;title&gt;</title>" in page
    assert re.findall(r"<script[^>]*\ssrc\s*=", page) == []
    assert re.findall(r"<link|@import", page) == []
    assert "vegaEmbed(" in page
    assert len(page) > 500_000


def test_a_label_cannot_end_the_script_of_a_page(tmp_path: Path) -> None:
    labels = ["</script><script>alert(1)</script>", "<!--<script>", "plain"]
    save_chart(
        heatmap(nw.randomized_response(nw.Categories(labels), epsilon=1)), tmp_path / "m.html"
    )
    page = (tmp_path / "m.html").read_text(encoding="utf-8")
    assert page.count("<script>") == page.count("</script>") == 2
    assert "<!--" not in page


def test_a_control_character_in_a_label_does_not_end_the_process(tmp_path: Path) -> None:
    labels = nw.Categories(["nul\x00", "bell\x07", "half \ud83d", "\ufffe", "x" * 5000])
    chart = heatmap(nw.randomized_response(labels, epsilon=1), title="\x1b[31mred")
    save_chart(chart, tmp_path / "m.svg")
    drawing = (tmp_path / "m.svg").read_text(encoding="utf-8")
    ElementTree.fromstring(drawing)
    assert "nul\N{REPLACEMENT CHARACTER}" in drawing


@pytest.mark.parametrize("name", ["m", "m.pdf", "m.png.txt"])
def test_other_endings_are_refused(chart: Any, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"must end in \.png, \.svg, \.html or \.json"):
        save_chart(chart, tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_does_not_exist_is_named(chart: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*nowhere.*: No such file or directory"):
        save_chart(chart, tmp_path / "nowhere" / "m.png")


def test_a_folder_is_not_overwritten(chart: Any, tmp_path: Path) -> None:
    (tmp_path / "m.png").mkdir()
    with pytest.raises(InputError, match="cannot write"):
        save_chart(chart, tmp_path / "m.png")
    assert [path.name for path in tmp_path.iterdir()] == ["m.png"]


@pytest.mark.parametrize("wrong", [None, {"mark": "bar"}, "chart"])
def test_what_is_no_chart_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="takes an Altair chart"):
        save_chart(wrong, tmp_path / "m.png")


def test_without_the_libraries_the_way_to_get_them_is_said(
    chart: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingPartError, match="pip install vl-convert-python"):
        save_chart(chart, tmp_path / "m.png")
    save_chart(chart, tmp_path / "m.json")
    monkeypatch.setitem(sys.modules, "altair", None)
    with pytest.raises(MissingPartError, match="pip install altair"):
        heatmap(nw.uniform(nw.Counts(2)))
