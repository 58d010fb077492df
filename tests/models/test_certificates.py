"""A fitted model has its proof, and the ledger points to it."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import noisewright as nw
from noisewright.errors import OverBudgetError
from tests.models.people import DOMAIN, people


@pytest.mark.parametrize("delta", [0, 1e-6], ids=["pure", "delta"])
@pytest.mark.parametrize("model", [nw.models.PrivateNaiveBayes, nw.models.PrivateTree])
def test_a_fit_is_certified_before_it_is_debited(model: Any, delta: float, tmp_path: Path) -> None:
    book = nw.Ledger.create(tmp_path / "budget.db")
    book.grant("clinic", epsilon=1, delta=1e-6)
    options: dict[str, Any] = {"label": "sick", "epsilon": 1, "delta": delta}
    fitted = model(DOMAIN, **options, ledger=book, dataset="clinic").fit(people(300))
    proof = fitted.certificate_
    assert proof.guarantee == fitted.guarantee_
    assert nw.check(proof.save(tmp_path / "model.certificate.json"))
    (spend,) = [entry for entry in book.history("clinic") if entry.kind == "spend"]
    assert spend.certificate == proof.digest
    steps = proof.document["mechanism"]["steps"]
    assert [Fraction(step["amount"]) for step in steps] == [one.amount for one in fitted.spends_]
    # The noise of the measurements is the noise of the file.
    scales = [step["noise"][0] for step in steps if step["kind"] != "choice"]
    wanted = [Fraction(one.get("decay", one.get("deviation"))) for one in scales]
    assert [one.noise.scale for one in fitted.measurements_] == wanted
    again = model(DOMAIN, **options, ledger=book, dataset="clinic")
    with pytest.raises(OverBudgetError):
        again.fit(people(300))
    assert not hasattr(again, "certificate_")


def test_the_proof_does_not_depend_on_the_rows() -> None:
    proofs = [
        nw.models.PrivateNaiveBayes(DOMAIN, label="sick", epsilon=1, ledger=None)
        .fit(people(rows, seed))
        .certificate_
        for rows, seed in ((50, 1), (300, 2))
    ]
    assert json.loads(proofs[0].to_json()) == json.loads(proofs[1].to_json())
