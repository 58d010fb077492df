"""A forger's mutants of every form of certificate: what is proven is true, in the unit it names.

`make explore` tries 10,000 of each form.
"""

import re
import sys
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from tests.mutants.forger import FORMS, base, checker, forge
from tests.mutants.shuffled_truth import AGAINST
from tests.mutants.unit_truth import UntrueError, judge


@pytest.mark.parametrize("form", FORMS)
def test_no_forged_certificate_is_proven_whose_sentence_is_untrue(form: str) -> None:
    seen, untrue = forge(form, 50, "each time the same")
    assert not untrue, untrue[0]
    assert seen["judged true"] > 0
    assert seen["too large to judge"] * 10 <= seen["accepted"]


def denied(document: object, sentence: str) -> bool:
    try:
        judge(document, sentence)
    except UntrueError:
        return True
    return False


@pytest.mark.parametrize("form", [form for form in FORMS if form not in ("keys", "shuffled")])
def test_the_evaluator_denies_a_smaller_epsilon(form: str) -> None:
    """Claims are at the edge, so that half of them is untrue nearly always."""
    draw, asked, caught = Random(form), 0, 0
    for _ in range(10):
        document = base(draw, form)
        said = checker.check(document).proved[-1]
        match = re.search(r"epsilon (\S+), delta 0,", said)
        if match is None or float(match[1]) == 0:
            continue
        asked += 1
        caught += denied(document, said.replace(match[1], f"{float(match[1]) * 0.5:.17g}", 1))
        assert not denied(document, said)
    assert asked > 3
    assert caught >= 0.7 * asked


def test_the_evaluator_denies_a_smaller_delta_of_rows_in_random_order() -> None:
    """The δ is at the edge of what can be proven, which is near that of what is true."""
    draw, caught = Random("shuffled"), 0
    for _ in range(8):
        document = base(draw, "shuffled")
        said = checker.check(document).proved[-1]
        match = re.search(r"delta (\S+),", said)
        assert match is not None
        assert not denied(document, said)
        caught += denied(document, said.replace(match[1], f"{float(match[1]) * 0.4:.17g}", 1))
        assert denied(document, said.replace(AGAINST, ""))
    assert caught >= 4


def test_the_evaluator_denies_a_smaller_delta_of_keys() -> None:
    """Keys need a δ; that of one coin is at the edge."""
    draw, asked = Random("keys"), 0
    for _ in range(60):
        document = base(draw, "keys")
        one = document["mechanism"]["selection"]["groups"] == 1
        said = checker.check(document).proved[-1]
        match = re.search(r"delta (\S+), for adding", said)
        if match is None or not one or float(match[1]) < 1e-9:
            continue
        asked += 1
        assert denied(document, said.replace(match[1], f"{float(match[1]) * 0.999:.17g}", 1))
        assert denied(document, said.replace("adding or removing", "moving"))
    assert asked > 3


@pytest.mark.parametrize(
    ("found", "instead"),
    [
        (r"moving (.*) by one step to the next value \(.*\)", r"replacing \1 by any other"),
        (r"per unit of distance, (for replacing .* by any other), at .*(?=\.)", r"\1"),
        (r"by a neighbor, in one of .*(?=\.)", "by any other"),
        (r"all rows of one person, up to (\d+), by any others", "one row by any other"),
    ],
)
def test_the_evaluator_denies_another_unit(found: str, instead: str) -> None:
    draw, asked, caught = Random(found), 0, 0
    for _ in range(80):
        document = base(draw, "person" if "person" in found else draw.choice(["table", "rows"]))
        said = checker.check(document).proved[-1]
        other = re.sub(found, instead, said)
        if other == said or "delta 0," not in said:
            continue
        asked += 1
        caught += denied(document, other)
    assert asked > 3
    assert (
        caught > 0
    )  # not all: two values have one pair, and some tables are as private further on


def test_a_checker_that_takes_the_parents_neighbors_for_one_row_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As it once did: ε per step, or per unit of distance, passed for ε of replacing a row."""
    prove = checker.proofs.prove

    def gullible(claim: Any) -> Any:
        given = claim.mechanism
        if given.get("form") == "rows" and claim.neighbors == {"relation": "one row"}:
            word = given["parent"]["neighbors"].get("relation")
            if word in ("adjacent", "pairs", "metric"):
                claim = replace(claim, neighbors={"relation": "one row", "row": word})
        return prove(claim)

    monkeypatch.setattr(checker.proofs, "prove", gullible)
    monkeypatch.setattr(checker.certificate, "prove", gullible)
    _, untrue = forge("rows", 400, "each time the same")
    assert untrue


def test_a_checker_that_looks_at_one_size_of_groups_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    by_parts = checker.proofs.PROOFS_BY_PARTS
    prove_groups = by_parts["groups"]

    def gullible(claim: Any, prove: Any) -> Any:
        first = claim.mechanism["parts"][0]["mechanism"]
        return prove_groups(
            claim,
            lambda one: prove(one if one.mechanism is first else replace(one, epsilon=None)),
        )

    monkeypatch.setitem(by_parts, "groups", gullible)
    _, untrue = forge("groups", 200, "each time the same")
    assert untrue


@pytest.mark.parametrize("form", ["table", "rows", "person", "groups"])
def test_a_checker_with_one_sentence_for_all_is_caught(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker.certificate, "unit_of", lambda given, neighbors: checker.Unit())
    _, untrue = forge(form, 60, "each time the same")
    assert untrue


@pytest.mark.parametrize("mistake", ["one report for all", "one hash", "never flipped back"])
def test_a_checker_that_counts_too_little_of_rappor_is_caught(
    mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules[f"{checker.__name__}.rappor"]
    factor_of = module._factor_of

    def gullible(part: Any, reports: Any) -> Any:
        factor_of(part, reports)  # refuses what is no filter
        if mistake == "one report for all":
            return factor_of(part, 1)
        if mistake == "one hash":
            return factor_of({**part, "hashes": 1}, reports)
        half = f"{int(part['flip_total'], 16) // 2:x}"
        return factor_of({**part, "flip": half}, reports)

    monkeypatch.setattr(module, "_factor_of", gullible)
    _, untrue = forge("rappor", 400, "each time the same")
    assert untrue
