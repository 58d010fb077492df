"""A private choice that cannot be proven or paid: nothing is drawn, and nothing is debited."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

import noisewright as nw
from noisewright.errors import CertificateError, InputError, OverBudgetError, ParameterError
from tests.selection.all_choices import ALL, FIRST, NoBits


@pytest.fixture
def ledger(tmp_path: Path) -> nw.Ledger:
    ledger = nw.Ledger.create(tmp_path / "budget.db")
    ledger.grant("people", epsilon=9, delta="1/10")
    ledger.grant("few", epsilon="1/100")
    return ledger


def spends(ledger: nw.Ledger) -> int:
    return [entry.kind for entry in ledger.history()].count("spend")


@pytest.mark.parametrize("name", ALL)
def test_a_full_ledger(name: str, ledger: nw.Ledger) -> None:
    with pytest.raises(OverBudgetError):
        ALL[name](FIRST).sample(ledger=ledger, dataset="few", source=NoBits())
    assert spends(ledger) == 0
    assert ledger.remaining("few") == nw.accounting.Guarantee("1/100")


@pytest.mark.parametrize("name", [name for name in ALL if "BLR" not in name])
def test_a_certificate_that_is_not_proven(name: str, ledger: nw.Ledger) -> None:
    made = ALL[name](FIRST)
    steeper = replace(made, factor=2 * made.factor)
    with pytest.raises(CertificateError, match=r"step 1: costs .* Nothing was spent or drawn"):
        steeper.sample(ledger=ledger, dataset="people", source=NoBits())
    assert spends(ledger) == 0


def test_who_changes_the_certificate_in_memory_changes_a_copy(ledger: nw.Ledger) -> None:
    made = ALL["exponential"](FIRST)
    honest = made.certificate
    made.certificate.document["mechanism"]["steps"][0]["factor"] = "99"
    made.certificate.document["digest"] = "0" * 64
    made.sample(ledger=ledger, dataset="people")
    (entry,) = (entry for entry in ledger.history() if entry.kind == "spend")
    assert entry.certificate == honest.digest
    assert made.certificate.to_json() == honest.to_json()


@pytest.mark.parametrize("sensitivity", [f"1/{'7' * 1001}", "7" * 1001], ids=["tiny", "huge"])
def test_numbers_that_no_checker_reads(sensitivity: str, ledger: nw.Ledger) -> None:
    made = nw.exponential(["a", "b"], [0, 1], sensitivity=sensitivity, epsilon=1)
    with pytest.raises(CertificateError, match=r"not too long.*Nothing was spent or drawn"):
        made.sample(ledger=ledger, dataset="people", source=NoBits())
    assert spends(ledger) == 0


def test_a_ledger_that_takes_no_certificate(ledger: nw.Ledger) -> None:
    """An account of one's own, which might debit without a proof, is no ledger."""

    class Careless:
        def spend(self, dataset: str, guarantee: nw.accounting.Guarantee, *, what: str) -> NoReturn:
            raise AssertionError("debited without a certificate")

    careless: Any = Careless()
    with pytest.raises(ParameterError, match="ledger is of type Careless; give a Ledger"):
        ALL["exponential"](FIRST).sample(ledger=careless, dataset="x", source=NoBits())


@pytest.mark.parametrize("name", ALL)
def test_to_certify_what_has_a_certificate(name: str) -> None:
    with pytest.raises(InputError, match=r"use \.certificate instead"):
        nw.certify(ALL[name](FIRST))


@pytest.mark.parametrize("name", ALL)
def test_what_is_on_record_can_be_checked(name: str, ledger: nw.Ledger, tmp_path: Path) -> None:
    """The digest in the ledger is that of the file that the checker proves."""
    made = ALL[name](FIRST)
    made.sample(ledger=ledger, dataset="people")
    (entry,) = (entry for entry in ledger.history() if entry.kind == "spend")
    path = made.certificate.save(tmp_path / "choice.json")
    assert nw.check(path)
    assert entry.certificate == json.loads(path.read_text(encoding="utf-8"))["digest"]
    with pytest.raises(ParameterError, match="dataset= is missing"):
        made.sample(ledger=ledger)
