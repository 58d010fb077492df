"""Certificates of designs claim that nothing is better, and the checker adds up the proof."""

import copy
import json
import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import noisewright as nw
from tests.certificates.handmade import SCHEMA, load_checker, parts, sealed

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))

SKEWED = [Fraction(i, 15) for i in (1, 2, 3, 4, 5)]
DESIGNS: dict[str, tuple[nw.Counts | nw.Categories | nw.Subsets, dict[str, Any]]] = {
    "fair": (nw.Counts(4), {"epsilon": 0.3, "properties": "F"}),
    "fair, skewed": (nw.Counts(4), {"epsilon": 0.3, "properties": "F", "prior": SKEWED}),
    "fair, worst": (nw.Counts(5), {"alpha": "0.9", "goal": "worst"}),
    "response": (nw.Categories(list("abc")), {"epsilon": 1}),
    "response, delta": (
        nw.Categories(list("abcd")),
        {"epsilon": 1, "delta": "0.1", "goal": "worst"},
    ),
    "geometric": (nw.Counts(6), {"epsilon": 0.5}),
    "relabeled": (nw.Counts(4), {"epsilon": 0.5, "loss": "L1", "prior": SKEWED}),
    "program": (nw.Counts(5), {"alpha": "0.9", "loss": "L1", "properties": "WH,RM,CM"}),
    "program, odd": (nw.Counts(4), {"epsilon": 0.2, "loss": "L2", "properties": "all"}),
    "program, skewed": (
        nw.Counts(4),
        {"epsilon": 0.2, "loss": "L1", "properties": "S,RH,WH", "prior": SKEWED},
    ),
    "program, worst": (nw.Counts(5), {"epsilon": 0.4, "loss": "L2", "goal": "worst"}),
    "program, delta": (nw.Counts(4), {"epsilon": 0.4, "delta": "0.05", "loss": "L1"}),
    "program, delta, worst": (
        nw.Counts(4),
        {"epsilon": 0.4, "delta": "0.05", "loss": "L1", "goal": "worst", "properties": "F,CM"},
    ),
    "subsets": (nw.Subsets(list("ab")), {"epsilon": 1, "loss": "distance"}),
    "nothing lost": (nw.Counts(3), {"epsilon": 0.3, "loss": "L0,2"}),
    "nothing lost, skewed": (
        nw.Counts(3),
        {"epsilon": 0.3, "loss": "L0,2", "prior": [Fraction(i, 10) for i in (1, 2, 3, 4)]},
    ),
    "large epsilon": (nw.Counts(3), {"epsilon": 20, "loss": "L1", "properties": "CM"}),
}
MADE = {name: nw.design(space, **asked) for name, (space, asked) in DESIGNS.items()}


@pytest.mark.parametrize("name", DESIGNS)
def test_the_checker_proves_the_bound_of_a_design(name: str) -> None:
    found = MADE[name]
    certificate = nw.certify(found)
    assert certificate.bound is not None
    assert found.bound * (1 - 1e-15) <= certificate.bound <= found.bound
    report = nw.check(certificate)
    assert report.holds, report.failures
    assert any("nothing with this epsilon" in sentence for sentence in report.proved)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_schema_knows_the_claim(name: str) -> None:
    validator.validate(json.loads(nw.certify(MADE[name]).to_json()))


def document_of(name: str) -> dict[str, Any]:
    return json.loads(nw.certify(MADE[name]).to_json())


@pytest.mark.parametrize("name", DESIGNS)
def test_a_bound_above_the_loss_is_never_proven(name: str) -> None:
    document = document_of(name)
    document["claims"]["optimality"]["bound"] = str(MADE[name].exact_loss + Fraction(1, 10**30))
    assert parts(checker.check(sealed(document))) == {"optimality"}


@pytest.mark.parametrize("name", DESIGNS)
def test_no_dual_values_at_all_prove_more_than_the_truth(name: str) -> None:
    """Random dual values and weights prove something below the loss of the best mechanism."""
    dice = random.Random(name)
    honest = document_of(name)
    best = honest["claims"]["optimality"]
    scale = best["log2_scale"]
    true_loss = MADE[name].exact_loss
    size = len(best["weights"])
    pairs = [
        (x, z)
        for x in range(size)
        for z in range(size)
        if x != z and (honest["neighbors"]["relation"] == "replace" or abs(x - z) == 1)
    ]
    for _ in range(25):
        forged = copy.deepcopy(honest)
        claim = forged["claims"]["optimality"]
        claim["privacy_duals"] = [
            [x, z, [f"{dice.randrange(1 << dice.randrange(1, scale)):x}" for _ in claim["loss"][x]]]
            for x, z in pairs
        ]
        if best["goal"] == "worst":
            shares = [dice.randrange(9) for _ in range(size)]
            shares[0] += 1
            claim["weights"] = [str(Fraction(share, sum(shares))) for share in shares]
        claim["property_duals"] = [
            [code, a, b, f"{dice.randrange(1 << dice.randrange(1, scale)):x}"]
            for code in claim["properties"]
            for a in range(size)
            for b in range(size)
        ]
        claim["bound"] = str(true_loss + Fraction(1, 10**40))
        assert parts(checker.check(sealed(forged))) == {"optimality"}
        claim["bound"] = str(-(10**9) * 2 ** (scale - 30))
        assert checker.check(sealed(forged)).holds


@pytest.mark.parametrize("name", ["program", "geometric", "response"])
def test_smaller_dual_values_prove_less(name: str) -> None:
    document = document_of(name)
    line = max(document["claims"]["optimality"]["privacy_duals"], key=lambda item: max(item[2]))
    line[2] = ["0"] * len(line[2])
    report = checker.check(sealed(document))
    assert parts(report) == {"optimality"}
    assert "the dual values prove" in report.failures[0].message


FORGERIES: list[tuple[tuple[Any, ...], Any]] = [
    (("goal",), "mean"),
    (("weights", 0), "-1/6"),
    (("weights", 0), "1/2"),
    (("weights",), []),
    (("weights", 0), 1),
    (("loss",), []),
    (("loss", 0), ["0"]),
    (("loss", 0, 1), "1/0"),
    (("loss", 0), "012345"),
    (("properties",), ["S"]),
    (("log2_scale",), 2**40),
    (("bound",), "1e-3"),
    (("bound",), 0),
    (("privacy_duals", 0), [0, 2, ["0"] * 6]),
    (("privacy_duals", 0, 0), 17),
    (("privacy_duals", 0, 0), -1),
    (("privacy_duals", 0, 2), ["0"] * 5),
    (("privacy_duals", 0, 2, 0), "-1"),
    (("privacy_duals", 0, 2), "000000"),
    (("property_duals", 0, 0), "F"),
    (("property_duals", 0, 1), 6),
    (("property_duals", 0, 1), -1),
    (("property_duals", 0, 3), "-f"),
    (("property_duals", 0), ["CM", 0, 1]),
    (("property_duals",), {}),
]


@pytest.mark.parametrize(("where", "what"), FORGERIES)
def test_what_is_no_proof_is_refused(where: tuple[Any, ...], what: Any) -> None:
    document = document_of("program")
    if document["claims"]["properties"].count("S"):
        # So that one forged request is for a property that is not claimed.
        document["claims"]["properties"].remove("S")
    place = document["claims"]["optimality"]
    for step in where[:-1]:
        place = place[step]
    place[where[-1]] = what
    report = checker.check(sealed(document))
    assert not report.holds
    assert parts(report) <= {"optimality", "format"}


def test_dual_values_of_one_pair_count_once() -> None:
    """Otherwise delta would be taken off the largest one of each line and not of their sum."""
    document = document_of("program, delta")
    lines = document["claims"]["optimality"]["privacy_duals"]
    lines.append(lines[0])
    assert parts(checker.check(sealed(document))) == {"optimality"}


def test_a_change_of_the_claim_is_noticed_by_its_digest() -> None:
    document = document_of("program")
    document["claims"]["optimality"]["bound"] = "0"
    assert parts(checker.check(document)) == {"claims", "digest"}


def test_an_empty_proof_is_none() -> None:
    document = document_of("program")
    document["claims"]["optimality"] = {}
    assert parts(checker.check(sealed(document))) == {"optimality"}


def test_one_file_and_python_are_all_it_takes(archive: Path, tmp_path: Path) -> None:
    nw.certify(MADE["program"]).save(tmp_path / "m.json")
    run = [sys.executable, "-I", "-S", str(archive), str(tmp_path / "m.json")]
    alone = subprocess.run(run, capture_output=True, text=True, check=False)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert "nothing with this epsilon, delta, CM, RM, WH has one below" in alone.stdout


def test_another_claim_than_the_design_s_own_carries_no_bound() -> None:
    found = MADE["program"]
    assert nw.certify(found, epsilon=3).bound is None
    assert nw.certify(found, properties=["WH"]).bound is None
    assert nw.certify(found, optimality=False).bound is None
    assert nw.certify(found.mechanism).bound is None
