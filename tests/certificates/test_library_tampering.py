"""Every way to tamper with a certificate is caught and named, with and without fresh digests."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import CertificateError, NoisewrightError, NotPrivateError
from tests.certificates.documents import Document, resealed


def sound() -> Document:
    mechanism = nw.explicit_fair(nw.Counts(4), epsilon="0.5")
    return json.loads(nw.certify(mechanism).to_json())


def weights(document: Document) -> list[list[str]]:
    return document["mechanism"]["weights"]


def add(document: Document, x: int, y: int, units: int) -> None:
    weights(document)[x][y] = f"{int(weights(document)[x][y], 16) + units:x}"


def one_unit_more(document: Document) -> None:
    add(document, 1, 2, 1)


def weight_moved(document: Document) -> None:
    step = int(weights(document)[0][0], 16) >> 20
    add(document, 0, 0, step)
    add(document, 0, 4, -step)


def rows_swapped(document: Document) -> None:
    rows = weights(document)
    rows[0], rows[1] = rows[1], rows[0]


def row_dropped(document: Document) -> None:
    weights(document).pop()


def negative_weight(document: Document) -> None:
    weights(document)[0][0] = "-1"


def weight_as_number(document: Document) -> None:
    document["mechanism"]["weights"][0][0] = 1


def total_doubled(document: Document) -> None:
    document["mechanism"]["log2_total"] += 1


def total_absurd(document: Document) -> None:
    document["mechanism"]["log2_total"] = 10**15


def smaller_epsilon(document: Document) -> None:
    document["claims"]["epsilon"] = {"value": "49/100"}


def epsilon_as_float(document: Document) -> None:
    document["claims"]["epsilon"] = 0.5


def endless_neighbors(document: Document) -> None:
    document["neighbors"] = {"relation": "replace"}


def no_neighbors(document: Document) -> None:
    document["neighbors"] = {"relation": "pairs", "pairs": []}


def unknown_neighbors(document: Document) -> None:
    document["neighbors"] = {"relation": "friends"}


def property_invented(document: Document) -> None:
    document["claims"]["properties"] = ["XX"]


def property_twice(document: Document) -> None:
    document["claims"]["properties"] = ["F", "F"]


def negative_delta(document: Document) -> None:
    document["claims"]["delta"] = "-1/10"


def labels_repeated(document: Document) -> None:
    names = {"kind": "labels", "labels": ["a", "b", "c", "d", "d"]}
    document["mechanism"]["inputs"] = document["mechanism"]["outputs"] = names


def fewer_points(document: Document) -> None:
    document["mechanism"]["inputs"] = {"kind": "counts", "n": 3}


def newer_version(document: Document) -> None:
    document["version"] = 2


def other_format(document: Document) -> None:
    document["format"] = "something else"


def extra_field(document: Document) -> None:
    document["claims"]["note"] = "trust me"


TAMPERING: dict[Callable[[Document], None], set[str]] = {
    one_unit_more: {"row sums"},
    weight_moved: {"epsilon"},
    rows_swapped: {"epsilon", "property"},
    row_dropped: {"mechanism"},
    negative_weight: {"mechanism"},
    weight_as_number: {"mechanism"},
    total_doubled: {"row sums"},
    total_absurd: {"row sums", "mechanism"},
    smaller_epsilon: {"epsilon"},
    epsilon_as_float: {"claims"},
    endless_neighbors: {"epsilon"},
    no_neighbors: {"neighbors"},
    unknown_neighbors: {"neighbors"},
    property_invented: {"claims"},
    property_twice: {"claims"},
    negative_delta: {"claims"},
    labels_repeated: {"mechanism"},
    fewer_points: {"mechanism"},
    newer_version: {"format"},
    other_format: {"format"},
    extra_field: {"claims"},
}


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_a_forger_who_refreshes_the_digests_is_caught_and_told_what_is_wrong(
    tamper: Callable[[Document], None], tmp_path: Path
) -> None:
    document = sound()
    tamper(document)
    report = nw.check(resealed(document))
    assert not report
    parts = {
        failure.part.split()[0] if failure.part.startswith("property") else failure.part
        for failure in report.failures
    }
    assert parts & TAMPERING[tamper], report.failures
    assert all(len(failure.message) > 10 for failure in report.failures)
    path = tmp_path / "m.json"
    path.write_text(json.dumps(resealed(document)), encoding="utf-8")
    with pytest.raises((NotPrivateError, CertificateError), match="is not proven"):
        nw.load(path)


@pytest.mark.parametrize("tamper", TAMPERING, ids=lambda tamper: tamper.__name__)
def test_a_change_without_fresh_digests_is_caught(tamper: Callable[[Document], None]) -> None:
    document = sound()
    tamper(document)
    assert not nw.check(document)


def harmless_epsilon(document: Document) -> None:
    document["claims"]["epsilon"] = {"value": "51/100"}


def harmless_delta(document: Document) -> None:
    document["claims"]["delta"] = "1/10"


def property_left_out(document: Document) -> None:
    document["claims"]["properties"].pop()


def renamed(document: Document) -> None:
    names = {"kind": "labels", "labels": ["a", "b", "c", "d", "e"]}
    document["mechanism"]["inputs"] = document["mechanism"]["outputs"] = names
    document["claims"]["properties"] = []


def fewer_neighbors(document: Document) -> None:
    document["neighbors"] = {"relation": "pairs", "pairs": [[0, 1]]}


def other_maker(document: Document) -> None:
    document["made_by"] = "somebody"


HARMLESS: dict[Callable[[Document], None], str] = {
    harmless_epsilon: "claims",
    harmless_delta: "claims",
    property_left_out: "claims",
    renamed: "mechanism",
    fewer_neighbors: "neighbors",
    other_maker: "digest",
}


@pytest.mark.parametrize("change", HARMLESS, ids=lambda change: change.__name__)
def test_even_a_true_change_is_named_by_its_section_unless_it_is_resealed(
    change: Callable[[Document], None],
) -> None:
    document = sound()
    change(document)
    report = nw.check(document)
    assert not report
    assert HARMLESS[change] in {failure.part for failure in report.failures}
    assert any("digest" in failure.message for failure in report.failures)
    # Another true statement is another certificate: that is what a published digest is for.
    assert nw.check(resealed(document))
    assert resealed(document)["digest"] != sound()["digest"]


@pytest.mark.parametrize("section", ["mechanism", "neighbors", "claims"])
def test_a_false_digest_of_a_section_is_named(section: str) -> None:
    document = sound()
    document["digests"][section] = "0" * 64
    report = nw.check(document)
    assert section in {failure.part for failure in report.failures}


def structures() -> dict[str, nw.Mechanism]:
    colors = nw.Categories(["red", "blue"])
    return {
        "formula": nw.geometric(nw.Counts(10**6), epsilon="1/2"),
        "rows": nw.randomized_response(colors, epsilon=1) ** 9,
        "columns": nw.combine.product(
            a=nw.randomized_response(colors, epsilon=1), b=nw.uniform(nw.Counts(2))
        ),
    }


def changed(document: Document, *path: Any, to: Any) -> Document:
    fresh = copy.deepcopy(document)
    place = fresh
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return resealed(fresh)


def test_formulas_and_products_are_re_proven_too() -> None:
    documents = {name: nw.certify(m).document for name, m in structures().items()}
    less = {"value": "2/5"}
    for name, document in documents.items():
        assert nw.check(document)
        assert not nw.check(changed(document, "claims", "epsilon", to=less)), name
    formula = documents["formula"]
    assert not nw.check(changed(formula, "mechanism", "parameter", to={"value": "3/5"}))
    assert not nw.check(changed(formula, "neighbors", "relation", to="replace"))
    rows = documents["rows"]
    assert not nw.check(changed(rows, "neighbors", "relation", to="replace"))
    first = ("mechanism", "parent", "mechanism", "weights", 0, 0)
    assert not nw.check(changed(rows, *first, to="1"))
    columns = documents["columns"]
    assert not nw.check(changed(columns, "mechanism", "columns", 0, "claims", "epsilon", to=less))
    assert not nw.check(changed(columns, "mechanism", "columns", 1, "name", to="a"))
    assert not nw.check(changed(columns, "mechanism", "columns", to=[]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        "3",
        '"text"',
        "{}",
        '{"format": "noisewright-certificate"}',
        "[" * 5000,
    ],
)
def test_what_is_no_certificate_is_said_so(text: str, tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text(text, encoding="utf-8")
    report = nw.check(path)
    assert not report
    assert {failure.part for failure in report.failures} <= {"file", "format"}
    with pytest.raises(CertificateError):
        nw.load(path)


def test_a_missing_file_and_a_folder_are_said_so(tmp_path: Path) -> None:
    for path in (tmp_path / "nowhere.json", tmp_path):
        assert not nw.check(path)
        with pytest.raises(NoisewrightError):
            nw.load(path)
    binary = tmp_path / "binary.json"
    binary.write_bytes(bytes(range(256)))
    assert not nw.check(binary)


@pytest.mark.parametrize(
    "grid",
    [
        {"low": "0", "high": "20", "step": "2"},
        {"low": "1/2", "high": "21/2", "step": "1"},
        {"low": "0", "high": "5", "step": "1/2"},
        {"low": f"1{'0' * 20}", "high": f"1{'0' * 18}10", "step": "1"},
    ],
)
def test_no_dates_are_loaded_but_those_that_were_proven(
    grid: dict[str, str], tmp_path: Path
) -> None:
    """A proof about 11 numbers, two days apart, is none about 21 days."""
    noise = nw.laplace(nw.Dates("1970-01-01", "1970-01-11"), epsilon=1, form="truncated")
    document = json.loads(nw.certify(noise).to_json())
    inputs = document["mechanism"]["inputs"]
    inputs.update(grid)
    document["mechanism"]["outputs"] = dict(inputs)
    path = tmp_path / "forged.json"
    path.write_text(json.dumps(resealed(document)))
    assert nw.check(path)
    with pytest.raises(CertificateError, match=r"dates|years"):
        nw.load(path)
