"""The stand-alone checker against forgers, malformed documents and unreadable files."""

import importlib
import itertools
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.certificates.handmade import (
    HALVES,
    LN2,
    certificate,
    choice_step,
    columns_of,
    counting_step,
    curve_of,
    geometric,
    groups_of,
    keys_of,
    law_step,
    load_checker,
    measured,
    number,
    one_person,
    one_value,
    parts,
    person_of,
    person_with,
    query_of,
    rappor_of,
    rappor_part,
    response,
    rows_of,
    rows_of_people,
    sealed,
    shuffled_of,
    steps_of,
    table,
    text,
)

checker = load_checker()
main = importlib.import_module(f"{checker.__name__}.__main__").main


def honest() -> dict[str, Any]:
    return certificate(table(HALVES, 4), "adjacent", LN2, "0", ["RH", "S", "F"])


FORGERIES: list[tuple[tuple[Any, ...], Any, str, set[str]]] = [
    # where, what is put there, which section is named, what is false besides
    (("mechanism", "weights", 0, 0), "9", "mechanism", {"row sums"}),
    (
        ("mechanism", "weights", 0),
        ["9", "3", "4"],
        "mechanism",
        {"epsilon", "property F", "property S"},
    ),
    (("mechanism", "log2_total"), 5, "mechanism", {"row sums"}),
    (("neighbors", "relation"), "replace", "neighbors", set()),
    (("claims", "epsilon"), {"value": "6931471805/10000000000"}, "claims", {"epsilon"}),
    (("claims", "epsilon"), {"ln": "1"}, "claims", {"epsilon"}),
    (("claims", "properties"), ["RH", "S", "F", "WH"], "claims", set()),
    (("claims", "delta"), "1/100", "claims", set()),
]


@pytest.mark.parametrize(("where", "what", "section", "false"), FORGERIES)
def test_a_change_is_named_by_its_digest_and_by_what_it_makes_false(
    where: tuple[Any, ...], what: Any, section: str, false: set[str]
) -> None:
    document = honest()
    assert checker.check(document)
    place: Any = document
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = what
    assert parts(checker.check(document)) == {section, "digest"} | false
    assert parts(checker.check(sealed(document))) == false


def test_a_property_forged_in_is_proven_false() -> None:
    document = honest()
    rows = [[8, 5, 3], [4, 8, 4], [4, 4, 8]]
    document["mechanism"] = table(rows, 4)
    report = checker.check(sealed(document))
    assert "property S" in parts(report)


def test_a_total_is_one_and_at_least_1() -> None:
    document = certificate(table([[2, 1], [1, 2]], None), "adjacent", LN2, "0", ["F", "S"])
    assert checker.check(document)
    mechanism = document["mechanism"]
    for wrong in ("4", "2", "0", "", "-3", "3/1", 3, None):
        assert not checker.check(sealed({**document, "mechanism": {**mechanism, "total": wrong}}))
    both = {**mechanism, "total": "4", "log2_total": 2, "weights": [["2", "2"], ["2", "2"]]}
    nothing = {**mechanism, "total": "0", "weights": [["0", "0"], ["0", "0"]]}
    none = {name: part for name, part in mechanism.items() if name != "total"}
    for forged in (both, nothing, none):
        assert parts(checker.check(sealed({**document, "mechanism": forged}))) == {"mechanism"}


def test_a_change_of_the_maker_breaks_the_digest_of_the_whole() -> None:
    assert parts(checker.check({**honest(), "made_by": "someone else"})) == {"digest"}
    document = honest()
    document["digests"]["claims"] = "0" * 64
    assert parts(checker.check(document)) == {"claims", "digest"}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*path, key))


def changed(document: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The document with something else in one place; the parts beside it are shared."""
    if not path:
        return new
    copied = document.copy()
    copied[path[0]] = changed(document[path[0]], path[1:], new)
    return copied


AGE, SEX = ["column", "age"], ["column", "sex"]
IS_OLD = ["less", ["literal", "5"], ["look up", "0", "1", "3", "0", "0", AGE]]
EVERYTHING = [
    honest(),
    certificate(table([[7, 3], [4, 6]], None), "adjacent", LN2, "0", ["RH", "CH", "WH"]),
    certificate(geometric(4, LN2), "adjacent", "1"),
    certificate(response(3, 1, None, 4), "replace", LN2),
    certificate(response(4, 3, 6), {"relation": "pairs", "pairs": [[0, 1], [2, 1]]}, "1"),
    certificate(
        rows_of(3, columns_of(("a", table(HALVES, 4), LN2, "0")), "replace"), "one row", "1"
    ),
    certificate(
        shuffled_of(3, columns_of(("a", response(2, 1, None, 3), LN2, "0")), LN2, "1/8"),
        "replace",
        "1/4",
        "3/10",
    ),
    certificate(curve_of([[1, -2], [3, 4]], steps=2, shift=1, decay="1/10"), "replace", "1"),
    certificate(
        steps_of("1", counting_step("1/2", marginal="1/4", query="1/3"), choice_step("1/2", "1/8")),
        one_person(),
        "1",
    ),
    certificate(
        steps_of(
            "1/8",
            counting_step("1/16", marginal=("8",)),
            choice_step("1/16", "1/24", 4),
            order="14",
        ),
        one_person(2),
        "3",
        "1/1000000",
    ),
    certificate(
        steps_of(
            "1",
            law_step("1/4", "1/8", "1", by="permute and flip"),
            law_step("1/4", "1/10", "5/2", by="noisy max", moves="one way", step="1/2"),
            law_step("1/2", "1/3", "1", by="exponential mechanism", candidates=2, width="2"),
        ),
        one_person(),
        "1",
    ),
    certificate(
        steps_of("2", *[law_step("1/2", "1/4", "1", by="permute and flip")] * 4),
        one_person(),
        "1",
        "1/8",
    ),
    certificate(
        steps_of("1/32", law_step("1/32", "1/4", "1", by="exponential mechanism"), order="8"),
        one_person(),
        "1",
        "1/100",
    ),
    certificate(
        person_of(2, columns_of(("a", table(HALVES, 4), LN2, "0")), LN2, "1/9"),
        "replace",
        "2",
        "1/4",
    ),
    certificate(
        groups_of((2, table(HALVES, 4)), (1, table([[2, 1], [1, 2]], None))),
        "one answer",
        LN2,
        "0",
        ["RH", "S", "F"],
    ),
    certificate(
        keys_of([0, 2, 7, 12, 15, 16], 4, "1", "1/8", 2), person_with("replace"), "4", "1/2"
    ),
    certificate(
        rappor_of(rappor_part(8, 2, (1, 4), (2, 3, 4)), rappor_part(4, 1, (1, 8), (0, 1, 1))),
        one_value(3),
        "8",
    ),
    certificate(rappor_of(rappor_part(8, 2, (1, 4), (2, 3, 4))), one_value("forever"), "9/2"),
    certificate(
        query_of(
            "epsilon",
            "1",
            measured(
                {"rows": "filter", "of": rows_of_people(), "condition": IS_OLD},
                {"kind": "moments", "of": AGE, "degree": 2, "gaps": "yes"},
                {"kind": "geometric", "decay": "1/486"},
                "1/3",
                SEX,
            ),
            measured(
                rows_of_people(rows_each=2, groups=3, by=[SEX]),
                {"kind": "levels", "of": AGE, "levels": 2},
                {"kind": "geometric", "decay": "1/72"},
                "1/3",
                SEX,
            ),
            measured(
                rows_of_people(),
                {"kind": "rows"},
                {"kind": "balanced", "decay": "1/6", "cells": 3},
                "1/3",
                SEX,
            ),
        ),
        person_with("replace"),
        "1",
    ),
    certificate(
        query_of(
            "rho",
            "1/4",
            measured(
                {
                    "rows": "paired",
                    "left": rows_of_people("id", rows_each=2),
                    "right": rows_of_people("id", rows_each=1),
                },
                {"kind": "distinct", "of": AGE},
                {"kind": "normal", "deviation": "4"},
                "1/8",
            ),
            measured(
                rows_of_people("id", rows_each=1),
                {"kind": "rows"},
                {
                    "kind": "contrasts",
                    "branching": [[2]],
                    "parts": [
                        {"levels": [0], "precision": "1/8"},
                        {"levels": [1], "precision": "1/8"},
                    ],
                },
                "1/8",
                SEX,
            ),
            order="8",
        ),
        person_with("add or remove"),
        "3",
        "1/100",
    ),
    certificate(groups_of((3, geometric(5, LN2)), (1, table(HALVES, 4))), "one answer", "1"),
    certificate(
        table(
            HALVES,
            4,
            {"kind": "labels", "labels": ["é", None, ["x", 1.5]]},
            {"kind": "grid", "low": "0", "high": "1", "step": "1/2"},
        ),
        "replace",
        "1",
        "1/3",
    ),
]
STRANGE: list[Any] = [
    *(None, True, 0, -1, 1.0, 1.5, 10**30, float("nan"), float("inf")),
    *(
        "",
        "1",
        "-1",
        "0x1",
        "1.5",
        "1e9",
        "1_0",
        " 1",
        "\u0661",
        "1/0",
        "FF",
        "infinity",
        "Infinity",
    ),
    *([], {}, [[]], [{}], ["1"], [0, 0], {1: 2}, (1,), {2}),
    *({"value": 1}, {"ln": "1/2"}, {"value": "-1"}, {"ln": "2", "value": "1"}),
    *({"kind": "counts", "n": -1}, {"relation": "one row"}, {"form": "table"}),
]


@pytest.mark.parametrize("document", EVERYTHING)
def test_everything_strange_anywhere_is_refused_without_a_traceback(document: Any) -> None:
    """Most changes must be refused even with fresh digests; none may raise."""
    assert checker.check(document)
    for path, new in itertools.product(list(places(document)), STRANGE):
        forged = changed(document, path, new)
        report = checker.check(forged)
        assert isinstance(report.holds, bool)
        if report:
            old: Any = document
            for key in path:
                old = old[key]
            assert type(old) is type(new)
            assert old == new
    for path in list(places(document)):
        holder: Any = document
        for key in path:
            holder = holder[key]
        if isinstance(holder, dict):
            assert not checker.check(changed(document, path, {**holder, "extra": 1}))
            for key in holder:
                less = {k: v for k, v in holder.items() if k != key}
                assert not checker.check(changed(document, path, less))


def resealed(document: Any) -> Any:
    try:
        return sealed(document)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None


FREE = ("name", "what")
"""Fields with words for people."""


@pytest.mark.parametrize("document", EVERYTHING)
def test_types_are_strict_even_when_the_digests_are_right(document: Any) -> None:
    for path, new in itertools.product(list(places(document)), STRANGE):
        if not path or path[0] not in ("mechanism", "neighbors", "claims") or path[-1] in FREE:
            continue
        if "labels" in path:
            continue
        old: Any = document
        for key in path:
            old = old[key]
        again = resealed(changed(document, path, new))
        if again is None:
            continue
        report = checker.check(again)
        if report:  # then it was a change within the same type, to another true claim
            assert type(old) is type(new), (path, new)


@pytest.mark.parametrize(
    ("points", "fine"),
    [
        ({"kind": "labels", "labels": ["a", "b"]}, True),
        ({"kind": "labels", "labels": [1, "1"]}, True),
        ({"kind": "labels", "labels": [1, True]}, True),
        ({"kind": "labels", "labels": ["a", "a"]}, False),
        ({"kind": "labels", "labels": [["a"], ["a"]]}, False),
        ({"kind": "labels", "labels": [{"a": 1}, "a"]}, False),
        ({"kind": "labels", "labels": "ab"}, False),
        ({"kind": "labels", "labels": []}, False),
        ({"kind": "size", "size": 2}, True),
        ({"kind": "size", "size": 0}, False),
        ({"kind": "grid", "low": "0", "high": "1", "step": "1"}, True),
        ({"kind": "grid", "low": "0", "high": "1", "step": "2/3"}, False),
        ({"kind": "grid", "low": "0", "high": "1", "step": "0"}, False),
        ({"kind": "grid", "low": "1", "high": "0", "step": "-1"}, False),
        ({"kind": "grid", "low": "1", "high": "0", "step": "1"}, False),
        ({"kind": "counts", "n": 10**15}, False),
    ],
)
def test_points(points: Any, fine: bool) -> None:
    report = checker.check(certificate(table([[1, 1], [1, 1]], 1, points), "replace", "0"))
    assert parts(report) == (set() if fine else {"mechanism"})


NO_PAIRS: list[Any] = [
    *([], [[0, 0]], [[0, 3]], [[-1, 0]], [[0, 1], [1, 0]], [[0]], [[0, 1, 2]]),
    *([[0, 1.0]], [[0, True]], ["01"], "01", {"0": 1}, [[0, "1"]]),
]


@pytest.mark.parametrize("pairs", NO_PAIRS)
def test_pairs(pairs: Any) -> None:
    relation = {"relation": "pairs", "pairs": pairs}
    report = checker.check(certificate(table(HALVES, 4), relation, LN2))
    assert parts(report) == {"neighbors"}


def test_one_input_has_no_neighbors_to_protect() -> None:
    for relation in ("adjacent", "replace", {"relation": "pairs", "pairs": []}):
        assert checker.check(certificate(table([[1, 1]], 1), relation, "0"))


def test_a_later_version_asks_for_a_newer_checker() -> None:
    report = checker.check({**honest(), "version": 2, "new field": 1})
    assert parts(report) == {"format"}
    assert "newer checker" in text(report)


def write(path: Path, content: str | bytes) -> str:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(path)


BAD_FILES: list[str | bytes] = [
    *("", "{", "[]", "null", "1", '"text"', "{}", "\ufeff{}", b"\xff\xfe", b'{"a": "\xff"}'),
    *("[" * 100_000, '{"a":' * 100_000, "9" * 5000, '{"version": ' + "9" * 5000 + "}"),
    '{"format": "noisewright-certificate", "version": NaN}',
    '{"format": "noisewright-certificate", "version": 1e999}',
    '{"format": 1, "format": 2}',
]


@pytest.mark.parametrize("content", BAD_FILES)
def test_a_file_that_is_no_certificate_is_unreadable(tmp_path: Path, content: Any) -> None:
    name = write(tmp_path / "bad.json", content)
    assert parts(checker.check_file(name)) == {"format"}
    assert main([name]) == 2


def test_missing_files_and_folders_are_unreadable(tmp_path: Path) -> None:
    assert main([str(tmp_path)]) == 2
    assert main([str(tmp_path / "none.json")]) == 2
    assert main(["a\0b"]) == 2
    assert main([]) == 2


def test_a_field_given_twice_is_refused_at_any_depth(tmp_path: Path) -> None:
    text = json.dumps(honest()).replace('"log2_total": 4', '"log2_total": 4, "log2_total": 4')
    report = checker.check_file(write(tmp_path / "twice.json", text))
    assert parts(report) == {"format"}


def test_deep_nesting_is_refused_and_not_a_crash() -> None:
    inner: Any = table(HALVES, 4)
    relation: Any = "adjacent"
    for _ in range(200):
        inner, relation = rows_of(2, inner, relation), "one row"
    assert checker.check(certificate(inner, relation, LN2))
    for _ in range(400):
        inner = rows_of(2, inner, relation)
    document = {"format": "noisewright-certificate", "version": 1, "mechanism": inner}
    assert not checker.check({**honest(), **document})
    loop: dict[str, Any] = honest()
    loop["mechanism"]["parent"] = loop
    assert not checker.check(loop)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-X", "utf8=0", *map(str, arguments)]
    environment = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_the_command_line_says_what_is_proven(archive: Path, tmp_path: Path) -> None:
    good = write(tmp_path / "good.json", json.dumps(honest()))
    document = honest()
    document["claims"]["epsilon"] = {"value": "1/2"}
    bad = write(tmp_path / "bad.json", json.dumps(sealed(document)))
    done = run(archive, good)
    assert (done.returncode, done.stderr) == (0, "")
    assert "good.json: proven" in done.stdout
    assert "sum to exactly 2^4" in done.stdout
    done = run(archive, good, bad)
    assert (done.returncode, done.stderr) == (1, "")
    assert "outputs 0 have probability 0.5 on input 0, but 0.25 on its neighbor 1" in done.stdout
    assert "need epsilon 0.6931471805599453094" in done.stdout
    done = run(archive, good, bad, str(tmp_path / "none.json"), "--json")
    assert (done.returncode, done.stderr) == (2, "")
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["holds"] for answer in answers] == [True, False, False]
    assert [f["part"] for f in answers[1]["failures"]] == ["epsilon"]


def test_labels_of_any_script_can_be_printed_anywhere(archive: Path, tmp_path: Path) -> None:
    labels = ["\ud800", "naïve ☃", "\x1b[31m"]
    points = {"kind": "labels", "labels": labels}
    claim = certificate(table(HALVES, 4, points, points), "replace", "1/10")
    name = write(tmp_path / "ünï.json", json.dumps(claim))
    done = run(archive, name)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout


def test_a_report_is_a_value() -> None:
    report = checker.check(honest())
    assert report == checker.check(honest())
    assert bool(report) is report.holds is True
    with pytest.raises(AttributeError):
        report.holds = False
    assert number("1/2") == {"value": "1/2"}


def test_a_row_of_weights_is_a_list_and_not_a_string_of_digits() -> None:
    document = honest()
    document["mechanism"]["weights"][0] = "844"
    assert parts(checker.check(sealed(document))) == {"mechanism"}
