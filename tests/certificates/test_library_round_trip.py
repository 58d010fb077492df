"""certify → save → check → load: the same mechanism comes back, with its proven claim."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

import noisewright as nw
from noisewright.errors import (
    CertificateError,
    NotPrivateError,
    ParameterError,
)
from noisewright.mechanisms import ColumnProduct, Geometric, Mechanism, any_change
from noisewright.privacy import Witness, tight_ratio
from tests.certificates.documents import resealed
from tests.oracles.tables import Case, cases

SCHEMA = Path(nw.__file__).parent / "schemas" / "certificate-1.json"
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))

COLORS = nw.Categories(["red", "grün", "blue"])
MATRIX = [["0.6", "0.3", "0.1"], ["0.2", "0.5", "0.3"], ["0.25", "0.25", "0.5"]]

MAKERS: dict[str, Callable[[], Mechanism]] = {
    "geometric": lambda: nw.geometric(nw.Counts(8), epsilon="0.5"),
    "geometric by alpha": lambda: nw.geometric(nw.Counts(8), alpha="9/10"),
    "geometric by formula": lambda: nw.geometric(nw.Counts(10**6), epsilon="0.5"),
    "geometric by formula and alpha": lambda: nw.geometric(
        nw.Counts(10**6), alpha="9/10", table=False
    ),
    "explicit fair": lambda: nw.explicit_fair(nw.Counts(7), epsilon=0.3),
    "response": lambda: nw.randomized_response(COLORS, epsilon=1),
    "response with delta": lambda: nw.randomized_response(COLORS, epsilon=1, delta="1/20"),
    "uniform": lambda: nw.uniform(nw.Counts(3)),
    "matrix": lambda: nw.from_matrix(COLORS, MATRIX),
    "more outputs": lambda: nw.from_matrix(COLORS, [[0.25] * 4] * 3, outputs=["a", "b", 3, True]),
    "pairs": lambda: nw.from_matrix(
        nw.Categories(["a", "b", "c"], neighbors=[("a", "b"), ("b", "c")]), MATRIX
    ),
    "interval": lambda: nw.randomized_response(nw.Interval(0, 1, step="1/4"), epsilon=1),
    "response by formula": lambda: nw.randomized_response(nw.Counts(10**4), epsilon="1/2"),
    "response by formula with delta": lambda: nw.randomized_response(
        COLORS, epsilon="1/2", delta="1/100", table=False
    ),
    "rows": lambda: nw.randomized_response(COLORS, epsilon=1) ** 1000,
    "rows of a formula": lambda: nw.geometric(nw.Counts(10**6), epsilon="0.5") ** 3,
    "columns": lambda: nw.combine.product(
        color=nw.randomized_response(COLORS, epsilon="1/2"),
        answer=nw.randomized_response(nw.Categories(["no", "yes"]), epsilon=1, delta="1/100"),
    ),
    "columns of matrices": lambda: nw.combine.product(
        a=nw.from_matrix(COLORS, MATRIX), b=nw.from_matrix(COLORS, MATRIX)
    ),
    "person": lambda: nw.combine.per_person(
        nw.randomized_response(COLORS, epsilon=1, delta="1/100"), rows=3
    ),
    "person of columns": lambda: nw.combine.per_person(
        nw.combine.product(
            color=nw.randomized_response(COLORS, epsilon="1/2"),
            kids=Geometric(nw.Counts(10**6, neighbors="replace"), nw.accounting.Epsilon.of("1e-6")),
            age=nw.laplace(nw.Interval(0, 99, step=1), epsilon=1, delta="1e-6"),
            reads=nw.per_item(nw.Subsets(["a", "b", "c"], largest=2), epsilon=1),
        ),
        rows=1000,
    ),
    "person, a logarithm": lambda: nw.combine.per_person(nw.from_matrix(COLORS, MATRIX), rows=2),
    "people": lambda: (
        nw.combine.per_person(nw.randomized_response(COLORS, epsilon=1), rows=3) ** 10**6
    ),
    "one label": lambda: nw.from_matrix(nw.Categories(["only"]), [[0.5, 0.5]]),
}


@pytest.mark.parametrize("name", MAKERS)
def test_a_saved_mechanism_is_proven_and_comes_back_equal(name: str, tmp_path: Path) -> None:
    mechanism = MAKERS[name]()
    certificate = nw.certify(mechanism)
    path = certificate.save(tmp_path / "m.json")
    report = nw.check(path)
    assert report, report
    assert nw.check(certificate)
    assert nw.check(certificate.document)
    loaded = nw.load(path)
    assert loaded == mechanism
    assert loaded.space == mechanism.space
    assert loaded.outputs == mechanism.outputs
    assert loaded.claim == certificate.guarantee
    # What was loaded certifies again to the same claim and the same digest.
    again = nw.certify(loaded)
    assert again.guarantee == certificate.guarantee
    assert again.digest == certificate.digest


@pytest.mark.parametrize("name", MAKERS)
def test_the_file_obeys_the_published_schema(name: str) -> None:
    validator.validate(json.loads(nw.certify(MAKERS[name]()).to_json()))


@given(cases())
@settings(max_examples=60)
def test_any_table_with_a_finite_epsilon_certifies_at_its_least(case: Case) -> None:
    table = case.table()
    ratio = tight_ratio(table)
    if ratio is None:
        with pytest.raises(NotPrivateError, match="no finite epsilon"):
            nw.certify(table)
        certificate = nw.certify(table, delta=1)
    else:
        certificate = nw.certify(table)
        assert certificate.guarantee.epsilon == nw.accounting.Epsilon.log(ratio)
    assert nw.check(certificate)
    # A certificate claims the seven of the paper, and only where outputs are the inputs.
    seven = nw.properties(table) - {"OD", "U"} if table.outputs == table.space else set[str]()
    assert set(certificate.properties) == seven


def test_a_column_that_protects_adjacent_counts_comes_back_protecting_all_changes(
    tmp_path: Path,
) -> None:
    """Replacing a record moves a count anywhere, so the certificate speaks of every change."""
    columns = nw.combine.product(
        count=nw.geometric(nw.Counts(3), epsilon="1/2"),
        formula=nw.geometric(nw.Counts(3), epsilon="1/2", table=False),
        number=nw.staircase(nw.Interval(0, 9, step=1), epsilon="1/2", sensitivity=2),
    )
    loaded = nw.load(nw.certify(columns).save(tmp_path / "m.json"))
    assert isinstance(loaded, ColumnProduct)
    for (_, column), (_, before) in zip(loaded.columns, columns.columns, strict=True):
        assert column.space.neighbors == "replace"
        assert column.claim == any_change(before)
        assert column.describe() == before.describe()
    assert loaded.claim == columns.claim
    assert nw.tight_epsilon(loaded) == nw.tight_epsilon(columns)
    assert nw.certify(loaded).guarantee == nw.certify(columns).guarantee


def test_a_certificate_of_many_counts_and_a_ratio_can_be_written(tmp_path: Path) -> None:
    """(10/9)^100,000 has 100,000 digits, which Python refuses to print; it is rounded up."""
    columns = nw.combine.product(count=nw.geometric(nw.Counts(10**5), alpha="9/10", table=False))
    path = nw.certify(columns).save(tmp_path / "m.json")
    assert nw.check(path)
    made = nw.load(path)
    assert made.describe() == columns.describe()
    assert made.claim == columns.claim
    assert "epsilon" in repr(columns.claim)


def test_the_claim_is_the_one_given_else_the_makers_else_the_least() -> None:
    mechanism = nw.geometric(nw.Counts(5), epsilon="1/2")
    assert nw.certify(mechanism).guarantee == nw.accounting.Guarantee("1/2")
    assert nw.certify(mechanism, epsilon=1, delta="1/10").guarantee == nw.accounting.Guarantee(
        1, "1/10"
    )
    assert nw.certify(mechanism, alpha="1/3").guarantee == nw.accounting.Guarantee(alpha="1/3")
    at_delta = nw.certify(mechanism, delta="1/20").guarantee
    assert at_delta.delta == Fraction(1, 20)
    assert at_delta.epsilon.ceiling() == nw.tight_epsilon(mechanism, delta="1/20")
    matrix = nw.from_matrix(COLORS, MATRIX)
    assert nw.certify(matrix).guarantee.epsilon.ceiling() == nw.tight_epsilon(matrix)


FALSE_CLAIMS: dict[str, Callable[[], Any]] = {
    "table": lambda: nw.certify(nw.geometric(nw.Counts(5), epsilon="1/2"), epsilon="0.49"),
    "delta": lambda: nw.certify(
        nw.randomized_response(COLORS, epsilon=1), epsilon="0.9", delta="1/1000"
    ),
    "formula": lambda: nw.certify(
        nw.geometric(nw.Counts(10**6), epsilon="1/2"), epsilon="0.4999999999999999999"
    ),
    "rows": lambda: nw.certify(nw.randomized_response(COLORS, epsilon=1) ** 9, epsilon="0.9"),
    "matrix": lambda: nw.certify(nw.from_matrix(COLORS, MATRIX), alpha="0.2000000000000001"),
}


@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_a_false_claim_is_refused_with_a_witness(name: str) -> None:
    with pytest.raises(NotPrivateError) as problem:
        FALSE_CLAIMS[name]()
    assert isinstance(problem.value.witness, Witness)
    assert "Claim a larger epsilon" in str(problem.value)


def test_columns_that_spend_more_than_is_claimed_are_refused() -> None:
    with pytest.raises(NotPrivateError, match="together spend"):
        nw.certify(MAKERS["columns"](), epsilon="1.4", delta="1/100")


@pytest.mark.parametrize("epsilon", [float("inf"), float("nan"), -1, "abc", True, None])
def test_an_epsilon_that_promises_nothing_is_refused(epsilon: Any) -> None:
    table = nw.from_matrix(COLORS, [[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0]])
    with pytest.raises((ParameterError, NotPrivateError)):
        nw.certify(table, epsilon=epsilon)


def test_properties_are_claimed_as_asked_and_only_if_they_hold() -> None:
    mechanism = nw.explicit_fair(nw.Counts(4), epsilon="0.3")
    assert set(nw.certify(mechanism).properties) == {"RH", "RM", "CH", "CM", "F", "WH", "S"}
    assert nw.certify(mechanism, properties=["S", "F", "S"]).properties == ("F", "S")
    assert nw.certify(mechanism, properties="RH").properties == ("RH",)
    assert nw.certify(mechanism, properties=[]).properties == ()
    assert nw.check(nw.certify(mechanism, properties=["S", "F"]))
    with pytest.raises(NotPrivateError, match="property 'F'"):
        nw.certify(nw.geometric(nw.Counts(4), epsilon="0.3"), properties=["F"])
    with pytest.raises(NotPrivateError, match="property 'XX'"):
        nw.certify(mechanism, properties=["XX"])
    with pytest.raises(ParameterError, match="only be claimed for tables"):
        nw.certify(mechanism**2, properties=["F"])


def test_a_formula_is_certified_no_further_than_the_checker_proves() -> None:
    """The checker knows the formula's epsilon, not its whole curve."""
    formula = nw.geometric(nw.Counts(10**6), epsilon="1/2")
    assert nw.verify(formula, epsilon="0.4", delta="1/2")
    with pytest.raises(ParameterError, match="table=True"):
        nw.certify(formula, epsilon="0.4", delta="1/2")
    assert nw.check(nw.certify(formula, epsilon="0.6", delta="1/2"))
    assert nw.check(nw.certify(formula, delta="1/2"))


def test_labels_that_utf_8_cannot_hold_survive(tmp_path: Path) -> None:
    mechanism = nw.randomized_response(nw.Categories(["\ud800", "naïve"]), epsilon=1)
    path = nw.certify(mechanism).save(tmp_path / "m.json")
    assert nw.load(path) == mechanism


def test_a_claim_of_nothing_is_not_loaded(tmp_path: Path) -> None:
    document = nw.certify(nw.from_matrix(COLORS, MATRIX)).document
    endless = resealed(
        {**document, "claims": {**document["claims"], "epsilon": {"ln": "infinity"}}}
    )
    path = tmp_path / "m.json"
    path.write_text(json.dumps(endless), encoding="utf-8")
    with pytest.raises(CertificateError, match="promises nothing"):
        nw.load(path)
