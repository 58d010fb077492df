"""Certificates of what devices send: the least epsilon is proven, and nothing below it."""

import subprocess
import sys
import time
from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import CertificateError
from tests.certificates.handmade import (
    LN2,
    blocks_of,
    certificate,
    collection_of,
    load_checker,
    padded_of,
    parts,
    response,
    rows_of,
)

checker = load_checker()
NEAR = Fraction(1, 10**30)


def ln(ratio: Fraction) -> Any:
    return {"ln": str(ratio)}


SIZES = [
    ({"kind": "points", "values": 7}, 7, 1),
    ({"kind": "projective", "values": 7, "q": 2, "t": 3}, 7, 3),
    ({"kind": "projective", "values": 5, "q": 4, "t": 2}, 5, 1),
    ({"kind": "projective", "values": 2, "q": 9, "t": 3}, 91, 10),
    ({"kind": "projective", "values": 1000, "q": 32, "t": 4}, 33825, 1057),
    ({"kind": "sets", "values": 9, "size": 4}, comb(9, 4), comb(8, 3)),
    ({"kind": "hashes", "values": 9, "hashes": 4}, 4, 1),
    ({"kind": "windows", "values": 5, "width": 7, "stride": 2}, 15, 7),
]


@pytest.mark.parametrize(("family", "outputs", "inside"), SIZES)
@pytest.mark.parametrize("keep", [1, 90, 255])
def test_the_least_epsilon_of_blocks_is_proven_and_none_below(
    family: Any, outputs: int, inside: int, keep: int
) -> None:
    ratio = Fraction(keep * (outputs - inside), (256 - keep) * inside)
    least = max(ratio, 1 / ratio)
    made = blocks_of(family, keep, 8)
    assert checker.check(certificate(made, "replace", ln(least)))
    refused = checker.check(certificate(made, "replace", ln(max(least - NEAR, Fraction(1)))))
    assert parts(refused) == ({"epsilon"} if least > 1 else set())


@pytest.mark.parametrize(("items", "largest", "keep"), [(5, 1, 200), (5, 3, 128), (2, 9, 255)])
def test_the_least_epsilon_of_padded_sets_is_proven_and_none_below(
    items: int, largest: int, keep: int
) -> None:
    ratio = Fraction(keep * (items + largest - 1), 256 - keep)
    least = (ratio + largest - 1) / largest
    made = padded_of(items, largest, keep, 8)
    assert checker.check(certificate(made, "replace", ln(least)))
    assert parts(checker.check(certificate(made, "replace", ln(least - NEAR)))) == {"epsilon"}


POINTS = {"kind": "points", "values": 4}
REFUSED = [
    blocks_of(POINTS, 0, 8),
    blocks_of(POINTS, 256, 8),
    blocks_of(POINTS, 1, 2**12 + 1),
    blocks_of(POINTS, 1, 2**62),
    blocks_of({"kind": "points", "values": 1}, 1, 8),
    blocks_of({"kind": "projective", "values": 4, "q": 6, "t": 3}, 1, 8),
    blocks_of({"kind": "projective", "values": 4, "q": 1, "t": 3}, 1, 8),
    blocks_of({"kind": "projective", "values": 4, "q": 0, "t": 3}, 1, 8),
    blocks_of({"kind": "projective", "values": 3, "q": 4, "t": 1}, 1, 8),
    blocks_of({"kind": "projective", "values": 8, "q": 2, "t": 3}, 1, 8),
    blocks_of({"kind": "projective", "values": 8, "q": 2, "t": 10**9}, 1, 8),
    blocks_of({"kind": "projective", "values": 8, "q": 2**61 - 1, "t": 3}, 1, 8),
    blocks_of({"kind": "sets", "values": 4, "size": 0}, 1, 8),
    blocks_of({"kind": "sets", "values": 4, "size": 4}, 1, 8),
    blocks_of({"kind": "sets", "values": 10**9, "size": 10**8}, 1, 8),
    blocks_of({"kind": "hashes", "values": 4, "hashes": 1}, 1, 8),
    blocks_of({"kind": "windows", "values": 4, "width": 0, "stride": 1}, 1, 8),
    blocks_of({"kind": "windows", "values": 4, "width": 2, "stride": 0}, 1, 8),
    blocks_of({"kind": "points", "values": 4, "q": 2}, 1, 8),
    blocks_of({"kind": "lines", "values": 4}, 1, 8),
    padded_of(0, 1, 200, 8),
    padded_of(4, 0, 200, 8),
    padded_of(4, 1, 256, 8),
    padded_of(4, 3, 1, 8),  # an item is less likely than any other report
    collection_of("one"),
    collection_of("none", (response(4, 1, 2), LN2, "0")),
]


@pytest.mark.parametrize("mechanism", REFUSED)
def test_what_is_no_randomizer_is_refused_at_once(mechanism: Any) -> None:
    started = time.perf_counter()
    assert parts(checker.check(certificate(mechanism, "replace", "50"))) == {"mechanism"}
    assert time.perf_counter() - started < 1


@pytest.mark.parametrize("made", [blocks_of(POINTS, 64, 8), padded_of(4, 1, 200, 8)])
@pytest.mark.parametrize("near", ["adjacent", {"relation": "pairs", "pairs": [[0, 1]]}])
def test_reports_are_for_any_change(made: Any, near: Any) -> None:
    assert parts(checker.check(certificate(made, near, "50"))) == {"neighbors"}


TWO = (
    (blocks_of(POINTS, 128, 8), ln(Fraction(3)), "0"),
    (response(4, 1, 2), ln(Fraction(2)), "1/16"),
)


@pytest.mark.parametrize(
    ("sends", "epsilon", "delta", "wrong"),
    [
        ("one", Fraction(3), "1/16", set()),
        ("one", Fraction(3) - NEAR, "1/16", {"epsilon"}),
        ("one", Fraction(3), "1/17", {"delta"}),
        ("all", Fraction(6), "1/16", set()),
        ("all", Fraction(6) - NEAR, "1/16", {"epsilon"}),
        ("all", Fraction(6), "1/17", {"delta"}),
    ],
)
def test_one_part_costs_the_most_and_all_parts_add_up(
    sends: str, epsilon: Fraction, delta: str, wrong: set[str]
) -> None:
    report = checker.check(certificate(collection_of(sends, *TWO), "replace", ln(epsilon), delta))
    assert parts(report) == wrong
    if not wrong:
        assert "the value of one person, whose device randomizes it, by any other" in str(report)


def test_a_part_that_is_not_private_spoils_the_whole() -> None:
    false = (blocks_of(POINTS, 128, 8), ln(Fraction(3) - NEAR), "0")
    for sends in ("one", "all"):
        made = collection_of(sends, TWO[1], false)
        assert parts(checker.check(certificate(made, "replace", "40", "1/2"))) == {"epsilon"}


def test_a_part_of_infinite_epsilon_promises_nothing() -> None:
    bare = (blocks_of(POINTS, 255, 8), {"ln": "infinity"}, "0")
    for sends in ("one", "all"):
        made = collection_of(sends, TWO[0], bare)
        assert parts(checker.check(certificate(made, "replace", "1000"))) == {"epsilon"}
        report = checker.check(certificate(made, "replace", {"ln": "infinity"}))
        assert report.proved[-1] == "What the certificate promises: nothing."


def test_many_long_logarithms_end_in_an_error_and_not_in_a_wait() -> None:
    long = {"ln": f"{10**3999 + 1}/{10**3998 + 3}"}
    made = collection_of("all", *[(response(4, 1, 2), long, "0")] * 400)
    started = time.perf_counter()
    assert parts(checker.check(certificate(made, "replace", "2000"))) == {"claims"}
    assert time.perf_counter() - started < 20


@pytest.mark.parametrize("inner", [made for made, _, _ in TWO])
def test_rows_of_devices_are_still_about_the_value_of_one_person(inner: Any) -> None:
    made = rows_of(9, collection_of("one", (inner, ln(Fraction(3)), "0")), "replace")
    report = checker.check(certificate(made, "one row", ln(Fraction(3))))
    assert report
    assert "the value of one person, whose device randomizes it, by any other" in str(report)


@pytest.mark.parametrize(
    "method", ["response", "projective", "unary", "symmetric unary", "subset", "hashing"]
)
def test_the_library_certifies_and_the_checker_proves(method: str, tmp_path: Path) -> None:
    collected = nw.local.frequencies(nw.Counts(9), epsilon=1, method=method)
    path = collected.certificate().save(tmp_path / "collection.json")
    assert checker.check_file(path)
    assert str(collected.certificate().unit).startswith("for replacing the value of one person")
    with pytest.raises(CertificateError, match=r"what devices send .* nw\.check proves it"):
        nw.load(path)


@pytest.mark.parametrize("made", [blocks_of(POINTS, 64, 8), padded_of(4, 1, 200, 8)])
def test_there_is_nothing_to_load_of_a_single_report(made: Any, tmp_path: Path) -> None:
    import json

    path = tmp_path / "report.json"
    path.write_text(json.dumps(certificate(made, "replace", "9")))
    with pytest.raises(CertificateError, match="what a device sends"):
        nw.load(path)


def test_the_command_line_checks_a_collection(tmp_path: Path) -> None:
    path = nw.local.frequencies(nw.Counts(99), epsilon=1).certificate().save(tmp_path / "c.json")
    said = subprocess.run(
        [sys.executable, "-m", "noisewright", "check", str(path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "whose device randomizes it" in " ".join(said.stdout.split())
