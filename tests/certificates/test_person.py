"""The rows of one person in certificates: added up by the checker, forged ones refused."""

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings, strategies as st

import noisewright as nw
from noisewright.errors import NotPrivateError
from tests.certificates.handmade import (
    HALVES,
    LN2,
    SCHEMA,
    certificate,
    columns_of,
    geometric,
    load_checker,
    parts,
    person_of,
    response,
    rows_of,
    sealed,
    table,
    text,
)
from tests.laws.mechanisms import COLORS

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text("utf-8")))
THIRD = table(HALVES, 4)


def test_rows_cost_as_often_what_one_costs() -> None:
    assert checker.check(certificate(person_of(5, THIRD, LN2), "replace", {"ln": "32"}))
    short = certificate(person_of(5, THIRD, LN2), "replace", {"ln": "31999/1000"})
    assert parts(checker.check(short)) == {"epsilon"}
    assert "5 rows cost 3.46" in text(checker.check(short))
    with localcontext() as context:
        context.prec = 60
        tight = 5 * Fraction(Decimal(2).ln())
    tiny = Fraction(1, 10**40)
    assert checker.check(certificate(person_of(5, THIRD, LN2), "replace", tight + tiny))
    assert not checker.check(certificate(person_of(5, THIRD, LN2), "replace", tight - tiny))
    one = person_of(1, THIRD, LN2)
    assert checker.check(certificate(one, "replace", LN2))


def test_deltas_add_up_as_well_and_stop_at_one() -> None:
    inner = person_of(4, response(3, 4, 4), "1", "1/8")
    assert checker.check(certificate(inner, "replace", "4", "1/2"))
    assert parts(checker.check(certificate(inner, "replace", "4", "499/1000"))) == {"delta"}
    many = person_of(10**6, response(3, 4, 4), "1", "1/8")
    assert checker.check(certificate(many, "replace", "1000000", "1"))


def test_the_parent_may_be_anything_and_is_proven_for_any_change() -> None:
    both = columns_of(("job", THIRD, LN2, "0"), ("age", geometric(3, "1/6"), "1/2", "0"))
    inner = person_of(3, both, "6/5")
    assert checker.check(certificate(inner, "replace", "18/5"))
    assert checker.check(certificate(rows_of(9, inner, "replace"), "one row", "18/5"))
    assert checker.check(certificate(person_of(2, inner, "18/5"), "replace", "36/5"))
    assert checker.check(certificate(columns_of(("visits", inner, "18/5", "0")), "replace", "18/5"))
    lie = columns_of(("job", THIRD, "1/2", "0"), ("age", geometric(3, "1/6"), "1/2", "0"))
    assert parts(checker.check(certificate(person_of(3, lie, "6/5"), "replace", "9"))) == {
        '"job": epsilon'
    }
    rows = rows_of(9, THIRD, "adjacent")
    assert parts(checker.check(certificate(person_of(2, rows, LN2), "replace", "9"))) == {
        "neighbors"
    }


@pytest.mark.parametrize(
    ("field", "what", "part"),
    [
        ("rows", 0, "mechanism"),
        ("rows", -1, "mechanism"),
        ("rows", 6, "epsilon"),
        ("rows", 2**62, "claims"),
        ("rows", True, "mechanism"),
        ("rows", "5", "mechanism"),
        ("parent", {}, "mechanism"),
    ],
)
def test_a_forged_number_of_rows_is_refused(field: str, what: Any, part: str) -> None:
    document = certificate({**person_of(5, THIRD, LN2), field: what}, "replace", {"ln": "32"})
    assert parts(checker.check(document)) == {part}


def test_other_neighbors_are_refused() -> None:
    for relation in ("adjacent", "one row", {"relation": "pairs", "pairs": [[0, 1]]}):
        assert parts(checker.check(certificate(person_of(5, THIRD, LN2), relation, "9"))) == {
            "neighbors"
        }
    inner = person_of(5, THIRD, LN2)
    inner["parent"]["neighbors"] = {"relation": "adjacent"}
    assert parts(checker.check(certificate(inner, "replace", "9"))) == {"neighbors"}


def test_a_claim_about_one_row_that_is_too_small_is_refused() -> None:
    inner = person_of(5, THIRD, {"ln": "1999/1000"})
    assert parts(checker.check(certificate(inner, "replace", "9"))) == {"epsilon"}
    forever = person_of(5, THIRD, {"ln": "infinity"})
    assert parts(checker.check(certificate(forever, "replace", "9"))) == {"epsilon"}
    assert checker.check(certificate(forever, "replace", {"ln": "infinity"}))


@settings(max_examples=40, deadline=None)
@given(
    weights=st.lists(st.integers(1, 20), min_size=4, max_size=4),
    rows=st.integers(1, 400),
    share=st.fractions(Fraction(1, 2), 2, max_denominator=50),
)
def test_library_and_checker_agree(weights: list[int], rows: int, share: Fraction) -> None:
    made = [[*pair, 64 - sum(pair)] for pair in (weights[:2], weights[2:], weights[1:3])]
    person = nw.combine.per_person(nw.from_matrix(COLORS, made), rows=rows)
    assert person.claim is not None
    document = json.loads(nw.certify(person).to_json())
    assert checker.check(document)
    validator.validate(document)
    claim = Fraction(person.claim.epsilon.ceiling()) * share
    document["claims"]["epsilon"] = {"value": str(claim)}
    try:
        holds = bool(nw.certify(person, epsilon=claim))
    except NotPrivateError:
        holds = False
    assert checker.check(sealed(document)).holds == holds
    assert bool(nw.verify(person, epsilon=claim)) == holds


def test_one_row_more_or_a_smaller_epsilon_is_found_out() -> None:
    person = nw.combine.per_person(nw.randomized_response(COLORS, epsilon=1, delta="1/99"), rows=7)
    document = json.loads(nw.certify(person).to_json())
    assert checker.check(document)
    for change, part in (
        (lambda d: d["mechanism"].update(rows=8), {"epsilon"}),
        (lambda d: d["claims"].update(epsilon={"value": "699/100"}), {"epsilon"}),
        (lambda d: d["claims"].update(delta="6/99"), {"delta"}),
        (lambda d: d["mechanism"]["parent"]["claims"].update(delta="0"), {"epsilon"}),
    ):
        forged: Any = json.loads(json.dumps(document))
        change(forged)
        assert not checker.check(forged)
        assert parts(checker.check(sealed(forged))) == part
