"""Columns with one possible value, and tables that stay in memory: what notes and pages say."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw

TWO: dict[str, Any] = {"a": ["x", "z"] * 500, "b": ["y"] * 1000}
TWO_SPACES: dict[str, Any] = {"a": ["x", "z"], "b": ["y"]}


def page_of(made: nw.Synthesis, folder: Path) -> str:
    source = made.report(folder / "page.html").read_text(encoding="utf-8")
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", source)).split())


def test_a_column_beside_a_constant_is_not_called_too_large(tmp_path: Path) -> None:
    made = nw.synthesize(TWO, TWO_SPACES, epsilon=1, source=nw.SeededSource(1))
    assert made.notes == ()
    page = page_of(made, tmp_path)
    assert "too many points" not in page
    assert not re.search(r"How .{0,20}pairs? of columns goe?s? together", page)


def test_a_column_that_is_too_large_for_every_other_is_still_told() -> None:
    data: dict[str, Any] = {"a": [0, 1, 2, 3], "b": [5, 6, 7, 8], "c": ["y"] * 4}
    spaces: dict[str, Any] = {"a": nw.Counts(4000), "b": nw.Counts(4000), "c": ["y"]}
    made = nw.synthesize(data, spaces, epsilon=1, bins=None, source=nw.SeededSource(1))
    assert ["'a'" in note or "'b'" in note for note in made.limits] == [True, True]


PAIRS = {
    "one of three": ([["a", "b"], ["b", "c"]], "How the one other pair of columns goes together"),
    "two of three": ([["a", "b"]], "How the other 2 pairs of columns go together"),
}


@pytest.mark.parametrize("case", PAIRS)
def test_the_page_counts_pairs_that_are_not_known_properly(case: str, tmp_path: Path) -> None:
    parts, words = PAIRS[case]
    spaces = nw.Records(**{name: nw.Categories(["x", "y"]) for name in "abc"})
    first, *others = (nw.Workload.marginals(spaces, ways=2, columns=part) for part in parts)
    asked = sum(others, first)
    data = {name: ["x", "y"] * 100 for name in "abc"}
    made = nw.synthesize(data, epsilon=1, workload=asked, source=nw.SeededSource(1))
    assert words in page_of(made, tmp_path)


def test_the_page_of_a_table_in_memory_names_no_file(tmp_path: Path) -> None:
    made = nw.synthesize(TWO, TWO_SPACES, epsilon=1, source=nw.SeededSource(1))
    page = page_of(made, tmp_path)
    assert "Synthetic table in memory" in page
    assert "1,000 rows of this table belong to nobody" in page
    assert ".parquet" not in page
    assert "noisewright report" not in page
    assert made.certificate_digest in page
