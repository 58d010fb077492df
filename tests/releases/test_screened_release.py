"""A synthetic table whose pairs were screened by distances: its page, its files, its intervals."""

import json
import re
import shutil
from collections.abc import Callable
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import noisewright as nw
from noisewright.errors import ReleaseError
from tests.releases.test_synthesis_report import schema
from tests.synthetic.test_screening import NAMES, ROWS, chain

TABLE = chain()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: Any) -> Path:
    path = tmp_path_factory.mktemp("screened")
    nw.synthesize(
        TABLE,
        {name: nw.Counts(4) for name in NAMES},
        epsilon=2,
        delta=1e-9,
        ledger=None,
        out=path / "made.parquet",
    )
    return path


@pytest.fixture(scope="module")
def made(folder: Path) -> Any:
    return nw.results.Synthesis.open(folder / "made.parquet")


def test_the_page_says_how_pairs_came_to_be_counted(folder: Path, made: Any) -> None:
    page = (folder / "made.report.html").read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))
    assert "the distance of every pair of columns from a model was measured with noise" in text
    assert "The tree of columns" in text
    assert "distance of a × b from the model, 2 of 2" in text
    pairs = [one.columns for one in made.measurements if len(one.columns) == 2]
    most = max(map(pairs.count, pairs))
    assert most > 1
    assert f"count {most} of {most}: 25 noisy counts" in text


def test_counts_of_the_same_pair_are_told_apart(made: Any) -> None:
    rows = made.noisy_counts().to_pylist()
    cells = {(row["table"], row["time"], row["value_1"], row["value_2"]) for row in rows}
    assert len(cells) == len(rows)
    assert {row["time"] for row in rows if row["column_2"] is None} == {1}
    assert max(row["time"] for row in rows) > 1


def test_all_queries_of_two_columns_are_bounded_and_hold_the_truth(made: Any) -> None:
    """About one cell in a hundred is missed; nothing is said to be all that is possible."""
    missed = widest = 0
    for names in combinations(NAMES, 2):
        truth = np.zeros((5, 5), dtype=np.int64)
        np.add.at(truth, tuple(TABLE[name] for name in names), 1)
        found = made.query({}, by=list(names))
        missed += int(((truth < found.lows) | (truth > found.highs)).sum())
        widest = max(widest, float((found.highs - found.lows).max()))
    assert missed <= 0.05 * 21 * 25
    assert widest < 0.25 * ROWS


def test_what_lies_beside_the_table_follows_its_schema(folder: Path, made: Any) -> None:
    document = json.loads((folder / "made.synthesis.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema())
    assert {tuple(one["columns"]) for one in document["comparisons"]} == set(combinations(NAMES, 2))
    assert len(made.comparisons) == 21


def _rename(document: dict[str, Any]) -> None:
    """Call a count a distance, so that nobody asks where its counts are."""
    spends = document["spends"]
    place = next(n for n, one in enumerate(spends) if re.match("counts of .* × ", one["what"]))
    name = spends[place]["what"].removeprefix("counts of ")
    spends[place]["what"] = f"distance of {name} from the model, 2 of 2"
    which = next(n for n, one in enumerate(document["measurements"]) if one["of"] == name)
    document["measurements"].pop(which)


def _turn(document: dict[str, Any]) -> None:
    """Say everywhere that the axes of a comparison are the other way round."""
    document["comparisons"][0]["columns"] = ["b", "a"]
    for one in document["spends"]:
        one["what"] = one["what"].replace("distance of a × b from", "distance of b × a from")


FORGED: dict[str, tuple[Callable[[dict[str, Any]], Any], str]] = {
    "missing": (lambda d: d.pop("comparisons"), "not those of its steps"),
    "one missing": (lambda d: d["comparisons"].pop(), "not those of its steps"),
    "one twice": (lambda d: d["comparisons"].append(d["comparisons"][0]), "not those of its steps"),
    "less noise": (lambda d: d["comparisons"][0].update(spent="1/10"), "not those of its steps"),
    "other columns": (
        lambda d: d["comparisons"][0].update(columns=["b", "a"]),
        "not those of its steps",
    ),
    "fewer cells": (lambda d: d["comparisons"][0]["expected"].pop(), "does not describe"),
    "other order": (lambda d: d["comparisons"].reverse(), "not those of its steps"),
    "axes turned": (_turn, "certificate proves"),
    "one column twice": (lambda d: d["comparisons"][0].update(columns=["a", "a"]), "two columns"),
    "one column": (
        lambda d: d["comparisons"][0].update(columns=["a"], expected=[1, 2, 3, 4, 5]),
        "two columns",
    ),
    "beyond 64 bits": (lambda d: d["comparisons"][0].update(distance=10**400), "64 bits"),
    "yes or no": (lambda d: d["comparisons"][0].update(distance=True), "whole numbers"),
    "parts of rows": (lambda d: d["comparisons"][0].update(distance=0.5), "whole numbers"),
    "negative": (lambda d: d["comparisons"][0]["expected"].__setitem__(0, -5), "below 0"),
    "nothing expected": (
        lambda d: d["comparisons"][0].update(expected=[0] * 25),
        "does not add up to its rows",
    ),
    "other rows": (lambda d: d.update(people=ROWS + 100), "does not add up to its rows"),
    "a count as a distance": (_rename, "certificate proves"),
}


@pytest.mark.parametrize("kind", FORGED)
def test_distances_that_are_not_those_of_the_steps_are_refused(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    for file in folder.iterdir():
        shutil.copy(file, tmp_path)
    side = tmp_path / "made.synthesis.json"
    document = json.loads(side.read_text(encoding="utf-8"))
    change, words = FORGED[kind]
    change(document)
    side.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ReleaseError, match=words):
        nw.results.Synthesis.open(tmp_path / "made.parquet")


@pytest.mark.parametrize(
    "names",
    [
        ("near the model", "far from the model", "x from the model, 1 of 2", "d", "e"),
        ("a", "b × c", "a × b", "c", "d"),
        ("distance of a", "counts of b", " × ", "distance of ", "from the model"),
    ],
)
def test_columns_may_be_named_like_the_words_of_steps(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    """Two pairs may even be called the same: a and b × c, a × b and c."""
    made = nw.synthesize(
        dict(zip(names, TABLE.values(), strict=False)),
        {name: nw.Counts(4) for name in names},
        epsilon=2,
        delta=1e-9,
        ledger=None,
        out=nw.planning.Output(tmp_path / "made.parquet", report=False),
    )
    assert len(made.comparisons) == 10
    again = nw.results.Synthesis.open(tmp_path / "made.parquet")
    assert [one.columns for one in again.comparisons] == list(combinations(names, 2))
    for pair in combinations(names, 2):
        before, after = (one.query(by=pair) for one in (made, again))
        assert (before.lows == after.lows).all()
        assert (before.highs == after.highs).all()


def test_an_answer_says_that_distances_bound_it(made: Any) -> None:
    counted = {one.columns for one in made.measurements}
    first, second = next(pair for pair in combinations(NAMES, 2) if pair not in counted)
    assert "all answers that the noisy counts and distances allow" in str(
        made.query({first: 0, second: 0})
    )
