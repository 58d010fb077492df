"""Loading changes neither the neighbors nor the claim: every form, every relation it may have."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import CertificateError, InputError
from noisewright.mechanisms import Geometric, Staircase
from noisewright.privacy import profile
from tests.certificates.handmade import (
    certificate,
    columns_of,
    geometric,
    load_checker,
    person_of,
    relation,
    response,
    rows_of,
    table,
)

checker = load_checker()

COUNTS = {"kind": "counts", "n": 3}
LABELS = {"kind": "labels", "labels": ["a", "b", "c", "d"]}
GRID = {"kind": "grid", "low": "0", "high": "3/2", "step": "1/2"}
LATTICE = {"kind": "lattice", "origin": "0", "step": "1/2"}
ROWS = [[8, 4, 2, 2], [4, 8, 2, 2], [2, 4, 8, 2], [2, 2, 4, 8]]


def metric(*places: int | str) -> Any:
    where = [Fraction(place) for place in places]
    return {"relation": "metric", "distances": [[str(abs(a - b)) for b in where] for a in where]}


RELATIONS = [
    "replace",
    "adjacent",
    {"relation": "pairs", "pairs": [[0, 1], [1, 3]]},
    {"relation": "pairs", "pairs": [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]},  # two steps
    {"relation": "pairs", "pairs": [[1, 0], [2, 1], [3, 2]]},
    metric(0, 1, 2, 3),
    metric(0, 2, 4, 6),
    metric(0, "1/2", 1, "3/2"),
    metric(0, 3, 1, 7),
    {"relation": "metric", "distances": [[str(int(a != b)) for b in range(4)] for a in range(4)]},
]


def noise(outputs: Any) -> Any:
    return {"form": "noise", "inputs": GRID, "outputs": outputs, "decay": {"value": "1/2"}}


def stairs(outputs: Any, width: int, upper: int) -> Any:
    shape = {"form": "staircase", "inputs": GRID, "outputs": outputs, "width": width}
    return {**shape, "upper": upper, "parameter": {"value": "1"}}


FORMS: dict[str, Any] = {
    "table of counts": table(ROWS, 4, COUNTS, COUNTS),
    "table of labels": table(ROWS, 4, LABELS, LABELS),
    "table of numbers": table(ROWS, 4, GRID, GRID),
    "table of places": table(ROWS, 4, {"kind": "size", "size": 4}, LABELS),
    "geometric": geometric(3, "1"),
    "geometric, a logarithm": geometric(3, {"ln": "2"}),
    "response": response(4, 1, 3),
    "noise": noise(LATTICE),
    "clamped noise": noise(GRID),
    "staircase": stairs(LATTICE, 2, 1),
    "clamped staircase": stairs(GRID, 3, 2),
    "narrow stairs": stairs(LATTICE, 1, 1),
    "items": {"form": "items", "items": ["a", "b"], "largest": 1, "log2_total": 3}
    | {"present": "5", "absent": "3"},
    "flips": {"form": "flips", "items": ["a", "b"], "log2_total": 3, "levels": ["3", "2", "1"]},
    "columns": columns_of(
        ("a", geometric(3, "1"), "4", "0"), ("b", stairs(GRID, 2, 1), "2", "1/9")
    ),
    "person": person_of(2, geometric(3, "1"), "7/2"),
}


def written(neighbors: Any) -> Any:
    """The relation with its pairs in order: two ways to list them are one relation."""
    if neighbors["relation"] != "pairs":
        return neighbors
    return {"relation": "pairs", "pairs": sorted(sorted(pair) for pair in neighbors["pairs"])}


def loaded(document: Any, folder: Path) -> Any:
    (folder / "m.json").write_text(json.dumps(document), encoding="utf-8")
    return nw.load(folder / "m.json")


@pytest.mark.parametrize("rows", [None, 3])
@pytest.mark.parametrize("near", RELATIONS, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_neighbors_and_claim_of_what_is_loaded_are_those_of_the_certificate(
    form: str, near: Any, rows: int | None, tmp_path: Path
) -> None:
    mechanism, neighbors = FORMS[form], relation(near)
    if rows is not None:
        word = neighbors["relation"]
        mechanism = rows_of(rows, mechanism, neighbors)
        neighbors = {"relation": "one row"} | ({} if word == "replace" else {"row": word})
    document = certificate(mechanism, neighbors, "12", "1/7")
    if not checker.check(document):
        assert near != "replace"  # all forms have that
        return
    made = loaded(document, tmp_path)
    own = made.space.row if rows is not None else made.space
    labels = "inputs" in FORMS[form] and FORMS[form]["inputs"]["kind"] in ("labels", "size")
    if near == "adjacent" and labels:  # labels have no order here: those pairs are listed
        assert own.describe_neighbors()["pairs"] == [[0, 1], [1, 2], [2, 3]]
    else:
        assert written(own.describe_neighbors()) == written(relation(near))
        assert written(made.space.describe_neighbors()) == written(neighbors)
    assert made.claim == nw.accounting.Guarantee(12, "1/7")
    again = nw.certify(made)
    assert again.guarantee == made.claim
    assert written(again.document["neighbors"]) == written(made.space.describe_neighbors())
    assert nw.check(again)


@pytest.mark.parametrize("mechanism", [geometric(4, "1"), {**stairs(LATTICE, 1, 1)}])
def test_what_any_change_costs_is_what_is_loaded(mechanism: Any, tmp_path: Path) -> None:
    """Replace, ε = 4: it came back as adjacent, with ε = 1."""
    grid = {**GRID, "high": "2"}
    if "width" in mechanism:
        mechanism = {**mechanism, "inputs": grid}
    made = loaded(certificate(mechanism, "replace", "4"), tmp_path)
    assert made.space.neighbors == "replace"
    assert made.claim == nw.accounting.Guarantee(4)
    assert nw.verify(made, epsilon=4)
    if "width" in mechanism:
        with pytest.raises(InputError, match="cannot be decided"):
            nw.verify(made, epsilon="3.9")
        return
    assert nw.tight_epsilon(made) == 4
    no = nw.verify(made, epsilon="3.9")
    assert not no
    assert no.witness is not None
    assert (no.witness.input, no.witness.neighbor) == (0, 4)
    assert float(no.witness.p / no.witness.q) == pytest.approx(2.718281828459045**4)
    # With a delta it is as private as its table is, whose rounding is far below 1e-9.
    whole = made.table()
    curve = profile(whole)
    assert whole.claim == nw.accounting.Guarantee(4)
    for epsilon in ("0", "1/2", "2", "7/2"):
        expected = nw.tight_delta(whole, epsilon=epsilon)
        assert nw.tight_delta(made, epsilon=epsilon) == pytest.approx(expected, abs=1e-12)
        assert curve.delta(epsilon) == pytest.approx(expected, abs=1e-12)
    assert nw.tight_epsilon(made, delta="1/10") == pytest.approx(
        nw.tight_epsilon(whole, delta="1/10"), abs=1e-9
    )
    assert nw.compose(made, times=2).epsilon() == pytest.approx(8)


def test_a_proven_certificate_that_no_mechanism_is_for_is_refused(tmp_path: Path) -> None:
    """Laplace noise here has a rational decay where neighbors are several steps apart."""
    shape = {**noise(LATTICE), "decay": {"ln": "2"}}
    document = certificate(shape, "replace", "12")
    assert checker.check(document)
    with pytest.raises(CertificateError, match="proven, but there is no mechanism"):
        loaded(document, tmp_path)


def test_a_formula_claims_no_less_than_it_costs() -> None:
    epsilon, less = nw.accounting.Epsilon.of(1), nw.accounting.Guarantee("2.9")
    with pytest.raises(InputError, match=r"2\.9"):
        Geometric(nw.Counts(3, neighbors="replace"), epsilon, less)
    with pytest.raises(InputError, match=r"2\.9"):
        Staircase(nw.Interval(0, 3, step=1), epsilon, 1, "unbounded", 1, less)
