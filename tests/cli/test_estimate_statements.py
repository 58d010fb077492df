"""What is said with answers: what was done to cells before the noise, and when nothing is known.

Every place that shows an answer is looked at: the terminal, JSON, Python's repr and the page.
"""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import noisewright as nw
from noisewright.errors import ParameterError
from noisewright.estimation.questions.readings import AFTER
from tests.cli.conftest import Program
from tests.report.pages import Page

CLAMPED = "Numbers beyond the bounds were moved to the nearer bound, 0 or 30."
# Any label of a crossed table: which of its 256 cells a long table shows depends on the noise.
LABEL = re.compile(r"\bl\d+\b")
CUT = "Sets with too many items were cut to 2 items at random"


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Ages up to 78 declared as 0 to 30, and sets of three items declared as at most two."""
    plan = nw.Plan(
        {
            "age": nw.Column(nw.Interval(0, 30, step=1), outside="clamp"),
            "visits": nw.Column(nw.Counts(5), outside="clamp"),
            "job": nw.Column(["nurse", "baker"], other="another", null="unknown"),
            "likes": nw.Column(nw.Subsets(["tea", "milk", "rice"], largest=2), outside="sample"),
            "region": "public",
        },
        epsilon=40,
        person=nw.Person("who", rows=2),
    )
    rows = 1_200
    table = pa.table(
        {
            "age": (20 + np.arange(rows) % 59).astype(float),
            "visits": np.arange(rows) % 9,
            "job": ["nurse", "pilot", None] * (rows // 3),
            "likes": [["tea", "milk", "rice"]] * rows,
            "region": ["north", "south"] * (rows // 2),
            "who": np.arange(rows) // 3,
        }
    )
    nw.release(table, plan, out=tmp_path / "people.parquet", ledger=None)
    return tmp_path / "people.parquet"


def test_what_was_done_to_cells_is_said_everywhere(people: Path, noisewright: Program) -> None:
    expected = (
        CLAMPED,
        "Numbers beyond the bounds were moved to the nearer bound, 0 or 5.",
        "Empty cells were counted as unknown.",
        "Labels that were not declared were counted as another.",
        CUT,
        AFTER,
    )
    left_out = "Of each person at most 2 rows were released, drawn at random"
    for about in ("people", "population"):
        told = noisewright("estimate", str(people), "--about", about).out
        answers = nw.results.Release.open(people).estimate(about=about)
        document = noisewright("estimate", str(people), "--about", about, "--json").out
        notes = [note for table in json.loads(document)["tables"] for note in table["notes"]]
        for words in (*expected, left_out):
            assert words in " ".join(told.split())
            assert words in repr(answers)
            assert any(words in note for note in notes)
        assert "only error" not in told
    mean = nw.results.Release.open(people).estimate("age")
    assert CLAMPED in mean.notes
    assert AFTER in mean.notes
    # The truth lies far beyond what an error of noise and sampling would allow for.
    assert mean.interval[1] < np.mean(20 + np.arange(1_200) % 59)
    both = nw.results.Release.open(people).estimate(("region", "age"))
    assert f"age: {CLAMPED}" in both.notes
    page = Page((people.parent / "people.report.html").read_text(encoding="utf-8"))
    for words in expected:
        assert words in page.text


def test_nothing_is_said_where_nothing_is_declared() -> None:
    mechanism = nw.laplace(nw.Interval(0, 30, step=1), epsilon=4)
    assert nw.estimate([3.0, 4.0, 5.0], mechanism).notes == ()


def released_curves(**how: Any) -> Any:
    mechanism = nw.curves.curve_noise(nw.Curves(range(4), low=0, high=1), epsilon=5)
    return mechanism.sample(np.full((30, 4), 0.5), **how)


def test_mechanisms_say_what_they_do_themselves() -> None:
    ages = nw.laplace(nw.Interval(0, 30, step=1).reading(outside="clamp"), epsilon=4)
    assert CLAMPED in nw.estimate([3.0] * 50, ages).notes
    sets = nw.per_item(nw.Subsets(["a", "b", "c"], largest=2), epsilon=4, outside="sample")
    (note, after) = nw.estimate(sets.sample([{"a", "b", "c"}] * 50), sets).notes
    assert note.startswith(CUT)
    assert after == AFTER
    table = nw.estimate({"age": [3.0] * 50}, nw.combine.product(age=ages), of="age")
    assert CLAMPED in table.notes
    assert nw.estimate(released_curves()).notes == ()
    clamped = nw.estimate(released_curves(outside="clamp"))
    assert clamped.notes[0].endswith("the nearer bound, 0 or 1.")


@pytest.fixture
def crossed(tmp_path: Path) -> Path:
    """Two columns of sixteen labels at ε = 0.5 each: their joint table drowns in noise."""
    labels = [f"l{i}" for i in range(16)]
    plan = nw.Plan(
        {
            "one": nw.Column(labels),
            "two": nw.Column(labels),
            "three": nw.Column(["a", "b"], epsilon=8),
        },
        epsilon=9,
    )
    table = {"one": labels * 30, "two": labels * 30, "three": ["a", "b", "b"] * 160}
    path = tmp_path / "crossed.parquet"
    nw.release(pa.table(table), plan, out=nw.planning.Output(path, report=False), ledger=None)
    return path


def test_what_says_nothing_is_withheld_with_words(crossed: Path, noisewright: Program) -> None:
    asked = ("estimate", str(crossed), "--of", "one,two", "--of", "three")
    told = noisewright(*asked).out
    words = " ".join(told.split())
    assert "This release says nothing about these 256 shares" in words
    assert "people instead of 480" in words
    assert "a larger epsilon" in words
    assert "tables of fewer columns" in words
    assert "a synthetic table" in words
    assert not LABEL.search(told)
    assert "a" in told.split("three")[-1]
    document = json.loads(noisewright(*asked, "--json").out)["tables"]
    assert document[0]["withheld"] == 256
    assert set(document[0]["columns"]["share"]) == {None}
    assert "says nothing" in document[0]["notes"][-1]
    assert document[1]["withheld"] == 0
    every = noisewright(*asked, "--show", "all")
    assert LABEL.search(every.out)
    assert "says nothing" not in every.out


def test_what_is_withheld_is_kept_for_sums(crossed: Path, tmp_path: Path) -> None:
    release = nw.results.Release.open(crossed)
    found = release.estimate(("one", "two"))
    assert found.withheld.all()
    assert "says nothing" in repr(found)
    assert not LABEL.search(repr(found))
    assert found.table()["share"].null_count == 256
    assert str(found.table()["share"].type) == "double"
    assert float(found.values.sum()) == pytest.approx(1)
    shown = release.estimate(("one", "two"), show="all")
    assert LABEL.search(repr(shown))
    assert not shown.withheld.any()
    assert found.counts.withheld.all()
    several = release.estimate([("one", "two"), "three"])
    several.save(tmp_path / "tables.csv")
    assert (tmp_path / "tables.csv").read_text().count(',"share","l1",') > 0
    with pytest.raises(ParameterError, match="show is 'some'"):
        release.estimate("three", show="some")


def test_what_would_help_is_possible() -> None:
    tiny = nw.randomized_response(nw.Categories(["a", "b"]), epsilon="1e-9")
    assert "more people than live on earth, instead of 4" in repr(nw.estimate(["a"] * 4, tiny))
    alike = nw.from_matrix(nw.Categories(["a", "b"]), [["1/2", "1/2"], ["1/2", "1/2"]])
    said = repr(nw.estimate(["a", "b"], alike, method="likelihood"))
    assert "a mechanism that tells these values apart" in said


def test_printed_intervals_leave_out_what_cannot_be(noisewright: Program, tmp_path: Path) -> None:
    plan = nw.Plan({"letter": nw.Column([f"l{i}" for i in range(12)])}, epsilon=2)
    rows = pa.table({"letter": ["l0"] * 400})
    path = tmp_path / "letters.parquet"
    nw.release(rows, plan, out=nw.planning.Output(path, report=False), ledger=None)
    lines = [
        line.split()
        for line in noisewright("estimate", str(path)).out.splitlines()
        if line.startswith("  l") and line.split()[0] != "letter"
    ]
    assert len(lines) == 12
    for _, _, _, low, _, high, *_ in lines:
        assert 0 <= float(low.rstrip("%")) < float(high.rstrip("%")) <= 100
