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


def page_of(made: nw.results.Synthesis, folder: Path) -> str:
    source = made.report(folder / "page.html").read_text(encoding="utf-8")
    return " ".join(html.unescape(re.sub(r"<[^>]+>", "", source)).split())


def test_a_column_beside_a_constant_is_not_called_too_large(tmp_path: Path) -> None:
    made = nw.synthesize(
        TWO, TWO_SPACES, epsilon=1, source=nw.randomness.SeededSource(1), ledger=None
    )
    assert made.notes == ()
    page = page_of(made, tmp_path)
    assert "too many points" not in page
    assert not re.search(r"How .{0,20}pairs? of columns (is|are) related", page)


def test_a_column_that_is_too_large_for_every_other_is_still_told() -> None:
    data: dict[str, Any] = {"a": [0, 1, 2, 3], "b": [5, 6, 7, 8], "c": ["y"] * 4}
    spaces: dict[str, Any] = {"a": nw.Counts(4000), "b": nw.Counts(4000), "c": ["y"]}
    made = nw.synthesize(
        data,
        spaces,
        epsilon=1,
        method=nw.planning.Method(bins=None),
        source=nw.randomness.SeededSource(1),
        ledger=None,
    )
    assert ["'a'" in note or "'b'" in note for note in made.limits] == [True, True]


PAIRS = {
    "one of three": ([["a", "b"], ["b", "c"]], "How the one other pair of columns is related"),
    "two of three": ([["a", "b"]], "How the other 2 pairs of columns are related"),
}


@pytest.mark.parametrize("case", PAIRS)
def test_the_page_counts_pairs_that_are_not_known_properly(case: str, tmp_path: Path) -> None:
    parts, words = PAIRS[case]
    spaces = nw.Records(**{name: nw.Categories(["x", "y"]) for name in "abc"})
    first, *others = (
        nw.workloads.Workload.marginals(spaces, ways=2, columns=part) for part in parts
    )
    asked = sum(others, first)
    data = {name: ["x", "y"] * 100 for name in "abc"}
    made = nw.synthesize(
        data, epsilon=1, workload=asked, source=nw.randomness.SeededSource(1), ledger=None
    )
    assert words in page_of(made, tmp_path)


def test_the_page_of_a_table_in_memory_names_no_file(tmp_path: Path) -> None:
    made = nw.synthesize(
        TWO, TWO_SPACES, epsilon=1, source=nw.randomness.SeededSource(1), ledger=None
    )
    page = page_of(made, tmp_path)
    assert "Synthetic table in memory" in page
    assert "1,000 rows of this table belong to no real person" in page
    assert ".parquet" not in page
    assert "noisewright report" not in page
    assert made.certificate_digest in page


def steps_of(made: nw.results.Synthesis) -> list[str]:
    return [spend.what for spend in made.spends]


MADE: dict[str, tuple[dict[str, Any], list[str]]] = {
    "mst": ({}, ["counts of a"]),
    "tree": ({"method": nw.planning.Method(inference="tree")}, ["counts of a"]),
    "normal noise": ({"delta": 0.01}, ["counts of a"]),
    "mwem": ({"method": "mwem"}, ["counts of a"]),
    "one-way": ({"workload": [1]}, ["counts of a"]),
    "one-way mwem": ({"method": "mwem", "workload": [1]}, ["counts of a"]),
}


@pytest.mark.parametrize("case", MADE)
def test_a_column_with_one_possible_value_costs_nothing(case: str) -> None:
    asked, steps = MADE[case]
    made = nw.synthesize(
        TWO, TWO_SPACES, epsilon=1, ledger=None, source=nw.randomness.SeededSource(1), **asked
    )
    assert steps_of(made) == steps
    assert made.spent.amount == sum(spend.amount for spend in made.spends)
    document = made.certificate.document
    assert [step["what"] for step in document["mechanism"]["steps"]] == steps
    assert made.table["b"].to_pylist() == ["y"] * 1000
    expected = {part.name: (part.expected, part.counted, part.found) for part in made.errors.parts}
    assert all(counted and found is not None for _, counted, found in expected.values())
    if "b" in expected:
        assert expected["b"] == (0.0, True, 0.0)
    # The table of both is as far off as the column that can be.
    again = nw.planning.predict_synthesis(TWO_SPACES, people=1000, epsilon=1, **asked)
    assert again.expected == made.expected_error


@pytest.mark.parametrize("method", ["mst", "mwem"])
def test_the_noise_beside_a_constant_is_that_of_the_column_alone(method: Any) -> None:
    alone = nw.planning.predict_synthesis(
        {"a": ["x", "z"]}, people=1000, epsilon=1, workload=1, method=method
    )
    both = nw.planning.predict_synthesis(TWO_SPACES, people=1000, epsilon=1, method=method)
    assert both.expected == alone.expected > 0


@pytest.mark.parametrize("method", ["mst", "mwem"])
@pytest.mark.parametrize("ways", [1, 2])
def test_a_table_of_constants_spends_the_whole_and_is_right(method: Any, ways: int) -> None:
    made = nw.synthesize(
        {"a": ["x"] * 9, "b": ["y"] * 9},
        {"a": ["x"], "b": ["y"]},
        epsilon=1,
        method=method,
        workload=ways,
        source=nw.randomness.SeededSource(1),
        ledger=None,
    )
    assert made.table.to_pylist() == [{"a": "x", "b": "y"}] * 9
    assert made.spent.amount == 1
    assert made.expected_error == 0


def test_two_columns_need_no_choice(tmp_path: Path) -> None:
    """The whole goes into counts: 2 parts of 9 into columns, 7 into their table."""
    data = {"a": ["x", "z"] * 500, "b": ["y", "y", "w", "w"] * 250}
    spaces = {"a": ["x", "z"], "b": ["y", "w"]}
    made = nw.synthesize(data, spaces, epsilon=9, source=nw.randomness.SeededSource(1), ledger=None)
    assert [(spend.what, spend.amount) for spend in made.spends] == [
        ("counts of a", 1),
        ("counts of b", 1),
        ("counts of a × b", 7),
    ]
    assert "nothing had to be selected" in page_of(made, tmp_path)
    made = nw.synthesize(
        data, spaces, epsilon=9, method="mwem", source=nw.randomness.SeededSource(1), ledger=None
    )
    assert "selected privately" not in page_of(made, tmp_path)
    assert [(spend.what, spend.amount) for spend in made.spends] == [("counts of a × b", 9)]


def test_what_is_skipped_is_decided_by_what_is_declared() -> None:
    """Data that never vary are counted as any others are: sizes decide, and nothing else."""
    spaces = {name: ["x", "y"] for name in "abcd"}
    dull = {name: ["x"] * 400 for name in "abcd"}
    lively = {name: ["x", "y"] * 200 for name in "abcd"}
    ways: list[dict[str, Any]] = [
        {"method": nw.planning.Method(inference="tree")},
        {},
        {"method": "mwem"},
        {"method": nw.planning.Method("mwem", rounds=2)},
    ]
    for asked in ways:
        one, other = (
            nw.synthesize(data, spaces, epsilon=1, ledger=None, **asked) for data in (dull, lively)
        )
        assert one.certificate_digest == other.certificate_digest
        assert len(one.spends) == len(other.spends)


def test_choices_stay_where_not_every_pair_is_counted() -> None:
    spaces = {name: ["x", "y"] for name in "abc"}
    data = {name: ["x", "y"] * 200 for name in "abc"}
    tree = nw.synthesize(
        data,
        spaces,
        epsilon=1,
        method=nw.planning.Method(inference="tree"),
        source=nw.randomness.SeededSource(1),
        ledger=None,
    )
    assert sum(what.startswith("choice") for what in steps_of(tree)) == 2
    rounds = nw.synthesize(
        data, spaces, epsilon=1, method=nw.planning.Method("mwem", rounds=2), ledger=None
    )
    assert sum(what.startswith("choice") for what in steps_of(rounds)) == 2


def test_the_page_averages_what_it_says_it_averages(tmp_path: Path) -> None:
    """The card at the top is about the workload; what is found is compared over the same counts."""
    names = "abcde"
    spaces = {name: nw.Counts(5) for name in names}
    data = {name: [0, 1, 2, 3, 4, 5] * 100 for name in names}
    made = nw.synthesize(
        data,
        spaces,
        epsilon=1,
        method=nw.planning.Method(inference="tree"),
        source=nw.randomness.SeededSource(3),
        ledger=None,
    )
    errors, page = made.errors, page_of(made, tmp_path)
    counted = [part for part in errors.parts if part.counted]
    pairs = [part.expected for part in counted if part.in_workload]
    assert (len(pairs), len(counted)) == (4, 9)
    assert errors.expected_in_workload == pytest.approx(sum(pairs) / 4)
    assert errors.expected_of_counted == pytest.approx(sum(part.expected for part in counted) / 9)
    assert errors.found == pytest.approx(sum(part.found or 0.0 for part in counted) / 9)
    assert (errors.expected_in_workload or 0.0) > 1.2 * (errors.expected_of_counted or 2.0)
    shown = re.search(r"error([\d.]+)expected by noise, of 2 at most, on average over the", page)
    assert shown is not None
    assert float(shown.group(1)) == pytest.approx(errors.expected_in_workload, rel=0.01)
    assert "4 parts of the workload and 5 other counts that the method makes" in page


def test_errors_are_compared_before_they_are_cut_off() -> None:
    """Of one row nothing is known with either noise; the remark says what is compared."""
    spaces = {name: ["x", "y"] for name in "abc"}
    predicted = nw.planning.predict_synthesis(spaces, people=1, epsilon=0.01, delta=1e-9)
    assert predicted.expected == 2
    assert "before they are capped" in predicted.remarks[0]
