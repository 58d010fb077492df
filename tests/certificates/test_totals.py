"""Tables over any total: what a certificate says about them, and what comes back from it."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import noisewright as nw
from tests.certificates.handmade import SCHEMA, load_checker, sealed

checker = load_checker()
validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
THIRDS = [[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)]]
LABELS = nw.Categories(["a", "b", "c"])

MADE = {
    "uniform": nw.uniform(nw.Counts(8)),
    "geometric": nw.geometric(nw.Counts(5), alpha="1/2"),
    "explicit fair": nw.explicit_fair(nw.Counts(4), alpha="10/11"),
    "response": nw.randomized_response(LABELS, alpha="1/2", delta="1/10"),
    "response by formula": nw.randomized_response(LABELS, alpha="2/3", table=False),
    "thirds": nw.from_matrix(nw.Counts(1), THIRDS),
    "two rows": nw.from_matrix(nw.Counts(1), THIRDS) ** 2,
    "post-processed": nw.geometric(nw.Counts(5), alpha="2/3").then(lambda count: count // 2),
    "mixture": nw.combine.mixture(
        [nw.uniform(nw.Counts(2)), nw.geometric(nw.Counts(2), alpha="3/4").table()]
    ),
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_certificates_keep_totals_that_are_no_power_of_two(made: Any, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    nw.certify(made).save(path)
    text = path.read_text(encoding="utf-8")
    assert '"total"' in text
    assert "log2_total" not in text
    validator.validate(json.loads(text))
    assert checker.check_file(str(path))
    back = nw.load(path)
    assert (back.weights.tolist(), back.total) == (made.weights.tolist(), made.total)


def test_properties_that_hold_with_equality_are_certified() -> None:
    """UM has WH, and GM at α = 1/2 and n = 2 has WH, CH and CM, with no room to spare."""
    for made in (MADE["uniform"], nw.geometric(nw.Counts(2), alpha="1/2")):
        certificate = nw.certify(made)
        assert {"WH", "CH", "CM"} <= set(certificate.properties)
        assert checker.check(certificate.document)


def test_a_unit_more_or_less_is_refused() -> None:
    document = nw.certify(MADE["thirds"]).document
    weights = document["mechanism"]["weights"]
    for x, y in ((0, 0), (1, 1)):
        for step in (-1, 1):
            forged = json.loads(json.dumps(document))
            forged["mechanism"]["weights"][x][y] = f"{int(weights[x][y], 16) + step:x}"
            assert not checker.check(sealed(forged))


def test_tables_over_powers_of_two_are_written_as_they_always_were() -> None:
    section = nw.from_matrix(nw.Counts(1), [[3, 1], [1, 3]]).describe()
    assert section["log2_total"] == 2
    assert "total" not in section
